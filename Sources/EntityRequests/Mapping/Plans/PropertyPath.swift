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
  /// Whether the property can be without a value.
  private let takesNull: Bool

  init(_ property: Int, _ key: String, _ path: JSONKeyPath, uidKey: String?, takesNull: Bool) {
    (self.property, self.key, self.path, self.uidKey) = (property, key, path, uidKey)
    (isOfMany, self.takesNull) = (path.isOfMany, takesNull)
  }

  /// The value in an object; `nil` when the key is absent. It counts as absent behind the end of an array, too, where the
  /// property can't be null.
  func value(in object: JSONObject) -> JSONValue? { object.value(for: path, uidKey: uidKey, orNull: takesNull) }
}

extension JSONKeyPath {
  /// Whether the path is a key of the object itself.
  var isOneKey: Bool { keys.count == 1 && !isShaped }

  /// Whether the path leads through the entries of a map that is the whole body.
  var isWholeMap: Bool { if case .entries? = steps.first { true } else { false } }
}
