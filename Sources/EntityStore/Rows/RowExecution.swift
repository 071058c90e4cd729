/// The statements that write the table of an entity. Such statements stand in no other file, with two exceptions:
/// ``BatchStatements``, for the rows of a batch, and the changes of a file's schema.
///
/// It executes statements, and decides nothing: ``RowWriter`` decides who writes a row, and who is told of it.
struct RowExecution {
  let connection: Connection
  let statements: RowStatements

  private enum Kind: UInt8 {
    case insert, update
    case delete = 10
  }

  // MARK: One row

  /// The statement that inserts a row, with its values bound. The caller runs it, maybe twice.
  func insertion(_ model: EntityModel, _ pk: Int64, _ plan: InsertionPlan) throws -> Statement {
    let mask = plan.mask
    let statement = try statements.statement(
      .init(entity: model.number, mask: mask, kind: Kind.insert.rawValue), on: connection
    ) { model.insert(["_pk", "_edited", "_placeholder"] + mask.indices.map { model.properties[$0].name }) }
    try statement.bind(pk, at: 1)
    try statement.bind(model.names(plan.marks), at: 2)
    try statement.bind(plan.isPlaceholder ? 1 : 0, at: 3)
    var position = 4
    // No row is copied for the defaults.
    for index in mask.indices {
      try statement.bind(
        plan.defaults.contains(index) ? model.defaults[index] : plan.values[index], at: position)
      position += 1
    }
    return statement
  }

  /// The statement that updates a row, with its values bound. The caller runs it, maybe twice.
  ///
  /// - Parameters:
  ///   - marks: The marks that the row gets; `nil` leaves its present marks.
  ///   - fills: Whether the row stops being a placeholder.
  func update(
    _ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ values: RowValues, marks: EditMarks?, fills: Bool
  ) throws -> Statement {
    let statement = try statements.statement(
      .init(
        entity: model.number, mask: mask, kind: Kind.update.rawValue | (marks == nil ? 0 : 2) | (fills ? 4 : 0)),
      on: connection
    ) {
      var parts = mask.indices.map { "\(model.properties[$0].name.quoted) = ?" }
      if marks != nil { parts.append("_edited = ?") }
      if fills { parts.append("_placeholder = 0") }
      return "\(model.update(of: mask)) SET \(parts.joined(separator: ", ")) WHERE _pk = ?"
    }
    var position = 1
    for index in mask.indices {
      try statement.bind(values[index], at: position)
      position += 1
    }
    if let marks {
      try statement.bind(model.names(marks), at: position)
      position += 1
    }
    try statement.bind(pk, at: position)
    return statement
  }

  func delete(_ model: EntityModel, _ pk: Int64) throws {
    let statement = try statements.statement(
      .init(entity: model.number, mask: ColumnMask(), kind: Kind.delete.rawValue), on: connection
    ) { "DELETE FROM \(model.table) WHERE _pk = ?" }
    defer { statement.reset() }
    try statement.bind(pk, at: 1)
    try statement.run()
  }

  // MARK: One column

  /// Gives a row of any entity another value in one column. The schema need not have the column.
  ///
  /// - Parameter isWhereNull: Whether a row that has a value stays as it is.
  func set(
    _ column: String, of model: EntityModel, _ pk: Int64, to value: StoredValue, isWhereNull: Bool = false
  ) throws {
    try connection.prepare(
      "UPDATE \(model.table) SET \(column.quoted) = ? WHERE _pk = ?\(isWhereNull ? " AND \(column.quoted) IS NULL" : "")"
    ).run([value, .integer(pk)])
  }

  /// Repoints the links of all rows from one target to another.
  ///
  /// - Returns: The rows whose links were repointed.
  func repoint(_ model: EntityModel, _ link: Int, from: Int64, to: Int64) throws -> [Int64] {
    let column = model.properties[link].name.quoted
    return try connection.rows(
      "UPDATE \(model.table) SET \(column) = ? WHERE \(column) = ? RETURNING _pk", [.integer(to), .integer(from)]
    ) { $0.int64(0) }
  }

  /// Takes a property out of the marks of all rows.
  func unmark(_ property: PropertyModel, of model: EntityModel) throws {
    try connection.prepare(
      "UPDATE \(model.table) SET _edited = nullif(trim(replace(',' || _edited || ',', ?1, ','), ','), '') "
        + "WHERE instr(',' || _edited || ',', ?1) > 0"
    ).run([.text(",\(property.name),")])
  }

