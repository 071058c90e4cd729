/// The reason why a path with brackets leads to no value in one place.
package struct JSONShapeFault: Sendable {
  /// The place: `entry[3]`.
  package let keyPath: String
  package let reason: String
  /// The value that the path leads no further from: `entry[3]`, without its `resource`.
  package let last: JSONValue
}

extension JSONValue {
  /// Why the path that led here found no value; the value is then null.
  package var fault: JSONShapeFault? { document.faults.isEmpty ? nil : document.faults[index] }

  /// The value at a path with brackets; `nil` when there is none. Many values are one array.
  ///
  /// - Parameters:
  ///   - uidKey: The key by which objects have their uid: `{}` gives the key of each entry to it, unless the object has
  ///     the key itself.
  ///   - place: The path to this value, for errors.
  ///   - behindArray: The value for a path that ends beyond the end of an array.
  package func value(
    at path: JSONKeyPath, uidKey: String? = nil, place: String = "", behindArray: JSONValue? = nil
  ) -> JSONValue? {
    let index: Int
    let rest: ArraySlice<JSONKeyPath.Step>
    switch lead(path.steps) {
    case .found(let found, let steps): (index, rest) = (found, steps)
    case .behindArray: return behindArray
    case .absent: return nil
    }
    guard !rest.isEmpty else { return JSONValue(document: document, index: index) }
    let way = path.steps[..<rest.startIndex].reduce(into: place) { way, step in
      switch step {
      case .key(let key): way += way.isEmpty ? key : "." + key
      case .index(let index): way += "[\(index)]"
      case .elements, .entries: break
      }
    }
    return JSONShaping.list(document, at: index, rest, uidKey: uidKey, place: way)
  }

  /// The values that a path leads to from this value, which is an element of a list. A value that is not there is null,
  /// with its ``fault``.
  ///
  /// - Parameter place: The path to this value, for errors.
  package func values(at path: JSONKeyPath, place: @autoclosure () -> String) -> [JSONValue] {
    guard path.isShaped else { return [self] }
    // A value that stays where it is can go to the file together with its neighbours.
    if !path.isOfMany, case .found(let index, let rest) = lead(path.steps), rest.isEmpty {
      return [JSONValue(document: document, index: index)]
    }
    let list = JSONShaping.list(of: self, path.steps, place: place())
    return list.array.map { Array($0) } ?? [list]
  }

  /// The end of the way along some steps.
  private enum WayEnd {
    /// A value, and the steps from the first one that is of many. Null ends the way early.
    case found(index: Int, rest: ArraySlice<JSONKeyPath.Step>)
    /// An element beyond the end of an array.
    case behindArray
    case absent
  }

  /// Goes along the steps up to the first one that is of many, or to null.
  private func lead(_ steps: [JSONKeyPath.Step]) -> WayEnd {
    var place = index
    for (number, step) in steps.enumerated() {
      let word = document.word(at: place)
      if word.tag == .null { return .found(index: place, rest: []) }
      let found: Int?
      switch step {
      case .key(let key): found = word.isObject ? key.lend { document.value(of: $0, in: place) } : nil
      case .index(let position):
        found = document.element(position, of: place)
        if found == nil, word.isArray { return .behindArray }
      case .elements, .entries: return .found(index: place, rest: steps[number...])
      }
      guard let found else { return .absent }
      place = found
    }
    return .found(index: place, rest: [])
  }

  /// The place of the value at a path with brackets in this document; `nil` when the path leads to many.
  func place(at path: JSONKeyPath) -> Int? {
    guard case .found(let place, let rest) = lead(path.steps), rest.isEmpty else { return nil }
    return place
  }

  /// The value at a key path with brackets; `nil` for any other key path.
  func shaped(_ keyPath: String, uidKey: String? = nil) -> JSONValue? {
    guard JSONKeyPath.mayBeShaped(keyPath) else { return nil }
    let path = JSONKeyPath(keyPath)
    return path.isShaped ? value(at: path, uidKey: uidKey) : nil
  }

  /// Whether there is a value at a key path where a list is expected, without making the list.
  package func holds(forList keyPath: String) -> Bool {
    guard JSONKeyPath.mayBeShaped(keyPath), object?.place(at: keyPath) == nil else {
      return value(forList: keyPath) != nil
    }
    let path = JSONKeyPath(keyPath)
    guard path.isShaped, case .found = lead(path.steps) else { return false }
    return true
  }

  /// The text of a value of a document that has values in another form.
  var shapedSource: ArraySlice<UInt8> {
    let range = document.range(at: index)
    let word = document.word(at: index)
    if word.tag == .null { return Array("null".utf8)[...] }
    if word.isArray, index == 0 {
      return JSONWriter.bytes { writer in
        writer.beginArray()
        if let array { for element in array { writer.source(element.source) } }
        writer.endArray()
      }
    }
    return document.gotKey(at: index) ? JSONWriter.bytes { $0.value(self) } : document.bytes[range]
  }

  /// An array whose only element is this value.
  package var asOnlyElement: JSONValue { JSONShaping.list(of: self) }

  /// Whether the value has its text in the bytes of another value's document.
  package func hasText(of other: JSONValue) -> Bool {
    document === other.document
      || document.shift == other.document.shift
        && (document.origin ?? document) === (other.document.origin ?? other.document)
  }
}

extension JSONWriter {
  fileprivate static func bytes(_ write: (inout JSONWriter) -> Void) -> ArraySlice<UInt8> {
    var writer = JSONWriter()
    write(&writer)
    return writer.bytes[...]
  }
}

extension JSONDocument {
  /// Whether an object got the key of its entry. The key stands behind all values of the text.
  func gotKey(at index: Int) -> Bool {
    let word = word(at: index)
    return origin != nil && word.isObject && count(at: index) > 0
      && self.word(at: index + 2).offset >= range(at: index).upperBound
  }

  /// Whether all texts in a value stand in its own range: no object in it got a key.
  func holdsAll(at index: Int) -> Bool { origin == nil || index > 0 && !gotKey(at: index) }

  /// The place of an element; `nil` outside of an array. Without types, a value is a list of itself.
  func element(_ position: Int, of index: Int) -> Int? {
    let word = word(at: index)
    guard word.isArray else { return isUntyped && position == 0 && !isBlankUntyped(at: index) ? index : nil }
    guard position < count(at: index) else { return nil }
    var element = index + 2
    for _ in 0..<position { element = next(after: element) }
    return element
  }

  /// The tape indexes of the keys that count in an object.
  func fieldsThatCount(in index: Int) -> [Int] {
    if let fields = JSONObject(document: self, index: index).fieldsThatCount { return fields }
    var fields: [Int] = []
    fields.reserveCapacity(count(at: index))
    var field = index + 2
    let end = word(at: index).extent
    while field < end {
      fields.append(field)
      field = next(after: field + 1)
    }
    return fields
  }
}
