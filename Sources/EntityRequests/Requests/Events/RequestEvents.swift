import EntityStore
import Synchronization

/// The events of a request: its progress, and then its response.
public enum RequestEvent<Response: Sendable>: Sendable {
  case progress(RequestProgress)
  /// The last event.
  case response(Response)
}

/// A request as a sequence: its progress, then its response, which is the last element.
///
/// ```swift
/// for try await event in User.sending(.get, query: ["page": 1]).events {
///   switch event {
///   case .progress(let progress): bar.value = progress.fraction
///   case .response(let response): print(response.counts)
///   }
/// }
/// ```
///
/// The sequence is cold: nothing is sent before the first event is asked for, and each iteration sends the request
/// anew. Leaving an iteration, or cancelling its task, cancels the request. The sequence fails with the error that the
/// verb throws.
///
/// Newer progress replaces progress that is not asked for in time. The last progress of a success, 1, is always an
/// event.
public struct RequestEvents<Response: Sendable>: AsyncSequence, Sendable {
  public typealias Element = RequestEvent<Response>
  public typealias Failure = any Error

  /// Sends the request.
  let send: @Sendable (RequestProgressHandler?) async throws -> Response

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: self) }

  /// The sequence as an `AsyncThrowingStream`, for code that wants that type. The stream is cold too, and is for one
  /// iteration.
  ///
  /// As every `AsyncThrowingStream`, the stream may end without an error when its task is cancelled. With the stream,
  /// live objects of the main context are up to date when the context is used next; with the sequence, when the
  /// response comes.
  public var stream: AsyncThrowingStream<RequestEvent<Response>, any Error> {
    let sending = Sending(send)
    return AsyncThrowingStream { try await sending.next(isolation: nil) }
  }

  /// Sends the request when the first event is asked for. An iterator is for one task.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let events: RequestEvents
    private let sending: Sending

    fileprivate init(events: RequestEvents) {
      self.events = events
      sending = Sending(events.send)
    }

    /// The next event; `nil` after the response.
    ///
    /// - Throws: The errors of the verb; `CancellationError`. The sequence then ends.
    public mutating func next() async throws -> RequestEvent<Response>? {
      do { return atCaller(try await next(isolation: #isolation)) } catch { throw atCaller(error) }
    }

    /// As ``next()``. On the main actor the objects of the main context are up to date when it returns the response.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> RequestEvent<Response>? {
      let event = try await sending.next(isolation: actor)
      if case .response(let response) = event { MainMerge.merge((response as? any KeptResponse)?.store, actor) }
      return event
    }
  }
}

extension RequestEvents {
  /// One iteration. It sends the request once, in a task that ends with the last reference to this object.
  fileprivate final class Sending: Sendable {
    private typealias Events = AsyncThrowingStream<RequestEvent<Response>, any Error>

    private enum State {
      case notBegun
      case begun(Events)
      case ended
    }

    private let send: @Sendable (RequestProgressHandler?) async throws -> Response
    private let state = Mutex(State.notBegun)

    init(_ send: @escaping @Sendable (RequestProgressHandler?) async throws -> Response) { self.send = send }

    func next(isolation actor: isolated (any Actor)?) async throws -> RequestEvent<Response>? {
      guard let events = try events() else { return nil }
      do {
        var iterator = events.makeAsyncIterator()
        // An end without a response means that the task was cancelled.
        guard let event = try await iterator.next(isolation: actor) else { throw CancellationError() }
        if case .response = event { end() }
        return event
      } catch {
        end()
        throw error
      }
    }

    private func end() { state.withLock { $0 = .ended } }

    private func events() throws -> Events? {
      try state.withLock { state in
        switch state {
        case .begun(let events): return events
        case .ended: return nil
        case .notBegun:
          state = .ended
          try Task.checkCancellation()
          let events = begin()
          state = .begun(events)
          return events
        }
      }
    }

    /// The buffer holds the last progress and the response, so that neither is lost.
    private func begin() -> Events {
      let (events, continuation) = Events.makeStream(bufferingPolicy: .bufferingNewest(2))
      let task = Task { [send] in
        do {
          continuation.yield(.response(try await send { continuation.yield(.progress($0)) }))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { if case .cancelled = $0 { task.cancel() } }
      return events
    }
  }
}
