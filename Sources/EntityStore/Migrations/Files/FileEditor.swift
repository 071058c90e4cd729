/// Changes a file and the schema that it keeps, together.
///
/// A store's own changes and those of a ``Migration`` are made here. A trial executes nothing: it finds out which
/// changes there would be.
final class FileEditor {
  /// A change in words, with its statements.
  struct Change {
    let summary: String
    /// Whether the change only adds to the file.
    let isAdditive: Bool
    /// Whether the change is a note of the store's own: the file can be read without it.
    var isNote = false
    /// Whether the change only computes derived values again, which come from no answer and no edit.
    var isRefill = false
    var sql: [String] = []
    /// The number of rows whose values the change writes, moves or drops; `nil` where nobody asked.
    var rows: Int64?
  }

  let connection: Connection
  var schema: StoredSchema
  let isTrial: Bool
  /// Whether rows are counted, for a reader of the plan.
  let countsRows: Bool
  private(set) var changes: [Change] = []
  private var depth = 0
  /// The entities whose indexes over several columns are not in the file while their columns change.
  var apart: Set<String> = []

  init(_ connection: Connection, _ schema: StoredSchema, isTrial: Bool = false, countsRows: Bool = false) {
    self.connection = connection
    self.schema = schema
    self.isTrial = isTrial
    self.countsRows = countsRows
  }

  /// Makes one change. Changes that it makes on the way are part of it.
  func change(
    _ summary: String, isAdditive: Bool = false, isNote: Bool = false, isRefill: Bool = false, rows: String? = nil,
    _ body: () throws -> Void
  ) throws {
    if depth == 0 {
      changes.append(Change(summary: summary, isAdditive: isAdditive, isNote: isNote, isRefill: isRefill))
      if countsRows, !isTrial { changes[changes.count - 1].rows = try rows.map { try count($0) } ?? 0 }
    }
    depth += 1
    defer { depth -= 1 }
    try body()
  }

  func run(_ sql: String, _ values: [StoredValue] = []) throws {
    if !changes.isEmpty { changes[changes.count - 1].sql.append(sql) }
    guard !isTrial else { return }
    if values.isEmpty {
      try connection.execute(sql)
    } else {
      try Statement(sql, on: connection).run(values)
    }
  }

  /// The first value of a query. A trial reads no rows.
  func count(_ sql: String, _ values: [StoredValue] = []) throws -> Int64 {
    let statement = try Statement(sql, on: connection)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? statement.int64(0) : 0
  }

  // MARK: The schema

  func entity(_ name: String) throws -> Int {
    guard let index = schema.index(name) else {
      throw StoreError(.migrationFailed, "The file has no entity '\(name)'.")
    }
    return index
  }

  func property(_ name: String, of entity: Int) throws -> Int {
    guard let index = schema.entities[entity].index(name) else {
      throw StoreError(.migrationFailed, "The file has no property '\(schema.entities[entity].name).\(name)'.")
    }
    return index
  }

  // MARK: Indexes

  func dropIndex(_ entity: StoredEntity, _ property: StoredProperty) throws {
    guard property.hasIndex else { return }
    try run("DROP INDEX main.\(DDL.indexName(entity, property).quoted)")
  }

  func addIndex(_ entity: StoredEntity, _ property: StoredProperty) throws {
    do {
      for sql in DDL.index(entity, property) { try run(sql) }
    } catch let error as StoreError where error.kind == .uniqueViolation {
      let column = property.name.quoted
      let values = try count(
        "SELECT count(*) FROM (SELECT 1 FROM \(entity.table) WHERE \(column) IS NOT NULL GROUP BY \(column) "
          + "HAVING count(*) > 1)")
      throw SchemaDifference.mismatch(
        "'\(entity.name).\(property.name)' is unique in the entity, and in the file several rows have one value "
          + "(\(values) such \(values == 1 ? "value" : "values"))")
    }
  }

