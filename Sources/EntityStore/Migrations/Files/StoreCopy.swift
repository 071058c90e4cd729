import Foundation

/// Copies the committed contents of a store to a file.
///
/// The copy is written under a temporary name that no other file has, and gets its own name at the end. So a copy is
/// complete or does not exist. Of several copies to one file, the last one stays.
struct StoreCopy {
  let location: StoreLocation
  let busyTimeout: Duration
  /// How the store's file is opened: a file that must not change is opened only to be read.
  var opening = Connection.Opening.existing
  var log: StoreLog?
  /// The permissions of the copy of a store in memory; `nil` leaves them to the system.
  var permissions: Int?

  /// The end of the name of a copy that is not complete.
  static func unfinished(_ id: UUID) -> String { ".\(id.uuidString).new" }

  /// Whether a name ends as an incomplete copy or its journal does.
  static func isUnfinished(_ end: some StringProtocol) -> Bool {
    guard let id = UUID(uuidString: String(end.dropFirst().prefix(36))) else { return false }
    return [unfinished(id), unfinished(id) + "-journal"].contains(String(end))
  }

  /// Removes the files of a process that ended during a copy. Nobody else may be writing a copy of that name.
  static func removeUnfinished(of url: URL) {
    let (files, folder, name) = (FileManager.default, url.deletingLastPathComponent(), url.lastPathComponent)
    for other in (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
    where other.hasPrefix(name) && isUnfinished(other.dropFirst(name.count)) {
      try? files.removeItem(at: folder.appending(path: other))
    }
  }

  func write(to url: URL) throws { try write(to: url, replaces: true) { _ in } }

  /// - Parameters:
  ///   - replaces: Whether the copy replaces a file that came after ``check(_:replaces:)``.
  ///   - read: Reads the copy before the copy takes its name.
  func write<T>(to url: URL, replaces: Bool, read: (URL) throws -> T) throws -> T {
    let new = URL(filePath: url.path + Self.unfinished(UUID()))
    do {
      // SQLite fills an existing file that is empty.
      let handle = try NewFile.make(new.path, permissions: location.permissions(chosen: permissions))
      // The copy has its own connection: a connection in a transaction can't copy.
      let connection = try Connection(location, opening: opening, busyTimeout: busyTimeout, log: log)
      try connection.copy(into: new)
      try location.checkUnchanged()
      try renew(new)
      // SQLite leaves it to the system when the copy reaches the disk (https://sqlite.org/lang_vacuum.html).
      try NewFile.synchronize(handle)
      try handle.close()
      let result = try read(new)
      // A store may have opened the file since.
      try checkUnused(url)
      try name(new, url, replaces: replaces)
      NewFile.synchronizeFolder(of: url)
      return result
    } catch {
      // This needs no file handle: the process may have none left.
      for left in [new.path, new.path + "-journal"] { unlink(left) }
      throw error
    }
  }

  private func renew(_ new: URL) throws {
    let connection = try Connection(.file(new), busyTimeout: busyTimeout, log: log)
    defer { connection.close() }
    try HistoryTables.renew(on: connection)
  }

  private func name(_ new: URL, _ url: URL, replaces: Bool) throws {
    if !replaces {
      // Unlike a rename, a second link never replaces a file.
      if link(new.path, url.path) == 0 {
        try? FileManager.default.removeItem(at: new)
        return
      }
      // Some file systems have no second links.
      guard errno != EEXIST, !FileManager.default.fileExists(atPath: url.path) else { throw Self.taken(url) }
    }
    guard rename(new.path, url.path) == 0 else {
      throw StoreError(.cannotOpen, String(cString: strerror(errno)))
    }
  }

  private static func taken(_ url: URL) -> StoreError {
    StoreError(.invalidLocation, "There is a file at '\(url.path)' already: name another one, or have it replaced.")
  }

  /// Whether a file may be written under the name.
  ///
  /// - Throws: ``StoreError`` of kind `invalidLocation` for one of the store's own files, and for an existing file that
  ///   is not to be replaced; `inUse` for a file that may have commits beside it, which would count as commits of the
  ///   copy.
  func check(_ url: URL, replaces: Bool) throws {
    try StoreLocation.file(url).prepare()
    guard replaces || location.isOwn(url) || !FileManager.default.fileExists(atPath: url.path) else {
      throw Self.taken(url)
    }
    try checkUse(url)
  }

  /// - Throws: ``StoreError`` of kind `invalidLocation` for one of the store's own files; `inUse` for a file with
  ///   commits beside it, and for a file that is a part of another database.
  func checkUse(_ url: URL) throws {
    guard !location.isOwn(url) else {
      throw StoreError(
        .invalidLocation, "'\(url.path)' is one of the store's own files: name another one for the copy.")
    }
    try checkUnused(url)
  }

  private func checkUnused(_ url: URL) throws {
    let (files, path) = (FileManager.default, url.resolvingSymlinksInPath().path)
    for suffix in StoreLocation.companions
    where path.hasSuffix(suffix) && files.fileExists(atPath: String(path.dropLast(suffix.count))) {
      throw StoreError(
        .inUse, "'\(url.path)' belongs to the database '\(path.dropLast(suffix.count))': name another file.")
    }
    for suffix in ["-wal", "-journal"] where files.fileExists(atPath: path + suffix) {
      throw StoreError(
        .inUse,
        "'\(url.path)\(suffix)' belongs to a store that is open, or that a crash has left: close that store, or name another "
          + "file.")
    }
  }
}
