internal import AdapterDecorators
internal import CCurl
internal import EntityRequests
internal import HTTPFoundation

/// The server that a request goes to; limits of connections count per origin (RFC 6454 §4).
struct Origin: Hashable, Sendable {
  /// The hash of all that follows, made once. Most requests go to an origin whose hash is known.
  private let hash: Int
  let scheme: String
  let host: String
  let port: Int

  init(scheme: String, host: String, port: Int) {
    (self.scheme, self.host, self.port) = (scheme, host, port)
    var hasher = Hasher()
    hasher.combine(scheme)
    hasher.combine(host)
    hasher.combine(port)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// For messages; a URL's path, query and user info are not shown.
  var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A request that passed every check and can be handed to libcurl as it is.
///
/// libcurl sends method, header and URL bytes as they come, line breaks included, so all of them are checked here, before
/// a connection is opened.
final class PreparedRequest: Sendable {
  let method: String
  let url: URL
  /// The URL's bytes as they go to libcurl; ASCII only.
  let address: String
  let origin: Origin
  /// In the form of CURLOPT_HTTPHEADER: `Name: value`, or `Name;` for an empty value.
  let headerLines: [String]
  /// Whether the request may be sent twice with the effect of once (RFC 9110 §9.2.2).
  let isIdempotent: Bool

  /// - Throws: `TransportError` of kind `invalidRequest`, or `unsupported`.
  init(_ request: URLRequest, _ origins: KnownOrigins) throws {
    try request.checkNetworks()
    method = try request.checkedMethod()
    isIdempotent = method.isIdempotentMethod
    url = try request.checkedURL()
    address = url.absoluteString
    let isPrintable = address.isPrintable
    if isPrintable, let known = origins.origin(of: address) {
      origin = known
    } else {
      origin = try Self.origin(of: url, address: address, isPrintable: isPrintable)
      origins.add(origin, of: address)
    }
    var headers = request.allHTTPHeaderFields ?? [:]
    if let control = try request.cacheControl(), request.value(forHTTPHeaderField: "Cache-Control") == nil {
      headers["Cache-Control"] = control
    }
    headerLines = try Self.lines(of: headers)
  }

  /// - Parameter name: In lower case.
  func hasHeader(_ name: String) -> Bool {
    headerLines.contains { line in
      guard line.begins(with: name) else { return false }
      let next = line.utf8.dropFirst(name.utf8.count).first
      return next == UInt8(ascii: ":") || next == UInt8(ascii: ";")
    }
  }

  /// Whether a range of the body's bytes is asked for (RFC 9110 §14.2); other units are the server's own.
  var asksForBytes: Bool { headerLines.contains { $0.begins(with: "range: bytes=") } }

  private static func origin(of url: URL, address: String, isPrintable: Bool) throws -> Origin {
    let (scheme, host) = try url.checkedPlace(isPrintable: isPrintable)
    // Two parsers that see two hosts in one URL are a way past any check of the host: libcurl must connect to the host
    // that Foundation, and so the caller, reads.
    guard let parsed = curl_url() else { throw outOfMemory() }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, address, 0) == CURLUE_OK, part(parsed, CURLUPART_USER) == nil,
      let curlHost = part(parsed, CURLUPART_HOST), bare(curlHost) == bare(host),
      let port = part(parsed, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) })
    else { throw invalid("The URL's host or port is malformed.") }
    return Origin(scheme: scheme, host: bare(host), port: port)
  }

  private static func part(_ url: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  private static func bare(_ host: String) -> String {
    (host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host).lowercased()
  }

  /// The fields whose bytes decide where a message ends: the adapter alone writes them.
  private static let reserved: Set<String> = ["content-length", "transfer-encoding"]

  private static func lines(of headers: [String: String]) throws -> [String] {
    guard !headers.isEmpty else { return [] }
    // A dictionary has no order; sorting makes equal requests equal on the wire.
    return try headers.checkedFields().sorted { $0.key < $1.key }.map { name, value in
      guard !reserved.contains(name.lowercased()) else {
        throw invalid("The header \(name) is set by the adapter, from the URL and the body.")
      }
      return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }
  }
}

extension String {
  /// Whether the text begins with `start`, which is ASCII in lower case. The case of the text does not count.
  fileprivate func begins(with start: String) -> Bool {
    utf8.count >= start.utf8.count
      && zip(utf8, start.utf8).allSatisfy { (65...90).contains($0) ? $0 | 32 == $1 : $0 == $1 }
  }
}

func outOfMemory() -> TransportError {
  TransportError(.other, "libcurl could not allocate memory.", mayHaveBeenProcessed: false)
}
