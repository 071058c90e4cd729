import EntityStore
import HTTPFoundation

/// The events of a stream, each taken into the store before it is handed out (WHATWG HTML §9.2).
///
/// ```swift
/// for try await event in client.serverSentEvents("todos/events", by: rules) {
///   if let error = event.error { print(error) }
/// }
/// ```
///
/// The sequence connects again when the connection ends or breaks, when the server is silent for too long, and after 408,
/// 429 and 5xx. It waits before, as `retry` and `Retry-After` say, with some time by chance, and longer with each failure
/// in a row. It sends the id of the last event as `Last-Event-ID`. A 204 ends the sequence. Any other status and another
/// content type are errors, and so is what can't become better: a request that can't be sent, a certificate. Credentials
/// that have ended are a matter of the adapter: a chain with `authentication` renews them at a 401.
///
/// The next piece of the stream is pulled when its events are taken in and the next one is asked for: a slow reader slows
/// the server down, and nothing piles up here. Ending the loop, or cancelling its task, ends the request. Each iteration
/// begins with the place that the file has, and one iteration is the right number for a stream.
///
/// It needs an adapter that streams: one that buffers the body, as the default of `stream(_:body:progress:)` does, would
/// wait for the end of an endless body.
public struct ServerSentEvents: AsyncSequence, Sendable {
  public typealias Element = ReceivedMessage
  public typealias Failure = any Error

  let receiver: PushReceiver
  let options: EventStreamOptions
  let time: EventStreamTime
  let request: @Sendable () throws -> URLRequest

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: self) }

  /// Reads one event after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var reader: EventStreamReader

    fileprivate init(events: ServerSentEvents) { reader = EventStreamReader(events) }

    /// The next event, once it is in the store; `nil` after the server has ended the stream with 204.
    ///
    /// - Throws: ``RequestError``; `CancellationError`; the errors of the closure that changes the requests. The sequence
    ///   is over then.
    public mutating func next() async throws -> ReceivedMessage? {
      do { return atCaller(try await next(isolation: #isolation)) } catch { throw atCaller(error) }
    }

    /// As ``next()``. On the main actor the objects of the main context are up to date when it returns.
    ///
    /// - Parameter actor: The actor of the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReceivedMessage? {
      do {
        return try await reader.next().map { MainMerge.merged($0, actor) }
      } catch {
        reader.end()
        throw error
      }
    }
  }
}
