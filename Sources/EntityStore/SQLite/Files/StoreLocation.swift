import CSQLite
public import Foundation
import Synchronization

/// Where a store keeps its rows.
public struct StoreLocation: Sendable, CustomStringConvertible {
  let path: String
  let vfs: String?
  /// The URL as it was given; `nil` in memory.
  private let url: URL?
  private var isFile: Bool { url != nil }
  /// The file; `nil` in memory.
  var fileURL: URL? { url.map { _ in URL(filePath: path) } }

  /// The name endings of the files beside a database that belong to it.
  static let companions = ["-wal", "-shm", "-journal", StoreFiles.aside, SenderRole.ending]

  /// Whether a URL leads to the store's file, or to a file that belongs to it: its log, the index of the log, or its
  /// journal. A file is recognized by its identity, whichever path leads to it, and by its name where it does not exist
  /// yet.
  func isOwn(_ url: URL) -> Bool {
    guard let file = fileURL?.resolvingSymlinksInPath() else { return false }
    return ([""] + Self.companions).contains {
      StoreFiles.isSame(url.resolvingSymlinksInPath(), URL(filePath: file.path + $0))
    }
  }

  private var frozen: Frozen?
  /// Why the file is read by itself, as a file that nobody changes; `nil` where it is not.
  var whyFrozen: StoreError.Kind? { frozen?.why }

  private struct Frozen: Sendable {
    let why: StoreError.Kind
    /// The path with resolved links: the log is beside that file.
    let path: String
    /// The file as it was before it was opened.
    let state: FileState
  }

  /// A SQLite file. A missing file is made; its folder must exist.
  ///
  /// Opening a store throws ``StoreError`` of kind `invalidLocation` where `url` is no file URL of this machine, or
  /// names something other than a regular file: a folder, a device, a pipe or a socket.
  public static func file(_ url: URL) -> StoreLocation {
    file(url, vfs: nil)
  }

  /// A SQLite file, reached through another VFS than the default one (https://sqlite.org/vfs.html).
  ///
  /// - Parameter vfs: The name under which SQLite knows the VFS.
  package static func file(_ url: URL, vfs: String?) -> StoreLocation {
    StoreLocation(path: url.path, vfs: vfs, url: url)
  }

  /// A database in memory, which ends with its store. Each use of `.inMemory` names a new database.
  ///
  /// It behaves as a file does, with the same locks and the same number of connections.
  public static var inMemory: StoreLocation {
    let number = counter.withLock {
      $0 += 1
      return $0
    }
    return StoreLocation(path: "/entity-store-\(number)", vfs: ENTITY_MEMORY_VFS_NAME, url: nil)
  }

  public var description: String { isFile ? path : "memory" }

  /// Whether there is no file.
  var isMissing: Bool { isFile && !FileManager.default.fileExists(atPath: path) }

  /// The advice for a location that can't be opened.
  func advice(_ opening: Connection.Opening) -> String {
    guard isFile else { return opening == .making ? "" : " A store in memory is a new one, which can't be read only." }
    if opening == .reading, isMissing { return " There is no file: a store that only reads makes none." }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return FileManager.default.fileExists(atPath: folder)
      ? " Check the permissions of the file and its folder." : " Its folder is not there: make it first."
  }

  /// The write-ahead log, to which other processes may write; `nil` where no process can.
  var log: String? { isFile && whyFrozen == nil ? path + "-wal" : nil }

  /// The name by which SQLite opens the database.
  var name: String {
    whyFrozen == nil ? path : URL(fileURLWithPath: path).absoluteString + "?immutable=1"
  }

  /// The same file, to be read by itself where the index of its log can't be made beside it: on a full disk, or on a
  /// read-only medium (https://sqlite.org/wal.html#read_only_databases).
  ///
  /// - Parameter error: The reason why the file can't be opened as usual.
  /// - Returns: `nil` for another cause, which may soon be over.
  /// - Throws: ``StoreError`` where the log has commits, which would be missed.
  func frozen(after error: StoreError) throws -> StoreLocation? {
    guard whyFrozen == nil, !error.lacksDescriptors, let path = fileURL?.resolvingSymlinksInPath().path else {
      return nil
    }
    let why: StoreError.Kind
    switch error.kind {
    case .diskFull: why = .diskFull
    case .readOnly where !Self.canWrite(path), .cannotOpen where !Self.canWrite(path): why = .readOnly
    case .cannotOpen where Self.isFull(path): why = .diskFull
    default: return nil
    }
    // This comes before the look at the log: a commit that moves into the file in between changes this state.
    guard let state = FileState(path), state.size > 0 else { return nil }
    for log in ["-wal", "-journal"] where Self.size(path + log) > 0 {
      throw StoreError(
        error.kind,
        "\(error.message) The file can't be read by itself either: '\(path)\(log)' has changes that belong to it.",
        sqliteCode: error.sqliteCode)
    }
    var location = self
    location.frozen = Frozen(why: why, path: path, state: state)
    return location
  }

