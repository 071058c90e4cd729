public import Foundation

/// A JSON object of a response: a view, as ``JSONValue`` is.
///
/// Where a key stands more than once, the last one counts (RFC 8259 §4 leaves that open) and keeps its place. Keys are
/// compared by their code points, so a composed and a decomposed "é" differ.
public struct JSONObject: Sendable {
  @usableFromInline let document: JSONDocument
  let index: Int

  init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  /// Reads a JSON text whose top level is an object.
  ///
  /// - Throws: `JSONError`, as ``JSONValue/init(parsing:duplicateKeys:byteOrderMark:)`` does, and with the kind
  ///   `notAnObject` for any other value.
  public init(
    parsing data: Data, duplicateKeys: JSONDuplicateKeys = .lastWins, byteOrderMark: JSONByteOrderMark = .refused
  ) throws(JSONError) {
    try self.init(parsing: data, limits: JSONLimits(duplicateKeys: duplicateKeys, byteOrderMark: byteOrderMark))
  }

  package init(parsing data: Data, limits: JSONLimits) throws(JSONError) {
    let value = try JSONValue(parsing: data, limits: limits)
    guard let object = value.object else { throw JSONError(notAnObject: value) }
    self = object
  }

  /// This object as a value.
  public var value: JSONValue { JSONValue(document: document, index: index) }

  // MARK: Fields

  /// The number of different keys. The time is in proportion to it, as with `keys` and iteration.
  public var count: Int { fieldsThatCount?.count ?? document.count(at: index) }

  /// The keys in their order, each once.
  public var keys: [String] { map(\.key) }

  /// Whether there is a value under the key path; a null counts as a value.
  public func contains(_ keyPath: String) -> Bool { self[keyPath] != nil }

  /// The value under a key, or under keys separated by dots; nil when there is none. A null is a value.
  ///
  /// At each level the longest existing key counts; if the path continues, the key must hold an object. In `{"a.b": 1,
  /// "a": {"b": 2}}` the path `a.b` names 1. A dot after a backslash is only part of its key: `a\\.b` names 1 or
  /// nothing.
  ///
  /// Brackets lead through arrays and maps: `a[0].b` is the `b` of the first element, `a[].b` an array of the `b` of all
  /// elements, and `a{}` an array of the values of an object's entries. In an array of these, a value that is not there is
  /// null. A key that is written like such a path counts before it.
  public subscript(_ keyPath: String) -> JSONValue? {
    place(at: keyPath).map { JSONValue(document: document, index: $0) } ?? value.shaped(keyPath)
  }

  /// The value under one key, whose dots have no meaning.
  package subscript(key key: String) -> JSONValue? {
    key.lend { utf8 in
      document.value(of: utf8, in: index).map { JSONValue(document: document, index: $0) }
    }
  }

  /// The value under a key path, by its place on the tape.
  @inline(__always)
  func place(at keyPath: String) -> Int? {
    keyPath.lend { document.value(of: $0, in: index) ?? placeBehindDots($0) }
  }

  /// The place of a value whose key path has more than one key.
  private func placeBehindDots(_ keyPath: LentBytes) -> Int? {
    if keyPath.contains(UInt8(ascii: "\\")) { return place(for: JSONKeyPath(String(decoding: keyPath, as: UTF8.self))) }
    var object = index
    var rest = keyPath
    descent: while true {
      var end = rest.count
      while let dot = rest[..<end].lastIndex(of: UInt8(ascii: ".")) {
        if let found = document.value(of: rest.part(0..<dot), in: object),
          document.word(at: found).tag == .object
        {
          object = found
          rest = rest.part(dot + 1..<rest.count)
          if let found = document.value(of: rest, in: object) { return found }
          continue descent
        }
        end = dot
      }
      return nil
    }
  }

  /// Each field as it stands in the source: the UTF-8 of the key, lent for the call, and the value. A key that stands
  /// twice comes twice, and its last value counts.
  package func forEachField(_ body: (LentBytes, JSONValue) throws -> Void) rethrows {
    try document.forEachField(in: index) { key, field in
      try body(key, JSONValue(document: document, index: field + 1))
    }
  }

  /// The tape index of each key that counts; nil where all keys do.
  var fieldsThatCount: [Int]? {
    guard !document.hasDistinctKeys(index) else { return nil }
    var places: [Int] = []
    places.reserveCapacity(document.count(at: index))
    var seen: [[UInt8]: Int] = [:]
    document.forEachField(in: index) { key, field in
      let key = Array(key)
      if let place = seen[key] {
        places[place] = field
      } else {
        seen[key] = places.count
        places.append(field)
      }
    }
    return places
  }
}

extension JSONObject: Sequence {
  public struct Iterator: IteratorProtocol {
    private let document: JSONDocument
    private var place: Int
    private let end: Int
    private var others: IndexingIterator<[Int]>?

    /// - Parameter fields: the keys that count; nil for all.
    fileprivate init(_ object: JSONObject, fields: [Int]?) {
      document = object.document
      place = object.index + 2
      end = document.word(at: object.index).extent
      others = fields?.makeIterator()
    }

    public mutating func next() -> (key: String, value: JSONValue)? {
      var field = place
      if others != nil {
        guard let other = others?.next() else { return nil }
        field = other
      } else {
        guard field < end else { return nil }
        place = document.next(after: field + 1)
      }
      return (document.string(at: field) ?? "", JSONValue(document: document, index: field + 1))
    }
  }

  public func makeIterator() -> Iterator { Iterator(self, fields: fieldsThatCount) }

  public var underestimatedCount: Int { 0 }
}

extension JSONError {
  init(notAnObject value: JSONValue) {
    let offset = value.document.range(at: value.index).lowerBound
    self.init(
      fault: .expected("an object at the top level", at: offset, kind: .notAnObject), in: value.document.bytes)
  }
}
