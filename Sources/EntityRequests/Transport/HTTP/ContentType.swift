/// The media type of a body, as its `Content-Type` says it (RFC 9110 §8.3).
public struct ContentType: Sendable, Hashable {
  /// Type and subtype, in lower case: `application/xml`.
  public let mediaType: String
  /// The charset, as it is written; `nil` when none is given.
  public let charset: String?

  /// Reads the value of a header.
  ///
  /// - Parameter text: The value: `text/xml; charset=utf-8`.
  public init(_ text: String) {
    let end = text.firstIndex { $0 == ";" || $0 == "," } ?? text.endIndex
    mediaType = text[..<end].filter { $0 != " " && $0 != "\t" }.lowercased()
    charset = Self.charset(in: text[end...])
  }

  /// Whether a body of this type is JSON (RFC 8259 §11, RFC 6839 §3.1).
  var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }

  /// The value of the first parameter `charset`, whose value is a token or a quoted string (RFC 9110 §5.6.6).
  private static func charset(in parameters: Substring) -> String? {
    var isQuoted = false
    let parts = parameters.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == ";" && !isQuoted
    }
    for part in parts {
      let field = part.split(separator: "=", maxSplits: 1).map { trimmed($0) }
      guard field.count == 2, field[0].lowercased() == "charset" else { continue }
      let value = field[1]
      return value.count > 1 && value.first == "\"" && value.last == "\"" ? String(value.dropFirst().dropLast()) : value
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}
