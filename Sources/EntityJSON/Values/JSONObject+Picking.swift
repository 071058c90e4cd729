extension JSONObject {
  /// An object of some fields of this one, for a child whose values stand in its parent.
  ///
  /// Keys are key paths of this object, and keys of the new one. A key that is absent here is absent there. Null stays
  /// null, and numbers stay as they are written.
  public func picking(_ keyPaths: String...) -> JSONObject { picking(keyPaths) }

  /// The same, with a list that is made at run time.
  public func picking(_ keyPaths: [String]) -> JSONObject {
    object(of: keyPaths.compactMap { keyPath in self[keyPath].map { (keyPath, $0) } })
  }

  /// The same as ``picking(_:)-(String...)``, with keys of the new object that differ from the key paths here.
  ///
  /// ```swift
  /// // {"id": 7, "address_street": "Main St. 1", "address_city": "Oslo"}
  /// object.picking(["address_street": "street", "address_city": "city"])
  /// ```
  public func picking(_ keys: KeyValuePairs<String, String>) -> JSONObject {
    object(of: keys.compactMap { keyPath, key in self[keyPath].map { (key, $0) } })
  }

  /// An object of fields of this one, with types if this one has them.
  private func object(of fields: [(String, JSONValue)]) -> JSONObject {
    let object = JSONObject(fields: fields)
    return document.isUntyped ? object.value.untyped.object ?? object : object
  }
}
