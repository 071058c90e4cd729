import EntityStore

/// The names of relationships that rows of other entities hold, by their other sides. A file that an older version of the
/// package wrote has none.
struct ListNames {
  private let names: [String: String]

  init(_ schema: StoreFileSchema) {
    let named = schema.reverses.map { ("\($0.owner)|\($0.entity).\($0.property)", $0.name) }
    names = Dictionary(named, uniquingKeysWith: { first, _ in first })
  }

  /// The name that an entity has for the way back along a property of another one; `nil` where it has none.
  subscript(owner: String, entity: String, property: String) -> String? { names["\(owner)|\(entity).\(property)"] }
}
