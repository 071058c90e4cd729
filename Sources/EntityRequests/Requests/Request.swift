import EntityStore
public import HTTPFoundation

/// A request that is not sent yet, with all that it needs. A verb makes one and sends it. As a value, a request can be
/// changed, handed on, sent more than once, and sent with any method.
///
/// ```swift
/// let request = User.sending(.get, "active", query: ["page": 1])
/// let users = try await request.send().objects
/// for try await event in request.events { … }                     // its progress, then its response
/// request.send { result in print(result) }                        // for code that can't await
/// ```
///
/// The client is the client of the task that makes the request. Nothing else is checked before the request is sent: a
/// wrong URL or a missing client throws then. Each sending makes the request anew, with the values of that moment.
///
/// A request of an object carries the object, which must be of the main context. The request may be sent from anywhere.
public struct Request<Response: Sendable>: Sendable {
  typealias Change = (inout URLRequest) throws -> Void

  /// Begins one sending, in the isolation of the sender.
  private let begin: @Sendable () throws -> RequestSteps<Response>
  /// Whether a sending touches an object of the main context.
  private let isOfObject: Bool
  /// The error for a request that can't be handed on, because its object is of no main context.
  private let refusal: (any Error)?
  private var change: @Sendable (inout URLRequest) throws -> Void = { _ in }

  init(
    isOfObject: Bool = false, refusal: (any Error)? = nil,
    _ begin: @escaping @Sendable () throws -> RequestSteps<Response>
  ) {
    self.begin = begin
    self.isOfObject = isOfObject
    self.refusal = refusal
  }

  /// A request that does not wait for other requests.
  init(_ make: @escaping @Sendable (Change) throws -> MadeRequest<Response>) {
    self.init { RequestSteps(make: make) }
  }

  /// The same request, changed before it is sent: after all defaults and earlier changes.
  ///
  /// ```swift
  /// let request = User.sending(.get).modifying { $0.timeoutInterval = 5 }
  /// ```
  ///
  /// - Parameter change: Runs at each sending. If it throws, that error is thrown and nothing is sent.
  public func modifying(_ change: @escaping @Sendable (inout URLRequest) throws -> Void) -> Self {
    var request = self
    request.change = { [earlier = self.change] in
      try earlier(&$0)
      try change(&$0)
    }
    return request
  }

  /// Sends the request.
  ///
  /// - Parameter progress: Called on any thread; see ``RequestProgress``.
  /// - Returns: The response. On the main actor the objects of the main context are up to date by then.
  /// - Throws: ``RequestError``; `CancellationError`; the errors of changes; `StoreError` of kind `wrongContext` for an
  ///   object of no main context.
  @discardableResult
  public nonisolated(nonsending) func send(progress: RequestProgressHandler? = nil) async throws -> Response {
    if let refusal { throw refusal }
    guard isOfObject, !MainMerge.isMain(#isolation) else { return try await run({ _ in }, progress) }
    do { return atCaller(try await sendOnMain(progress)) } catch { throw atCaller(error) }
  }

  @MainActor private func sendOnMain(_ progress: RequestProgressHandler?) async throws -> Response {
    try await run({ _ in }, progress)
  }

  /// Sends the request now, and hands the result to a closure on the main actor.
  ///
  /// ```swift
  /// User.sending(.get, query: ["page": 1]).send { result in
  ///   switch result {
  ///   case .success(let response): print(response.counts)
  ///   case .failure(let error): print(error)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, with the response or with the error. By then the objects of the main context are up
  ///     to date.
  /// - Returns: The task of the request. Cancelling the task cancels the request, which then fails with
  ///   `CancellationError`.
  @discardableResult
  public func send(
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<Response, any Error>) -> Void
  ) -> Task<Void, Never> {
    Task {
      let result: Result<Response, any Error>
      do { result = .success(try await send(progress: progress)) } catch { result = .failure(error) }
      await MainActor.run {
        if case .success(let response as any KeptResponse) = result {
          MainMerge.merge(response.store, MainActor.shared)
        }
        completion(result)
      }
    }
  }

  /// The request as a sequence of its progress and its response. Each iteration sends it anew.
  public var events: RequestEvents<Response> { RequestEvents { try await send(progress: $0) } }

  /// Sends the request in the isolation of its object.
  ///
  /// - Parameter modify: Changes the request after all else, in the isolation of the caller, when the object's turn has come.
  nonisolated(nonsending) func run(_ modify: Change, _ progress: RequestProgressHandler?) async throws -> Response {
    let steps = try begin()
    let turn: ObjectTurns.HeldTurn?
    do { turn = atCaller(try await steps.turn()) } catch { throw atCaller(error) }
    defer { turn?.end() }
    // Somebody else may have sent the object's edits, as an outbox does.
    if turn != nil { MainMerge.merge(steps.store, #isolation) }
    let made = try steps.make { request in
      try change(&request)
      try modify(&request)
    }
    let response: Response
    do {
      response = atCaller(try await made.run(progress))
    } catch {
      made.failed(error, #isolation)
      throw atCaller(error)
    }
    MainMerge.merge((response as? any KeptResponse)?.store, #isolation)
    made.merged()
    return MainMerge.noted(response, #isolation)
  }
}

/// One sending of a request, in the isolation of the sender.
struct RequestSteps<Response: Sendable> {
  /// The line that a write of an object waits in; `nil` for a request that does not wait.
  var line: (turns: ObjectTurns, key: () -> RowKey)?
  /// The store of the object.
  var store: EntityStore?
  /// Makes the request, changed by the caller, when its turn has come.
  let make: ((inout URLRequest) throws -> Void) throws -> MadeRequest<Response>

  /// Waits until no other request that changes the object is under way.
  nonisolated(nonsending) func turn() async throws -> ObjectTurns.HeldTurn? {
    guard let line else { return nil }
    while true {
      let turn: ObjectTurns.HeldTurn
      do { turn = atCaller(try await line.turns.turn(of: line.key())) } catch { throw atCaller(error) }
      // Meanwhile the object may have been merged into another one.
      if turn.key == line.key() { return turn }
      turn.end()
    }
  }
}

/// A request that is made. Only its exchange is left to run.
struct MadeRequest<Response: Sendable> {
  /// Runs apart from the sender's actor.
  let run: @concurrent @Sendable (RequestProgressHandler?) async throws -> Response
  /// Called with the error in the isolation of the sender, which is the second argument.
  var failed: (any Error, (any Actor)?) -> Void = { _, _ in }
  /// Called in the isolation of the sender, once the main context has merged the response.
  var merged: () -> Void = {}

  /// The same request with another response.
  func map<Other>(_ transform: @escaping @Sendable (Response) -> Other) -> MadeRequest<Other> {
    MadeRequest<Other>(run: { [run] in transform(try await run($0)) }, failed: failed, merged: merged)
  }
}

extension MadeRequest {
  init<Reading>(_ exchange: RequestExchange<Reading>) where Reading.Output == Response {
    self.init(run: { try await exchange.heard(by: $0).run() })
  }

  init<E>(_ exchange: EntityExchange<E>) where Response == EntityResponse<E> {
    self.init(run: { try await exchange.heard(by: $0).response() })
    guard exchange.reading.options.streaming != nil, let store = exchange.reading.core.store else { return }
    // A part of the response may be in the store.
    failed = { _, isolation in MainMerge.merge(store, isolation) }
  }
}
