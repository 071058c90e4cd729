import EntityJSON

/// A property whose key is a path.
struct PropertyPath {
  let property: Int
  let key: String
  private let path: JSONKeyPath
  /// The key by which the objects of a relationship have their uid.
  private let uidKey: String?
  /// Whether the path leads to many values.
  let isOfMany: Bool

  init(_ property: Int, _ key: String, _ path: JSONKeyPath, uidKey: String?) {
    (self.property, self.key, self.path, self.uidKey) = (property, key, path, uidKey)
    isOfMany = path.isOfMany
  }

  /// The value in an object; `nil` when the key is absent.
  func value(in object: JSONObject) -> JSONValue? { object.value(for: path, uidKey: uidKey) }
}

extension JSONKeyPath {
  /// Whether the path is a key of the object itself.
  var isOneKey: Bool { keys.count == 1 && !isShaped }

  /// Whether the path leads through the entries of a map that is the whole body.
  var isWholeMap: Bool { if case .entries? = steps.first { true } else { false } }
}
