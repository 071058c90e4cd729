public import Foundation

/// The whole store as one archive, and back.
///
/// ```swift
/// try await store.archive(to: url)                            // a backup
/// try await other.restore(from: url)                          // its objects, in place of those that were there
/// ```
///
/// An archive has all rows with their relationships and orders, placeholders, and the changes that the server has not
/// acknowledged: local edits with their bases and times, objects that were made here, and deletions. A store restored
/// from an archive sends these changes as the first store would have. The archive lacks unsaved changes, the parts that
/// the app removed, and the list of migrations that the file has taken.
///
/// An archive is text: a line of JSON for each row. The article *Archives* describes its form.
extension EntityStore {
  /// Writes an archive into a file. A file that exists already is replaced at the end, in one step, so the file is
  /// never half an archive.
  ///
  /// The archive is written row by row, from one snapshot, and delays no writer. The new file has the permissions of
  /// the store's file; for a store in memory it has those of ``StoreOptions/permissions``.
  ///
  /// - Parameter url: The file.
  /// - Throws: ``StoreError``: `readersBusy` as ``read(_:)``, `cannotOpen` where the file can't be made, `diskFull`,
  ///   `invalidLocation` for a file of the store itself, `inUse` for the file of another store that is open;
  ///   `CancellationError`. After an error the file is as it was.
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

  /// An archive in memory; for a large store use ``archive(to:)``.
  ///
  /// - Throws: ``StoreError`` of kind `readersBusy` as ``read(_:)``; `CancellationError`.
  public func archive() async throws -> Data {
    try await core.read { context in
      var output = ArchiveOutput(nil)
      try ArchiveWriting(connection: context.connection, schema: core.schema).write(to: &output)
      return output.data
    }
  }

  /// Replaces the whole content of the store by that of an archive, in one unit of work.
  ///
  /// The archive is checked as a whole first: if anything is wrong with it, nothing is written. Row ids are new, as
  /// after a ``reset(discardsPending:)``. Earlier objects and ids are gone; an object with a uid can be found by its
  /// uid.
  ///
  /// An archive of an earlier version of the app is adapted as the file of that version would be: to changed names, to
  /// properties that the archive lacks, and to removed ones. Steps of migrations do not run.
  ///
  /// - Parameters:
  ///   - url: The file. It is read line by line, twice.
  ///   - discardsPending: Whether the store's changes that the server has not acknowledged may be lost.
  /// - Throws: ``StoreError``: `notAnArchive`, `newerArchive`, `damagedArchive`; `unknownEntity` and `schemaMismatch`
  ///   for parts that the store does not have; `pendingChanges` when there are pending changes and `discardsPending` is
  ///   `false`; `cannotOpen` where the file can't be read; `writerBusy`. And `CancellationError`. After an error the
  ///   store is as it was.
  @discardableResult
  public func restore(from url: URL, discardsPending: Bool = false) async throws -> ArchiveSummary {
    try await restore(ArchiveSource.file(url), discardsPending)
  }

  /// Replaces the whole content of the store by that of an archive in memory, as the method for a file does.
  ///
  /// - Parameters:
  ///   - archive: The archive, as ``archive()`` returns it.
  ///   - discardsPending: Whether the store's changes that the server has not acknowledged may be lost.
  /// - Throws: ``StoreError`` and `CancellationError`, as for an archive in a file. After an error the store is as it
  ///   was.
  @discardableResult
  public func restore(from archive: Data, discardsPending: Bool = false) async throws -> ArchiveSummary {
    try await restore(ArchiveSource.data(archive), discardsPending)
  }

  private func restore(_ source: ArchiveSource, _ discardsPending: Bool) async throws -> ArchiveSummary {
    if case .file(let url) = source, core.location.isOwn(url) {
      // The process would lose the store's locks on the file if it opened and closed the file once more.
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
