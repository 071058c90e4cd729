public import Foundation

extension EntityStore {
  /// Copies the store to a file while it is in use, as it was after one commit. Writers and readers go on.
  ///
  /// ```swift
  /// try await store.backup(to: url, replaces: true)
  /// let copy = try EntityStore(.file(url), entities: [User.self])
  /// ```
  ///
  /// The copy is a store of its own, also when the original is in memory. The copy is packed and has the store's
  /// pending changes. It gets its final name only when it is complete; after a failure the earlier file is still there.
  /// The backup takes the turn of a reader, and the write-ahead log can't be emptied meanwhile. Do not send the pending
  /// changes from both stores: see ``archive(to:)``.
  ///
  /// - Parameters:
  ///   - url: The file. Its folder must exist.
  ///   - replaces: Whether an existing file is replaced. No store may have it open.
  /// - Returns: The generation of the copy: the number of its last commit, as ``StoreCommit`` counts them.
  /// - Throws: ``StoreError``: `invalidLocation` for an existing file if `replaces` is `false`, for a file of the store
  ///   itself, and for something other than a file; `inUse` for the file of a store that is open; `diskFull`,
  ///   `cannotOpen`, `readersBusy`, `closed`. `CancellationError` when the task was cancelled before its turn.
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
          // Reading the generation also proves that the copy can be opened.
          return try copy.write(to: url, replaces: replaces) {
            try Connection(.file($0), opening: .reading, busyTimeout: core.busyTimeout, log: core.options.log)
              .generation()
          }
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Looks for damage in the file, caused by a failing medium, by another program, or by a bug of this package.
  ///
  /// It reads one snapshot in the turn of a reader; writers go on. `.quick` reads each page of the file. `.full` also
  /// compares indexes with their tables, which takes several times as long, and the words of full-text searches with
  /// the texts: it builds each full-text index once more, in memory. Both look for four more kinds of damage: links
  /// that lead nowhere, tables that differ from the schema, objects that share a value or target which only one may
  /// have, and entries in the store's own tables about rows that do not exist. A store that is opened only for reading
  /// is checked like any other. If its file lacks the index of a full-text search, that is no problem.
  ///
  /// - Parameter depth: How much is compared.
  /// - Returns: The problems, at most a few hundred of each kind; none for a sound file. They contain no values.
  /// - Throws: ``StoreError``, where the file can't be read at all. `ioError` or `outOfMemory` mean that a page could
  ///   not be read in two attempts, which proves no damage. `readersBusy`, `closed`. `CancellationError` when the task
  ///   was cancelled before its turn.
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

  /// Moves the write-ahead log into the file and empties it: before other tools copy the file, or to give space back.
  ///
  /// SQLite does this by itself at times. The call waits for the turn of a unit of work, and for no reader.
  ///
  /// - Returns: Whether the whole log is in the file. A read that began earlier, or another process, may delay that.
  ///   Then only a part of the log is in the file, or nothing, and a later call moves the rest.
  /// - Throws: ``StoreError``: `writerBusy`, `readOnly`, `diskFull`, `ioError`, `fileGone`, `closed`. `CancellationError`
  ///   when the task was cancelled before its turn.
  @discardableResult
  public func checkpoint() async throws -> Bool {
    do { return atCaller(try await core.maintain { try $0.checkpoint() }) } catch { throw atCaller(error) }
  }

  /// Packs the file: space of deleted rows goes back to the system.
  ///
  /// The file is written anew, which needs up to twice its size on the disk meanwhile. Reads go on. Units of work and
  /// saves wait, and throw `writerBusy` if they wait longer than `busyTimeout`. ``fileSizes()`` tells whether packing
  /// is worth it.
  ///
  /// - Throws: ``StoreError``: `diskFull`, `writerBusy`, `readOnly`, `ioError`, `fileGone`, `closed`; the file is then
  ///   as it was. `CancellationError` when the task was cancelled before its turn.
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
