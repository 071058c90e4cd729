internal import AdapterDecorators
internal import EntityRequests
internal import HTTPFoundation

/// A request that passed every check, in the form in which `URLSession` sends it.
///
/// `URLSession` on Linux drops a field with a line break, changes a path with dots, and stops the process for some
/// URLs. Such requests are found here, before anything is sent.
struct SessionCall: Sendable {
  /// When the call was made, by the clock of the adapter's limits.
  let begin: Duration
  let request: URLRequest
  let url: URL
  let method: String
  /// Whether a coded body was asked for.
  let takesCodings: Bool
  /// Whether the server is asked to end the connection after this request (RFC 9112 §9.6).
  let needsOwnConnection: Bool

  /// For messages; a URL's path, query and user info are not shown.
  var host: String {
    let host = url.host() ?? ""
    return "\(host.contains(":") ? "[\(host)]" : host):\(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))"
  }

  /// - Throws: `TransportError` of kind `invalidRequest`, or `unsupported`.
  init(
    _ original: URLRequest, _ body: RequestBody, _ configuration: URLSessionAdapter.Configuration, at begin: Duration
  ) throws {
    self.begin = begin
    method = try Self.method(of: original, body)
    url = try Self.url(of: original)
    var fields = try Self.fields(of: original)
    func has(_ name: String) -> Bool { fields.keys.contains { $0.lowercased() == name } }

    if let control = try original.cacheControl(), !has("cache-control") { fields["Cache-Control"] = control }
    if !has("user-agent") {
      guard HeaderField.isValue(configuration.userAgent) else {
        throw invalid("The adapter's User-Agent has a control character (RFC 9110 §5.5).")
      }
      fields["User-Agent"] = configuration.userAgent
    }
    // A part of a coded body can't be decoded (RFC 9110 §14.2).
    let asksForBytes = fields.contains { $0.key.lowercased() == "range" && $0.value.lowercased().hasPrefix("bytes=") }
    takesCodings = has("accept-encoding") || (configuration.acceptsCompression && !asksForBytes)
    if !takesCodings { fields["Accept-Encoding"] = "identity" }

    var request = original
    #if canImport(FoundationNetworking)
      guard original.allowsCellularAccess else { throw unsupported("allowsCellularAccess that is off") }
      // When the server has left a kept connection, libcurl sends the request once more. A POST would be done twice,
      // and the body would be missing, because URLSession does not rewind it.
      needsOwnConnection = !body.isNone || !method.isIdempotentMethod
      if needsOwnConnection { fields["Connection"] = "close" }
    #else
      needsOwnConnection = false
    #endif
    request.allHTTPHeaderFields = fields
    request.httpMethod = method
    request.httpBody = nil
    request.httpBodyStream = nil
    request.httpShouldHandleCookies = false
    request.cachePolicy = .useProtocolCachePolicy
    // The adapter has its own clock. The clock of URLSession on Linux knows whole seconds only, and counts the wait for
    // a connection.
    request.timeoutInterval = SessionTransport.endlessly
    self.request = request
  }

  private static func method(of request: URLRequest, _ body: RequestBody) throws -> String {
    let method = try request.checkedMethod()
    guard !body.isNone else { return method }
    try method.checkMethodTakesBody()
    guard method != "GET" else { throw unsupported("a GET with a body") }
    return method
  }

  private static func url(of request: URLRequest) throws -> URL {
    let url = try request.checkedURL()
    let (scheme, host) = try url.checkedPlace(isPrintable: url.absoluteString.isPrintable)
    #if canImport(FoundationNetworking)
      // Some versions of libcurl take an escaped dot for a dot.
      let segments = url.path(percentEncoded: true).lowercased().replacing("%2e", with: ".").split(separator: "/")
      guard !segments.contains("."), !segments.contains("..") else {
        throw unsupported("a path with '.' or '..', which it would change,")
      }
      guard !host.contains(":") else { throw unsupported("to an address of IPv6") }
      // URLSession stops the process for a scheme that is not in lower case.
      guard url.scheme == scheme else { throw unsupported("a scheme that is not in lower case") }
    #endif
    return url
  }

  /// The fields that decide where a message ends, and whether its connection does.
  private static let reserved: Set<String> = ["content-length", "transfer-encoding", "connection"]

  private static func fields(of request: URLRequest) throws -> [String: String] {
    let fields = try (request.allHTTPHeaderFields ?? [:]).checkedFields()
    if let name = fields.keys.first(where: { reserved.contains($0.lowercased()) }) {
      throw unsupported("the header \(name) of a request, which it sets by itself,")
    }
    return fields
  }
}

extension RequestBody {
  fileprivate var isNone: Bool {
    if case .none = self { true } else { false }
  }
}

func unsupported(_ what: String) -> TransportError {
  TransportError(
    .unsupported, "URLSession does not send \(what) as it is written; so nothing was sent.", mayHaveBeenProcessed: false
  )
}
