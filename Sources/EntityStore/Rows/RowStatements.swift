/// Prepared statements by the columns that they write, without building their SQL each time.
final class RowStatements {
  struct Key: Hashable {
    let entity: Int
    let mask: ColumnMask
    let kind: UInt8
  }

  private var statements: [Key: Statement] = [:]
  /// The statements that were used last, by the entity's number: the rows of a response mostly have the same columns.
  private var recent: [(key: Key, statement: Statement)?]
  /// The two selects of each entity, by its number: a row of a response takes at least one, so they cost no hashing.
  private var selects: [(byPK: Statement?, byUID: Statement?)]

  init(_ schema: SchemaModel) {
    selects = Array(repeating: (nil, nil), count: schema.entities.count)
    recent = Array(repeating: nil, count: schema.entities.count)
  }

  func select(byPKOf model: EntityModel, on connection: Connection) throws -> Statement {
    if let statement = selects[model.number].byPK { return statement }
    let statement = try Statement(model.selectByPK, on: connection)
    selects[model.number].byPK = statement
    return statement
  }

  /// `nil` for an entity without uid.
  func select(byUIDOf model: EntityModel, on connection: Connection) throws -> Statement? {
    if let statement = selects[model.number].byUID { return statement }
    let statement = try model.selectByUID.map { try Statement($0, on: connection) }
    selects[model.number].byUID = statement
    return statement
  }

  func statement(_ key: Key, on connection: Connection, sql: () -> String) throws -> Statement {
    if let known = recent[key.entity], known.key == key { return known.statement }
    let statement = try statements[key] ?? prepare(key, on: connection, sql)
    recent[key.entity] = (key, statement)
    return statement
  }

  private func prepare(_ key: Key, on connection: Connection, _ sql: () -> String) throws -> Statement {
    // Masks come from responses: without a limit, odd ones would add up.
    if statements.count >= 256 { statements = [:] }
    let statement = try Statement(sql(), on: connection)
    statements[key] = statement
    return statement
  }
}
