import Synchronization

/// Connections that only read, each with an executor of its own. A long read holds up no writer. It holds up other
/// reads only where they wait for a connection.
final class ReaderPool: Sendable {
  private static let limit = 4

  private struct State {
    var free: [Reader] = []
    var count = 0
    /// Whether the connections are closed. A read may still be let in afterwards, and must not open a connection.
    var isClosed = false
  }

  private let gate: Gate
  private let line = Worker("EntityStore.readers")
  private let state = Mutex(State())

  init(timeout: Duration) { gate = Gate(.readers(Self.limit), timeout: timeout) }

  /// How many reads wait for a connection.
  var waiting: Int { gate.waiting }

  func run<T: Sendable>(_ core: StoreCore, _ work: @Sendable (ReadSnapshot) throws -> T) async throws -> T {
    try core.checkOpen()
    do {
      return atCaller(try await line.run(gate.enter(), from: self, of: core) { try $0.read(core, work) })
    } catch {
      throw atCaller(error)
    }
  }

  /// Runs work that is not a read of one snapshot, in the turn of a reader: the store does not close meanwhile.
  func work<T: Sendable>(_ core: StoreCore, _ work: @Sendable () throws -> T) async throws -> T {
    try core.checkOpen()
    do {
      return atCaller(
        try await line.run(gate.enter(), from: self, of: core) { _ in try work() })
    } catch {
      throw atCaller(error)
    }
  }

  /// Closes the connections, once the reads that run or wait have ended.
  func close() async throws {
    do { atCaller(try await line.close(self, gate, Self.limit)) } catch { throw atCaller(error) }
  }

  /// The store stays open, although it was to be closed.
  func reopen() { state.withLock { $0.isClosed = false } }

  /// Returns all readers. The caller holds all turns, so all readers are free.
  fileprivate func end() -> [Reader] {
    state.withLock { state in
      state.isClosed = true
      return state.free
    }
  }

  /// Returns a free reader. The caller was let in, and no more callers are let in than there are readers.
  ///
  /// - Returns: `nil` once the connections are closed.
  fileprivate func checkOut() -> Reader? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      if let reader = state.free.popLast() { return reader }
      state.count += 1
      return Reader(number: state.count)
    }
  }

  fileprivate func checkIn(_ reader: Reader) { state.withLock { $0.free.append(reader) } }
}

extension Worker {
  /// Takes the turns of all readers, so that no reader reads.
  fileprivate func close(_ pool: ReaderPool, _ gate: Gate, _ count: Int) async throws {
    var turns: [Gate.Ticket] = []
    defer { for turn in turns { turn.release() } }
    for _ in 0..<count {
      let ticket = gate.enter()
      try await ticket.admission(on: self)
      turns.append(ticket)
    }
    for reader in pool.end() { try await reader.worker.run { reader.close() } }
  }

  /// As with the writer, the wait is here, and the work is on the reader's executor.
  fileprivate func run<T: Sendable>(
    _ ticket: Gate.Ticket, from pool: ReaderPool, of core: StoreCore, _ work: @Sendable (Reader) throws -> T
  ) async throws -> T {
    try await ticket.admission(on: self)
    guard let reader = pool.checkOut() else {
      ticket.release()
      throw StoreError.closed(core.location)
    }
    return try await reader.worker.run {
      // In this order: the next caller that is let in finds the reader.
      defer {
        pool.checkIn(reader)
        ticket.release()
      }
      try Task.checkCancellation()
      core.begin(ticket, for: .reader)
      return try work(reader)
    }
  }
}

/// One connection of the pool.
///
/// `@unchecked Sendable`: the connection is used in `read` and `close` only, which run on the worker of this reader; the
/// worker runs one job at a time.
fileprivate final class Reader: @unchecked Sendable {
  let worker: Worker
  private var connection: Connection?

  init(number: Int) { worker = Worker("EntityStore.reader.\(number)") }

  func close() {
    connection?.close()
    connection = nil
  }

  func read<T>(_ core: StoreCore, _ work: (ReadSnapshot) throws -> T) throws -> T {
    let connection = try self.connection ?? core.newReader()
    self.connection = connection
    try connection.begin("DEFERRED")
    defer { connection.rollback() }
    // The first read takes the snapshot. All later reads see it.
    let snapshot = ReadSnapshot(connection: connection, generation: try connection.generation())
    let result = try work(snapshot)
    try snapshot.check()
    return result
  }
}

/// The one state of the file that a read sees.
struct ReadSnapshot {
  let connection: Connection
  /// The last commit that it has.
  let generation: Int64

  /// - Throws: ``StoreError`` where the work may have read another state of the file.
  func check() throws {
    // The work may have caught the error that ended the transaction.
    try connection.checkTransaction()
    try connection.location.checkUnchanged()
  }
}
