internal import CCurl
internal import EntityRequests
internal import Foundation

extension CurlTransfer {
  /// The meaning of libcurl's result to the caller.
  func error(_ code: CURLcode) -> TransportError {
    if let failure { return failure }
    let detail = String(cString: errorBuffer)
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    let kind = kind(of: code)
    return TransportError(
      kind, "\(phase(kind)) \(exchange.request.origin.description): \(text)", code: Int(code.rawValue),
      mayHaveBeenProcessed: attempts > 0)
  }

  /// One of the engine's own deadlines passed.
  func timeout(_ reason: String) -> TransportError {
    TransportError(
      .timeout, "\(phase(.timeout)) \(exchange.request.origin.description): \(reason)",
      mayHaveBeenProcessed: attempts > 0)
  }

  private func kind(of code: CURLcode) -> TransportError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
    case CURLE_OPERATION_TIMEDOUT: .timeout
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

  /// How far the exchange had come.
  private func phase(_ kind: TransportError.Kind) -> String {
    guard state != .waiting, let handle else { return "Waiting for a free connection to" }
    if attempts == 0 {
      if kind == .tls { return "TLS handshake with" }
      var lookup: Int64 = 0
      ccurl_get_offset(handle, CURLINFO_NAMELOOKUP_TIME_T, &lookup)
      return lookup == 0 ? "Resolving the name of" : "Connecting to"
    }
    if parser.head != nil { return "Receiving the response from" }
    if let length = exchange.payload.length, taken >= length { return "Waiting for the response from" }
    return "Sending the request to"
  }
}
