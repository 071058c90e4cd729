// The values of derived properties after a change of the schema. Each value that differs from the result of its sources
// is written again.

extension FileEditor {
  /// The rows that are read and written at a time.
  private static var batch: Int { 1_000 }

  /// Computes the derived properties of all rows, and writes the values that differ: of new properties, of another
  /// function, and of sources that a migration changed.
  func settleDerived(_ model: SchemaModel) throws {
    let history = try RefillLines(connection)
    for entity in model.entities where !entity.derived.isEmpty {
      guard let stored = schema[entity.name] else { continue }
      // A property that was not derived before may have been edited.
      for index in entity.derived.indices where try isMarked(entity.name, entity.properties[index].name) {
        try moveMarks(entity.name, from: entity.properties[index].name, to: nil)
      }
      let columns = Array(entity.sources(of: entity.derived).union(entity.derived).indices)
      guard columns.allSatisfy({ stored[entity.properties[$0].name] != nil }) else { continue }
      try settleDerived(entity, columns, history)
    }
  }

  /// - Parameter history: Gets a line for each row that gets another value, as for any commit.
  private func settleDerived(_ entity: EntityModel, _ columns: [Int], _ history: RefillLines?) throws {
    let names = (["_pk"] + columns.map { entity.properties[$0].name.quoted }).joined(separator: ", ")
    let derived = Array(entity.derived.indices)
    let places = derived.map { "\(entity.properties[$0].name.quoted) = ?" }.joined(separator: ", ")
    let select = "SELECT \(names) FROM \(entity.table) WHERE _pk > ? ORDER BY _pk LIMIT \(Self.batch)"
    let update = try Statement("UPDATE \(entity.table) SET \(places) WHERE _pk = ?", on: connection)
    var last = Int64.min
    while true {
      var changed: [(values: [StoredValue], pk: Int64, mask: ColumnMask)] = []
      let rows = try connection.rows(select, [.integer(last)]) { row in
        var sources = RowValues(count: entity.properties.count)
        for (place, column) in columns.enumerated() { sources[column] = row.value(place + 1) }
        var values = RowValues(count: entity.properties.count)
        entity.derive(entity.derived, from: sources, into: &values)
        var mask = ColumnMask()
        for index in derived where !values[index].isIdentical(to: sources[index]) { mask.insert(index) }
        if !mask.isEmpty { changed.append((derived.map { values[$0] } + [row.value(0)], row.int64(0), mask)) }
        return row.int64(0)
      }
      for (values, pk, mask) in changed {
        try update.run(values)
        try history?.note(entity, pk, mask)
      }
      guard rows.count == Self.batch, let end = rows.last else { return }
      last = end
    }
  }
}

/// The lines of the history about rows whose derived values are computed again. They belong to the commit of the new
/// schema.
private final class RefillLines {
  private let insert: Statement
  private var number: Int64

  /// `nil` where the file keeps no history.
  init?(_ connection: Connection) throws {
    guard try HistoryTables.policy(connection) != .off else { return nil }
    number = (try connection.generation() + 1) << HistoryTables.bits
    insert = try Statement(
      "INSERT INTO \(HistoryTables.changes) (number, entity, pk, kind, columns) VALUES (?, ?, ?, 1, ?)", on: connection)
  }

  func note(_ entity: EntityModel, _ pk: Int64, _ changed: ColumnMask) throws {
    number += 1
    let names = changed.indices.map { entity.properties[$0].name }.joined(separator: ",")
    try insert.run([.integer(number), .text(entity.name), .integer(pk), .text(names)])
  }
}