  /// Whether somebody has written a file that is read as one that nobody changes. SQLite does not look for changes of
  /// such a file, and would mix pages of two states.
  var hasChanged: Bool {
    guard let frozen else { return false }
    return FileState(frozen.path) != frozen.state || Self.size(frozen.path + "-wal") > 0
  }

  /// - Throws: ``StoreError`` of kind `fileChanged`, or `fileGone`.
  func checkUnchanged() throws {
    guard hasChanged else { return }
    throw isMissing ? StoreError.fileGone(self) : StoreError.fileChanged(self)
  }

  private static func size(_ path: String) -> Int64 { FileState(path)?.size ?? 0 }

  /// Whether the system lets this process write the file, the files beside it, and new files, by the permissions and
  /// the medium.
  private static func canWrite(_ path: String) -> Bool {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    return access(folder, W_OK) == 0
      && ["", "-wal", "-shm"].allSatisfy { access(path + $0, W_OK) == 0 || errno == ENOENT }
  }

  /// Whether a disk has no room for another file: SQLite reports that like any other file that can't be opened.
  private static func isFull(_ path: String) -> Bool {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return false }
    return status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0
  }

  /// Makes an empty file with permissions, where there is no file. SQLite fills it.
  func make(permissions: Int) {
    guard let fileURL, isMissing else { return }
    // Another process may have been first. Where the file can't be made at all, opening it reports the reason.
    try? NewFile.make(fileURL.resolvingSymlinksInPath().path, permissions: permissions).close()
  }

  /// The permissions of other files with the store's rows: nobody may read the rows there who may not read the file.
  ///
  /// - Parameter chosen: The permissions for a store in memory; `nil` leaves them to the system.
  func permissions(chosen: Int?) -> Int? {
    // The attributes of a link are not those of its file: most links allow everything to everybody.
    guard let path = fileURL?.resolvingSymlinksInPath().path else { return chosen }
    var status = stat()
    guard stat(path, &status) == 0 else { return 0o600 }
    return Int(status.st_mode & 0o777)
  }

  func prepare() throws {
    if let url { return try check(url) }
    let code = entity_memory_vfs_register()
    guard code == SQLITE_OK else {
      throw StoreError(.cannotOpen, "The in-memory database can't be set up.", sqliteCode: code)
    }
  }

  /// SQLite would treat a device as an empty database, and would ignore the part of a URL after a zero byte or before
  /// its path.
  private func check(_ url: URL) throws {
    guard url.isFileURL else {
      throw invalid("'\(url.scheme.map { "\($0):" } ?? "")…' is no file URL: make one with URL(filePath:).")
    }
    if let host = url.host(), !host.isEmpty, host.lowercased() != "localhost" {
      throw invalid("The URL names a file on another machine: '\(host)'.")
    }
    guard !path.isEmpty, !path.contains("\0"), !url.path(percentEncoded: true).contains("%00") else {
      throw invalid("The URL's path is empty, or has a zero byte.")
    }
    // SQLite makes a missing file, even behind a link, and reports a file that can't be looked at.
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    guard let type = attributes?[.type] as? FileAttributeType, ![.typeRegular, .typeSymbolicLink].contains(type)
    else { return }
    let kind =
      switch type {
      case .typeDirectory: "a folder"
      case .typeCharacterSpecial, .typeBlockSpecial: "a device"
      case .typeSocket: "a socket"
      default: "no regular file"
      }
    throw invalid("'\(path)' is \(kind): name the store's file, which is made where it is not there.")
  }

  private func invalid(_ message: String) -> StoreError { StoreError(.invalidLocation, message) }

  private static let counter = Mutex(0)
}