  // MARK: Some rows

  /// Notes a time in those of some rows whose time is to be noted again; see ``EntityModel/isOld(_:at:)``.
  func hear(_ model: EntityModel, _ pks: [Int64], at now: Int64) throws {
    try connection.prepare(
      "UPDATE \(model.table) SET \(PropertyModel.ageName.quoted) = ?2 WHERE \(connection.isOldAmong(model))"
    ).run(model.ageParameters(pks, now: now))
  }

  /// Writes placeholders in the place of some rows.
  ///
  /// They are deleted and inserted anew: an update with shorter values would leave the pages half empty, and the file as
  /// large as it was. Links to them are checked at the end of the transaction.
  func evict(_ plan: EvictionPlan, _ pks: [Int64]) throws {
    let (model, values) = (plan.model, plan.values)
    let kept = plan.kept.intersection(model.stored).indices.map { $0 }
    let names = kept.map { model.properties[$0].name } + values.mask.indices.map { model.properties[$0].name }
    let rows = try connection.rows(
      "DELETE FROM \(model.table) WHERE _pk IN (SELECT value FROM _entity_values(?)) "
        + "RETURNING \((["_pk"] + kept.map(plan.name)).joined(separator: ", "))", [.list(pks.map { .integer($0) })]
    ) { row in [.integer(row.int64(0)), .integer(1)] + kept.indices.map { row.value($0 + 1) } }
    let insert = try connection.prepare(model.insert(["_pk", "_placeholder"] + names))
    for row in rows { try insert.run(row + values.mask.indices.map { values[$0] }) }
  }

  /// Ends the links of all rows to some targets.
  ///
  /// - Returns: The rows whose links ended.
  func clear(_ model: EntityModel, _ link: Int, to targets: [Int64]) throws -> [Int64] {
    let column = model.properties[link].name.quoted
    return try connection.rows(
      "UPDATE \(model.table) SET \(column) = NULL WHERE \(column) IN (SELECT value FROM _entity_values(?)) "
        + "RETURNING _pk", [.list(targets.map { .integer($0) })]
    ) { $0.int64(0) }
  }

  func delete(_ model: EntityModel, _ pks: [Int64]) throws {
    try connection.prepare("DELETE FROM \(model.table) WHERE _pk IN (SELECT value FROM _entity_values(?))")
      .run([.list(pks.map { .integer($0) })])
  }

  // MARK: Images of rows

  /// The statement that inserts a row of the columns `names`.
  func insertion(_ model: EntityModel, _ names: [String]) throws -> Statement {
    try connection.prepare(model.insert(names))
  }

  /// The statement that updates the columns `names` of a row.
  ///
  /// - Parameter mask: The properties among them. A statement that sets unique columns is not shared: rows that hold
  ///   the values are written between two tries, maybe with the same SQL.
  func update(_ model: EntityModel, _ names: [String], _ mask: ColumnMask) throws -> Statement {
    let parts = names.map { "\($0.quoted) = ?" }.joined(separator: ", ")
    let sql = "\(model.update(of: mask)) SET \(parts) WHERE _pk = ?"
    return try mask.intersection(model.unique).isEmpty ? connection.prepare(sql) : Statement(sql, on: connection)
  }

  // MARK: All rows

  /// - Returns: How many rows went.
  func deleteAll(_ model: EntityModel) throws -> Int {
    try connection.prepare("DELETE FROM \(model.table)").run()
    return connection.changedRows
  }
}

extension EntityModel {
  func insert(_ names: [String]) -> String {
    "INSERT INTO \(table) (\(names.map(\.quoted).joined(separator: ", "))) "
      + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
  }

  /// The beginning of a statement that updates one row by its row id.
  ///
  /// An UPDATE that sets a foreign key to its own table may end midway, as SQLite sees it. So SQLite notes each page in
  /// a statement journal. Within a savepoint SQLite truncates that journal after each statement, piece by piece from
  /// its beginning, so that the time grows with the square of the rows. `OR FAIL` needs no journal: the rows that a
  /// failing statement has written stay (https://sqlite.org/lang_conflict.html). For one row, SQLite checks all
  /// constraints before it writes any of the row.
  func update(of columns: ColumnMask) -> String {
    let isOfOwnEntity = columns.intersection(links).indices.contains {
      if case .toOne(number, _, _) = properties[$0].kind { true } else { false }
    }
    return "UPDATE \(isOfOwnEntity ? "OR FAIL " : "")\(table)"
  }
}
