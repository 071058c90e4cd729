import Synchronization

/// The state that the contexts of one store share.
package final class StoreCore: Sendable {
  package let schema: SchemaModel
  /// The names of the entities that the app removed.
  let removed: [String]
  package let location: StoreLocation
  let busyTimeout: Duration
  package let options: StoreOptions
  let gate: Gate
  let followers: CommitFollowers
  private let watch: FileWatch?
  /// The commits that the main context has not merged yet, once there is a main context.
  let summaries: SummaryLog
  let primaryKeys = PrimaryKeys()
  package let requests = RequestSequence()
  package let turns = ObjectTurns()
  let answers: AnswerMemory
  let underWay = EditsUnderWay()
  package let merging: AnswerMerging
  private let contexts = Mutex(0)
  private let line = Worker("EntityStore.line")
  private let worker = Worker("EntityStore.writer")
  let readers: ReaderPool
  /// Only the holder of the gate uses it.
  private let writer: WriterBox
  private let owner: Owner
  private let phases = Atomic(Phase.open)
  /// The files of the store; `nil` for a store whose commits can't be lost with its files.
  private let files: StoreFiles?
  /// The entities whose full-text search the file has no index for.
  let unsearchable: Set<String>

  /// The state between a store and its file.
  enum Phase: UInt8, AtomicRepresentable {
    case open
    /// The store takes no new work, and waits for the work that it has.
    case closing
    case closed
  }

  init(
    _ location: StoreLocation, _ declaration: StoreDeclaration, busyTimeout: Duration, options: StoreOptions
  ) throws {
    try location.prepare()
    let connection = try StoreSetup.open(location, declaration, busyTimeout: busyTimeout, options: options)
    let schema = declaration.schema
    self.schema = schema
    removed = declaration.removed
    unsearchable = try SearchSetup(schema: schema, connection: connection).unsearchable()
    self.location = connection.location
    self.busyTimeout = busyTimeout
    self.options = options
    let followers = CommitFollowers(generation: try connection.generation())
    files = try StoreFiles(connection)
    connection.files = files
    connection.isWriter = true
    self.followers = followers
    let owner = Owner()
    self.owner = owner
    watch = FileWatch(connection.location) { owner.core?.lookForCommits() }
    summaries = SummaryLog { owner.listener?.scheduleMerge() }
    gate = Gate(.writer, timeout: busyTimeout)
    readers = ReaderPool(timeout: busyTimeout)
    merging = AnswerMerging(requests.clock)
    answers = AnswerMemory(areAny: try connection.hasAnswers())
    let location = connection.location
    let memory = WriterMemory(
      connection, schema: schema, .init(answers: answers, underWay: underWay, merging: merging),
      rowsInBatch: options.rowsInBatch
    ) {
      guard let core = owner.core else { throw StoreError.closed(location) }
      return try core.newConnection()
    }
    writer = WriterBox(Writer(memory, author: options.author))
    owner.core = self
  }

  private final class Owner: Sendable {
    private struct Reference {
      weak var listener: (any CommitListener)?
      /// Sequences hold the core, and go on where nobody holds the store.
      weak var core: StoreCore?
    }

    private let reference = Mutex(Reference())

    var listener: (any CommitListener)? {
      get { reference.withLock { $0.listener } }
      set { reference.withLock { $0.listener = newValue } }
    }

    var core: StoreCore? {
      get { reference.withLock { $0.core } }
      set { reference.withLock { $0.core = newValue } }
    }
  }

  /// The owner of this core; `nil` once the owner is gone.
  var listener: (any CommitListener)? { owner.listener }

  func attach(to listener: any CommitListener) { owner.listener = listener }

  var phase: Phase {
    get { phases.load(ordering: .acquiring) }
    set { phases.store(newValue, ordering: .releasing) }
  }

  /// - Throws: ``StoreError`` of kind `closed` after the call that closes the store.
  func checkOpen() throws {
    guard phase == .open else { throw StoreError.closed(location) }
  }

  /// Whether a read failed because the store closes. A sequence that has read before then waits: it ends with the
  /// store, or is woken where the store stays open.
  ///
  /// The phase can't tell: the store may be open again by now. The message tells the error from that of another file's
  /// store.
  func isLeaving(_ error: any Error) -> Bool {
    guard let error = error as? StoreError, error.kind == .closed else { return false }
    return error.message == StoreError.closed(location).message
  }

  /// Closes the connections of the writer and the readers, once what they do has ended.
  ///
  /// - Parameter detach: Ends the use of the store. Where it throws, the writer stays open. The writer's turn is held
  ///   meanwhile: the main actor never waits for a turn while the store is closing, see ``checkOpen()``.
  func closeConnections(_ detach: @MainActor @Sendable () throws -> Void) async throws {
    do {
      atCaller(try await readers.close())
      // The ticket stands behind all units that were asked for before.
      let ticket = gate.enter()
      atCaller(try await line.close(ticket, on: worker, detach) { self.writer.close() })
    } catch {
      throw atCaller(error)
    }
  }

  /// The connections are closed: the followers of the store hear of no further commit.
  func endFollowing() {
    phase = .closed
    owner.listener = nil
    watch?.end()
    followers.end()
  }

  /// Publishes commits to a log from now on, also those of other processes.
  func follow(_ log: SummaryLog) {
    followers.add(log)
    watch?.start()
  }

  /// Whether the main context follows the commits: somebody has used it.
  var hasMainContext: Bool { followers.has(summaries) }

  func unfollow(_ log: SummaryLog) {
    followers.remove(log)
    watch?.stop()
  }

  /// Makes the followers take over commits that other processes made.
  private func lookForCommits() {
    // The main context reads the generation itself.
    guard followers.hasOthers(than: summaries) else { return summaries.committed() }
    Task { [weak self] in
      guard let self else { return }
      do {
        let generation = try await reading { $0.generation }
        followers.committed(generation, isOwn: false)
      } catch let error as StoreError where error.kind == .readersBusy {
        watch?.lookLater()
      } catch {}
    }
  }

  /// How connections after the first one open the file.
  var opening: Connection.Opening { options.access == .readOnly ? .reading : .existing }

  /// One more connection to the file, which only reads.
  func newReader() throws -> Connection { try newConnection(recordsReads: true) }

  func newConnection(recordsReads: Bool = false) throws -> Connection {
    // The check comes before, because a connection makes a log where there is none, and after, because the connection
    // may have opened another file.
    try files?.check()
    let connection = try Connection(
      location, opening: opening, busyTimeout: busyTimeout, recordsReads: recordsReads, log: options.log)
    try files?.check()
    connection.files = files
    return connection
  }

  /// - Throws: ``StoreError`` of kind `fileGone`.
  func checkFiles() throws { try files?.check() }

  /// Runs `work` with the writer's connection in the turn of a unit, without a transaction.
  func maintain<T: Sendable>(_ work: @Sendable (Connection) throws -> T) async throws -> T {
    try checkOpen()
    let ticket = gate.enter()
    do {
      return atCaller(
        try await line.run(ticket, on: worker) {
          self.begin(ticket)
          try self.checkFiles()
          return try work(self.openWriter().connection)
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Notes that a turn waits for nobody else.
  func begin(_ ticket: Gate.Ticket, for turn: StoreLog.Wait.Turn = .writer) {
    ticket.begin()
    options.log?.tellWait(of: ticket.age, for: turn)
  }

  func nextContextID() -> ContextID {
    contexts.withLock {
      $0 += 1
      return ContextID(number: $0)
    }
  }

  /// Runs one unit of work on the writer's executor: a transaction, committed when `work` returns, unless the task was
  /// cancelled by then.
  ///
  /// - Parameters:
  ///   - isOfServer: Whether the changes are the server's; see ``RowWriter/isOfServer``.
  ///   - isDurable: Whether the commit survives a power cut once the call returns, whatever the store's
  ///     ``StoreOptions/durability``.
  package func unit<T: Sendable>(
    isOfServer: Bool = false, isDurable: Bool = false, _ work: @Sendable (RowWriter) throws -> T
  ) async throws -> T {
    try await unit(from: UnitOrigin(isOfServer: isOfServer, isDurable: isDurable), work)
  }

  /// A save of a context goes before units that wait.
  func unit<T: Sendable>(from origin: UnitOrigin, _ work: @Sendable (RowWriter) throws -> T) async throws -> T {
    try checkOpen()
    let ticket = gate.enter(isSave: origin.context != nil)
    do {
      return atCaller(
        try await line.run(ticket, on: worker) {
          try self.transaction(from: origin, ticket) { rows in
            let result = try work(rows)
            try Task.checkCancellation()
            return result
          }
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Runs one unit of work of the main context on the calling thread: a save, or the lease of row ids for a new object.
  /// It goes before units that wait.
  func blockingUnit<T>(from origin: ContextID? = nil, _ work: (RowWriter) throws -> T) throws -> T {
    try checkOpen()
    let ticket = gate.enter(isSave: true)
    try ticket.blockingAdmission()
    defer { ticket.release() }
    return try transaction(from: UnitOrigin(context: origin), ticket, work)
  }

  /// Runs `work` within one read transaction, on a reader's executor.
  func reading<T: Sendable>(_ work: @Sendable (ReadSnapshot) throws -> T) async throws -> T {
    try await readers.run(self, work)
  }

  /// A row id for a new object outside the writer.
  func newPrimaryKey() throws -> Int64 {
    if let pk = primaryKeys.removeFirst() { return pk }
    try checkOpen()
    let ticket = gate.enter(isSave: true)
    try ticket.blockingAdmission()
    defer { ticket.release() }
    // A unit may have leased a range meanwhile.
    if let pk = primaryKeys.removeFirst() { return pk }
    try leaseKeys(patience: ticket.patience) { begin(ticket) }
    guard let pk = primaryKeys.removeFirst() else { throw StoreError(.sqlite, "No row id could be leased.") }
    return pk
  }

  /// Leases row ids for contexts outside the writer. The caller holds the gate.
  private func leaseKeys(patience: Duration, begun: () -> Void) throws {
    primaryKeys.refill(
      try openWriter().transaction(from: UnitOrigin(), patience: patience, begun: begun, followers: followers) {
        try $0.writer.lease()
      }.value)
  }

  /// Leases row ids before a unit, so that an insert in the main context need not wait for the end of the unit.
  private func leaseKeysAhead(_ ticket: Gate.Ticket) throws {
    guard primaryKeys.isEmpty, try !openWriter().connection.isReadOnly else { return }
    do {
      // The turn begins with the unit's own transaction: both wait within one deadline.
      try leaseKeys(patience: ticket.patience) {}
    } catch let error as StoreError where error.kind != .writerBusy {
      // The unit may only read, which a full disk does not prevent. A write throws its own error.
    }
  }

  /// The caller holds the gate.
  private func openWriter() throws -> Writer {
    guard let writer = writer.value else { throw StoreError.closed(location) }
    return writer
  }

  private func transaction<T>(
    from origin: UnitOrigin, _ ticket: Gate.Ticket, _ work: (RowWriter) throws -> T
  ) throws -> T {
    try leaseKeysAhead(ticket)
    let result = try openWriter().transaction(
      from: origin, patience: ticket.patience, begun: { begin(ticket) }, followers: followers, work)
    if let generation = result.generation {
      CommitTrail.current?.note(generation)
      followers.committed(generation, isOwn: true)
    }
    return result.value
  }
}

extension Worker {
  /// Closes in the turn of a ticket, once the main actor has let go of the store.
  fileprivate func close(
    _ ticket: Gate.Ticket, on worker: Worker, _ detach: @MainActor @Sendable () throws -> Void,
    _ close: @Sendable () -> Void
  ) async throws {
    try await ticket.admission(on: self)
    defer { ticket.release() }
    try Task.checkCancellation()
    try await detach()
    try await worker.run(close)
  }
}

/// The writer's connection and statements.
///
/// `@unchecked Sendable`: the value is touched in `StoreCore.init`, before the core is shared, and in `openWriter` and
/// `closeConnections`, whose callers hold the gate. The gate admits one caller at a time, and its lock orders a
/// holder's writes before the next holder's reads.
private final class WriterBox: @unchecked Sendable {
  /// `nil` once the writer is closed.
  private(set) var value: Writer?

  init(_ value: Writer) { self.value = value }

  func close() {
    value?.close()
    value = nil
  }
}
