internal import AdapterDecorators
public import EntityRequests
public import HTTPFoundation

/// Sends requests with libcurl.
///
/// ```swift
/// var configuration = CurlAdapter.Configuration()
/// configuration.idleTimeout = .seconds(20)
/// let adapter = CurlAdapter(configuration)
/// ```
///
/// A request's `timeoutInterval` takes the place of ``Configuration/idleTimeout``, unless it is Foundation's default of
/// 60. A `cachePolicy` that reloads asks the caches on the way to do so (`Cache-Control: no-cache`). The policy
/// `returnCacheDataDontLoad` is an error, because there is no cache here. A request that is not allowed on every
/// network (`allowsCellularAccess`) is an error of kind `unsupported`: libcurl can't choose the network. The request's
/// own field `Host` names another host to the server; the connection and the certificate stay those of the URL.
///
/// Each call is one exchange: the adapter follows no redirect, answers no challenge, keeps no cookies and caches
/// nothing. Decorators do. The adapter reads no `.netrc` and none of the environment's proxy variables. All adapters of
/// a process share one thread and one pool of at most 256 connections, each with a file descriptor; there is nothing to
/// shut down. At most 256 exchanges run at once, even if several share a connection of HTTP/2. Further exchanges wait,
/// as they do for ``Configuration/connectionsPerHost``. libcurl closes idle connections at a next request. A program
/// that asks many hosts needs a soft limit of descriptors above 256. HTTP/2 is used over TLS from libcurl 8.2 on,
/// unless ``Configuration/allowsHTTP2`` is off, and HTTP/1.1 otherwise.
///
/// A response that has no `Content-Length` and is not chunked ends where the server closes the connection (RFC 9112
/// §6.3). If such a response is truncated, it looks like a whole one. There are two exceptions. A compressed body shows
/// its end, once its first byte came. Over TLS with OpenSSL the end is an alert of the server (RFC 8446 §6.1), and a
/// missing alert is an error. Over HTTP/2 a server can cut off a body without `Content-Length` with `RST_STREAM` and
/// `NO_ERROR`. This body is taken for a whole one, too, because libcurl does not say how a stream ended.
///
/// - Throws: `TransportError` when there is no response. Its code is libcurl's (https://curl.se/libcurl/c/libcurl-errors.html).
///   `CancellationError` when the task was cancelled; the connection is then closed at once.
public struct CurlAdapter: RequestAdapter {
  private let settings: CurlSettings

  /// An adapter with a limit of connections of its own.
  ///
  /// - Parameter configuration: The settings for every request; each at its default if none are given.
  public init(_ configuration: Configuration = .init()) {
    settings = CurlSettings(configuration)
  }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let (engine, exchange) = try await prepare(request, body, progress)
    let result: Result<ReceivedResponse, any Error> = await withTaskCancellationHandler {
      do {
        return .success(
          // Resumed once: see Delivery.
          try await withCheckedThrowingContinuation { engine.post(.start(exchange, .whole($0))) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      engine.cancel(exchange)
    }
    // No call of the handler comes after the return.
    await exchange.progress?.drained()
    let received = try result.get()
    var body = received.body
    // Here and not on the engine's thread, which other transfers wait for.
    if let coding = try? exchange.coding(received.head) {
      body = try Result { try BodyDecoder.decode(body, coding, exchange) }.measured(received.metrics).get()
    }
    return HTTPResponse(
      status: received.head.status, headers: received.head.headers, url: exchange.request.url, body: body,
      metrics: received.metrics)
  }

  /// Returns when the response's head is there. The body is received while it is read, at most about 256 KiB ahead of its
  /// reader, and has no limit of size. Dropping the response, or cancelling a task that waits for a piece, closes the
  /// connection.
  @concurrent public func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    let (engine, exchange) = try await prepare(request, body, progress)
    let pipe = ResponsePipe()
    let head: ResponseHead
    do {
      head = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { engine.post(.start(exchange, .pieces($0, pipe))) }
      } onCancel: {
        engine.cancel(exchange)
      }
    } catch {
      await exchange.progress?.drained()
      throw error
    }
    let reader = ResponseReader(engine, exchange, pipe, try? exchange.coding(head))
    return StreamedHTTPResponse(
      status: head.status, headers: head.headers, url: exchange.request.url, metrics: { exchange.metrics },
      next: { try await reader.next() })
  }

  private func prepare(
    _ request: URLRequest, _ body: RequestBody, _ progress: TransferProgressHandler?
  ) async throws -> (CurlEngine, CurlExchange) {
    try Task.checkCancellation()
    let prepared = try PreparedRequest(request, settings.origins)
    let payload = try RequestPayload(body, method: prepared.method)
    if case .data(let data) = payload, data.isEmpty, case .stream(let stream) = body {
      try await RequestPayload.checkEmpty(stream)
    }
    let engine = try CurlEngine.shared.get()
    let exchange = CurlExchange(
      prepared, payload, settings, limits: RequestLimits(request, settings.configuration),
      progress: progress.map { ProgressRelay($0) })
    if case .pipe(let pipe) = payload {
      pipe.start {
        engine.post(.resumeUpload(exchange))
      } fail: { error in
        engine.post(.abort(exchange, error))
      }
    }
    return (engine, exchange)
  }
}
