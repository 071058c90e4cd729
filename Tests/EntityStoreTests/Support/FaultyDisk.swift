import CSQLite
import FaultyVFS
import Foundation
import Synchronization

@testable import EntityStore

/// Something that fails once, or from some moment on, while a test works.
protocol FaultSource: Sendable {
  /// Fails the `number`th call from now, from 1; where it `persists`, each one after it too.
  func fail(_ number: Int, persists: Bool)
  /// Ends the failing.
  ///
  /// - Returns: Whether a call failed.
  @discardableResult func heal() -> Bool
}

/// A file system over the usual one, for one test: its calls fail where the test says, and it tells what a power cut would
/// leave.
final class FaultyDisk: FaultSource {
  enum Operation: UInt32, CaseIterable, Sendable {
    case open, delete, access, read, write, truncate, sync, fileSize, lock, indexMap, indexLock

    /// The code by which a file system says it (https://sqlite.org/rescode.html#extrc).
    var code: Int32 {
      switch self {
      case .open: SQLITE_CANTOPEN
      case .delete: SQLITE_IOERR | 10 << 8
      case .access: SQLITE_IOERR | 13 << 8
      case .read: SQLITE_IOERR | 1 << 8
      case .write: SQLITE_IOERR | 3 << 8
      case .truncate: SQLITE_IOERR | 6 << 8
      case .sync: SQLITE_IOERR | 4 << 8
      case .fileSize: SQLITE_IOERR | 7 << 8
      case .lock: SQLITE_IOERR | 15 << 8
      case .indexMap: SQLITE_IOERR | 21 << 8
      case .indexLock: ExtendedCode.lockSlot
      }
    }
  }

  struct Call: Sendable {
    let operation: Operation
    /// `nil` for a temporary file.
    let file: String?
  }

  private final class State: Sendable {
    struct Plan {
      var operations: Set<Operation> = Set(Operation.allCases)
      var code: Int32?
      /// How many calls go well before one fails; `nil` where none is to fail.
      var left: Int?
      var persists = false
      var failed: [Call] = []
      var calls: [Operation: Int] = [:]
      var watcher: (@Sendable (Call) -> Void)?
    }

    let plan = Mutex(Plan())

    func answer(_ call: Call) -> Int32 {
      let (code, watcher) = plan.withLock { plan -> (Int32, (@Sendable (Call) -> Void)?) in
        plan.calls[call.operation, default: 0] += 1
        guard let left = plan.left, plan.operations.contains(call.operation) else { return (SQLITE_OK, plan.watcher) }
        plan.left = left > 1 ? left - 1 : plan.persists ? 1 : nil
        guard left == 1 else { return (SQLITE_OK, plan.watcher) }
        plan.failed.append(call)
        return (plan.code ?? call.operation.code, plan.watcher)
      }
      watcher?(call)
      return code
    }
  }

  private let state = State()
  /// A VFS of SQLite's list. `nonisolated(unsafe)`: the pointer is set once, and is handed to
  /// functions of `FaultyVFS` alone, which lock.
  private nonisolated(unsafe) let vfs: OpaquePointer
  let name: String

  /// - Parameter keepsUnsynced: Whether it can tell what a power cut would leave.
  init(keepsUnsynced: Bool = false) throws {
    let context = Unmanaged.passRetained(state)
    let hook: faulty_hook = { context, operation, name in
      guard let context, let operation = Operation(rawValue: operation.rawValue) else { return SQLITE_OK }
      let call = Call(operation: operation, file: name.map { String(cString: $0) })
      return Unmanaged<State>.fromOpaque(context).takeUnretainedValue().answer(call)
    }
    guard let vfs = faulty_vfs_create(hook, context.toOpaque(), keepsUnsynced ? 1 : 0) else {
      context.release()
      throw StoreError(.cannotOpen, "No VFS can be made.")
    }
    self.vfs = vfs
    name = String(cString: faulty_vfs_name(vfs))
  }

  deinit {
    // A connection that a test did not wait for goes on with it.
    guard openFiles == 0 else { return }
    faulty_vfs_destroy(vfs)
    Unmanaged.passUnretained(state).release()
  }

  func location(_ file: URL) -> StoreLocation { .file(file, vfs: name) }

  var openFiles: Int { Int(faulty_vfs_open_files(vfs)) }

  /// Waits for the connections of a store that nobody holds any more: they close with its last thread.
  nonisolated(nonsending) func closed() async { while openFiles > 0 { await Task.yield() } }

  // MARK: Faults

  func fail(_ number: Int, persists: Bool) { fail(Set(Operation.allCases), number, persists: persists) }

  /// - Parameters:
  ///   - number: The number of the call that fails, from 1, among those of `operations`.
  ///   - code: The code with which it fails; `nil` for that of an I/O error.
  func fail(_ operations: Set<Operation>, _ number: Int = 1, code: Int32? = nil, persists: Bool = false) {
    state.plan.withLock { plan in
      plan.operations = operations
      plan.code = code
      plan.left = max(number, 1)
      plan.persists = persists
      plan.failed = []
    }
  }

  @discardableResult func heal() -> Bool {
    state.plan.withLock { plan in
      plan.left = nil
      return !plan.failed.isEmpty
    }
  }

  /// The calls that failed since faults were last asked for.
  var failed: [Call] { state.plan.withLock { $0.failed } }

  /// How many calls there were so far.
  func calls(_ operation: Operation) -> Int { state.plan.withLock { $0.calls[operation] ?? 0 } }

  /// Has `watcher` called before each call, on its thread.
  func watch(_ watcher: (@Sendable (Call) -> Void)?) { state.plan.withLock { $0.watcher = watcher } }

  // MARK: Power cuts

  /// Writes the files as a disk might have them if the power went off now, into a folder of their own.
  func cut(_ seed: UInt64) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let code = faulty_vfs_cut(vfs, seed, folder.url.path)
    guard code == 0 else { throw StoreError(.cannotOpen, "The files of a power cut can't be written: \(code).") }
    return folder
  }
}
