internal import CCurl
internal import EntityRequests
internal import Foundation

extension CurlTransfer {
  /// Whether the transfer has a connection of HTTP/1.1 that an earlier transfer opened.
  var isConnectionKept: Bool { handle != nil && exchange.usesHTTP1 && !hasOpenedConnection }

  private var hasOpenedConnection: Bool {
    var opened = 0
    if let handle { ccurl_get_long(handle.easy, CURLINFO_NUM_CONNECTS, &opened) }
    return opened > 0
  }

  /// Whether the adapter lets a request go to the address at the other end of its connection. If not, `failure` says
  /// why.
  func isAllowed(_ peer: UnsafePointer<CChar>?) -> Bool {
    guard let allows = exchange.settings.configuration.addressFilter else { return true }
    let address = peer.map { String(cString: $0) } ?? ""
    if !address.isEmpty, allows(address) { return true }
    failure = TransportError(
      .forbiddenAddress,
      "The adapter does not allow the address \(address), to which the connection for "
        + "\(exchange.request.origin.description) leads.",
      mayHaveBeenProcessed: attempts > 0)
    return false
  }

  /// Whether the connection is a tunnel that another user's credentials opened, or a connection of HTTP/2 for an
  /// adapter that keeps to HTTP/1.1.
  ///
  /// libcurl before 8.19 lends such a tunnel (CVE-2026-3784, https://curl.se/docs/CVE-2026-3784.html). Some versions lend a
  /// connection of HTTP/2 to a request for HTTP/1.1 (https://github.com/Orange-OpenSource/hurl/issues/3719).
  func isConnectionAnothers(
    _ peer: UnsafePointer<CChar>, _ peerPort: Int32, _ own: UnsafePointer<CChar>, _ ownPort: Int32
  ) -> Bool {
    guard let owner = exchange.settings.connectionOwner, exchange.request.origin.scheme == "https" else { return false }
    return !ccurl_sockets_claim(loop.sockets, peer, peerPort, own, ownPort, owner, hasOpenedConnection)
  }

  /// Begins the body anew, for a request that is sent again.
  ///
  /// - Returns: Whether that is possible; a stream whose bytes were pulled must be one that can be opened once more.
  func rewind() -> Bool {
    if case .pipe(let pipe) = exchange.payload, taken > 0, !pipe.rewind() {
      failure = closedTooEarly("the body is a stream that can be read once, so it is not sent again")
      return false
    }
    taken = 0
    isUploadEnded = false
    return true
  }

  func closedTooEarly(_ consequence: String) -> TransportError {
    TransportError(
      .connection,
      "\(exchange.request.origin.description) closed the connection before it answered; \(consequence).",
      mayHaveBeenProcessed: true)
  }

  /// Whether the server refused the request's `Expect` with 417. libcurl then sends the request again, which is
  /// stopped: the response stands, without its body (RFC 9110 §15.5.18).
  var isExpectationRefused: Bool { parser.head?.status == 417 && exchange.request.hasHeader("expect") }

  /// The error when the end of the connection was taken for the end of the body, though the server had not ended TLS.
  ///
  /// Without the server's alert, anyone on the way may have cut the body off (RFC 9112 §9.8).
  var cutOff: TransportError? {
    guard let head = parser.head, hasBody(head), head.endsWithConnection, exchange.request.origin.scheme == "https",
      let handle, let events = tlsEvents
    else { return nil }
    var version = 0
    ccurl_get_long(handle.easy, CURLINFO_HTTP_VERSION, &version)
    guard version <= Int(CURL_HTTP_VERSION_1_1), events & Int32(CCURL_TLS_CLOSED) == 0 else { return nil }
    return TransportError(
      .badResponse,
      "\(exchange.request.origin.description) closed the connection in a body without length, and without TLS's own "
        + "end: the body may be cut off.",
      mayHaveBeenProcessed: true)
  }
}

extension CurlExchange {
  /// Whether the connection has one response at a time. Over HTTP/2 bytes come at any time, and libcurl 8 itself looks
  /// for them.
  var usesHTTP1: Bool {
    request.origin.scheme == "http"
      || CurlOptions.httpVersion(allowsHTTP2: settings.configuration.allowsHTTP2) == Int(CURL_HTTP_VERSION_1_1)
  }
}
