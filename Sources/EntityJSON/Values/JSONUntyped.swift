// Values of a format that has neither numbers nor lists, such as XML. Each scalar is a text. A list of one is written
// as its only element, and an empty list as a blank text: only whitespace. A value knows that it is untyped, and is
// read as the type that is expected.

extension JSONValue {
  /// This value, read as a value of a format without types. Nothing is copied.
  package var untyped: JSONValue {
    document.isUntyped ? self : JSONValue(document: JSONDocument(untyped: document), index: index)
  }

  /// Whether the value comes from a format without types.
  package var isUntyped: Bool { document.isUntyped }

  /// The value where a list is expected: an array. Without types, any value but null is a list of itself, and a blank
  /// text is an empty list.
  package var list: JSONArray? {
    if let array { return array }
    guard document.isUntyped, !isNull else { return nil }
    return JSONValue(isBlankUntyped ? [] : [self]).untyped.array
  }

  /// Whether the value is a blank text that means nothing where no text is expected.
  package var isBlankUntyped: Bool { document.isBlankUntyped(at: index) }

  /// Whether the value means nothing where no text is expected: null, or a blank text in a format without types.
  package var isNothing: Bool { isNull || isBlankUntyped }

  /// The value under a key path where a list is expected. Without types, a blank text on the path is an empty list.
  ///
  /// - Parameter uidKey: As in ``value(at:uidKey:place:)``.
  package func value(forList keyPath: String, uidKey: String? = nil) -> JSONValue? {
    if let place = object?.place(at: keyPath) { return JSONValue(document: document, index: place) }
    if let value = shaped(keyPath, uidKey: uidKey) { return value }
    guard document.isUntyped else { return nil }
    var rest = keyPath[...]
    while let dot = rest.lastIndex(of: ".") {
      rest = rest[..<dot]
      if let value = self[String(rest)] { return value.isBlankUntyped ? JSONValue([]).untyped : nil }
    }
    return nil
  }
}

extension JSONDocument {
  /// Whether a text has the form of a number in JSON (RFC 8259 §6).
  func isNumber(_ word: JSONWord) -> Bool {
    guard word.tag == .string else { return false }
    return withSource(of: word) { text in
      var place = 0
      func skip(_ characters: StaticString) -> Bool {
        guard place < text.count else { return false }
        let isThere = characters.withUTF8Buffer { $0.contains(text[place]) }
        if isThere { place += 1 }
        return isThere
      }
      func digits() -> Int {
        let start = place
        while place < text.count, (0x30...0x39).contains(text[place]) { place += 1 }
        return place - start
      }
      _ = skip("-")
      let startsWithZero = place < text.count && text[place] == 0x30
      let count = digits()
      guard count == 1 || (count > 1 && !startsWithZero) else { return false }
      if skip(".") {
        guard digits() > 0 else { return false }
      }
      if skip("eE") {
        _ = skip("+-")
        guard digits() > 0 else { return false }
      }
      return place == text.count
    }
  }

  /// Whether a value is a blank text in a format without types.
  func isBlankUntyped(at index: Int) -> Bool {
    guard isUntyped else { return false }
    switch word(at: index).tag {
    case .string, .escapedString:
      return withString(at: index) { $0.allSatisfy { [0x20, 0x0A, 0x0D, 0x09].contains($0) } }
    default: return false
    }
  }
}
