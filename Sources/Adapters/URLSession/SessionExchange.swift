internal import AdapterDecorators
internal import EntityRequests
internal import Synchronization
internal import HTTPFoundation

/// One request on its way, shared by the caller's task, the session's delegate and the clock. The first of them that
/// ends the exchange decides on its result; later events are ignored.
final class SessionExchange: Limited {
  /// The tasks that wait for the response.
  enum Delivery: Sendable {
    case whole(CheckedContinuation<HTTPResponse, any Error>)
    case pieces(CheckedContinuation<SessionHead, any Error>, ResponsePipe)
  }

  private struct State {
    var delivery: Delivery?
    var head: SessionHead?
    var body = Data()
    var counts: TransferProgress
    var times: SessionTimes
    var isOver = false
    /// The session's own figures, which only Apple's systems have.
    var measured: TransferMetrics?
    /// The figures of the whole exchange, once it is over.
    var metrics: TransferMetrics?
    /// Set when the exchange ended before its start.
    var failure: (any Error)?
    var stop: (@Sendable () -> Void)?
  }

  let call: SessionCall
  let payload: SessionPayload
  let progress: ProgressRelay?
  private let limits: SessionLimits
  private let place: Place
  /// The time from the call until there was a place.
  private let waited: Duration
  private let watch: LimitWatch
  private let state: Mutex<State>

  init(
    _ call: SessionCall, _ payload: SessionPayload, _ limits: SessionLimits, _ place: Place, _ watch: LimitWatch,
    _ progress: ProgressRelay?
  ) {
    self.call = call
    self.payload = payload
    self.limits = limits
    self.place = place
    let now = watch.clock.elapsed()
    waited = now - call.begin
    self.watch = watch
    self.progress = progress
    state = Mutex(State(counts: TransferProgress(bytesToSend: payload.length), times: SessionTimes(at: now)))
  }

  /// Takes the caller's continuation.
  ///
  /// - Returns: Whether to start the exchange. An exchange that was cancelled before is not started.
  func begin(_ delivery: Delivery) -> Bool {
    let failure = state.withLock { state -> (any Error)? in
      if !state.isOver { state.delivery = delivery }
      return state.isOver ? state.failure ?? CancellationError() : nil
    }
    guard let failure else {
      if let wait = timeLeft() { watch.add(self, wait) }
      // The exchange may have ended before it was added, when there was nothing to remove.
      if state.withLock(\.isOver) { watch.remove(self) }
      return true
    }
    switch delivery {
    case .whole(let continuation): continuation.resume(throwing: failure)
    case .pieces(let continuation, _): continuation.resume(throwing: failure)
    }
    return false
  }

