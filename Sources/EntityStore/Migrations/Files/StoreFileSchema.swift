/// The entities of a file, as the file keeps them. It knows no class and no delete rule.
package struct StoreFileSchema: Sendable {
  package struct Entity: Sendable {
    package let name: String
    /// In their order. Positions of ordered lists are no properties.
    package let properties: [Property]
    /// The names of the components of a composite uid; the one name of a simple uid; empty without a uid.
    package let uid: [String]
    /// The name for SQL.
    package let table: String

    package subscript(name: String) -> Property? { properties.first { $0.name == name } }
  }

  package struct Property: Sendable {
    package let name: String
    /// The type as the file names it: `String`, `Int64`, `-> Author`.
    package let type: String
    package let isOptional: Bool
    package let isUID: Bool
    package let isUnique: Bool
    package let isIndexed: Bool
    package let isDerived: Bool
    /// The entity that a to-one relationship leads to; `nil` for an attribute.
    package let target: String?
    /// The name for SQL.
    package let column: String
  }

  /// A many-to-many relationship, which has a table of pairs.
  package struct List: Sendable {
    /// The entity that declares it, and its name there.
    package let owner: String
    package let name: String
    /// The entity at the other end; the owner itself where the list leads to its own entity.
    package let member: String
    /// The name of the table, and the table for SQL.
    package let key: String
    package let table: String
    /// The table of the pairs that were taken out here, for SQL.
    package let removedTable: String
    /// The columns of the two ends, for SQL.
    package let ownerColumn: String
    package let memberColumn: String
  }

  /// A relationship that rows of another entity hold.
  package struct Reverse: Sendable {
    /// The entity that has it, and its name there.
    package let owner: String
    package let name: String
    /// The entity at the other end, and the link or the list there.
    package let entity: String
    package let property: String
  }

  package let entities: [Entity]
  package let lists: [List]
  package let reverses: [Reverse]
  /// The names of entities that the app removed, and whose tables the file keeps.
  package let removed: [String]

  package subscript(name: String) -> Entity? { entities.first { $0.name == name } }

  init(_ stored: StoredSchema) {
    var names: Set<String> = []
    // Another program may have written a name twice.
    let all = stored.entities.filter { names.insert($0.name).inserted }
    entities = all.filter { !$0.isLinks }.map(Entity.init)
    lists = all.compactMap(List.init)
    reverses = all.flatMap { entity in
      (entity.reverse ?? []).map {
        Reverse(owner: entity.name, name: $0.name, entity: $0.entity, property: $0.property)
      }
    }
    removed = (stored.removed ?? []).map(\.entity.name)
  }
}

extension StoreFileSchema.Entity {
  fileprivate init(_ stored: StoredEntity) {
    name = stored.name
    table = stored.table
    properties = stored.properties.filter { !$0.isPosition }.map(StoreFileSchema.Property.init)
    uid = stored.uid ?? stored.properties.filter(\.isUID).map(\.name)
  }
}

extension StoreFileSchema.Property {
  fileprivate init(_ stored: StoredProperty) {
    (name, type, target) = (stored.name, stored.type, stored.target)
    (isOptional, isUID) = (stored.isOptional, stored.isUID)
    (isUnique, isIndexed) = (stored.isUnique, stored.hasIndex || stored.isUID)
    isDerived = stored.derivation != nil
    column = stored.name.quoted
  }
}

extension StoreFileSchema.List {
  /// - Returns: `nil` for an entity that is no table of pairs, or one without two ends.
  fileprivate init?(_ stored: StoredEntity) {
    guard let owner = stored.owner, let list = stored.list, let first = stored.ends.first, let last = stored.ends.last,
      first.name != last.name, let member = last.target
    else { return nil }
    (self.owner, name, self.member) = (owner, list, member)
    (key, table, removedTable) = (stored.name, stored.table, "main.\(stored.removedName.quoted)")
    (ownerColumn, memberColumn) = (first.name.quoted, last.name.quoted)
  }
}
