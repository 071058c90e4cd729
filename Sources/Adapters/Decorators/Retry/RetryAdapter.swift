public import EntityRequests
import HTTPFoundation

extension RequestAdapter {
  /// This adapter, with requests sent again when that can help and can do no harm.
  ///
  /// ```swift
  /// let adapter = CurlAdapter().retrying()
  /// ```
  ///
  /// A request that surely did not reach the server is sent again, whatever its method
  /// (`TransportError/mayHaveBeenProcessed`). A request that may have reached the server is sent again only if sending
  /// it twice has the effect of once: GET, HEAD, PUT, DELETE, OPTIONS and TRACE (RFC 9110 §9.2.2), and any method with
  /// a header field `Idempotency-Key`. A body that is a stream must be replayable.
  ///
  /// Failures of name resolution and of connections, timeouts, broken responses and the statuses of the policy are
  /// worth a retry. A `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3), is the shortest wait. The response or
  /// the error of the last attempt is the result; `mayHaveBeenProcessed` of the error counts all attempts. A request
  /// for a streamed response is sent again only before the head of the response is there.
  ///
  /// All requests of the adapter and its copies share one budget.
  ///
  /// - Parameters:
  ///   - policy: How often, when and how long.
  ///   - clock: The clock of the waits and the deadline; a test gives a virtual one.
  public func retrying(
    _ policy: RetryPolicy = .init(), clock: any Clock<Duration> = ContinuousClock()
  ) -> some RequestAdapter {
    RetryAdapter(base: self, policy: policy, clock: WaitingClock(clock), budget: RetryBudget(policy.retriesPerRequest))
  }
}

struct RetryAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let policy: RetryPolicy
  let clock: WaitingClock
  let budget: RetryBudget

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    var call = call
    call.progress = SteadyProgress.handler(call.progress)
    budget.countRequest()
    let begin = clock.elapsed()
    var attempt = 1
    var mayHaveActed = false
    while true {
      do {
        switch try await step(call, attempt, since: begin, send) {
        case .ended(let response): return response
        case .again(let wait, let mayHaveBeenProcessed):
          mayHaveActed = mayHaveActed || mayHaveBeenProcessed
          try await clock.sleep(wait)
          try Task.checkCancellation()
          attempt += 1
        }
      } catch  where mayHaveActed {
        throw error.afterAnotherRequest
      }
    }
  }

  private enum Step<Response: HeadedResponse>: Sendable {
    case ended(Response)
    case again(after: Duration, mayHaveBeenProcessed: Bool)
  }

  /// One attempt. A response that is not the result is dropped here, before the wait: a streamed response holds a
  /// connection, and a place among the requests of its server.
  @concurrent private func step<Response: HeadedResponse>(
    _ call: AdapterCall, _ attempt: Int, since begin: Duration, _ send: Sender<Response>
  ) async throws -> Step<Response> {
    let outcome: Result<Response, any Error>
    do {
      outcome = .success(try await send(call))
    } catch {
      outcome = .failure(error)
    }
    guard attempt < policy.maximumAttempts, call.body.isReplayable, let least = leastWait(after: outcome, call)
    else { return .ended(try outcome.get()) }
    let wait = least + jitter(attempt)
    if let deadline = policy.deadline, clock.elapsed() - begin + wait > deadline { return .ended(try outcome.get()) }
    guard budget.takeRetry() else { return .ended(try outcome.get()) }
    if case .failure(let error as TransportError) = outcome {
      return .again(after: wait, mayHaveBeenProcessed: error.mayHaveBeenProcessed)
    }
    return .again(after: wait, mayHaveBeenProcessed: true)
  }

  /// How long the server wants to be left alone; `nil` when no retry is in order.
  private func leastWait(after outcome: Result<some HeadedResponse, any Error>, _ call: AdapterCall) -> Duration? {
    switch outcome {
    case .success(let response):
      guard policy.statuses.contains(response.status), call.isRepeatable else { return nil }
      return RetryAfter.wait(response.headers, now: AnswerClock.now(), unreadable: policy.maximumDelay) ?? .zero
    case .failure(let error):
      guard let error = error as? TransportError, error.isWorthARetry,
        !error.mayHaveBeenProcessed || call.isRepeatable
      else { return nil }
      return .zero
    }
  }

  /// Full jitter: any time up to a limit that doubles.
  private func jitter(_ attempt: Int) -> Duration {
    let limit = min(policy.maximumDelay, policy.baseDelay * (1 << min(attempt - 1, 30)))
    return limit > .zero ? limit * Double.random(in: 0...1) : .zero
  }
}

extension TransportError {
  /// Whether the same request may succeed a moment later.
  fileprivate var isWorthARetry: Bool {
    switch kind {
    case .nameResolution, .connection, .timeout, .badResponse: true
    default: false
    }
  }
}
