import Foundation

/// Deletes the file of a store.
///
/// SQLite sees to it that nobody has the file open: it takes the file out of WAL mode for a connection that is alone with it,
/// and then removes the log and its index by itself. Without that, a log that is deleted takes commits with it.
struct StoreRemoval {
  let location: StoreLocation

  func run(backups: Bool) throws {
    try location.prepare()
    guard let url = location.fileURL else { return }
    if !location.isMissing { try removeFile(url) }
    if backups { try removeBackups(of: url) }
  }

  private func removeFile(_ url: URL) throws {
    let connection = try Connection(location, busyTimeout: .zero)
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

  private func removeBackups(of url: URL) throws {
    let folder = url.deletingLastPathComponent()
    let start = "\(url.lastPathComponent).backup-"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix(start) {
      try remove(folder.appending(path: name))
    }
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
