import Synchronization

/// What the contexts of one store share.
package final class StoreCore: Sendable {
  package let schema: SchemaModel
  let location: StoreLocation
  let busyTimeout: Duration
  let gate = WriterGate()
  let summaries = SummaryLog()
  let primaryKeys = PrimaryKeys()
  package let requests = RequestSequence()
  private let contexts = Mutex(0)
  private let line = Worker("EntityStore.line")
  private let worker = Worker("EntityStore.writer")
  private let readers = ReaderPool()
  /// Used by whoever holds the gate, and by nobody else.
  private let writer: WriterBox
  private let owner = Mutex(Owner())
  /// Called after a commit that the main context should hear of.
  private let committed = Mutex<(@Sendable () -> Void)?>(nil)

  init(_ location: StoreLocation, schema: SchemaModel, busyTimeout: Duration) throws {
    try location.prepare()
    let connection = try StoreSetup.open(location, schema: schema, busyTimeout: busyTimeout)
    self.schema = schema
    self.location = connection.location
    self.busyTimeout = busyTimeout
    writer = WriterBox(Writer(connection, schema: schema))
  }

  private struct Owner {
    weak var store: EntityStore?
  }

  /// The store that this is the core of; `nil` once that is gone. Objects of its contexts may outlive it.
  package var store: EntityStore? { owner.withLock { $0.store } }

  func attach(to store: EntityStore) { owner.withLock { $0.store = store } }

  func nextContextID() -> ContextID {
    contexts.withLock {
      $0 += 1
      return ContextID(number: $0)
    }
  }

  func onCommit(_ action: @escaping @Sendable () -> Void) { committed.withLock { $0 = action } }

  /// Runs one unit of work on the writer's executor: a transaction, committed when `work` returns.
  package func unit<T: Sendable>(_ work: @Sendable (RowWriter) throws -> T) async throws -> T {
    try await unit(from: nil, work)
  }

  func unit<T: Sendable>(from origin: ContextID?, _ work: @Sendable (RowWriter) throws -> T) async throws -> T {
    try await line.run(gate.enter(within: busyTimeout), on: worker) { try self.transaction(from: origin, work) }
  }

  /// Runs one unit of work on the calling thread.
  func blockingUnit<T>(from origin: ContextID? = nil, _ work: (RowWriter) throws -> T) throws -> T {
    try gate.acquireBlocking(within: busyTimeout)
    defer { gate.release() }
    return try transaction(from: origin, work)
  }

  /// Runs `work` within one read transaction, on a reader's executor.
  func read<T: Sendable>(_ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    try await readers.run(self, work)
  }

  /// A row id for a new object outside the writer.
  func newPrimaryKey() throws -> Int64 {
    if let pk = primaryKeys.take() { return pk }
    try gate.acquireBlocking(within: busyTimeout)
    defer { gate.release() }
    // A unit may have leased a range meanwhile.
    if let pk = primaryKeys.take() { return pk }
    try leaseKeys()
    guard let pk = primaryKeys.take() else { throw StoreError(.sqlite, "No row id could be leased.") }
    return pk
  }

  /// Leases row ids for contexts outside the writer. The caller holds the gate.
  private func leaseKeys() throws {
    primaryKeys.refill(try writer.value.transaction(from: nil, summaries: summaries) { try $0.lease() }.value)
  }

  /// Leases row ids ahead of a unit, so that an insert in the main context need not wait for the unit to end.
  private func leaseKeysAhead() throws {
    guard primaryKeys.isEmpty, !writer.value.connection.isReadOnly else { return }
    do {
      try leaseKeys()
    } catch let error as StoreError where error.kind != .writerBusy {
      // The unit may only read, which a full disk does not prevent. What writes fails by itself.
    }
  }

  private func transaction<T>(from origin: ContextID?, _ work: (RowWriter) throws -> T) throws -> T {
    try leaseKeysAhead()
    let result = try writer.value.transaction(from: origin, summaries: summaries, work)
    if result.isChanged, summaries.isEnabled { committed.withLock { $0 }?() }
    return result.value
  }
}

/// The writer's connection and statements.
///
/// `@unchecked Sendable`: the value is touched in `StoreCore.init`, before the core is shared, and in
/// `StoreCore.transaction`, whose callers hold the gate; the gate admits one at a time, and its lock orders one
/// holder's writes before the next one's reads.
private final class WriterBox: @unchecked Sendable {
  let value: Writer

  init(_ value: Writer) { self.value = value }
}
