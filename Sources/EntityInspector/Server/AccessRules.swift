import Foundation
import Synchronization

/// Decides which requests the inspector answers: those of the one browser that was given its URL.
///
/// Any page that a browser shows can send requests to 127.0.0.1, and any program of the machine can. The rules, in their order:
///
/// - `Host` must name this server, or a page could reach it under a name of its own (DNS rebinding).
/// - `Sec-Fetch-Site` and `Origin` must not name another site (https://www.w3.org/TR/fetch-metadata/).
/// - The first URL has a token, which is exchanged for a cookie, so that the address bar and the history have no token. A token counts
///   once: arguments of programs, logs and screens show it to others. The same URL, opened again, leads to the pages without a cookie.
/// - The cookie is for a random path: cookies know no ports, and another server on 127.0.0.1 would be sent the cookie.
final class AccessRules: Sendable {
  private struct Tokens {
    var next = AccessRules.secret()
    var used: [String] = []
  }

  private let tokens = Mutex(Tokens())
  private let cookie = AccessRules.secret()
  private let folder = AccessRules.secret(bytes: 16)

  /// The path that all pages are below.
  var root: String { "/\(folder)/" }
  /// The token in the URL to begin with: another one after each that was used.
  var token: String { tokens.withLock { $0.next } }

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
      return .answered(exchange(given) ?? Self.refusal)
    }
    guard request.path.first == folder, hasCookie(request) else { return .answered(Self.refusal) }
    return .allowed(Array(request.path.dropFirst()))
  }

  /// The answer to a token; `nil` for one that was never given out.
  private func exchange(_ given: String) -> ServerResponse? {
    tokens.withLock { tokens in
      var response = ServerResponse.redirect(to: root)
      if Self.isEqual(given, tokens.next) {
        tokens.used.append(tokens.next)
        tokens.next = Self.secret()
        response.fields.append(("Set-Cookie", "inspector=\(cookie); HttpOnly; SameSite=Strict; Path=\(root)"))
        return response
      }
      return tokens.used.contains { Self.isEqual(given, $0) } ? response : nil
    }
  }

  private static let refusal = ServerResponse(
    403, "Open the URL of the inspector. It opens one browser: for another one, the inspector has another URL.")

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