  func dropIndexes(_ entity: StoredEntity) throws {
    for property in entity.properties { try dropIndex(entity, property) }
    guard entity.isLinks else { return }
    for side in ["owner", "member"] { try run("DROP INDEX main.\("\(entity.removedName),\(side)".quoted)") }
  }

  func addIndexes(_ entity: StoredEntity) throws {
    for property in entity.properties { try addIndex(entity, property) }
    if entity.isLinks { for sql in DDL.removedPairIndexes(entity) { try run(sql) } }
  }

  // MARK: Columns

  /// Replaces a column by another one: SQLite can't change the constraints of a column.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - definition: The definition of the new column, from the column's name.
  ///   - expression: The value of the new column, and the rows that get one.
  func replaceColumn(
    _ table: String, _ column: String, with name: String, _ definition: (String) -> String,
    _ expression: (value: String, filter: String)
  ) throws {
    let between = "_new,\(name)"
    try run("ALTER TABLE main.\(table.quoted) ADD COLUMN \(definition(between))")
    try run("UPDATE main.\(table.quoted) SET \(between.quoted) = \(expression.value) WHERE \(expression.filter)")
    try run("ALTER TABLE main.\(table.quoted) DROP COLUMN \(column.quoted)")
    try renameColumn(table, between, to: name)
  }

  /// The definition of a property's column, from the column's name.
  static func definition(of property: StoredProperty, default value: StoredValue) -> (String) -> String {
    { name in
      var named = property
      named.name = name
      return DDL.column(named, default: value)
    }
  }

  func renameColumn(_ table: String, _ column: String, to name: String) throws {
    try run("ALTER TABLE main.\(table.quoted) RENAME COLUMN \(column.quoted) TO \(name.quoted)")
  }

  func dropColumn(_ table: String, _ column: String) throws {
    try run("ALTER TABLE main.\(table.quoted) DROP COLUMN \(column.quoted)")
  }

  func renameTable(_ table: String, to name: String) throws {
    try run("ALTER TABLE main.\(table.quoted) RENAME TO \(name.quoted)")
  }

  func hasDefault(_ table: String, _ column: String) throws -> Bool {
    try count(
      "SELECT count(*) FROM pragma_table_info(?, 'main') WHERE name = ? AND dflt_value IS NOT NULL",
      [.text(table), .text(column)]) > 0
  }

  // MARK: Marks of local edits

  /// Moves the marks of one name to another name, or removes them.
  func moveMarks(_ table: String, from old: String, to new: String?) throws {
    try moveCoverage(table, from: old, to: new)
    let marked = "instr(',' || _edited || ',', ?1) > 0"
    let rest = "trim(replace(',' || _edited || ',', ?1, ?2), ',')"
    try run(
      "UPDATE main.\(table.quoted) SET _edited = nullif(\(rest), '') WHERE \(marked)",
      [.text(",\(old),"), .text(new.map { ",\($0)," } ?? ",")])
    if let new {
      try run(
        "UPDATE OR REPLACE \(EditNotes.table) SET property = ?1 WHERE entity = ?2 AND property = ?3",
        [.text(new), .text(table), .text(old)])
      try renameInEntries(old, to: new, of: table)
      try renameInAddresses(old, to: new, of: table)
    } else {
      try dropNotes(of: old, in: table)
    }
  }

  /// Renames a property in the entries of the outbox. Their requests stay as they are: a server may have them.
  private func renameInEntries(_ old: String, to new: String, of entity: String) throws {
    guard !isTrial else { return }
    let entries = try connection.rows(
      "SELECT number, sent, CASE WHEN kind <> \(OutboxEntry.Kind.command.rawValue) THEN kept END "
        + "FROM \(OutboxTable.table) WHERE entity = ? AND (sent IS NOT NULL OR kept IS NOT NULL)",
      [.text(entity)]
    ) { (number: $0.int64(0), texts: [$0.text(1), $0.text(2)]) }
    for entry in entries where entry.texts.contains(where: { OutboxEntry.properties(in: $0).contains(old) }) {
      let texts = entry.texts.map { text -> StoredValue in
        guard let text else { return .null }
        return .text(OutboxEntry.changing(text) { ($0 == old ? new : $0, $1) } ?? text)
      }
      try run(
        "UPDATE \(OutboxTable.table) SET sent = ?, kept = coalesce(?, kept) WHERE number = ?",
        texts + [.integer(entry.number)])
    }
  }

