/// Finds the property of an object that names it for ever.
enum UIDRule {
  /// Names that mean nothing else.
  static let names = ["id", "uid", "uuid", "guid", "gid", "sid", "pk", "_id"]

  struct Choice: Hashable {
    /// The key path of the uid.
    let keyPath: String
    /// The key whose property is it; the first of the path.
    let key: String
    /// The key paths of the other parts, where several keys are the uid together. Only a person chooses such a uid.
    var others: [String] = []

    var parts: [String] { [keyPath] + others }
    var isComposite: Bool { !others.isEmpty }
  }

  /// - Parameters:
  ///   - name: The name of the schema, for `<entity>_id`.
  ///   - parameters: The last parameters of the paths by which the object is asked for.
  ///   - isScalar: Whether a property is a number or a text.
  static func choice(
    _ shape: Shape, name: String, parameters: Set<String>, isScalar: (Shape.Property) -> Bool
  ) -> Choice? {
    for name in names {
      if let property = shape[name], isScalar(property) { return Choice(keyPath: property.keyPath, key: name) }
    }
    if let metadata = shape["metadata"], shape["kind"] != nil || shape["apiVersion"] != nil,
      let uid = Shape(of: metadata.place)["uid"], isScalar(uid)
    {
      return Choice(keyPath: "metadata.uid", key: "metadata")
    }
    let own = Words.split(name).map { $0.lowercased() }.joined()
    for property in shape.properties where isScalar(property) {
      let words = Words.split(property.key).map { $0.lowercased() }
      guard words.count > 1, let last = words.last, ["id", "uuid", "guid", "uid", "gid", "sid"].contains(last) else {
        continue
      }
      if words.dropLast().joined() == own { return Choice(keyPath: property.keyPath, key: property.key) }
    }
    for property in shape.properties where isScalar(property) && parameters.contains(property.key) {
      // A name can change, and then it is another object: a person decides.
      if unsure.contains(property.key.lowercased()) { continue }
      return Choice(keyPath: property.keyPath, key: property.key)
    }
    return nil
  }

  /// Names that may be a uid.
  static let unsure: Set<String> = ["slug", "name", "code", "key", "number", "login", "username", "handle", "type"]
}
