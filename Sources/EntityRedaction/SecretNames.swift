/// Decides by the names of header fields, parameters and keys whether their values are secrets.
package struct SecretNames: Sendable {
  private static let words: Set<String> = [
    "assertion", "auth", "authorization", "cookie", "cookies", "credential", "credentials", "csrf", "jwt", "otp",
    "passcode", "passphrase", "pwd", "session", "sig", "signature", "verifier", "xsrf",
  ]
  /// Endings of a word, or of two joined words.
  private static let endings = [
    "accesskey", "apikey", "authkey", "clientkey", "consumerkey", "devicecode", "passwd", "password", "passwords",
    "privatekey",
    "samlresponse", "secret", "secretkey", "secrets", "sessid", "signingkey", "token", "tokens", "usercode",
  ]
  /// The place of a name, which decides what an ambiguous one may mean.
  enum Place {
    /// A query, a fragment or a form, with the names of all its fields.
    case fields(Set<String>)
    case json, xml

    /// Whole names that services use for secrets and for other things: `{"access": …, "refresh": …}` of a login,
    /// `?code=…` of OAuth (RFC 6749 §4.1.2), `?key=…`. The value decides. In JSON and XML `key` is the identity of an object in many
    /// services, and `<code>` is an element of HTML.
    fileprivate var ambiguous: Set<String> {
      switch self {
      case .fields: ["access", "code", "key", "refresh"]
      case .json: ["access", "code", "refresh"]
      case .xml: ["access", "refresh"]
      }
    }
  }

  /// Names that appear beside a `code` in the fields of OAuth.
  private static let besideCode: Set<String> = ["client_id", "code_verifier", "grant_type", "redirect_uri", "state"]
  /// After a secret's word they name a fact about the secret: `token_type`, `session_expires_at`.
  private static let harmlessBehind: Set<String> = ["count", "expiration", "expires", "expiry", "type"]
  /// Before `token` they name a place in a list.
  private static let harmlessBefore: Set<String> = ["continuation", "next", "page"]

  private let names: Set<String>
  private let exceptions: Set<String>

  /// - Parameters:
  ///   - names: Names that the project declares as secret.
  ///   - exceptions: Names that the project declares as not secret.
  package init(_ names: [String] = [], except exceptions: [String] = []) {
    self.names = Set(names.map { $0.lowercased() })
    self.exceptions = Set(exceptions.map { $0.lowercased() })
  }

  /// Whether the value of a field is a secret.
  ///
  /// - Parameters:
  ///   - path: The name, in any style: `access_token`, `X-Api-Key`, `clientSecret`. The name of a surrounding field may
  ///     precede it.
  ///   - isNumber: Whether the value is a number. Numbers of `tokens` are counts.
  package func contain(_ path: [String], isNumber: Bool = false) -> Bool {
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

  /// Whether the value of a field with an ambiguous name is a secret.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value, decoded.
  ///   - place: The place of the name.
  func contain(_ name: String, _ value: String, in place: Place) -> Bool {
    let name = name.lowercased()
    guard !exceptions.contains(name) else { return false }
    if name == "code", case .fields(let others) = place, !others.isDisjoint(with: Self.besideCode) { return true }
    return place.ambiguous.contains(name) && Self.isDrawn(value)
  }

  /// Whether a text looks random: long, without blanks, with letters and digits.
  static func isDrawn(_ text: some StringProtocol, from length: Int = 16) -> Bool {
    text.utf8.count >= length && !text.contains(where: \.isWhitespace) && text.contains(where: \.isNumber)
      && text.contains(where: \.isLetter)
  }

  /// Whether a header field of a request is a secret. A name with the word `Key` is, unlike in a response.
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
