/// Compares the tables of a file with the schema that it keeps.
struct StructureCheck {
  let schema: StoredSchema
  let connection: Connection

  private struct Expected: Equatable {
    var type: String
    var isNotNull = false
    var target: String?
  }

  /// The first difference in words; `nil` for none. Tables, indexes and triggers of other programs do not count.
  func difference() throws -> String? {
    for entity in schema.entities {
      var columns = Self.own
      for property in entity.properties {
        columns[property.name] = Expected(
          type: property.sqlType, isNotNull: property.isNotNull, target: property.target)
      }
      for removed in entity.removed ?? [] {
        columns[removed.column] = Expected(type: StoredProperty.sqlType(removed.type))
        if let marks = removed.marks { columns[marks] = Expected(type: "INTEGER") }
      }
      if let text = try compare(entity.name, columns) { return text }
      var indexes = entity.properties.filter(\.hasIndex).map {
        (DDL.indexName(entity, $0), $0.isUnique || entity.isLinks && $0.name == entity.properties.first?.name)
      }
      indexes += (entity.indexes ?? []).map { (DDL.indexName(entity, $0), false) }
      if let text = try compareIndexes(entity.name, indexes) { return text }
      guard entity.isLinks else { continue }
      columns = ["_edited": Expected(type: "TEXT", isNotNull: true)]
      for property in entity.ends { columns[property.name] = Expected(type: "INTEGER", target: property.target) }
      if let text = try compare(entity.removedName, columns) { return text }
      indexes = [("\(entity.removedName),owner", true), ("\(entity.removedName),member", false)]
      if let text = try compareIndexes(entity.removedName, indexes) { return text }
    }
    for removed in schema.removed ?? [] where try columns(removed.table).isEmpty {
      return "the table '\(removed.table)' is gone; dropEntity drops it"
    }
    return nil
  }

  private static let own = [
    "_pk": Expected(type: "INTEGER"), "_edited": Expected(type: "TEXT"),
    "_placeholder": Expected(type: "INTEGER", isNotNull: true),
  ]

  private func columns(_ table: String) throws -> [String: Expected] {
    var columns: [String: Expected] = [:]
    for row in try connection.rows(
      "SELECT name, type, \"notnull\" FROM pragma_table_info(?, 'main')", [.text(table)],
      read: { ($0.text(0) ?? "", $0.text(1) ?? "", $0.int64(2) != 0) })
    {
      columns[row.0] = Expected(type: row.1, isNotNull: row.2)
    }
    for row in try connection.rows(
      "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?, 'main')", [.text(table)],
      read: { ($0.text(0) ?? "", $0.text(1) ?? "") })
    {
      columns[row.0]?.target = row.1
    }
    return columns
  }

  private func compare(_ table: String, _ expected: [String: Expected]) throws -> String? {
    let found = try columns(table)
    if found.isEmpty { return "the table '\(table)' is gone, or has another name; use renameEntity and dropEntity" }
    for (name, column) in expected.sorted(by: { $0.key < $1.key }) {
      guard let other = found[name] else {
        return "the column '\(table).\(name)' is gone, or has another name; use rename and drop"
      }
      guard other == column else { return "the column '\(table).\(name)' has another declaration; use convert" }
    }
    for name in found.keys.sorted() where expected[name] == nil {
      return "the column '\(table).\(name)' is none that the store knows; use add"
    }
    return nil
  }

  private func compareIndexes(_ table: String, _ expected: [(name: String, isUnique: Bool)]) throws -> String? {
    let found = try connection.rows(
      "SELECT name, \"unique\" FROM pragma_index_list(?, 'main')", [.text(table)],
      read: { ($0.text(0) ?? "", $0.int64(1) != 0) })
    for index in expected where !found.contains(where: { $0 == (index.name, index.isUnique) }) {
      return "the index '\(index.name)' is gone, or is another one"
    }
    return nil
  }
}
