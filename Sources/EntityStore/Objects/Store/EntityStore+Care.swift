public import Foundation

extension EntityStore {
  /// Copies the store to a file while it is in use: all that is committed at one moment. Writers and readers go on.
  ///
  /// ```swift
  /// try await store.backup(to: url, replaces: true)
  /// let copy = try EntityStore(.file(url), entities: [User.self])
  /// ```
  ///
  /// The copy is a store of its own: also of a store in memory. It is packed, has pending changes as the store has them, and
  /// takes the name when it is whole; a failure leaves what was there. It takes the turn of a reader, and keeps the log
  /// growing while it lasts. Do not send pending changes from both: ``archive(to:)`` says more of that.
  ///
  /// - Parameters:
  ///   - url: The file. Its folder must be there.
  ///   - replaces: Whether a file that is there is replaced. It must not be one that a store has open.
  /// - Returns: The generation that the copy has: the number of its last commit, as ``StoreCommit`` counts them.
  /// - Throws: ``StoreError``: `invalidLocation` for a file that is there and is not to be replaced, for one of the store itself,
  ///   and for what is no file; `inUse` for the file of a store that is open; `diskFull`, `cannotOpen`, `readersBusy`,
  ///   `closed`. `CancellationError` when the task was cancelled before its turn.
  @discardableResult
  public func backup(to url: URL, replaces: Bool = false) async throws -> Int64 {
    let core = core
    do {
      return atCaller(
        try await core.readers.work(core) {
          let copy = StoreCopy(
            location: core.location, busyTimeout: core.busyTimeout, opening: core.opening, log: core.options.log,
            permissions: core.options.permissions)
          try copy.check(url, replaces: replaces)
          try core.checkFiles()
          // It shows that the copy can be opened, too.
          return try copy.write(to: url, replaces: replaces) {
            try Connection(.file($0), opening: .reading, busyTimeout: core.busyTimeout, log: core.options.log)
              .generation()
          }
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Looks for damage in the file: by a medium that fails, by another program, or by a fault of this package.
  ///
  /// It reads one snapshot in the turn of a reader; writers go on. `.quick` reads each page of the file, and
  /// `.full` compares indexes with their tables too, which takes several times as long, and the words of full-text searches
  /// with the texts: it makes each such index once more, in memory. Both look for links that lead nowhere, for tables that are
  /// not as the schema says, for objects that share what one may have, and for what the store's own tables have of rows that are
  /// not there. A store that is only read is checked as any; an index of a full-text search that its file lacks is no problem.
  ///
  /// - Parameter depth: How much is compared.
  /// - Returns: The problems, at most some hundred of each kind; none for a sound file. They name no values.
  /// - Throws: ``StoreError``, where the file can't be read at all; `ioError` or `outOfMemory` where a page could not be read
  ///   in two looks, which says nothing of the file; `readersBusy`, `closed`. `CancellationError` when the task was cancelled
  ///   before its turn.
  public func check(_ depth: StoreCheck.Depth = .quick) async throws -> [StoreCheck.Problem] {
    let core = core
    do {
      return atCaller(
        try await core.readers.run(core) {
          try FileCheck(connection: $0.connection, schema: core.schema, unsearchable: core.unsearchable)
            .problems(depth)
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Brings the log into the file and empties it: before the file is copied by other means, or to give space back.
  ///
  /// SQLite does it by itself now and then. It waits for the turn of a unit of work, and for no reader.
  ///
  /// - Returns: Whether all of the log is in the file. A read that began earlier, or another process, may hold it up: then a
  ///   part is, or nothing, and a later call brings the rest.
  /// - Throws: ``StoreError``: `writerBusy`, `readOnly`, `diskFull`, `ioError`, `fileGone`, `closed`. `CancellationError`
  ///   when the task was cancelled before its turn.
  @discardableResult
  public func checkpoint() async throws -> Bool {
    do { return atCaller(try await core.maintain { try $0.checkpoint() }) } catch { throw atCaller(error) }
  }

  /// Packs the file: space of deleted rows goes back to the system.
  ///
  /// The file is written anew, which needs up to twice its size on the disk meanwhile. Reads go on. Units of
  /// work and saves wait, and those that wait longer than `busyTimeout` throw `writerBusy`. ``fileSizes()`` tells whether it is
  /// worth it.
  ///
  /// - Throws: ``StoreError``: `diskFull`, `writerBusy`, `readOnly`, `ioError`, `fileGone`, `closed`; the file is then as it
  ///   was. `CancellationError` when the task was cancelled before its turn.
  public func vacuum() async throws {
    let core = core
    do {
      atCaller(
        try await core.maintain { connection in
          try core.newConnection().pack()
          try connection.checkpoint()
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// How much space the store takes.
  ///
  /// - Throws: ``StoreError``: `readersBusy`, `closed`. `CancellationError` when the task was cancelled before its turn.
  public func fileSizes() async throws -> StoreFileSizes {
    do {
      return atCaller(try await core.readers.run(core) { try $0.connection.fileSizes() })
    } catch {
      throw atCaller(error)
    }
  }
}
