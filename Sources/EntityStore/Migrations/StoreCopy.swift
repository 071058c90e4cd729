import Foundation

/// Copies the committed contents of a store to a file.
///
/// The copy is written under another name and takes its own at the end, so that a copy is whole or not there.
struct StoreCopy {
  let location: StoreLocation
  let busyTimeout: Duration

  func write(to url: URL) throws {
    let files = FileManager.default
    let new = URL(filePath: url.path + ".new")
    try? files.removeItem(at: new)
    do {
      // Nobody may read the copy who may not read the file. SQLite fills a file that is there and empty.
      let rights =
        location.fileURL == nil ? nil : try files.attributesOfItem(atPath: location.path)[.posixPermissions]
      guard files.createFile(atPath: new.path, contents: nil, attributes: rights.map { [.posixPermissions: $0] }) else {
        throw StoreError(.cannotOpen, "the folder is not there, or can't be written.")
      }
      // One of its own: a connection that is in a transaction can't copy.
      let connection = try Connection(location, busyTimeout: busyTimeout)
      try connection.copy(into: new)
      // SQLite leaves it to the system when the copy reaches the disk (https://sqlite.org/lang_vacuum.html).
      let handle = try FileHandle(forUpdating: new)
      try handle.synchronize()
      try handle.close()
      guard rename(new.path, url.path) == 0 else {
        throw StoreError(.cannotOpen, String(cString: strerror(errno)))
      }
    } catch {
      try? files.removeItem(at: new)
      throw error
    }
  }

  /// Whether a file may be written under the name.
  ///
  /// - Throws: ``StoreError`` of kind `invalidLocation` for the store's own file, and for a file that is there and is not to
  ///   be replaced; `inUse` for one that may have commits beside it, which would be taken for commits of the copy.
  func check(_ url: URL, replaces: Bool) throws {
    try StoreLocation.file(url).prepare()
    let files = FileManager.default
    let path = url.resolvingSymlinksInPath().path
    guard path != location.fileURL?.resolvingSymlinksInPath().path else {
      throw StoreError(.invalidLocation, "'\(url.path)' is the store's own file: name another one for the copy.")
    }
    guard replaces || !files.fileExists(atPath: url.path) else {
      throw StoreError(
        .invalidLocation, "There is a file at '\(url.path)' already: name another one, or have it replaced.")
    }
    for suffix in ["-wal", "-journal"] where files.fileExists(atPath: path + suffix) {
      throw StoreError(
        .inUse,
        "'\(url.path)\(suffix)' belongs to a store that is open, or that a crash has left: close that store, or name another "
          + "file.")
    }
  }
}
