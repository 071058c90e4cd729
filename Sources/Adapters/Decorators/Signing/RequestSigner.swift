public import EntityRequests
public import HTTPFoundation

/// Signs requests to one server with a shared key: HTTP message signatures (RFC 9421) by HMAC-SHA256.
///
/// ```swift
/// let signer = RequestSigner(keyID: "app-1", key: key, at: baseURL)
/// let adapter = CurlAdapter().signed(by: signer)
/// ```
///
/// The signature covers the method, the host, the path, the query, the digest of the body (RFC 9530), the time and a
/// number that is used once. So the server can tell that the request was not changed, and was not recorded and sent
/// again.
///
/// A kept connection can turn out to be dead as a request is sent. If a request may be sent twice (RFC 9110 §9.2.2),
/// libcurl then sends it once more by itself, with the same signature. If the first one has reached the server, the
/// server gets both. A server that refuses a number it knows then refuses the second.
public struct RequestSigner: Sendable, CustomStringConvertible, CustomReflectable {
  private let server: URL
  private let keyID: String
  private let fields: [String]
  /// The key is in the closure, so that no description shows it.
  private let code: @Sendable (String) -> [UInt8]

  /// - Parameters:
  ///   - keyID: The name by which the server knows the key; printable ASCII.
  ///   - key: The key.
  ///   - server: Only requests to its scheme, host and port are signed (RFC 6454 §5).
  ///   - fields: The names of header fields that the signature covers, too, if a request has them.
  public init(keyID: String, key: Data, at server: URL, covering fields: [String] = ["Content-Type"]) {
    self.server = server
    self.keyID = keyID
    self.fields = fields
    code = { HMACSHA256.code(of: $0.utf8, key: key) }
  }

  /// The same, with the server's URL as a text.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a text that is no absolute http or https URL.
  public init(keyID: String, key: Data, at server: String, covering fields: [String] = ["Content-Type"]) throws {
    self.init(keyID: keyID, key: key, at: try URL(server: server), covering: fields)
  }

  /// The server without user info, and the name of the key.
  public var description: String { "RequestSigner(\(server.shown), keyID: \(keyID))" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

  /// The request with the fields `Content-Digest`, `Signature-Input` and `Signature`.
  @concurrent func signed(_ request: URLRequest, _ body: RequestBody, nonce: String) async throws -> URLRequest {
    guard let url = request.url, url.hasSameOrigin(as: server) else { return request }
    guard keyID.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw TransportError(
        .invalidRequest, "The id of the signing key is not printable ASCII.", mayHaveBeenProcessed: false)
    }
    var request = request
    let digest: Data
    do {
      digest = try await body.digest()
    } catch {
      throw TransportError.waiting(error, for: "Reading the body")
    }
    try request.setHeaders(["Content-Digest": "sha-256=:\(digest.base64EncodedString()):"])
    // A component is named once, in lower case (RFC 9421 §2.5, §2.1).
    var covered = ["content-digest"]
    for name in fields.map({ $0.lowercased() }) where !covered.contains(name) { covered.append(name) }
    var components: [(name: String, value: String)] = [
      ("@method", request.httpMethod ?? "GET"), ("@authority", request.authority(of: url)),
      ("@path", url.path(percentEncoded: true).isEmpty ? "/" : url.path(percentEncoded: true)),
      ("@query", "?" + (url.query(percentEncoded: true) ?? "")),
    ]
    for name in covered {
      if let value = request.value(forHTTPHeaderField: name) {
        components.append((name, value.trimmingCharacters(in: [" ", "\t"])))
      }
    }
    let created = Int64(AnswerClock.now())
    let parameters =
      "(\(components.map { "\"\($0.name)\"" }.joined(separator: " ")));created=\(created);nonce=\"\(nonce)\""
      + ";keyid=\"\(keyID.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\";alg=\"hmac-sha256\""
    let signature = code(Self.base(components, parameters))
    try request.setHeaders([
      "Signature-Input": "sig1=\(parameters)", "Signature": "sig1=:\(Data(signature).base64EncodedString()):",
    ])
    return request
  }

  /// The text that is signed (RFC 9421 §2.5).
  static func base(_ components: [(name: String, value: String)], _ parameters: String) -> String {
    components.map { "\"\($0.name)\": \($0.value)\n" }.joined() + "\"@signature-params\": \(parameters)"
  }
}

extension RequestAdapter {
  /// This adapter, with requests to one server signed.
  ///
  /// Put this adapter nearest to the transport: then each attempt and each redirect is signed as it is sent, with a
  /// time and a number of its own. The digest is sent before the body, so a body is read twice, and a stream must be
  /// replayable.
  ///
  /// - Parameter signer: The key, and the server that knows it.
  /// - Throws: `TransportError` of kind `invalidRequest` for a stream that can't be opened again.
  public func signed(by signer: RequestSigner) -> some RequestAdapter {
    SigningAdapter(base: self, signer: signer)
  }
}

private struct SigningAdapter<Base: RequestAdapter>: Decorator {
  let base: Base
  let signer: RequestSigner

  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response {
    var call = call
    call.request = try await signer.signed(call.request, call.body, nonce: UUID().uuidString)
    return try await send(call)
  }
}

extension RequestBody {
  /// The SHA-256 of the body's bytes.
  @concurrent fileprivate func digest() async throws -> Data {
    var hash = SHA256()
    switch self {
    case .none: break
    case .data(let data): hash.add(data)
    case .file(let url): try await RequestBodyStream(contentsOf: url).add(to: &hash)
    case .stream(let stream):
      guard stream.isReplayable else {
        throw TransportError(
          .invalidRequest,
          "The body can't be signed: it is a stream that can't be opened again, and its digest goes before it.",
          mayHaveBeenProcessed: false)
      }
      try await stream.add(to: &hash)
    }
    return Data(hash.bytes())
  }
}

extension RequestBodyStream {
  @concurrent fileprivate func add(to hash: inout SHA256) async throws {
    let next = try open()
    while let piece = try await next() {
      try Task.checkCancellation()
      hash.add(piece)
    }
  }
}

extension URLRequest {
  /// Host and port as they are compared: in lower case, without the scheme's own port (RFC 9421 §2.2.3). A field `Host`
  /// is sent in place of the URL's host and port.
  fileprivate func authority(of url: URL) -> String {
    let standard = url.scheme?.lowercased() == "https" ? 443 : 80
    if let own = value(forHTTPHeaderField: "Host")?.trimmingCharacters(in: [" ", "\t"]), !own.isEmpty {
      let host = own.lowercased()
      return host.hasSuffix(":\(standard)") ? String(host.dropLast("\(standard)".count + 1)) : host
    }
    let host = url.sentHost
    return (host.contains(":") ? "[\(host)]" : host) + (url.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? "")
  }
}
