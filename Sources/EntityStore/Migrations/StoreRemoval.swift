import Foundation

/// Deletes the file of a store.
///
/// SQLite sees to it that nobody has the file open: it takes the file out of WAL mode for a connection that is alone with it,
/// and then removes the log and its index by itself. Without that, a log that is deleted takes commits with it.
struct StoreRemoval {
  let location: StoreLocation
  let log: StoreLog?

  func run(backups: Bool) throws {
    try location.prepare()
    guard let url = location.fileURL else { return }
    let copies = backups ? self.copies(of: url) : []
    if !location.isMissing { try removeFile(url) }
    for copy in copies { try remove(copy) }
  }

  private func removeFile(_ url: URL) throws {
    let connection = try Connection(location, busyTimeout: .zero, log: log)
    try checkOwner(connection)
    guard !connection.isReadOnly else {
      throw StoreError(.readOnly, "The store at \(location) was not deleted: its file is read-only. Allow writing.")
    }
    do {
      // The lock stays with the connection, so that nobody opens the file before it is gone.
      try connection.execute("PRAGMA main.locking_mode = EXCLUSIVE")
      try connection.execute("PRAGMA main.journal_mode = DELETE")
      try connection.execute("BEGIN EXCLUSIVE")
    } catch let error as StoreError where error.kind == .writerBusy {
      throw StoreError(
        .inUse,
        "The store at \(location) was not deleted: a store of this process, or another program, has it open. Close it first: "
          + "close().", sqliteCode: error.sqliteCode)
    }
    try remove(url.resolvingSymlinksInPath())
  }

  /// An empty file is of nobody, and may be one that a store was about to fill.
  private func checkOwner(_ connection: Connection) throws {
    let numbers = try ["PRAGMA main.application_id", "SELECT count(*) FROM main.sqlite_schema"].map { sql in
      try connection.rows(sql) { $0.int64(0) }.first ?? 0
    }
    guard numbers[0] == StoreSetup.applicationID || numbers == [0, 0] else {
      throw StoreError(
        .notAStore, "\(location) is a database of another application, and was not deleted. Name the file of a store.")
    }
  }

  /// The copies that migrations made, and those that they did not finish. Other files may have names that begin as theirs do.
  private func copies(of url: URL) -> [URL] {
    let folder = url.deletingLastPathComponent()
    let start = "\(url.lastPathComponent).backup-"
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix(start) && Self.isOfMigration($0.dropFirst(start.count)) }
      .map { folder.appending(path: $0) }
      .filter { (try? files.attributesOfItem(atPath: $0.path))?[.type] as? FileAttributeType == .typeRegular }
  }

  /// Whether the end of a name is a fingerprint, alone or with the name of an unfinished copy.
  private static func isOfMigration(_ end: Substring) -> Bool {
    let (fingerprint, rest) = (end.prefix(16), end.dropFirst(16))
    guard fingerprint.count == 16, fingerprint.allSatisfy({ "0123456789abcdef".contains($0) }) else { return false }
    return rest.isEmpty || StoreCopy.isUnfinished(rest)
  }

  private func remove(_ url: URL) throws {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      throw StoreError(
        .cannotOpen,
        "'\(url.path)' can't be deleted: \(error.localizedDescription). Check the permissions of its folder.")
    }
  }
}
