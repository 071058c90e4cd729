import EntityJSON
import EntityRequests
import EntityStore

/// The form of the bodies of creates and updates, where a service has one of its own.
struct BodyForm: Sendable {
  /// The key that the object stands under.
  let root: String
  /// The type of the entity's resources, for JSON:API; `nil` for other services.
  var resourceType: String?

  /// The body of an object.
  ///
  /// - Parameters:
  ///   - uid: The text of the object's uid, for an update.
  ///   - types: The types of related objects, by the names of relationships.
  func body(_ object: JSONObject, uid: String?, _ types: [String: String]) -> JSONObject {
    var fields = object.map { ($0.key, $0.value) }
    if let resourceType {
      fields = fields.map { key, value in
        switch key {
        case "id": ("id", Self.text(value))
        case "relationships": ("relationships", Self.relationships(value, types))
        default: (key, value)
        }
      }
      if let uid, !fields.contains(where: { $0.0 == "id" }) { fields.insert(("id", JSONValue(uid)), at: 0) }
      fields.insert(("type", JSONValue(resourceType)), at: 0)
    }
    return JSONObject(fields: [(root, JSONObject(fields: fields).value)])
  }

  // MARK: JSON:API

  /// The types of an entity's related objects: those of their own rules, else the last segments of their base paths.
  static func types(of model: EntityModel, _ schema: SchemaModel) -> [String: String] {
    var types: [String: String] = [:]
    for property in model.properties {
      let keys = property.key.split(separator: ".")
      guard let target = property.target, keys.count > 1, keys[0] == "relationships",
        let type = schema.entities[target].type as? any RemoteEntity.Type
      else { continue }
      types[String(keys[1])] = resourceType(type)
    }
    return types
  }

  private static func resourceType(_ type: any RemoteEntity.Type) -> String {
    if let type = type as? any OutboxEntity.Type, let own = declaredType(type) { return own }
    return type.basePath.split(separator: "/").last.map(String.init) ?? ""
  }

  private static func declaredType<E: OutboxEntity>(_ type: E.Type) -> String? {
    type.outbox.settings.form?.resourceType
  }

  /// Linkage has a type and an id, or is null (JSON:API 1.1, "Resource Linkage").
  private static func relationships(_ value: JSONValue, _ types: [String: String]) -> JSONValue {
    guard let relationships = value.object else { return value }
    return JSONObject(
      fields: relationships.map { name, value in
        guard let relationship = value.object else { return (name, value) }
        let fields = relationship.map { key, value in (key, key == "data" ? linkage(value, types[name] ?? "") : value) }
        return (name, JSONObject(fields: fields).value)
      }
    ).value
  }

  private static func linkage(_ value: JSONValue, _ type: String) -> JSONValue {
    if let list = value.array { return JSONValue(list.map { linkage($0, type) }) }
    let id = value.object.map { $0["id"] ?? .null } ?? value
    return id.isNull ? .null : ["type": JSONValue(type), "id": text(id)]
  }

  private static func text(_ id: JSONValue) -> JSONValue { id.lexeme.map { JSONValue($0) } ?? id }
}
