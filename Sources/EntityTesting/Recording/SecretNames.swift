/// Says of names of header fields, parameters and keys whether their values are secrets.
enum SecretNames {
  private static let words: Set<String> = [
    "authorization", "cookie", "cookies", "credential", "credentials", "csrf", "jwt", "otp", "passcode", "passphrase",
    "passwd", "password", "pwd", "secret", "secrets", "session", "signature", "token", "tokens", "xsrf",
  ]
  private static let pairs: Set<String> = [
    "accesskey", "apikey", "authkey", "clientkey", "consumerkey", "privatekey", "secretkey", "sessionid", "signingkey",
  ]

  /// Whether the value of a field with a name is a secret.
  ///
  /// - Parameters:
  ///   - name: The name, in any style: `access_token`, `X-Api-Key`, `clientSecret`.
  ///   - others: Names that the project says are secret, in lower case.
  static func contain(_ name: String, _ others: Set<String>) -> Bool {
    if others.contains(name.lowercased()) { return true }
    let parts = parts(of: name)
    if parts.contains(where: { words.contains($0) }) { return true }
    return zip(parts, parts.dropFirst()).contains { pairs.contains($0 + $1) } || parts.contains { pairs.contains($0) }
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
    return parts
  }
}
