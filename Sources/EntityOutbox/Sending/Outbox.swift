public import EntityRequests
public import EntityStore

/// Sends the local changes of a store to its server, when it can be reached: what was made, edited and deleted while the
/// app was offline, and everything else.
///
/// ```swift
/// extension Customer: OutboxEntity {}
///
/// let outbox = try Outbox(client)
/// outbox.start()                        // sends now, after each save, and after each pause
/// ```
///
/// The queue follows from the marks that the store keeps for local edits. A request is written down before its first
/// byte is sent, and its end is written with its response. So a kill at any moment loses no change, and doubles none
/// where the server can tell. <doc:WorkingOffline> says what a server must offer for which promise.
///
/// Objects without a link between them never wait for each other. A refused change stays, and is shown: see
/// ``LiveOutbox``. An outbox ends when nothing holds it.
public final class Outbox: Sendable {
  let engine: OutboxEngine
  let status: OutboxStatus
  private let lines: OutboxLog
  private let task: Task<Void, Never>
  private let core: StoreCore

  /// The outbox of the client's store. A store has one; nothing is sent before ``start()`` or ``send()``.
  ///
  /// - Parameter client: Sends the requests. Its identity names the account that the changes belong to.
  /// - Throws: `RequestError`: `noStore`; `invalidRequest` where no entity of the store is an ``OutboxEntity``, for a second
  ///   outbox of the store, and for rules that can't hold; `invalidRoute` for a look-up's template that can't be used.
  public convenience init(_ client: Client) throws { try self.init(client, clock: ContinuousClock()) }

  /// The outbox of the client's store, with a clock for its pauses.
  ///
  /// - Parameters:
  ///   - client: Sends the requests.
  ///   - clock: Measures the pauses; a test moves it.
  public convenience init<C: Clock<Duration>>(_ client: Client, clock: C) throws {
    try self.init(client, time: OutboxTime(clock))
  }

  /// - Parameter width: The most requests that are under way at once; `nil` for the usual number.
  init(_ client: Client, time: OutboxTime, width: Int? = nil) throws {
    let core = try client.store.core
    let (status, folder) = (OutboxStatus(core.schema, OutboxBoard()), AttachmentFolder(core))
    self.status = status
    let desk = UploadDesk(folder: folder) { status.note($1, of: $0) }
    var handlers: [Int: any ChangeHandler] = [:]
    for model in core.schema.entities {
      guard let type = model.type as? any OutboxEntity.Type else { continue }
      handlers[model.number] = try Self.handler(type, client, core, desk)
    }
    guard !handlers.isEmpty else {
      throw RequestError(
        .invalidRequest,
        "No entity of the store has an outbox. Declare one: `extension Order: OutboxEntity {}`.")
    }
    let log = OutboxLog(core.schema)
    lines = log
    let engine = OutboxEngine(
      client, core, handlers, .init(time: time, log: log, status: status, folder: folder, width: width))
    guard status.register(engine, for: core) else {
      throw RequestError(.invalidRequest, "The store has an outbox already. Keep one for the store, and hand it on.")
    }
    self.engine = engine
    self.core = core
    task = Task { await engine.run() }
  }

  private static func handler<E: OutboxEntity>(
    _ type: E.Type, _ client: Client, _ core: StoreCore, _ desk: UploadDesk
  ) throws -> any ChangeHandler {
    try EntityChanges(type, client, core, desk)
  }

  deinit { task.cancel() }

  // MARK: Sending

  /// Sends from now on: at once, after each save, and after each pause. Ends a pause.
  public func start() { Task { await engine.start() } }

  /// Sends nothing more, and waits for the requests under way. Call it before the system suspends the app. A ``send()`` that runs
  /// returns then, with the number of changes that are left.
  public func stop() async {
    atCaller(await engine.stopped())
  }

  /// Sends all that can be sent now, once: for a background task, and for a test.
  ///
  /// - Returns: The result. A refused change is no error, and neither is a server that can't be reached.
  /// - Throws: `CancellationError`. The requests under way are cancelled, and their ends are unknown.
  @discardableResult
  public func send() async throws -> OutboxPass {
    do { return atCaller(try await engine.send()) } catch { throw atCaller(error) }
  }

  /// Makes the present file and account the ones that this outbox sends for: for a copy of a file whose original sends
  /// nothing any more, and for changes that another account made.
  ///
  /// - Throws: `StoreError`; `CancellationError`.
  public func adopt() async throws {
    do { return atCaller(try await engine.adopt()) } catch { throw atCaller(error) }
  }

  // MARK: Looking

  /// The changes in the order in which the outbox would send them now. Nothing is claimed or sent.
  ///
  /// - Throws: `StoreError`; `CancellationError`.
  public func plan() async throws -> OutboxPlan {
    do { return atCaller(try await engine.shownPlan(of: nil)) } catch { throw atCaller(error) }
  }

  /// The part of the plan about one object, and about what it waits for.
  ///
  /// - Parameter id: The object.
  /// - Throws: `StoreError`; `CancellationError`.
  public func explain<E: OutboxEntity>(_ id: EntityID<E>) async throws -> OutboxPlan {
    let key = RowKey(entity: try core.schema.model(E.self).number, pk: id.pk)
    do { return atCaller(try await engine.shownPlan(of: key)) } catch { throw atCaller(error) }
  }

  /// Whether a store has an outbox.
  package static func exists(for core: StoreCore) -> Bool { OutboxStatus.planner(of: core) != nil }

  /// The plan of the outbox of a store, for code that has the store alone; `nil` where the store has no outbox.
  ///
  /// - Parameters:
  ///   - core: The store.
  ///   - row: An object: then the plan is the part about it. `nil` for all of the plan.
  package static func plan(of core: StoreCore, about row: RowKey? = nil) async throws -> OutboxPlan? {
    guard let planner = OutboxStatus.planner(of: core) else { return nil }
    do { return atCaller(try await planner.shownPlan(of: row)) } catch { throw atCaller(error) }
  }

  /// The claims and their ends, from now on, without values and credentials.
  public var log: AsyncStream<OutboxLogLine> { lines.lines }

  /// The entries that a person settles, the oldest first.
  ///
  /// - Throws: `StoreError`; `CancellationError`.
  public func items() async throws -> [OutboxItem] {
    do { return atCaller(try await engine.items()) } catch { throw atCaller(error) }
  }
}
