/// The one connection that writes.
final class Writer {
  let connection: Connection
  let schema: SchemaModel
  private var keys = PrimaryKeys.Range()
  /// The end of the last leased range. A rollback takes the lease out of the file, but not out of anybody's memory.
  private var leasedEnd: Int64 = 0
  private var hasLeased = false
  /// Rows that turned out to be another one, since the store was opened: what refers to them and is saved later goes to
  /// that one. There are as few of them as of objects made here that a list had already.
  var survivors: [RowWriter.RowKey: Int64] = [:]
  /// The prepared statements of the row writer, which outlive its transactions.
  let statements: RowStatements

  init(_ connection: Connection, schema: SchemaModel) {
    self.connection = connection
    self.schema = schema
    statements = RowStatements(schema)
  }

  struct Outcome<T> {
    let value: T
    let isChanged: Bool
  }

  /// Runs `work` in a write transaction. It is committed with a new generation when it wrote a row, and its summary is
  /// published before that; on any error nothing of it stays.
  ///
  /// - Parameters:
  ///   - patience: How long it waits for another connection that writes.
  ///   - begun: Called once it waits for nobody any more.
  func transaction<T>(
    from origin: ContextID?, patience: Duration, begun: () -> Void = {}, summaries: SummaryLog,
    _ work: (RowWriter) throws -> T
  ) throws -> Outcome<T> {
    hasLeased = false
    let survivorsBefore = survivors
    var published: Int64?
    try connection.beginImmediate(patience: patience)
    begun()
    do {
      let rows = RowWriter(self, origin: origin, collects: summaries.isEnabled)
      defer { rows.close() }
      let value = try work(rows)
      guard rows.rowsWritten > 0 else {
        try connection.commit()
        rows.runCommitActions()
        return Outcome(value: value, isChanged: false)
      }
      let generation = try advanceGeneration()
      published = generation
      // Enabled in the meantime: the log then has no names for this commit, so it says that all may have changed.
      summaries.publish(rows.summary(generation: generation, schema: schema))
      do {
        try connection.commit()
      } catch let error as StoreError where error.kind == .brokenLink {
        throw brokenLink() ?? error
      }
      rows.runCommitActions()
      return Outcome(value: value, isChanged: true)
    } catch {
      if let published { summaries.withdraw(published) }
      connection.rollback()
      survivors = survivorsBefore
      // Where this fails too, `leasedEnd` still does for as long as the process lives.
      if hasLeased { try? keepLease() }
      throw error
    }
  }

  // MARK: Row ids

  func newPrimaryKey() throws -> Int64 {
    if let pk = keys.take() { return pk }
    keys = try lease()
    guard let pk = keys.take() else { throw StoreError(.sqlite, "No row id could be leased.") }
    return pk
  }

  /// Leases a range within the current transaction.
  func lease() throws -> PrimaryKeys.Range {
    let range = try PrimaryKeys.lease(on: connection, above: leasedEnd)
    leasedEnd = range.end
    hasLeased = true
    return range
  }

  /// Writes the end of the leased ranges again, after a rollback that took it back.
  func keepLease() throws {
    try connection.prepare("UPDATE main._entity_store SET value = max(value, ?) WHERE key = 'next_pk'").run([
      .integer(leasedEnd)
    ])
  }

  private func advanceGeneration() throws -> Int64 {
    let generations = try connection.rows(
      "UPDATE main._entity_store SET value = value + 1 WHERE key = 'generation' RETURNING value"
    ) { $0.int64(0) }
    guard let generation = generations.first else {
      throw StoreError(.corrupt, "The store's own table lacks 'generation': the file was changed by something else.")
    }
    return generation
  }

  /// Which link holds up the commit: SQLite itself does not say.
  private func brokenLink() -> StoreError? {
    for entity in schema.entities {
      let broken = try? connection.rows("PRAGMA main.foreign_key_check(\(entity.name.quoted))") {
        ($0.optionalInt64(1), $0.text(2))
      }
      guard let (pk, target) = broken?.first else { continue }
      return StoreError(
        .brokenLink,
        "An object of '\(entity.name)' (row \(pk.map(String.init) ?? "?")) refers to a '\(target ?? "?")' that is not "
          + "in the store: it was deleted, or not saved. Set the relationship to another object or to nil.")
    }
    return nil
  }
}

/// Prepared statements by what they write, without building their SQL each time.
final class RowStatements {
  struct Key: Hashable {
    let entity: Int
    let mask: ColumnMask
    let kind: UInt8
  }

  private var statements: [Key: Statement] = [:]
  /// The two selects of each entity, by its number: a row of a response takes at least one, so they cost no hashing.
  private var selects: [(byPK: Statement?, byUID: Statement?)]

  init(_ schema: SchemaModel) { selects = Array(repeating: (nil, nil), count: schema.entities.count) }

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
    if let statement = statements[key] { return statement }
    // Masks come from responses: without a limit, odd ones would add up.
    if statements.count >= 256 { statements = [:] }
    let statement = try Statement(sql(), on: connection)
    statements[key] = statement
    return statement
  }
}
