/// A type that ``JSONValueDecoder`` reads by itself and not through `init(from:)`: a strategy decides how, or
/// `init(from:)` would not do what users of Foundation's decoder expect, or it is for speed.
protocol NativeDecodable {
  /// `index` is a place of the tape, or `DecodingState.absent`. `path` is called where an error or a nested value needs
  /// it.
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Self

  /// Whether a blank text in a format without types is a value of the type.
  static var readsBlankText: Bool { get }
}

extension NativeDecodable {
  static var readsBlankText: Bool { false }
}
