/// The parts of a value that a description leaves out.
public enum JSONRedaction: Sendable {
  case nothing
  /// The values under these keys, wherever they stand.
  case keys(Set<String>)
  /// Every string and number: only the shape is left.
  case scalars

  /// The text in place of a hidden value.
  public static let mark = "<hidden>"
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON, cut off after 500 characters.
  public var description: String { description() }

  /// The value as compact JSON with parts left out, cut off after a number of characters. The part that is cut off
  /// costs nothing.
  public func description(limit: Int = 500, redacting redaction: JSONRedaction = .nothing) -> String {
    let limit = max(0, limit)
    // A character within the limit has at most this many bytes here. A character with more combining marks is cut off
    // with the rest.
    let (byteLimit, overflow) = limit.multipliedReportingOverflow(by: 4)
    var writer = JSONWriter()
    let isWhole = writer.value(self, byteLimit: overflow ? .max : byteLimit, redacting: redaction)
    // A cut inside a character leaves bytes that decode to a replacement character, which is behind the limit in any
    // case.
    let text = String(decoding: writer.bytes, as: UTF8.self)
    return isWhole && text.count <= limit ? text : text.prefix(limit) + "…"
  }
}

extension JSONObject: CustomStringConvertible {
  /// See ``JSONValue/description``.
  public var description: String { value.description }
}

extension JSONArray: CustomStringConvertible {
  /// See ``JSONValue/description``.
  public var description: String { value.description }
}
