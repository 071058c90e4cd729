/// The layout of JSON. Each layout is RFC 8259. In one format, equal values give equal bytes where keys are sorted.
public struct JSONFormat: Sendable, Equatable {
  /// Whether the keys of objects are sorted by their UTF-8 bytes, each once, with its last value. Otherwise they stand
  /// in the value's order.
  public var sortsKeys: Bool
  /// Whether each member has a line of its own, indented by two spaces a level.
  public var isPretty: Bool
  /// Whether U+2028 and U+2029 are escaped. They end a line in JavaScript before ES2019, though not in JSON.
  public var escapesLineSeparators: Bool

  public init(sortsKeys: Bool = false, isPretty: Bool = false, escapesLineSeparators: Bool = false) {
    self.sortsKeys = sortsKeys
    self.isPretty = isPretty
    self.escapesLineSeparators = escapesLineSeparators
  }

  /// One line without spaces.
  public static let compact = JSONFormat()
  /// One line without spaces, keys sorted.
  public static let sorted = JSONFormat(sortsKeys: true)
  /// Lines for people to read.
  public static let pretty = JSONFormat(isPretty: true)
}
