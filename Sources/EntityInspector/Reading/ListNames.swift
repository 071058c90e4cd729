import EntityStore

/// The names of to-many relationships, which a file lacks and an app knows.
struct ListNames: Sendable {
  private var names: [String: String] = [:]

  /// No names, for a file.
  init() {}

  init(_ schema: SchemaModel) {
    for entity in schema.entities {
      for property in entity.properties {
        guard case .toMany(let target, let inverse, _) = property.kind else { continue }
        let other = schema.entities[target]
        names["\(other.name).\(other.properties[inverse].name)"] = property.name
      }
    }
  }

  /// The name of the way back from the target of a link; `nil` where it is not known.
  subscript(entity: String, link: String) -> String? { names["\(entity).\(link)"] }
}
