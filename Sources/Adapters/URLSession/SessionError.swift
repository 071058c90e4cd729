internal import EntityRequests
internal import HTTPFoundation

extension TransportError {
  /// The meaning of an error of `URLSession`. Foundation's text stays. Its `userInfo` is left out, because the URL is
  /// in there.
  init(_ error: any Error, _ call: SessionCall, hasHead: Bool) {
    let code = (error as? URLError)?.code ?? .unknown
    let text = (error as NSError).localizedDescription
    let (kind, isUnsent) = Self.meaning(of: code, text)
    let phase = hasHead ? "Receiving the response from" : isUnsent ? "Connecting to" : "Waiting for the response from"
    self.init(
      kind, "\(phase) \(call.host): \(text)", code: code.rawValue, mayHaveBeenProcessed: hasHead || !isUnsent)
  }

  /// The kind of an error, and whether it proves that nothing was sent.
  private static func meaning(of code: URLError.Code, _ text: String) -> (Kind, isUnsent: Bool) {
    switch code {
    case .timedOut: (.timeout, false)
    case .cannotFindHost, .dnsLookupFailed: (.nameResolution, true)
    case .cannotConnectToHost: (.connection, isFailedConnection(text))
    // A network may go while the response is awaited.
    case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive, .networkConnectionLost:
      (.connection, false)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      (.tls, false)
    case .badServerResponse, .cannotDecodeRawData, .cannotDecodeContentData, .cannotParseResponse, .zeroByteResource:
      (.badResponse, false)
    case .badURL: (.invalidRequest, true)
    // On Linux libcurl says so of a version or a status that no response has.
    case .unsupportedURL: (.badResponse, false)
    case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .requestBodyStreamExhausted: (.sending, false)
    case .dataLengthExceedsMaximum: (.bodyTooLarge, false)
    default: (kind(of: text), false)
    }
  }

  /// `URLSession` on Linux has one code for most errors of libcurl. Their texts tell more.
  private static func kind(of text: String) -> Kind {
    func has(_ words: [String]) -> Bool { words.contains { text.contains($0) } }
    return if has(["SSL", "TLS", "certificate"]) {
      .tls
    } else if has([
      "Failed writing header", "Header without colon", "Nul byte in header", "Out of memory", "Invalid Content-Length",
      "transfer closed with", "chunk", "content encoding", "Too large response headers",
    ]) {
      .badResponse
    } else if has(["Recv failure", "Send failure", "Connection reset"]) {
      .connection
    } else {
      .other
    }
  }

  /// `URLSession` on Linux gives this code to any error of an exchange in which one address of several had refused the
  /// connection. Only the error's text tells whether all addresses did.
  private static func isFailedConnection(_ text: String) -> Bool {
    #if canImport(FoundationNetworking)
      ["Failed to connect", "Couldn't connect", "Could not connect"].contains { text.hasPrefix($0) }
    #else
      true
    #endif
  }
}
