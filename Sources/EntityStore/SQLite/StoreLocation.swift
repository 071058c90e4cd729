import CSQLite
public import Foundation
import Synchronization

/// Where a store keeps its rows.
public struct StoreLocation: Sendable, CustomStringConvertible {
  let path: String
  let vfs: String?
  private let isFile: Bool

  /// A SQLite file. It is made when it is not there; its folder must be.
  public static func file(_ url: URL) -> StoreLocation {
    StoreLocation(path: url.path, vfs: nil, isFile: true)
  }

  /// A database in memory, gone with its store. Each use of `.inMemory` names a new one.
  ///
  /// It behaves as a file does: the same locking, the same several connections.
  public static var inMemory: StoreLocation {
    let number = counter.withLock {
      $0 += 1
      return $0
    }
    return StoreLocation(path: "/entity-store-\(number)", vfs: ENTITY_MEMORY_VFS_NAME, isFile: false)
  }

  public var description: String { isFile ? path : "memory" }

  /// What to do when it can't be opened.
  var advice: String {
    guard isFile else { return "" }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return FileManager.default.fileExists(atPath: folder)
      ? " Check the permissions of the file and its folder." : " Its folder is not there: make it first."
  }

  func prepare() throws {
    guard !isFile else { return }
    let code = entity_memory_vfs_register()
    guard code == SQLITE_OK else {
      throw StoreError(.cannotOpen, "The in-memory database can't be set up.", sqliteCode: code)
    }
  }

  private static let counter = Mutex(0)
}
