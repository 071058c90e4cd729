import CSQLite
import Foundation

/// The files of an open store: the database, its log and the index of the log. They show whether the files are still in
/// their places.
///
/// When a file is deleted or moved, a program that has it open can still write to it. SQLite reports such writes as
/// done, and nobody finds them again. A missing log or index is as bad: the next process makes new ones, and does not
/// see the commits and locks of the old ones (https://sqlite.org/howtocorrupt.html, section 4).
struct StoreFiles: Sendable {
  fileprivate struct File: Sendable, Equatable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  let location: StoreLocation
  private let files: [(path: String, file: File)]

  /// The files that a connection has open, once it has read.
  ///
  /// A read-only store checks the database alone. No commit can be lost with the log, but two connections to two files
  /// would read two states.
  ///
  /// - Returns: `nil` in memory.
  /// - Throws: ``StoreError`` of kind `fileGone` where another file is in the place of the connection's.
  init?(_ connection: Connection) throws {
    location = connection.location
    guard location.fileURL != nil, let path = connection.path else { return nil }
    let suffixes = location.log == nil || connection.isReadOnly ? [""] : ["", "-wal", "-shm"]
    files = suffixes.map { path + $0 }.compactMap { path in File(path).map { (path, $0) } }
    guard !connection.hasMoved else { throw StoreError.fileGone(location) }
  }

  /// Whether all of the files are there: one `stat` for each.
  var areThere: Bool { files.allSatisfy { File($0.path) == $0.file } }

  /// Whether two paths lead to the same file. Where neither file exists, they do if they have the same name in the same
  /// folder.
  static func isSame(_ one: URL, _ other: URL) -> Bool {
    if let file = File(other.path) { return File(one.path) == file }
    let folders = [one, other].map { File($0.deletingLastPathComponent().path) }
    return folders[0] != nil && folders[0] == folders[1] && one.lastPathComponent == other.lastPathComponent
  }

  /// The end of a log's name after it was set aside.
  static let aside = "-wal-of-replaced-file"

  /// Takes the log away when another file has taken the place of the database, after the database was closed. SQLite
  /// would read the commits of the log into the other file.
  func setAsideLog() {
    guard files.count == 3, let there = File(files[0].path), there != files[0].file,
      File(files[1].path) == files[1].file
    else { return }
    var aside = files[0].path + Self.aside
    // The log that was set aside earlier is kept too.
    if File(aside) != nil { aside += "-\(UUID().uuidString)" }
    rename(files[1].path, aside)
    if File(files[2].path) == files[2].file { unlink(files[2].path) }
  }

  /// - Parameter isCommitted: Whether a unit was committed just now.
  /// - Throws: ``StoreError`` of kind `fileGone` where a file is missing, or another file is in its place.
  func check(isCommitted: Bool = false) throws {
    guard areThere else { throw StoreError.fileGone(location, isCommitted: isCommitted) }
  }
}

/// The state of a file, which shows whether somebody has written it.
struct FileState: Sendable, Equatable {
  private let file: StoreFiles.File
  let size: Int64
  /// The time of the last write.
  private let seconds: Int64
  private let nanoseconds: Int64

  /// - Returns: `nil` where there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    file = StoreFiles.File(status)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    (seconds, nanoseconds) = (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}

extension Connection {
  /// The path of the file, as SQLite has resolved it: the log is beside the file that a link leads to.
  var path: String? {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the path leads to another file than the open one, or to none
  /// (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlhasmoved).
  var hasMoved: Bool {
    var moved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }
}
