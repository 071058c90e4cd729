/// A type that ``JSONValueDecoder`` reads by itself and not through `init(from:)`: because a strategy says how, because
/// `init(from:)` would take another way than users of Foundation's decoder expect, or for speed.
protocol NativeDecodable {
  /// `index` is a place of the tape or `DecodingState.absent`; `path` is asked for where an error or something nested
  /// needs it.
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Self

  /// Whether a blank text of a format without types is a value of the type.
  static var readsBlankText: Bool { get }
}

extension NativeDecodable {
  static var readsBlankText: Bool { false }
}
