/// Says of names of header fields, parameters and keys whether their values are secrets.
struct SecretNames: Sendable {
  private static let words: Set<String> = [
    "assertion", "auth", "authorization", "cookie", "cookies", "credential", "credentials", "csrf", "jwt", "otp",
    "passcode", "passphrase", "pwd", "session", "sig", "signature", "verifier", "xsrf",
  ]
  /// Ends of a word, or of two words together.
  private static let endings = [
    "accesskey", "apikey", "authkey", "clientkey", "consumerkey", "devicecode", "passwd", "password", "passwords",
    "privatekey",
    "samlresponse", "secret", "secretkey", "secrets", "sessid", "signingkey", "token", "tokens", "usercode",
  ]
  /// Whole names that services give to secrets and to other things: `{"access": …, "refresh": …}` of a login, `?code=…`
  /// of OAuth (RFC 6749 §4.1.2), `?key=…`. The value decides.
  private static let ambiguous: Set<String> = ["access", "refresh"]
  private static let ambiguousInFields: Set<String> = ["access", "code", "key", "refresh"]
  /// Names beside a `code` by which the fields are those of OAuth.
  private static let besideCode: Set<String> = ["client_id", "code_verifier", "grant_type", "redirect_uri", "state"]
  /// Behind a word they say something of the secret: `token_type`, `session_expires_at`.
  private static let harmlessBehind: Set<String> = ["count", "expiration", "expires", "expiry", "type"]
  /// Before `token` they make it a place in a list.
  private static let harmlessBefore: Set<String> = ["continuation", "next", "page"]

  private let names: Set<String>
  private let exceptions: Set<String>

  /// - Parameters:
  ///   - names: Names that the project says are secret.
  ///   - exceptions: Names that it says are none.
  init(_ names: [String] = [], except exceptions: [String] = []) {
    self.names = Set(names.map { $0.lowercased() })
    self.exceptions = Set(exceptions.map { $0.lowercased() })
  }

  /// Whether the value of a field is a secret.
  ///
  /// - Parameters:
  ///   - path: The name, in any style: `access_token`, `X-Api-Key`, `clientSecret`. Before it may stand the name of a field
  ///     around it.
  ///   - isNumber: Whether the value is a number. Those of `tokens` are counts.
  func contain(_ path: [String], isNumber: Bool = false) -> Bool {
    guard let last = path.last, !exceptions.contains(last.lowercased()) else { return false }
    if path.contains(where: { names.contains($0.lowercased()) }) { return true }
    let parts = path.flatMap(Self.parts)
    return parts.indices.contains { index in
      let part = parts[index]
      let before = index > 0 ? parts[index - 1] : ""
      guard Self.words.contains(part) || Self.endings.contains(where: { (before + part).hasSuffix($0) }) else {
        return false
      }
      if index + 1 < parts.count, Self.harmlessBehind.contains(parts[index + 1]) { return false }
      if part == "token", Self.harmlessBefore.contains(before) { return false }
      return !(isNumber && part.hasSuffix("tokens"))
    }
  }

  /// Whether the value of a field whose name may mean something else is a secret.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value, decoded.
  ///   - fields: The names of all fields of the query, fragment or form; `nil` for a value of JSON or XML.
  func contain(_ name: String, _ value: String, among fields: Set<String>? = nil) -> Bool {
    let name = name.lowercased()
    guard !exceptions.contains(name) else { return false }
    if let fields {
      if name == "code", !fields.isDisjoint(with: Self.besideCode) { return true }
      return Self.ambiguousInFields.contains(name) && Self.isDrawn(value)
    }
    return Self.ambiguous.contains(name) && Self.isDrawn(value)
  }

  /// Whether a text looks like one that was drawn at random: long, of one piece, with letters and digits.
  private static func isDrawn(_ text: String) -> Bool {
    text.utf8.count >= 16 && !text.contains(where: \.isWhitespace) && text.contains(where: \.isNumber)
      && text.contains(where: \.isLetter)
  }

  /// Whether a header field of a request is one. Its `…-Key` is, other than that of a response.
  func containRequestField(_ name: String) -> Bool {
    contain([name]) || (Self.parts(of: name).contains("key") && !exceptions.contains(name.lowercased()))
  }

  /// The words of a name, in lower case.
  private static func parts(of name: String) -> [String] {
    var parts: [String] = [""]
    var wasLower = false
    for character in name {
      if !(character.isLetter || character.isNumber) {
        parts.append("")
      } else {
        if character.isUppercase && wasLower { parts.append("") }
        parts[parts.count - 1].append(contentsOf: character.lowercased())
      }
      wasLower = character.isLowercase || character.isNumber
    }
    return parts.filter { !$0.isEmpty }
  }
}
