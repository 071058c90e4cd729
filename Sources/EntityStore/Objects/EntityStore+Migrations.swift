extension EntityStore {
  /// The changes that opening a store would make, without making them: the steps run too, and all is undone.
  ///
  /// A step must do nothing but change its file: what else it does is not undone. The parameters are those of
  /// ``init(_:entities:removed:migrations:backup:keyStyle:busyTimeout:)``. It runs on the calling thread, takes as long as
  /// the migration, and holds up who writes to the file.
  ///
  /// - Throws: ``StoreError``: `invalidSchema` and `invalidLocation`. Any other error that opening would throw is in
  ///   ``MigrationPlan/error``.
  public static func migrationPlan(
    for location: StoreLocation, entities: [any ManagedEntity.Type], removed: [String] = [],
    migrations: [Migration] = [], backup: StoreBackup = .beside, busyTimeout: Duration = .seconds(5)
  ) throws -> MigrationPlan {
    let declaration = try StoreDeclaration(
      SchemaModel(entities, keyStyle: .snakeCase), removed: removed, migrations: migrations, backup: backup)
    return try MigrationPlan.of(location, declaration, busyTimeout: busyTimeout)
  }

  /// A part of the file that the app removed, and that the file keeps.
  public struct RemovedPart: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity; its present one, where that is declared.
    public let entity: String
    /// The name of the property; `nil` for the whole entity.
    public let property: String?
    /// The type of an attribute, `-> Entity` of a to-one relationship, `[Entity]` of a many-to-many one; `nil` for an
    /// entity.
    public let type: String?
    /// How many rows have a value; the number of pairs of a many-to-many relationship, or of rows of an entity.
    public let count: Int

    public var description: String {
      "'\(([entity] + [property].compactMap(\.self)).joined(separator: "."))'"
        + "\(type.map { ": \($0)" } ?? "") (\(count))"
    }
  }

  /// The properties and entities that the app removed, and whose values the file keeps until a ``Migration`` drops them.
  ///
  /// - Throws: ``StoreError``, as ``read(_:)`` does.
  public func removedParts() async throws -> [RemovedPart] {
    do {
      return atCaller(try await read { try Self.removedParts($0.connection) })
    } catch {
      throw atCaller(error)
    }
  }

  private static func removedParts(_ connection: Connection) throws -> [RemovedPart] {
    let text = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'schema'") { $0.text(0) ?? "" }
    guard let schema = try? text.first.map(StoredSchema.decode) else { return [] }
    func count(_ column: String, _ table: String) throws -> Int {
      let counts = try connection.rows("SELECT count(\(column)) FROM main.\(table.quoted)") { Int($0.int64(0)) }
      return counts.first ?? 0
    }
    let properties = try schema.entities.flatMap { entity in
      try (entity.removed ?? []).map { removed in
        RemovedPart(
          entity: entity.name, property: removed.name, type: removed.type,
          count: try count(removed.column.quoted, entity.name))
      }
    }
    let entities = try (schema.removed ?? []).map { removed in
      let member = removed.entity.properties.last?.target
      return RemovedPart(
        entity: removed.entity.owner ?? removed.entity.name, property: removed.entity.list,
        type: removed.entity.isLinks ? "[\(member ?? "")]" : nil, count: try count("*", removed.table))
    }
    return properties + entities
  }
}
