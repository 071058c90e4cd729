internal import AdapterDecorators
public import EntityRequests
internal import EntityStore
public import HTTPFoundation

/// Sends requests with Foundation's `URLSession`.
///
/// ```swift
/// var configuration = URLSessionAdapter.Configuration()
/// configuration.idleTimeout = .seconds(20)
/// let adapter = URLSessionAdapter(configuration)
/// ```
///
/// Each call is one exchange: the adapter follows no redirect, answers no challenge, keeps no cookies and caches
/// nothing. Decorators do. A 401 is a response as any other. A request's `timeoutInterval` takes the place of
/// ``Configuration/idleTimeout``, unless it is Foundation's default of 60. A `cachePolicy` that reloads asks the caches
/// on the way to do so (`Cache-Control: no-cache`). The policy `returnCacheDataDontLoad` is an error.
///
/// A request that `URLSession` can't send as it is written is an error of kind `unsupported`, before anything is sent: a
/// GET with a body, a field that `URLSession` sets by itself, and on Linux a path with `.` or `..`, an address of
/// IPv6, and `allowsCellularAccess` that is off. The article <doc:SendingWithURLSession> tells how
/// `URLSession` on Linux differs from `CurlAdapter`. The adapter was tested on Linux alone.
///
/// The sessions live as long as the process, and all adapters share them. There is nothing to shut down.
///
/// - Throws: `TransportError` when there is no response. Its code is that of `URLError`. `CancellationError` when the task was
///   cancelled; the connection is then closed.
public struct URLSessionAdapter: RequestAdapter {
  private let configuration: Configuration
  private let watch: LimitWatch
  private let places: Places
  private let transport: SessionTransport

  /// An adapter with a limit of connections of its own.
  ///
  /// - Parameters:
  ///   - configuration: The settings for every request; each at its default if none are given.
  ///   - clock: The clock of the time limits.
  public init(_ configuration: Configuration = .init(), clock: any Clock<Duration> = ContinuousClock()) {
    self.configuration = configuration
    watch = LimitWatch(WaitingClock(clock))
    places = Places(limit: max(1, configuration.connectionsPerHost), watch: watch)
    transport = .shared
  }

  /// How many requests wait for a connection.
  package var waiting: Int { places.waiting }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let exchange = try await prepare(request, body, progress)
    let result: Result<HTTPResponse, any Error> = await withTaskCancellationHandler {
      do {
        return .success(
          try await withCheckedThrowingContinuation { transport.start(exchange, .whole($0)) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      exchange.cancel()
    }
    // No call of the handler comes after the return.
    await exchange.progress?.drained()
    return try result.get()
  }

  /// Returns when the response's head is there. `URLSession` can't be held back, so the body is received at the
  /// server's pace. A reader that is ``Configuration/maximumUnreadBytes`` behind gets an error. Dropping the response,
  /// or cancelling a task that waits for a piece, closes the connection.
  @concurrent public func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    let exchange = try await prepare(request, body, progress)
    let pipe = ResponsePipe(capacity: max(1, configuration.maximumUnreadBytes))
    let head: SessionHead
    do {
      head = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { transport.start(exchange, .pieces($0, pipe)) }
      } onCancel: {
        exchange.cancel()
      }
    } catch {
      await exchange.progress?.drained()
      throw error
    }
    let reader = SessionReader(exchange, pipe)
    return StreamedHTTPResponse(
      status: head.status, headers: head.headers, url: exchange.call.url, metrics: { exchange.metrics },
      next: { try await reader.next() })
  }

  private func prepare(
    _ request: URLRequest, _ body: RequestBody, _ progress: TransferProgressHandler?
  ) async throws -> SessionExchange {
    try Task.checkCancellation()
    let call = try SessionCall(request, body, configuration, at: watch.clock.elapsed())
    let payload = try await SessionPayload(body, configuration)
    let place = try await places.enter(call.url.origin)
    return SessionExchange(
      call, payload, SessionLimits(request, configuration), place, watch, progress.map { ProgressRelay($0) })
  }
}

/// The reader of a streamed response. When it is dropped, the transfer is cancelled.
private final class SessionReader: Sendable {
  private let exchange: SessionExchange
  private let pipe: ResponsePipe

  init(_ exchange: SessionExchange, _ pipe: ResponsePipe) { (self.exchange, self.pipe) = (exchange, pipe) }

  deinit { exchange.cancel() }

  func next() async throws -> Data? {
    let piece: Data?
    do {
      piece = atCaller(
        try await withTaskCancellationHandler {
          try await pipe.next {}
        } onCancel: { [exchange] in
          exchange.cancel()
        })
    } catch {
      throw atCaller(error)
    }
    if piece == nil { await exchange.progress?.drained() }
    return piece
  }
}
