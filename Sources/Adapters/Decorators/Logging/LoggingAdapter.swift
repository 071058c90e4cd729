public import EntityRequests
import Foundation
import Synchronization

extension RequestAdapter {
  /// This adapter, with a line of log for each request that is sent, and a line for how it ended. A streamed response
  /// has a line for its head, and a line for how its body ended.
  ///
  /// ```swift
  /// let adapter = CurlAdapter().logging { logger.debug("\($0)") }
  /// ```
  ///
  /// Around `retrying(_:clock:)` it logs a call with all its attempts as one request. Inside, it logs each attempt.
  ///
  /// - Parameters:
  ///   - clock: The clock of the durations.
  ///   - log: Gets the lines, on any thread. A request takes longer by the time that this closure takes. If nobody
  ///     reads a streamed body to its end, the line comes from where the response is dropped.
  public func logging(
    clock: any Clock<Duration> = ContinuousClock(), to log: @escaping @Sendable (LogLine) -> Void
  ) -> some RequestAdapter {
    LoggingAdapter(base: self, clock: WaitingClock(clock), numbers: Numbers(), log: log)
  }
}

private final class Numbers: Sendable {
  private let last = Mutex(0)

  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}

private struct LoggingAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let clock: WaitingClock
  let numbers: Numbers
  let log: @Sendable (LogLine) -> Void

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    let number = numbers.next()
    let begin = clock.elapsed()
    log(LogLine(call, number: number, .sent))
    do {
      let response = try await send(call)
      log(
        LogLine(
          call, number: number, .answered(status: response.status, bytes: response.bytes),
          after: clock.elapsed() - begin, response.metrics))
      return response.watched(
        by: BodyWatch { end, bytes, metrics in
          let event: LogLine.Event
          var figures = metrics
          switch end {
          case .complete: event = .bodyEnded(bytes: bytes)
          case .dropped: event = .bodyDropped(bytes: bytes)
          case .failed(let error): (event, figures) = (Self.event(of: error), Self.metrics(of: error) ?? metrics)
          }
          log(LogLine(call, number: number, event, after: clock.elapsed() - begin, figures))
        })
    } catch {
      log(
        LogLine(
          call, number: number, Self.event(of: error), after: clock.elapsed() - begin, Self.metrics(of: error)))
      throw error
    }
  }

  private static func event(of error: any Error) -> LogLine.Event {
    error is CancellationError ? .cancelled : .failed(RequestError.shown(error))
  }

  private static func metrics(of error: any Error) -> TransferMetrics? { (error as? TransportError)?.metrics }
}
