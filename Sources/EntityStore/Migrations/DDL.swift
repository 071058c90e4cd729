/// The tables of entities.
///
/// A table is named for its entity, a column for its property; `_pk` is the row's own id, `_edited` the names of columns
/// with local edits, `_placeholder` whether only the uid is known. A to-one relationship is a column with the target's
/// `_pk`; a to-many relationship is none, and a many-to-many relationship a table of its own, see ``LinkRow``.
enum DDL {
  static func table(_ entity: EntityModel, _ schema: SchemaModel) -> [String] {
    let columns =
      ["_pk INTEGER PRIMARY KEY", "_edited TEXT", "_placeholder INTEGER NOT NULL DEFAULT 0"]
      + entity.properties.filter(\.isStored).map { column($0, schema) }
    return ["CREATE TABLE \(entity.table) (\(columns.joined(separator: ", ")))"]
      + entity.properties.filter(\.isStored).flatMap { index(entity, $0) }
      + (entity.isLinks ? removedPairs(entity, schema) : [])
  }

  /// The table of the pairs that were taken out of a many-to-many relationship here. They go with the rows that they are of.
  static func removedPairs(_ links: EntityModel, _ schema: SchemaModel) -> [String] {
    let columns = links.properties.map { column($0, schema, onDelete: "ON DELETE CASCADE ") }
    let names = links.properties.map(\.name.quoted)
    return [
      "CREATE TABLE \(links.removedTable) (\((["_edited TEXT NOT NULL"] + columns).joined(separator: ", ")))",
      "CREATE UNIQUE INDEX main.\("\(links.removedName),owner".quoted) ON \(links.removedName.quoted) "
        + "(\(names.joined(separator: ", ")))",
      "CREATE INDEX main.\("\(links.removedName),member".quoted) ON \(links.removedName.quoted) "
        + "(\(names.reversed().joined(separator: ", ")))",
    ]
  }

  static func column(_ property: PropertyModel, _ schema: SchemaModel, onDelete: String = "") -> String {
    var sql = "\(property.name.quoted) \(property.sqlType)"
    switch property.kind {
    case .attribute(_, let isOptional):
      if !isOptional && !property.isUID { sql += " NOT NULL" }
      if !property.defaultValue.isNull { sql += " DEFAULT \(literal(property.defaultValue))" }
    case .toOne(let target, _, _):
      // Deferred: within a transaction rows may refer to ones that come later.
      sql += " REFERENCES \(schema.entities[target].name.quoted) (_pk) \(onDelete)DEFERRABLE INITIALLY DEFERRED"
    case .toMany, .manyToMany: break
    }
    return sql
  }

  /// Unique columns have an index of their own rather than a constraint: one can be added later.
  static func index(_ entity: EntityModel, _ property: PropertyModel) -> [String] {
    guard property.isUnique || property.isIndexed else { return [] }
    if entity.isLinks { return [linkIndex(entity, property)] }
    // Names of entities and properties hold no comma, so this one is that of no table and of no other index.
    let name = "\(entity.name),\(property.name)".quoted
    return [
      "CREATE \(property.isUnique ? "UNIQUE " : "")INDEX main.\(name) ON \(entity.name.quoted) (\(property.name.quoted))"
    ]
  }

  /// Both columns, beginning with the one that is known: a list is read from the index alone, from either side.
  private static func linkIndex(_ entity: EntityModel, _ property: PropertyModel) -> String {
    let other = entity.properties[1 - property.index]
    return "CREATE \(property.index == 0 ? "UNIQUE " : "")INDEX main.\("\(entity.name),\(property.name)".quoted) "
      + "ON \(entity.name.quoted) (\(property.name.quoted), \(other.name.quoted))"
  }

  /// DDL takes no bound parameters.
  private static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let double): double.isFinite ? "\(double)" : (double < 0 ? "-9e999" : "9e999")
    case .text(let text): "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    case .blob(let data):
      "X'\(data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())'"
    }
  }
}
