extension JSONObject {
  /// The value that a property with a key path is read from; `nil` when the key is absent.
  ///
  /// Where an object on the way is null, so are all keys behind it: `{"address": null}` says of `address.city` what it
  /// says of the address. Where the object is absent, or none at all, nothing is said.
  package func value(for keyPath: String) -> JSONValue? { place(for: keyPath).map { value(at: $0) } }

  /// As ``value(for:)``, by the value's place on the tape.
  package func place(for keyPath: String) -> Int? {
    if let place = place(at: keyPath) { return place }
    let utf8 = keyPath.utf8
    var end = utf8.startIndex
    while let dot = utf8[end...].firstIndex(of: UInt8(ascii: ".")) {
      if let place = place(at: String(keyPath[..<dot])), document.word(at: place).tag == .null { return place }
      end = utf8.index(after: dot)
    }
    return nil
  }

  /// The value at a place that ``place(for:)`` found.
  @inlinable package func value(at place: Int) -> JSONValue { JSONValue(document: document, index: place) }
}