  /// - Parameter stop: Ends the transfer. It is called once at most, and not if the exchange is over already.
  /// - Returns: Whether the transfer is still wanted.
  func runs(stop: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.isOver { state.stop = stop }
      return !state.isOver
    }
  }

  /// Whether nothing has ended the exchange yet.
  var isWanted: Bool { state.withLock { !$0.isOver } }

  func cancel() { end(.failure(CancellationError()), isComplete: false) }

  // MARK: Events of the session

  func sent(_ bytes: Int64) {
    let counts = state.withLock { state in
      state.times.moved(at: watch.clock.elapsed())
      state.counts.bytesSent = min(max(bytes, state.counts.bytesSent), payload.length)
      return state.counts
    }
    progress?.report(counts)
  }

  func received(_ response: HTTPURLResponse) {
    // An interim response; the final one follows (RFC 9110 §15.2).
    guard response.statusCode >= 200 || response.statusCode == 101 else { return }
    let head: SessionHead
    do throws(SessionHead.Malformed) {
      head = try SessionHead(response, call)
    } catch {
      return fail(.badResponse, error.message)
    }
    let length = head.isCoded ? nil : head.contentLength
    let waiting = state.withLock { state -> CheckedContinuation<SessionHead, any Error>? in
      guard !state.isOver, state.head == nil else { return nil }
      state.head = head
      state.times.beganBody(at: watch.clock.elapsed())
      state.counts.bytesToReceive = length
      guard case .pieces(let continuation, _) = state.delivery else { return nil }
      return continuation
    }
    waiting?.resume(returning: head)
    if isWhole, let length, length > limits.bytes { failTooLarge() }
  }

  func received(_ data: Data) {
    guard !data.isEmpty else { return }
    enum Step {
      case none, tooLarge
      case push(ResponsePipe)
    }
    let (step, counts) = state.withLock { state -> (Step, TransferProgress) in
      guard !state.isOver else { return (.none, state.counts) }
      state.times.received(data.count, at: watch.clock.elapsed())
      state.counts.bytesReceived += Int64(data.count)
      if let length = state.counts.bytesToReceive, length < state.counts.bytesReceived {
        state.counts.bytesToReceive = nil
      }
      switch state.delivery {
      case .pieces(_, let pipe): return (.push(pipe), state.counts)
      case .whole, nil:
        guard state.counts.bytesReceived <= limits.bytes else { return (.tooLarge, state.counts) }
        state.body.append(data)
        return (.none, state.counts)
      }
    }
    switch step {
    case .none: progress?.report(counts)
    case .tooLarge: failTooLarge()
    case .push(let pipe):
      // The pipe may resume a reader, so no lock is held. A pipe that has ended meanwhile drops the piece.
      if pipe.push(data) { progress?.report(counts) } else { failTooFarBehind() }
    }
  }

  /// Takes the session's figures, which come before the end of the transfer.
  func measured(_ metrics: TransferMetrics) { state.withLock { $0.measured = metrics } }

  /// The figures of the exchange; `nil` until the exchange is over.
  var metrics: TransferMetrics? { state.withLock(\.metrics) }

  private func metrics(of state: State) -> TransferMetrics {
    var metrics = state.measured ?? TransferMetrics()
    metrics.waiting = waited
    metrics.firstByte = (state.measured?.firstByte ?? state.times.head).map { $0 + waited }
    metrics.total = state.times.elapsed(at: watch.clock.elapsed()) + waited
    return metrics
  }

  /// Ends the exchange, because the transfer is over.
  ///
  /// - Parameter response: The response of the task, for a redirect of which the delegate was not told.
  func completed(_ error: (any Error)?, _ response: URLResponse?) {
    if let error {
      let hasHead = state.withLock { $0.head != nil }
      return end(.failure(TransportError(error, call, hasHead: hasHead)), isComplete: true)
    }
    finish(response, isComplete: true)
  }

  /// Lets a complete transfer go on to its end: nothing stops it from now on. Returns whether the exchange is under way
  /// still.
  func isLeftToEnd() -> Bool {
    state.withLock { state in
      state.stop = nil
      return !state.isOver
    }
  }

  /// Ends the exchange with the response, which is whole. The transfer waits for credentials, and gets none.
  func challenged(_ response: URLResponse?) { finish(response, isComplete: false) }

  private func finish(_ response: URLResponse?, isComplete: Bool) {
    if state.withLock({ $0.head == nil }), let response = response as? HTTPURLResponse { received(response) }
    guard state.withLock({ $0.head != nil }) else { return fail(.badResponse, "There is no response") }
    end(.success(()), isComplete: isComplete)
  }

  // MARK: The end

  private var isWhole: Bool {
    state.withLock {
      if case .whole = $0.delivery { true } else { false }
    }
  }

  private func failTooLarge() {
    fail(.bodyTooLarge, "The response is larger than the limit of \(limits.bytes) bytes")
  }

  private func failTooFarBehind() {
    fail(.bodyTooLarge, "The reader of the response's stream is too far behind")
  }

  private func fail(_ kind: TransportError.Kind, _ words: String) {
    let error = TransportError(
      kind, "Receiving the response from \(call.host): \(words).", mayHaveBeenProcessed: true)
    end(.failure(error), isComplete: false)
  }

  private func end(_ result: Result<Void, any Error>, isComplete: Bool) {
    let ended = state.withLock { state -> State? in
      guard !state.isOver else { return nil }
      state.metrics = metrics(of: state)
      let ended = state
      state.isOver = true
      if case .failure(let error) = result { state.failure = error }
      (state.delivery, state.stop, state.body) = (nil, nil, Data())
      return ended
    }
    guard let ended, let metrics = ended.metrics else { return }
    let result = result.measured(metrics)
    watch.remove(self)
    if !isComplete { ended.stop?() }
    place.leave()
    progress?.close(final: (try? result.get()).map { ended.counts })
    switch (ended.delivery, result) {
    case (nil, _): break
    case (.whole(let continuation), .failure(let error)): continuation.resume(throwing: error)
    case (.whole(let continuation), .success):
      continuation.resume(
        returning: HTTPResponse(
          status: ended.head?.status ?? 0, headers: ended.head?.headers ?? [:], url: call.url, body: ended.body,
          metrics: metrics))
    case (.pieces(let continuation, let pipe), _):
      if ended.head == nil, case .failure(let error) = result { continuation.resume(throwing: error) }
      pipe.finish(result)
    }
  }

  // MARK: The clock

  /// Ends the exchange if a limit was reached.
  ///
  /// - Returns: The time until the next look; `nil` when there is none.
  func timeLeft() -> Duration? {
    let (verdict, hasHead) = state.withLock { state in
      (state.isOver ? .endless : state.times.verdict(at: watch.clock.elapsed(), limits), state.head != nil)
    }
    switch verdict {
    case .wait(let wait): return wait
    case .endless: return nil
    case .over(let words):
      let phase = hasHead ? "Receiving the response from" : "Waiting for the response from"
      let error = TransportError(.timeout, "\(phase) \(call.host): \(words).", mayHaveBeenProcessed: true)
      end(.failure(error), isComplete: false)
      return nil
    }
  }
}
