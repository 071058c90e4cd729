internal import AdapterDecorators
public import EntityRequests
internal import Synchronization

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends requests with libcurl.
///
/// ```swift
/// var configuration = CurlAdapter.Configuration()
/// configuration.idleTimeout = .seconds(20)
/// let adapter = CurlAdapter(configuration)
/// ```
///
/// A request's `timeoutInterval` takes the place of ``Configuration/idleTimeout``, unless it is Foundation's default of
/// 60. Of its `cachePolicy`, a policy to reload asks the caches on the way (`Cache-Control: no-cache`), and
/// `returnCacheDataDontLoad` is an error, since there is no cache here. A `Host` of its own names another host to the
/// server; the connection and the certificate stay those of the URL.
///
/// One exchange per call: it follows no redirect, answers no challenge, keeps no cookies and caches nothing; decorators do.
/// It reads no `.netrc` and none of the environment's proxy variables. All adapters of a process share one thread and one
/// pool of at most 256 connections, each with a file descriptor; there is nothing to shut down. libcurl closes idle
/// connections at a next request. A program that asks many hosts needs a soft limit of descriptors above that. HTTP/2 is used over TLS from libcurl 8.2 on, HTTP/1.1 otherwise.
///
/// A response without `Content-Length` that is not chunked ends where the server closes the connection (RFC 9112 §6.3),
/// so a truncated one cannot be told from a whole one, unless it is compressed and its first byte came, or it comes over
/// TLS with OpenSSL: there the end is an alert of the server (RFC 8446 §6.1), and its absence an error.
///
/// - Throws: `TransportError` when there is no response. Its code is libcurl's (https://curl.se/libcurl/c/libcurl-errors.html).
///   `CancellationError` when the task was cancelled; the connection is then closed at once.
public struct CurlAdapter: RequestAdapter {
  private let configuration: Configuration
  private let id: UInt64

  private static let lastID = Atomic<UInt64>(0)

  /// An adapter with a limit of connections of its own.
  ///
  /// - Parameter configuration: The settings for every request; each at its default if none are given.
  public init(_ configuration: Configuration = .init()) {
    self.configuration = configuration
    id = Self.lastID.add(1, ordering: .relaxed).newValue
  }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let (engine, exchange) = try await prepare(request, body, progress)
    let result: Result<HTTPResponse, any Error> = await withTaskCancellationHandler {
      do {
        return .success(
          try await withCheckedThrowingContinuation { engine.post(.start(exchange, .whole($0))) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      engine.cancel(exchange)
    }
    // No call of the handler comes after the return.
    await exchange.progress?.drained()
    var response = try result.get()
    // Here and not on the engine's thread, which other transfers wait for.
    if let coding = try? exchange.coding(response.status, response.headers) {
      response.body = try BodyDecoder.decode(response.body, coding, exchange)
    }
    return response
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
    let reader = ResponseReader(engine, exchange, pipe, try? exchange.coding(head.status, head.headers))
    return StreamedHTTPResponse(status: head.status, headers: head.headers, url: exchange.request.url) {
      try await reader.next()
    }
  }

  private func prepare(
    _ request: URLRequest, _ body: RequestBody, _ progress: TransferProgressHandler?
  ) async throws -> (CurlEngine, CurlExchange) {
    try Task.checkCancellation()
    let prepared = try PreparedRequest(request)
    let payload = try await RequestPayload(body, method: prepared.method)
    let engine = try CurlEngine.shared.get()
    let exchange = CurlExchange(
      prepared, payload, configuration, limits: RequestLimits(request, configuration), adapter: id,
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
