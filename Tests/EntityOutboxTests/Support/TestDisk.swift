import FaultyVFS
import Foundation
import Synchronization

/// A file system that may be full, and that knows what a power cut would leave: all that was synced, and pieces of what
/// was not.
final class TestDisk: Sendable {
  private final class State: Sendable {
    let isFull = Mutex(false)
  }

  private let state = State()
  // `nonisolated(unsafe)`: the pointer is set once, and handed to functions of `FaultyVFS` alone, which lock.
  private nonisolated(unsafe) let vfs: OpaquePointer
  let name: String

  /// - Parameter losesPower: Whether it can tell what a power cut would leave.
  init(losesPower: Bool = false) throws {
    let context = Unmanaged.passRetained(state)
    let hook: faulty_hook = { context, operation, _ in
      guard let context, operation == FAULTY_WRITE else { return 0 }
      let isFull = Unmanaged<State>.fromOpaque(context).takeUnretainedValue().isFull.withLock(\.self)
      // SQLITE_FULL (https://sqlite.org/rescode.html#full).
      return isFull ? 13 : 0
    }
    guard let vfs = faulty_vfs_create(hook, context.toOpaque(), losesPower ? 1 : 0) else {
      context.release()
      throw CocoaError(.fileWriteUnknown)
    }
    self.vfs = vfs
    name = String(cString: faulty_vfs_name(vfs))
  }

  deinit {
    // A connection that nobody waited for goes on with it.
    guard faulty_vfs_open_files(vfs) == 0 else { return }
    faulty_vfs_destroy(vfs)
    Unmanaged.passUnretained(state).release()
  }

  /// Whether each write fails.
  func setFull(_ isFull: Bool) { state.isFull.withLock { $0 = isFull } }

  /// Writes the files as a disk might have them if the power went off now, into a folder that is there.
  func cut(_ seed: UInt64, into folder: URL) throws {
    guard faulty_vfs_cut(vfs, seed, folder.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
