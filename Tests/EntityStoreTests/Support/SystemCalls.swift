import CSQLite
import Foundation
import Synchronization

@testable import EntityStore

/// Has SQLite end this process in the middle of its writing, as a crash does. For a process of its own alone.
enum SystemCalls {
  /// How many calls changed files since the last start.
  static let made = Atomic<Int>(0)
  private static let last = Atomic<Int>(.max)

  /// - Parameter last: The number of the call in which this process ends, from 1; `nil` for none.
  static func start(endingAt last: Int?) {
    made.store(0, ordering: .sequentiallyConsistent)
    self.last.store(last ?? .max, ordering: .sequentiallyConsistent)
  }

  /// Takes the place of the calls that SQLite makes by these names (https://sqlite.org/c3ref/vfs.html).
  static func install() throws {
    guard let vfs = sqlite3_vfs_find(nil), let set = vfs.pointee.xSetSystemCall else {
      throw StoreError(.sqlite, "This system's VFS has no system calls to replace.")
    }
    for name in ["pwrite", "pwrite64"] { _ = set(vfs, name, unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self)) }
    _ = set(vfs, "write", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    _ = set(vfs, "ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self))
    _ = set(vfs, "unlink", unsafeBitCast(unlink, to: sqlite3_syscall_ptr.self))
  }

  private static func isLast() -> Bool {
    made.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == last.load(ordering: .sequentiallyConsistent)
  }

  private static func end() { kill(getpid(), SIGKILL) }

  private typealias WriteAt = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
  private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int
  private typealias Truncate = @convention(c) (Int32, off_t) -> Int32
  private typealias Unlink = @convention(c) (UnsafePointer<CChar>?) -> Int32

  // The last write is half a write.
  private static let writeAt: WriteAt = { file, bytes, count, offset in
    if isLast() {
      _ = pwrite(file, bytes, count / 2, offset)
      end()
    }
    return pwrite(file, bytes, count, offset)
  }
  private static let write: Write = { file, bytes, count in
    if isLast() {
      _ = Foundation.write(file, bytes, count / 2)
      end()
    }
    return Foundation.write(file, bytes, count)
  }
  private static let truncate: Truncate = { file, length in
    if isLast() { end() }
    return ftruncate(file, length)
  }
  private static let unlink: Unlink = { path in
    guard let path else { return -1 }
    if isLast() { end() }
    return Foundation.unlink(path)
  }
}
