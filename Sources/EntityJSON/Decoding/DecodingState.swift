import Foundation

/// The state that all decoders and containers of one call to `decode` share.
final class DecodingState {
  let document: JSONDocument
  let options: JSONValueDecoder
  private var shapes = ObjectShapes()
  private var natives: [(type: ObjectIdentifier, native: (any NativeDecodable.Type)?)] = []
  private var depth = 0
  private var stack = StackRoom()

  init(document: JSONDocument, options: JSONValueDecoder) {
    self.document = document
    self.options = options
  }

  /// The word at a place of the tape; a null for an absent value, whose place is in no document.
  @inline(__always)
  func tag(at index: Int) -> JSONTag { index == Self.absent ? .null : document.word(at: index).tag }

  static let absent = -1

  @inline(__always)
  func value(at index: Int) -> JSONValue {
    index == Self.absent ? .null : JSONValue(document: document, index: index)
  }

  /// Whether a value is a number, or the text of one in a format without types.
  func isNumber(at index: Int) -> Bool {
    guard index != Self.absent else { return false }
    let word = document.word(at: index)
    return word.tag == .number || (document.isUntyped && document.isNumber(word))
  }

  /// The number of elements of a value that is no array, read as a list in a format without types: one, or none where
  /// the value is blank. Nil where the value can't be a list.
  func countOfList(at index: Int) -> Int? {
    guard index != Self.absent, document.isUntyped, document.word(at: index).tag != .null else { return nil }
    return document.isBlankUntyped(at: index) ? 0 : 1
  }

  /// Whether a value is a blank text in a format without types: it means nothing to a type other than texts and lists.
  @inline(__always)
  func isNothing<T>(_ type: T.Type, at index: Int) -> Bool {
    document.isUntyped && index != Self.absent && document.isBlankUntyped(at: index)
      && native(type)?.readsBlankText != true
  }

  func shape(of object: Int, path: CodingPathNode?) -> ObjectShape {
    shapes.shape(of: object, in: document, options.keyDecodingStrategy, path)
  }

  // MARK: Any type

  @inline(__always)
  func decode<T: Decodable>(_ type: T.Type, at index: Int, path: () -> CodingPathNode?) throws -> T {
    if let native = native(type) { return try decode(native, as: type, at: index, path: path) }
    return try decodePlain(type, at: index, path: path())
  }

  /// With the type's own `init(from:)`.
  func decodePlain<T: Decodable>(_ type: T.Type, at index: Int, path: CodingPathNode?) throws -> T {
    // Without types, a text can be a list of itself, and that list again a list of itself.
    let isContainer = index != Self.absent && (document.word(at: index).isContainer || document.isUntyped)
    if isContainer {
      depth += 1
      guard depth <= JSONLimits.standard.depth else {
        depth -= 1
        throw corrupted("There are more than \(JSONLimits.standard.depth) nested arrays and objects", at: index, path)
      }
      guard !stack.isShort(at: depth) else {
        let reached = depth
        depth -= 1
        throw corrupted(
          "\(reached) nested arrays and objects are more than the stack of this thread has room for",
          at: index, path)
      }
    }
    defer { if isContainer { depth -= 1 } }
    return try T(from: TapeDecoder(state: self, index: index, path: path))
  }

  /// With this decoder. `T` is `N`, which the compiler can't know.
  private func decode<N: NativeDecodable, T: Decodable>(
    _ native: N.Type, as type: T.Type, at index: Int, path: () -> CodingPathNode?
  ) throws -> T {
    let value = try N.decode(from: self, at: index, path: path)
    if let value = value as? T { return value }
    return try decodePlain(type, at: index, path: path())
  }

  /// The type as one that this decoder reads itself. A call meets few types, mostly the same in turn.
  func native<T>(_ type: T.Type) -> (any NativeDecodable.Type)? {
    let id = ObjectIdentifier(type)
    for entry in natives where entry.type == id { return entry.native }
    let native = type as? any NativeDecodable.Type
    // A longer list is no faster than the runtime's own lookup.
    if natives.count < 16 { natives.append((id, native)) }
    return native
  }
}
