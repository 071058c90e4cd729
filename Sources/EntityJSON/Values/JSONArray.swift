/// A JSON array of a response: a view, as ``JSONValue`` is.
///
/// Elements have no fixed size, so a position in the array is an `Index` of its own. Steps and reads through it take
/// constant time, and so does `count`. Reading by number, `array[3]`, steps there from the start; use `for … in` to
/// read all elements.
public struct JSONArray: Sendable {
  let document: JSONDocument
  let index: Int

  init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  /// This array as a value.
  public var value: JSONValue { JSONValue(document: document, index: index) }

  /// The element at a 0-based position; nil outside the array. The time is in proportion to the position.
  public subscript(_ position: Int) -> JSONValue? {
    guard position >= 0, position < count else { return nil }
    return self[index(startIndex, offsetBy: position)]
  }
}

extension JSONArray: Collection {
  public struct Index: Comparable, Sendable {
    /// The element's first word on the tape.
    let place: Int

    public static func < (left: Index, right: Index) -> Bool { left.place < right.place }
  }

  public var startIndex: Index { Index(place: index + 2) }

  public var endIndex: Index { Index(place: document.word(at: index).extent) }

  public var count: Int { document.count(at: index) }

  public var isEmpty: Bool { count == 0 }

  public func index(after position: Index) -> Index { Index(place: document.next(after: position.place)) }

  public subscript(_ position: Index) -> JSONValue { JSONValue(document: document, index: position.place) }
}
