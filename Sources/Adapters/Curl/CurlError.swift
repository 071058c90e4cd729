internal import CCurl
internal import EntityRequests
internal import Foundation

/// CURLE_TOO_LARGE, of libcurl 8.6: a response is over a limit of libcurl's.
private let tooLarge = CURLcode(rawValue: 100)

/// libcurl 8 says this of more than 5,000 header or trailer fields.
private let tooManyFields = "Too many response headers"

extension CurlTransfer {
  /// The meaning of libcurl's result to the caller.
  func error(_ code: CURLcode) -> TransportError {
    if let failure { return failure }
    let detail = handle.map { String(cString: $0.errorBuffer) } ?? ""
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    if let error = missingCertificate(code, text) { return error }
    if isUnexpectedEnd(code, text), let cutOff { return cutOff }
    if let error = largeHead(code) { return error }
    let kind = kind(of: code, text)
    return TransportError(
      kind, "\(phase(kind)) \(exchange.request.origin.description): \(words(code, text) ?? text)",
      code: Int(code.rawValue),
      mayHaveBeenProcessed: attempts > 0)
  }

  /// The error of a head beyond libcurl's limit. libcurl builds the head of a request when the connection is there, and
  /// then sends nothing of it.
  private func largeHead(_ code: CURLcode) -> TransportError? {
    guard code == CURLE_OUT_OF_MEMORY || code == tooLarge, attempts > 0, headBytes == 0, let handle else { return nil }
    var sent = 0
    ccurl_get_long(handle.easy, CURLINFO_REQUEST_SIZE, &sent)
    guard sent == 0 else { return nil }
    return TransportError(
      .invalidRequest,
      "\(phase(.invalidRequest)) \(exchange.request.origin.description): the request's head is larger than libcurl's "
        + "limit of 1 MiB",
      code: Int(code.rawValue), mayHaveBeenProcessed: false)
  }

  /// Whether the time for a connection is over.
  private var isConnectLimitOver: Bool {
    guard attempts == 0, let handle else { return false }
    var time: Int64 = 0
    ccurl_get_offset(handle.easy, CURLINFO_TOTAL_TIME_T, &time)
    // libcurl's own limit is five minutes.
    return time >= Int64(exchange.limits.connect?.wholeMilliseconds ?? 300_000) * 1000
  }

  /// A text in place of a misleading one of libcurl's.
  private func words(_ code: CURLcode, _ text: String) -> String? {
    guard code == CURLE_OUT_OF_MEMORY || code == tooLarge, attempts > 0, parser.head == nil,
      !text.hasPrefix(tooManyFields)
    else { return nil }
    return "a header line is longer than libcurl's limit of 100 KiB"
  }

  /// With TLS 1.3 a client learns from a break after its request that the server wants a certificate (RFC 8446 §4.4.2).
  private func missingCertificate(_ code: CURLcode, _ text: String) -> TransportError? {
    guard parser.head == nil, !isConnectionKept, let events = tlsEvents,
      events & Int32(CCURL_TLS_CERTIFICATE_ASKED) != 0,
      [CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code)
    else { return nil }
    let isRefused = events & Int32(CCURL_TLS_CERTIFICATE_REQUIRED) != 0
    return TransportError(
      .tls,
      "TLS handshake with \(exchange.request.origin.description): the server asks for a client certificate, and the "
        + "adapter has none (\(text))",
      code: Int(code.rawValue),
      // The connection may also have broken for another reason, after the server took the request without a
      // certificate.
      mayHaveBeenProcessed: attempts > 0 && !isRefused)
  }

  /// One of the engine's own deadlines passed.
  func timeout(_ reason: String) -> TransportError {
    TransportError(
      .timeout, "\(phase(.timeout)) \(exchange.request.origin.description): \(reason)",
      mayHaveBeenProcessed: attempts > 0)
  }

  private func kind(of code: CURLcode, _ text: String) -> TransportError.Kind {
    switch code {
    // libcurl has no code of its own for these faults of a response.
    case CURLE_RECV_ERROR where text.hasPrefix("Too large response headers"): .badResponse
    case CURLE_RECV_ERROR where parser.head != nil && isUnexpectedEnd(code, text): .badResponse
    // The code of a chunk or a trailer that can't be read differs by version.
    case _ where parser.head != nil && text.contains("chunk"): .badResponse
    case tooLarge where attempts > 0: .badResponse
    // libcurl 8 says so of a private key that it can't read.
    case CURLE_BAD_FUNCTION_ARGUMENT where attempts == 0 && exchange.settings.configuration.clientIdentity != nil: .tls
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
    case CURLE_OPERATION_TIMEDOUT: .timeout
    // libcurl 8 says so of a peer that is silent in the handshake.
    case CURLE_SSL_CONNECT_ERROR where isConnectLimitOver: .timeout
    case CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_NO_CONNECTION_AVAILABLE,
      CURLE_PROXY, CURLE_SEND_FAIL_REWIND, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      .connection
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      .tls
    case CURLE_WEIRD_SERVER_REPLY, CURLE_PARTIAL_FILE, CURLE_BAD_CONTENT_ENCODING: .badResponse
    // A header line beyond libcurl's limit ends as "out of memory", HTTP/0.9 as an unknown protocol.
    case CURLE_OUT_OF_MEMORY where attempts > 0, CURLE_UNSUPPORTED_PROTOCOL where attempts > 0: .badResponse
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidRequest
    case CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: .unsupported
    case CURLE_READ_ERROR: .sending
    default: .other
    }
  }

  /// Whether the connection ended without TLS's own end; libcurl 7.88 ends the body there.
  private func isUnexpectedEnd(_ code: CURLcode, _ text: String) -> Bool {
    code == CURLE_RECV_ERROR && text.contains("unexpected eof while reading")
  }

  /// How far the exchange had come.
  private func phase(_ kind: TransportError.Kind) -> String {
    guard state != .waiting, let handle else { return "Waiting for a free connection to" }
    if attempts == 0 {
      if kind == .tls { return "TLS handshake with" }
      var lookup: Int64 = 0
      ccurl_get_offset(handle.easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup)
      return lookup == 0 ? "Resolving the name of" : "Connecting to"
    }
    if parser.head != nil { return "Receiving the response from" }
    if let length = exchange.payload.length, taken >= length { return "Waiting for the response from" }
    return "Sending the request to"
  }
}
