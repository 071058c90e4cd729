import Synchronization

/// Connections that only read, each with an executor of its own. A long read holds up no writer and no other reader
/// but those that wait for a connection.
final class ReaderPool: Sendable {
  private static let limit = 4

  private struct State {
    var free: [Reader] = []
    var count = 0
    var waiters: [CheckedContinuation<Reader, Never>] = []
  }

  private let state = Mutex(State())

  func run<T: Sendable>(_ core: StoreCore, _ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    let reader = await take()
    defer { give(reader) }
    try Task.checkCancellation()
    return try await reader.worker.run { try reader.read(core, work) }
  }

  private func take() async -> Reader {
    await withCheckedContinuation { continuation in
      let reader = state.withLock { state -> Reader? in
        if let reader = state.free.popLast() { return reader }
        guard state.count < Self.limit else {
          state.waiters.append(continuation)
          return nil
        }
        state.count += 1
        return Reader(number: state.count)
      }
      if let reader { continuation.resume(returning: reader) }
    }
  }

  private func give(_ reader: Reader) {
    let waiter = state.withLock { state -> CheckedContinuation<Reader, Never>? in
      guard !state.waiters.isEmpty else {
        state.free.append(reader)
        return nil
      }
      return state.waiters.removeFirst()
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
