extension JSONObject {
  /// The value for a property with a key path; `nil` when the key is absent. A request has the value in the same place.
  /// Each dot leads into an object, unless a backslash before it makes it part of the key.
  ///
  /// Where an object on the path is null, all keys behind it are null too: `{"address": null}` also makes
  /// `address.city` null. Where the object is absent, or is not an object, the key is absent. An element beyond the end of an
  /// array that is there is null, or no value of a path of many: `{"name": []}` makes `name[0].family` null.
  package func value(for keyPath: String) -> JSONValue? {
    if let place = writtenPlace(for: keyPath) { return value(at: place) }
    return Self.mayBeMarked(keyPath) ? value(for: JSONKeyPath(keyPath)) : nil
  }

  /// The same as ``value(for:)-(String)``, for a path that was already read.
  ///
  /// - Parameters:
  ///   - uidKey: As in ``JSONValue/value(at:uidKey:place:)``.
  ///   - orNull: Whether an element beyond the end of an array is null; else the key is absent there.
  package func value(for path: JSONKeyPath, uidKey: String? = nil, orNull: Bool = true) -> JSONValue? {
    guard path.isShaped else { return place(for: path).map { value(at: $0) } }
    return value.value(at: path, uidKey: uidKey, behindArray: path.isOfMany ? [] : orNull ? .null : nil)
  }

  /// The same as ``value(for:)``, by the value's place on the tape.
  package func place(for keyPath: String) -> Int? {
    writtenPlace(for: keyPath) ?? (Self.mayBeMarked(keyPath) ? place(for: JSONKeyPath(keyPath)) : nil)
  }

  /// The place of the value under a key path without marks: its brackets are part of the keys.
  private func writtenPlace(for keyPath: String) -> Int? {
    keyPath.lend { path in
      guard path.contains(UInt8(ascii: ".")) else { return document.value(of: path, in: index) }
      guard !path.contains(UInt8(ascii: "\\")) else { return nil }
      return place { take in
        var begin = 0
        while let dot = path[begin...].firstIndex(of: UInt8(ascii: ".")) {
          if !take(path.part(begin..<dot)) { return }
          begin = dot + 1
        }
        _ = take(path.part(begin..<path.count))
      }
    }
  }

  private static func mayBeMarked(_ keyPath: String) -> Bool {
    keyPath.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
  }

  /// The same as ``place(for:)-(String)``, for a path that was already read. A path that leads to many values has no
  /// place.
  package func place(for path: JSONKeyPath) -> Int? {
    if path.isShaped { return value.place(at: path) }
    return place { take in
      for key in path.keys { if !key.lend(take) { return } }
    }
  }

  /// - Parameter descend: Calls the closure for each key of a path, until the closure returns `false`.
  private func place(_ descend: ((LentBytes) -> Bool) -> Void) -> Int? {
    var found: Int? = index
    descend { key in
      guard let object = found else { return false }
      switch document.word(at: object).tag {
      case .object: found = document.value(of: key, in: object)
      // Null is the value of everything behind it.
      case .null: return false
      default: found = nil
      }
      return found != nil
    }
    return found
  }

  /// Whether the object has the dots of a key path in its keys. It is called where ``place(for:)`` finds nothing: the
  /// path was then meant in another way than it is written.
  package func hasDotsInKeys(_ keyPath: String) -> Bool {
    keyPath.utf8.contains(UInt8(ascii: ".")) && place(at: keyPath) != nil
  }

  /// The value at a place that ``place(for:)`` found.
  @inlinable package func value(at place: Int) -> JSONValue { JSONValue(document: document, index: place) }
}
