/// The treatment of an object that has a key twice, which RFC 8259 §4 leaves open. Keys are compared with their escapes
/// decoded.
public enum JSONDuplicateKeys: Sendable {
  /// The last value counts.
  case lastWins
  /// The text is refused with the kind `duplicateKey`.
  case refused
}

/// How much a document may ask of the reader before it is refused.
///
/// RFC 8259 §9 lets a parser limit size, depth, range and precision. Range and precision are not limited here: a
/// number keeps its lexeme.
public struct JSONLimits: Sendable, Equatable {
  /// How many arrays and objects may be open at once; `[]` has depth 1.
  public var depth: Int
  /// The longest accepted document in bytes. The tape's offsets have 30 bits, so a larger number means `1 << 30`.
  public var bytes: Int
  /// How many values a document may hold, arrays and objects included, keys not.
  public var nodes: Int
  /// The treatment of an object that has a key twice.
  public var duplicateKeys: JSONDuplicateKeys

  /// Limits; those that are not given are ``standard``'s.
  public init(
    depth: Int = 512, bytes: Int = 1 << 30, nodes: Int = 1 << 28,
    duplicateKeys: JSONDuplicateKeys = .lastWins
  ) {
    self.depth = depth
    self.bytes = bytes
    self.nodes = nodes
    self.duplicateKeys = duplicateKeys
  }

  /// 512 levels, 1 GiB, 268,435,456 values, and the last of twice the same key.
  public static let standard = JSONLimits()

  /// For text that the package itself wrote from values it had already accepted.
  static let composed = JSONLimits(depth: .max, bytes: .max, nodes: .max)
}
