/// The tables of entities.
///
/// A table is named for its entity, a column for its property. `_pk` is the row's own id, `_edited` has the names of
/// columns with local edits, `_placeholder` says whether only the uid is known. A to-one relationship is a column with
/// the target's `_pk`. A to-many relationship is no column. A many-to-many relationship is a table of its own, see
/// ``LinkRow``.
enum DDL {
  /// - Parameters:
  ///   - defaults: The defaults by property.
  ///   - last: The columns after all others: SQLite goes through a long value to reach the columns behind it.
  static func table(
    _ entity: StoredEntity, defaults: [String: StoredValue] = [:], last: Set<String> = []
  ) -> [String] {
    let properties =
      entity.properties.filter { !last.contains($0.name) } + entity.properties.filter { last.contains($0.name) }
    let columns =
      ["_pk INTEGER PRIMARY KEY", "_edited TEXT", "_placeholder INTEGER NOT NULL DEFAULT 0"]
      + properties.map { column($0, default: defaults[$0.name] ?? .null) }
    return ["CREATE TABLE \(entity.table) (\(columns.joined(separator: ", ")))"]
      + entity.properties.flatMap { index(entity, $0) } + (entity.isLinks ? removedPairs(entity) : [])
      + (entity.indexes ?? []).map { index(entity, $0) }
  }

  /// The table of the pairs that were taken out of a many-to-many relationship here. They are deleted with the rows at
  /// their ends.
  static func removedPairs(_ links: StoredEntity) -> [String] {
    let columns = links.ends.map { column($0, onDelete: cascade) }
    return [
      "CREATE TABLE main.\(links.removedName.quoted) (\((["_edited TEXT NOT NULL"] + columns).joined(separator: ", ")))"
    ] + removedPairIndexes(links)
  }

  static let cascade = "ON DELETE CASCADE "

  static func removedPairIndexes(_ links: StoredEntity) -> [String] {
    let names = links.ends.map(\.name.quoted)
    return [
      "CREATE UNIQUE INDEX main.\("\(links.removedName),owner".quoted) ON \(links.removedName.quoted) "
        + "(\(names.joined(separator: ", ")))",
      "CREATE INDEX main.\("\(links.removedName),member".quoted) ON \(links.removedName.quoted) "
        + "(\(names.reversed().joined(separator: ", ")))",
    ]
  }

  static func column(_ property: StoredProperty, default value: StoredValue = .null, onDelete: String = "") -> String {
    var sql = "\(property.name.quoted) \(property.sqlType)"
    if let target = property.target {
      // Deferred: within a transaction, rows may refer to later rows.
      sql += " REFERENCES \(target.quoted) (_pk) \(onDelete)DEFERRABLE INITIALLY DEFERRED"
    } else {
      if property.isNotNull { sql += " NOT NULL" }
      if !value.isNull { sql += " DEFAULT \(literal(value))" }
    }
    return sql
  }

  /// A unique column has an index of its own rather than a constraint: an index can be added later.
  static func index(_ entity: StoredEntity, _ property: StoredProperty) -> [String] {
    guard property.hasIndex else { return [] }
    if entity.isLinks { return [linkIndex(entity, property)] }
    return [
      "CREATE \(property.isUnique ? "UNIQUE " : "")INDEX main.\(indexName(entity, property).quoted) "
        + "ON \(entity.name.quoted) (\(property.name.quoted))"
    ]
  }

  /// Names of entities and properties have no comma, so no table and no other index has this name.
  static func indexName(_ entity: StoredEntity, _ property: StoredProperty) -> String {
    "\(entity.name),\(property.name)"
  }

  /// Both columns, first the column that is known: a list is read from the index alone, from either side.
  private static func linkIndex(_ entity: StoredEntity, _ property: StoredProperty) -> String {
    let isOwner = property.name == entity.ends.first?.name
    let other = isOwner ? entity.ends.last : entity.ends.first
    let columns = [property, other].compactMap { $0?.name.quoted }.joined(separator: ", ")
    return "CREATE \(isOwner ? "UNIQUE " : "")INDEX main.\(indexName(entity, property).quoted) "
      + "ON \(entity.name.quoted) (\(columns))"
  }

  /// DDL takes no bound parameters.
  static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let double): double.isFinite ? "\(double)" : (double < 0 ? "-9e999" : "9e999")
    case .text(let text): text.literal
    case .blob(let data):
      "X'\(data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())'"
    }
  }
}
