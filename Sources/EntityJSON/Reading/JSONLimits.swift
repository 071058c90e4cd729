/// The treatment of an object that has a key twice, which RFC 8259 §4 leaves open. Keys are compared with their escapes
/// decoded.
public enum JSONDuplicateKeys: Sendable {
  /// The last value counts.
  case lastWins
  /// The text is refused with the kind `duplicateKey`.
  case refused
}

/// The treatment of a UTF-8 byte order mark at the beginning of a text. RFC 8259 §8.1 forbids a sender to add one, and
/// lets the reader decide whether to refuse the text. Some servers add one all the same.
public enum JSONByteOrderMark: Sendable {
  /// The text is refused with the kind `byteOrderMark`.
  case refused
  /// The text begins behind the mark. A mark of UTF-16 or UTF-32 is refused: JSON is UTF-8.
  case skipped
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
  /// The number of values that a document may hold: arrays and objects count, keys do not.
  public var nodes: Int
  /// The treatment of an object that has a key twice.
  public var duplicateKeys: JSONDuplicateKeys
  /// The treatment of a byte order mark. It counts among ``bytes``.
  public var byteOrderMark: JSONByteOrderMark

  /// Limits; those that are not given are ``standard``'s.
  public init(
    depth: Int = 512, bytes: Int = 1 << 30, nodes: Int = 1 << 28,
    duplicateKeys: JSONDuplicateKeys = .lastWins, byteOrderMark: JSONByteOrderMark = .refused
  ) {
    self.depth = depth
    self.bytes = bytes
    self.nodes = nodes
    self.duplicateKeys = duplicateKeys
    self.byteOrderMark = byteOrderMark
  }

  /// 512 levels, 1 GiB, 268,435,456 values, the last one of two equal keys, and no byte order mark.
  public static let standard = JSONLimits()

  /// For text that the package itself wrote from values that it had already accepted.
  static let composed = JSONLimits(depth: .max, bytes: .max, nodes: .max)
}
