/// Entity tags (RFC 9110 §8.8.3): `"7"`, and weak ones, `W/"7"`.
package enum EntityTag {
  /// The tag of a version. A text that is a tag already stays as it is.
  package static func tag(of version: String, isWeak: Bool) -> String {
    isTag(version) ? version : "\(isWeak ? "W/" : "")\"\(version)\""
  }

  static func isWeak(_ tag: String) -> Bool { tag.hasPrefix("W/\"") }

  private static func isTag(_ text: String) -> Bool {
    let quoted = (isWeak(text) ? text.dropFirst(2) : text[...]).utf8
    return quoted.count >= 2 && quoted.first == quote && quoted.last == quote
      && !quoted.dropFirst().dropLast().contains(quote)
  }

  private static let quote = UInt8(ascii: "\"")
}
