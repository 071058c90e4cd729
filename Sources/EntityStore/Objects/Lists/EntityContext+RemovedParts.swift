/// A part of the file that the app removed from its schema, and that the file keeps.
public struct RemovedPart: Sendable, Hashable, CustomStringConvertible {
  /// The name of the entity: its present name, if the app still declares it.
  public let entity: String
  /// The name of the property; `nil` for the whole entity.
  public let property: String?
  /// The type of an attribute, `-> Entity` of a to-one relationship, `[Entity]` of a many-to-many one; `nil` for an entity.
  public let type: String?
  /// The number of rows with a value; for a many-to-many relationship the number of pairs; for an entity the number of
  /// rows.
  public let count: Int

  public var description: String {
    "'\(([entity] + [property].compactMap(\.self)).joined(separator: "."))'\(type.map { ": \($0)" } ?? "") (\(count))"
  }
}

extension EntityContext {
  /// Properties and entities that the app removed. The file keeps their values until a ``Migration`` drops them.
  ///
  /// - Throws: ``StoreError``.
  public func removedParts() throws -> [RemovedPart] {
    try merging.entry {
      let text = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'schema'") { $0.text(0) ?? "" }
      guard let schema = try? text.first.map(StoredSchema.decode) else { return [] }
      let properties = try schema.entities.flatMap { entity in
        try (entity.removed ?? []).map { removed in
          RemovedPart(
            entity: entity.name, property: removed.name, type: removed.type,
            count: try lists.count(removed.column.quoted, of: entity.name))
        }
      }
      let entities = try (schema.removed ?? []).map { removed in
        let member = removed.entity.ends.last?.target
        return RemovedPart(
          entity: removed.entity.owner ?? removed.entity.name, property: removed.entity.list,
          type: removed.entity.isLinks ? "[\(member ?? "")]" : nil, count: try lists.count("*", of: removed.table))
      }
      return properties + entities
    }
  }
}

extension ContextLists {
  fileprivate func count(_ column: String, of table: String) throws -> Int {
    try context.connection.rows("SELECT count(\(column)) FROM main.\(table.quoted)") { Int($0.int64(0)) }.first ?? 0
  }
}
