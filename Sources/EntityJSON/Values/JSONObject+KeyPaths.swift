extension JSONObject {
  /// The value that a property with a key path is read from; `nil` when the key is absent.
  ///
  /// Where an object on the way is null, so are all keys behind it: `{"address": null}` says of `address.city` what it
  /// says of the address. Where the object is absent, or none at all, nothing is said.
  package func value(for keyPath: String) -> JSONValue? {
    if let value = self[keyPath] { return value }
    let utf8 = keyPath.utf8
    var end = utf8.startIndex
    while let dot = utf8[end...].firstIndex(of: UInt8(ascii: ".")) {
      if let value = self[String(keyPath[..<dot])], value.isNull { return value }
      end = utf8.index(after: dot)
    }
    return nil
  }
}