  func dropNotes(of property: String, in entity: String) throws {
    try run("DELETE FROM \(EditNotes.table) WHERE entity = ?1 AND property = ?2", [.text(entity), .text(property)])
  }

  /// Makes the values from before edits, and those of requests, unknown, because the values of the property were converted.
  func forgetBases(of property: String, in entity: String) throws {
    try run(
      "UPDATE \(EditNotes.table) SET base = NULL, has_base = 0 WHERE entity = ?1 AND property = ?2 AND has_base = 1",
      [.text(entity), .text(property)])
    guard !isTrial else { return }
    try endConflicts(of: property, in: entity)
    // Embedded objects are in the entries of other entities.
    let entries = try connection.rows("SELECT number, entity, sent FROM \(OutboxTable.table) WHERE sent IS NOT NULL") {
      (number: $0.value(0), entity: $0.text(1) ?? "", sent: $0.text(2) ?? "")
    }
    for entry in entries {
      guard let text = try SentEdits.forgetting(property, of: entity, in: entry.sent, of: entry.entity) else {
        continue
      }
      try run("UPDATE \(OutboxTable.table) SET sent = ? WHERE number = ?", [.text(text), entry.number])
    }
  }

  /// Ends the conflicts of a property whose values were converted. The server's value has the former form, so that nobody could
  /// take it. The edit goes on without a base, and is sent.
  private func endConflicts(of property: String, in entity: String) throws {
    let entries = try connection.rows(
      "SELECT number, kept FROM \(OutboxTable.table) WHERE entity = ? AND state = \(OutboxEntry.State.conflict.rawValue)",
      [.text(entity)]
    ) { (number: $0.value(0), kept: $0.text(1) ?? "") }
    for entry in entries where OutboxEntry.properties(in: entry.kept).contains(property) {
      let rest = OutboxEntry.changing(entry.kept) { $0 == property ? nil : (name: $0, value: $1) }
      guard let rest, !OutboxEntry.properties(in: rest).isEmpty else {
        try run("DELETE FROM \(OutboxTable.table) WHERE number = ?", [entry.number])
        continue
      }
      let reason =
        "The server has another value of \(OutboxEntry.properties(in: rest).sorted().joined(separator: ", "))."
      try run(
        "UPDATE \(OutboxTable.table) SET kept = ?, problem = ? WHERE number = ?",
        [.text(rest), .text(reason), entry.number])
    }
  }

  /// Gives the bases of edits a value where they have none: the property always has a value from here on.
  func fillBases(of property: String, in entity: String, with value: StoredValue) throws {
    try run(
      "UPDATE \(EditNotes.table) SET base = ?1 WHERE entity = ?2 AND property = ?3 AND has_base = 1 AND base IS NULL",
      [value, .text(entity), .text(property)])
  }

  /// Moves the notes, the entries of the outbox and the collections of one entity to another name, or removes them.
  func moveNotes(from old: String, to new: String?) throws {
    if new == nil { for removal in CollectionTables.remove(of: old) { try run(removal.sql, removal.values) } }
    for table in [EditNotes.table, Tombstones.table, OutboxTable.table, VersionTable.table, CollectionTables.table] {
      if let new {
        try run("UPDATE OR REPLACE \(table) SET entity = ?1 WHERE entity = ?2", [.text(new), .text(old)])
      } else {
        try run("DELETE FROM \(table) WHERE entity = ?1", [.text(old)])
      }
    }
  }

  func isMarked(_ table: String, _ name: String) throws -> Bool {
    guard !isTrial else { return false }
    return try count(
      "SELECT count(*) FROM (SELECT 1 FROM main.\(table.quoted) WHERE instr(',' || _edited || ',', ?1) > 0 LIMIT 1)",
      [.text(",\(name),")]) > 0
  }
}
