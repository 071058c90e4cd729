public import Foundation

/// The whole store as one archive, and back.
///
/// ```swift
/// try await store.archive(to: url)                            // a backup
/// try await other.restore(from: url)                          // its objects, in place of those that were there
/// ```
///
/// An archive has all rows with their relationships and orders, placeholders, and the changes that the server has not
/// acknowledged: local edits with their bases and times, objects that were made here, and deletions. A store that was
/// restored sends them as the first one would have. It lacks unsaved changes, the parts that the app removed, and the
/// migrations that the file has taken.
///
/// It is text: a line of JSON for each row. The article *Archives* has its form.
extension EntityStore {
  /// Writes an archive into a file. A file that was there is replaced at the end, in one step: the file is never half an
  /// archive.
  ///
  /// It is written row by row, from one snapshot, and holds up no writer. It has the permissions of the store's file, or of a
  /// store in memory those of ``StoreOptions/permissions``.
  ///
  /// - Parameter url: The file.
  /// - Throws: ``StoreError``: `readersBusy` as ``read(_:)``, `cannotOpen` where the file can't be made, `diskFull`,
  ///   `invalidLocation` for a file of the store itself, `inUse` for one of another store that is open; `CancellationError`. The file
  ///   is as it was then.
  @discardableResult
  public func archive(to url: URL) async throws -> ArchiveSummary {
    try await core.read { context in
      let core = context.core
      try StoreCopy(location: core.location, busyTimeout: core.busyTimeout).checkUse(url)
      let permissions = core.location.permissions(chosen: core.options.permissions)
      var output = ArchiveOutput(try ArchiveFile(url, permissions: permissions))
      do {
        let summary = try ArchiveWriting(connection: context.connection, schema: core.schema).write(to: &output)
        try output.end()
        return summary
      } catch {
        output.abandon()
        throw error
      }
    }
  }

  /// An archive in memory; for a large store take ``archive(to:)``.
  ///
  /// - Throws: ``StoreError`` of kind `readersBusy` as ``read(_:)``; `CancellationError`.
  public func archive() async throws -> Data {
    try await core.read { context in
      var output = ArchiveOutput(nil)
      try ArchiveWriting(connection: context.connection, schema: core.schema).write(to: &output)
      return output.data
    }
  }

  /// Replaces all that the store has by what an archive has, in one unit of work.
  ///
  /// The archive is checked as a whole before: where anything is wrong with it, nothing is written. Row ids are new, as
  /// after a ``reset(discardsPending:)``: objects and ids of before are gone, those with a uid are found by it.
  ///
  /// An archive of an earlier version of the app is taken in as its file would be: names that changed, properties that it
  /// lacks and those that were removed. Steps of migrations do not run.
  ///
  /// - Parameters:
  ///   - url: The file. It is read line by line, twice.
  ///   - discardsPending: Whether changes that the store has, and that the server has not acknowledged, are lost.
  /// - Throws: ``StoreError``: `notAnArchive`, `newerArchive`, `damagedArchive`; `unknownEntity` and `schemaMismatch` for
  ///   parts that the store does not have; `pendingChanges` where there are such, and they are not to be lost;
  ///   `cannotOpen` where the file can't be read; `writerBusy`. And `CancellationError`. The store is as it was then.
  @discardableResult
  public func restore(from url: URL, discardsPending: Bool = false) async throws -> ArchiveSummary {
    try await restore(ArchiveSource.file(url), discardsPending)
  }

  /// As the other one, from an archive in memory.
  ///
  /// - Parameters:
  ///   - archive: The archive, as ``archive()`` returns it.
  ///   - discardsPending: Whether changes that the store has, and that the server has not acknowledged, are lost.
  /// - Throws: ``StoreError`` and `CancellationError`, as the other one. The store is as it was then.
  @discardableResult
  public func restore(from archive: Data, discardsPending: Bool = false) async throws -> ArchiveSummary {
    try await restore(ArchiveSource.data(archive), discardsPending)
  }

  private func restore(_ source: ArchiveSource, _ discardsPending: Bool) async throws -> ArchiveSummary {
    if case .file(let url) = source, core.location.isOwn(url) {
      // To open it, and to close it again, would take the locks of the store from it.
      throw StoreError(.notAnArchive, "'\(url.path)' is one of the store's own files, and no archive.")
    }
    let core = core
    do { atCaller(try await source.check()) } catch { throw atCaller(error) }
    do {
      return atCaller(
        try await core.unit {
          try RowReplacement(rows: $0).restore(source, removed: core.removed, discardsPending: discardsPending)
        })
    } catch let error as StoreError where error.kind == .brokenLink {
      throw atCaller(StoreError(.damagedArchive, "The archive has a link to a row that it does not have."))
    } catch {
      throw atCaller(error)
    }
  }
}
