public import EntityRequests
import HTTPFoundation

/// Which redirects are followed.
public struct RedirectPolicy: Sendable {
  /// How many redirects one request follows; 10 by default.
  public var limit = 10

  /// Whether redirects to another origin (scheme, host or port; RFC 6454 §5) are followed; `true` by default.
  public var followsOtherOrigins = true

  /// The names of header fields that go along to another origin too; none by default.
  ///
  /// Fields that say nothing about the sender go along: those of the body, preconditions of a write, `Accept`,
  /// `Accept-Language`, `User-Agent`, `Range`, `Prefer`, `Cache-Control`, `Idempotency-Key`. No other field does: a
  /// secret may have any name.
  public var fieldsForOtherOrigins: Set<String> = []

  /// The values by default.
  public init() {}
}

extension RequestAdapter {
  /// This adapter, with redirects followed (RFC 9110 §15.4).
  ///
  /// ```swift
  /// let adapter = CurlAdapter().followingRedirects()
  /// ```
  ///
  /// 301, 302, 303, 307 and 308 with a `Location` are redirects; another 3xx is a response. After 303, and after 301
  /// and 302 to a POST, the next request is a GET without a body; HEAD stays HEAD. Otherwise method and body stay. A
  /// body of data or of a file is sent again; a stream is sent again if it says that it is replayable. A GET or HEAD
  /// loses `If-None-Match` and `If-Modified-Since`, which are about the first URL.
  ///
  /// Another origin (scheme, host or port; RFC 6454 §5) gets no credentials, no cookies, and no field that may be a
  /// secret. These are not sent again when the next redirect leads back. A body goes where a 307 or 308 leads. No
  /// redirect leads from https to http, to another scheme, to a URL with a user name or password, or to a URL where the
  /// request has been already.
  ///
  /// - Parameter policy: How many redirects are followed, and where to.
  /// - Throws: ``RedirectError`` for a redirect that is not followed; it says where the redirect led.
  public func followingRedirects(_ policy: RedirectPolicy = .init()) -> some RequestAdapter {
    RedirectAdapter(base: self, policy: policy)
  }
}

struct RedirectAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let policy: RedirectPolicy

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    var call = call
    call.progress = SteadyProgress.handler(call.progress)
    var trail = RedirectTrail(policy: policy)
    let note = RedirectNote.current
    note?.begin()
    while true {
      var response: Response
      do {
        // Requests that inner adapters send by themselves have redirects of their own.
        response = try await RedirectNote.send(call, with: nil, send)
      } catch  where trail.mayHaveActed {
        // The last request did not reach its server. The first one did, and a 303 comes after the work.
        throw error.afterAnotherRequest
      }
      // A response that is dropped unread closes its connection. Reading it could take as long as the server likes.
      guard let next = try trail.next(after: response, to: call) else {
        if response.url == nil { response.url = call.request.url }
        return response
      }
      try Task.checkCancellation()
      note?.add(response.status, from: call.request.url, to: next.request.url)
      call = next
    }
  }
}
