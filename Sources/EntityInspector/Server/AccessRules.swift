import Foundation

/// Decides which requests the inspector answers: those of the one browser that was given its URL.
///
/// Any page that a browser shows can send requests to 127.0.0.1, and any program of the machine can. The rules, in their order:
///
/// - `Host` must name this server, or a page could reach it under a name of its own (DNS rebinding).
/// - `Sec-Fetch-Site` and `Origin` must not name another site (https://www.w3.org/TR/fetch-metadata/).
/// - The first URL has a token, which is exchanged for a cookie, so that the address bar and the history have no token.
/// - The cookie is for a random path: cookies know no ports, and another server on 127.0.0.1 would be sent the cookie.
struct AccessRules: Sendable {
  private let token = Self.secret()
  private let cookie = Self.secret()
  private let folder = Self.secret(bytes: 16)

  /// The path that all pages are below.
  var root: String { "/\(folder)/" }
  /// The URL to begin with.
  func url(port: Int) -> String { "http://127.0.0.1:\(port)/?token=\(token)" }

  enum Verdict {
    /// The parts of the path below the root.
    case allowed([String])
    case answered(ServerResponse)
  }

  func verdict(_ request: ServerRequest, port: Int) -> Verdict {
    let hosts = request.values("Host").map { $0.lowercased() }
    guard hosts.count == 1, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(hosts[0]) else {
      return .answered(ServerResponse(421, "This server is 127.0.0.1:\(port), and the request is for another one."))
    }
    guard request.values("Sec-Fetch-Site").allSatisfy({ ["same-origin", "none"].contains($0) }),
      request.values("Origin").allSatisfy({ $0.lowercased() == "http://\(hosts[0])" })
    else { return .answered(ServerResponse(403, "The request comes from another site.")) }
    guard request.method == "GET" else {
      var response = ServerResponse(405, "The inspector only reads: send GET.")
      response.fields.append(("Allow", "GET"))
      return .answered(response)
    }
    guard request.values("Transfer-Encoding").isEmpty, request.values("Content-Length").allSatisfy({ $0 == "0" }) else {
      return .answered(ServerResponse(413, "The inspector takes no body."))
    }
    if request.path == [""], let given = request["token"] {
      return .answered(Self.isEqual(given, token) ? entrance : Self.refusal)
    }
    guard request.path.first == folder, hasCookie(request) else { return .answered(Self.refusal) }
    return .allowed(Array(request.path.dropFirst()))
  }

  private var entrance: ServerResponse {
    var response = ServerResponse.redirect(to: root)
    response.fields.append(("Set-Cookie", "inspector=\(cookie); HttpOnly; SameSite=Strict; Path=\(root)"))
    return response
  }

  private static let refusal = ServerResponse(403, "Open the URL that the inspector printed.")

  private func hasCookie(_ request: ServerRequest) -> Bool {
    request.values("Cookie").flatMap { $0.split(separator: ";") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .contains { $0.hasPrefix("inspector=") && Self.isEqual(String($0.dropFirst(10)), cookie) }
  }

  /// Compares in a time that depends on the lengths alone.
  private static func isEqual(_ given: String, _ secret: String) -> Bool {
    guard given.utf8.count == secret.utf8.count else { return false }
    return zip(given.utf8, secret.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Random bytes of the system in hexadecimal.
  private static func secret(bytes: Int = 32) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<bytes).map { _ in
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
