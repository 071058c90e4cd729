import Synchronization

/// Connections that only read, each with an executor of its own. A long read holds up no writer and no other reader
/// but those that wait for a connection.
final class ReaderPool: Sendable {
  private static let limit = 4

  private struct State {
    var free: [Reader] = []
    var count = 0
    var waiters: [(id: Int, continuation: CheckedContinuation<Reader, any Error>)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  func run<T: Sendable>(_ core: StoreCore, _ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    let reader = try await take()
    defer { give(reader) }
    try Task.checkCancellation()
    return try await reader.worker.run { try reader.read(core, work) }
  }

  /// - Throws: `CancellationError`.
  private func take() async throws -> Reader {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let reader = state.withLock { state -> Reader? in
          if let reader = state.free.popLast() { return reader }
          guard state.count < Self.limit else {
            state.waiters.append((id, continuation))
            return nil
          }
          state.count += 1
          return Reader(number: state.count)
        }
        if let reader { continuation.resume(returning: reader) }
        // Cancelled before it stood in line: then nobody was found to dismiss.
        if Task.isCancelled { dismiss(id) }
      }
    } onCancel: {
      dismiss(id)
    }
  }

  private func dismiss(_ id: Int) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).continuation }
    }
    waiter?.resume(throwing: CancellationError())
  }

  private func give(_ reader: Reader) {
    let waiter = state.withLock { state -> CheckedContinuation<Reader, any Error>? in
      guard !state.waiters.isEmpty else {
        state.free.append(reader)
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    waiter?.resume(returning: reader)
  }
}

/// One connection of the pool.
///
/// `@unchecked Sendable`: the connection is used in `read` only, which runs on the worker of this reader; the worker
/// runs one job at a time.
private final class Reader: @unchecked Sendable {
  let worker: Worker
  private var connection: Connection?

  init(number: Int) { worker = Worker("EntityStore.reader.\(number)") }

  func read<T>(_ core: StoreCore, _ work: (EntityContext) throws -> T) throws -> T {
    let connection = try self.connection ?? Connection(core.location, busyTimeout: core.busyTimeout)
    self.connection = connection
    let context = EntityContext(core, kind: .reading, connection: connection)
    try connection.begin("DEFERRED")
    defer {
      context.isOver = true
      connection.rollback()
    }
    // The first read takes the snapshot; all that follows sees it.
    _ = try EntityContext.generation(connection)
    let result = try work(context)
    try context.throwMistakes()
    return result
  }
}
