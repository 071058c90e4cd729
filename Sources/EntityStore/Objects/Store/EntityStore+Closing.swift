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
  /// Units of work, saves and reads that were asked for before end first. Later ones throw ``StoreError`` of kind `closed`, those
  /// of a response too. Objects of the main context are detached: they read as they last did, and have no verbs. A
  /// ``LiveQuery`` keeps its objects; sequences of the store end. A store that is closed is left as it is.
  ///
  /// A store that nobody holds closes by itself, some time after its last unit.
  ///
  /// - Parameter discardsUnsaved: Whether unsaved changes of the main context, of its children and drafts are dropped.
  /// - Throws: ``StoreError``: `unsavedChanges` where the main context has such and they are not to be dropped, those made
  ///   while it waited too; `writerBusy` and `readersBusy` where a unit or a read did not end within `busyTimeout`.
  ///   `CancellationError`. The store is still open then.
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
        // Its changes are neither unsaved nor saved.
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

  /// Ends the use of the store, unless objects were edited while it waited: setters are not refused. From here on it closes.
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

  /// Deletes the file of a store that nobody has open, and the files that SQLite keeps beside it. Where there is no file,
  /// nothing happens; a store in memory goes with its last reference.
  ///
  /// - Parameters:
  ///   - location: The file.
  ///   - backups: Whether the copies go too that migrations made beside the file: see ``StoreBackup/beside``.
  ///   - log: Hears of the statements.
  /// - Throws: ``StoreError``, and nothing is deleted: `inUse` while a store or another program has the file open; `notAStore`
  ///   where it is no store's file; `corrupt` where it is damaged, and does not say that it is a store's; `readOnly` and
  ///   `cannotOpen` where it can't be deleted.
  public static func delete(_ location: StoreLocation, backups: Bool = false, log: StoreLog? = nil) throws {
    try StoreRemoval(location: location, log: log).run(backups: backups)
  }
}

/// The closing of a store, as far as it goes on.
struct StoreClosing {
  var isUnderWay = false
  /// Those who close the store too.
  var waiters: [CheckedContinuation<Void, Never>] = []
}

extension ContextSaving {
  /// Whether changes would be lost with the context: its own, and those of children and drafts.
  fileprivate var hasUnsavedWork: Bool {
    context.hasChanges || context.lineage.children.live.contains { $0.saving.hasUnsavedWork }
  }
}
