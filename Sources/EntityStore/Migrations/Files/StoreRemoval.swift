import Foundation

/// Deletes the file of a store.
///
/// SQLite makes sure that nobody has the file open: the connection holds the lock of the file from the first read on.
/// It takes the file out of WAL mode, which removes the log. Without the lock, deleting a log would lose commits. A
/// damaged file stays in WAL mode, and so does a file whose log can't be brought into it because the disk is full.
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
    let path = url.resolvingSymlinksInPath().path
    let connection = try Connection(location, opening: .removing, busyTimeout: .zero, log: log)
    guard !connection.isReadOnly else {
      throw StoreError(.readOnly, "The store at \(location) was not deleted: its file is read-only. Allow writing.")
    }
    do {
      try checkOwner(connection)
      for sql in ["PRAGMA main.journal_mode = DELETE", "BEGIN EXCLUSIVE"] {
        do {
          try connection.execute(sql)
        } catch let error as StoreError where [.diskFull, .corrupt].contains(error.kind) {}
      }
    } catch let error as StoreError where error.kind == .writerBusy {
      throw StoreError(
        .inUse,
        "The store at \(location) was not deleted: a store of this process, or another program, has it open. Close it first: "
          + "close().", sqliteCode: error.sqliteCode)
    }
    // Nobody uses the index while the lock is held. The log goes last: SQLite ignores a log that it finds beside a new
    // file, and a file without its log may be damaged. The files are listed before the first one is deleted: after
    // that, another program may make a new file with its own log.
    let endings = ["-shm", "", "-wal", SenderRole.ending, SenderRole.attachments]
    let names = endings.map { path + $0 }.filter { FileManager.default.fileExists(atPath: $0) }
    // The connection holds the lock.
    try withExtendedLifetime(connection) { for name in names { try remove(URL(filePath: name)) } }
  }

  /// An empty file belongs to nobody. A store may have been about to fill it.
  private func checkOwner(_ connection: Connection) throws {
    func number(_ sql: String) throws -> Int64 { try connection.rows(sql) { $0.int64(0) }.first ?? 0 }
    let isOwn: Bool
    do {
      let owner = try number("PRAGMA main.application_id")
      isOwn =
        try owner == StoreSetup.applicationID
        || owner == 0 && number("SELECT count(*) FROM main.sqlite_schema") == 0
    } catch let error as StoreError where error.kind == .notAStore {
      isOwn = false
    } catch let error as StoreError
      where error.kind == .corrupt && connection.applicationID == StoreSetup.applicationID
    {
      isOwn = true
    }
    guard isOwn else {
      throw StoreError(
        .notAStore,
        "\(location) is a database of another application, or none, and was not deleted. Name the file of a store.")
    }
  }

  /// The copies that migrations made, also unfinished ones. Other files may have names with the same beginning.
  private func copies(of url: URL) -> [URL] {
    let folder = url.deletingLastPathComponent()
    let start = "\(url.lastPathComponent).backup-"
    let files = FileManager.default
    let names = (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix(start) && Self.isOfMigration($0.dropFirst(start.count)) }
      .map { folder.appending(path: $0) }
      .filter { (try? files.attributesOfItem(atPath: $0.path))?[.type] as? FileAttributeType == .typeRegular }
  }

  /// Whether the end of a name is a fingerprint, alone or followed by the end of an unfinished copy.
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
