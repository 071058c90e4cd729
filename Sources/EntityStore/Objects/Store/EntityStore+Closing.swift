import Foundation

extension EntityStore {
  /// Closes the store: its file can then be copied, moved, deleted, or opened anew.
  ///
  /// ```swift
  /// try await store.main.save()
  /// try await store.close()
  /// try EntityStore.delete(.file(url))
  /// ```
  ///
  /// Earlier units of work, saves and reads end first. Later ones throw ``StoreError`` of kind `closed`, and so does
  /// taking in a response. Objects of the main context are detached: they keep the values that were read last, and have
  /// no verbs. A ``LiveQuery`` keeps its objects; sequences of the store end. Closing a closed store does nothing.
  ///
  /// A store to which no reference is left closes by itself, some time after its last unit.
  ///
  /// - Parameter discardsUnsaved: Whether unsaved changes of the main context, of its children and drafts are dropped.
  /// - Throws: ``StoreError``: `unsavedChanges` when the main context has unsaved changes and `discardsUnsaved` is
  ///   `false`, including changes that were made while the call waited; `writerBusy` and `readersBusy` when a unit or a
  ///   read did not end within `busyTimeout`. `CancellationError`. After an error the store is still open.
  public func close(discardsUnsaved: Bool = false) async throws {
    do { guard atCaller(try await beginClosing(discardsUnsaved)) else { return } } catch { throw atCaller(error) }
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await core.closeConnections { try self.detachMain(discardsUnsaved) })
    } catch {
      outcome = .failure(error)
    }
    await endClosing()
    do { atCaller(try outcome.get()) } catch { throw atCaller(error) }
  }

  /// - Returns: Whether there is something to close.
  @MainActor private func beginClosing(_ discardsUnsaved: Bool) async throws -> Bool {
    while true {
      if closing.isUnderWay {
        await withCheckedContinuation { closing.waiters.append($0) }
      } else if let mainContext, mainContext.saves.isSaving {
        // Changes that are being saved are neither unsaved nor saved yet.
        await withCheckedContinuation { mainContext.saves.saveWaiters.append($0) }
      } else {
        break
      }
    }
    guard core.phase == .open else { return false }
    try checkUnsaved(discardsUnsaved)
    closing.isUnderWay = true
    core.phase = .closing
    return true
  }

  @MainActor private func checkUnsaved(_ discardsUnsaved: Bool) throws {
    guard discardsUnsaved || mainContext?.saving.hasUnsavedWork != true else {
      throw StoreError(
        .unsavedChanges,
        "The store at \(core.location) was not closed: its main context has unsaved changes. Save them, roll them back, or close "
          + "it with `discardsUnsaved: true`.")
    }
  }

  /// Detaches the main context. Setters are not refused while the closing waits, so unsaved changes are checked once
  /// more. If there are none, the closing is final.
  @MainActor private func detachMain(_ discardsUnsaved: Bool) throws {
    try checkUnsaved(discardsUnsaved)
    closeMain()
    core.endFollowing()
  }

  @MainActor private func endClosing() {
    if core.phase != .closed {
      core.readers.reopen()
      core.phase = .open
      core.followers.wake()
    }
    closing.isUnderWay = false
    let waiters = closing.waiters
    closing.waiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Deletes the file of a store that nobody has open, and the files that SQLite keeps beside it. Does nothing if there
  /// is no file. A store in memory ends with its last reference.
  ///
  /// - Parameters:
  ///   - location: The file.
  ///   - backups: Whether to delete also the copies that migrations made beside the file: see ``StoreBackup/beside``.
  ///   - log: Receives the statements.
  /// - Throws: ``StoreError``, and nothing is deleted: `inUse` while a store or another program has the file open;
  ///   `notAStore` when it is not a store's file; `corrupt` when it is so damaged that nothing shows that it is a
  ///   store's file; `readOnly` and `cannotOpen` when it can't be deleted.
  public static func delete(_ location: StoreLocation, backups: Bool = false, log: StoreLog? = nil) throws {
    try StoreRemoval(location: location, log: log).run(backups: backups)
  }
}

/// The state of a store's closing.
struct StoreClosing {
  var isUnderWay = false
  /// Other calls that wait for the closing to end.
  var waiters: [CheckedContinuation<Void, Never>] = []
}

extension ContextSaving {
  /// Whether changes would be lost with the context: its own, and those of children and drafts.
  fileprivate var hasUnsavedWork: Bool {
    context.holdsChanges || context.lineage.children.live.contains { $0.saving.hasUnsavedWork }
  }
}
