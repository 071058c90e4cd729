/// The one connection that writes.
final class Writer {
  let connection: Connection
  let schema: SchemaModel
  let answers: AnswerMemory
  let underWay: EditsUnderWay
  private var keys = PrimaryKeys.Lease()
  /// The end of the last leased range. A rollback takes the lease out of the file, but not out of anybody's memory: this
  /// process uses no id of it again.
  private var leasedEnd: Int64 = 0
  /// Whether the current transaction leased a range.
  private var hasLeased = false
  /// Whether a part of the current transaction was undone, and the lease with it.
  private var lacksLease = false
  /// Rows that turned out to be another one, since the store was opened: a link to them that is saved later goes to
  /// that one. There are as few of them as of objects made here that a list had already.
  var survivors: [RowWriter.RowKey: Int64] = [:] {
    didSet { hasSurvivors = !survivors.isEmpty }
  }
  /// Whether there are any. Each row that is written asks.
  private(set) var hasSurvivors = false
  /// Whose commits they are in the history, where a unit says nothing else.
  private let author: String
  private var historyCare = HistoryCare()
  /// The images of undos, for acknowledgements that come later.
  var undone = UndoneSaves()
  /// Sees the file as it was before the transaction that runs; opened for the first save that can be undone.
  private var earlier: Connection?
  /// The prepared statements of the row writer, which outlive its transactions.
  let statements: RowStatements

  init(
    _ connection: Connection, schema: SchemaModel, answers: AnswerMemory, underWay: EditsUnderWay, author: String
  ) {
    self.connection = connection
    self.underWay = underWay
    self.author = author
    self.schema = schema
    self.answers = answers
    statements = RowStatements(schema)
  }

  /// - Parameter open: Opens one more connection.
  func earlier(_ open: () throws -> Connection) throws -> Connection {
    if let earlier { return earlier }
    let connection = try open()
    earlier = connection
    return connection
  }

  func close() {
    earlier?.close()
    connection.close()
  }

  struct Outcome<T> {
    let value: T
    /// The generation that the transaction made; `nil` where it changed nothing.
    let generation: Int64?
  }

  /// Runs `work` in a write transaction. It is committed with a new generation when it wrote a row, and its summary is
  /// published before that; on any error nothing of it stays.
  ///
  /// - Parameters:
  ///   - patience: How long it waits for another connection that writes.
  ///   - begun: Called once it waits for nobody.
  func transaction<T>(
    from origin: ContextID?, patience: Duration, begun: () -> Void = {}, followers: CommitFollowers,
    _ work: (RowWriter) throws -> T
  ) throws -> Outcome<T> {
    hasLeased = false
    lacksLease = false
    let survivorsBefore = survivors
    var published: Int64?
    if connection.isReadOnly {
      // Where nothing can be written, a unit may read all the same.
      try connection.begin("DEFERRED")
    } else {
      try connection.beginImmediate(patience: patience)
    }
    begun()
    do {
      let rows = RowWriter(self, origin: origin, collects: !followers.isEmpty)
      defer { rows.close() }
      let value = try work(rows)
      try rows.checkOpen()
      try rows.settleUniqueValues()
      if lacksLease { try keepLease() }
      guard rows.rowsWritten > 0 || rows.areNotesChanged else {
        try rows.history.discard()
        try connection.commit()
        // Row ids of a lost lease are given out twice, and what was removed from the history of a lost file is there still.
        if hasLeased || rows.hasPruned { try connection.files?.check(isCommitted: rows.hasPruned) }
        rows.runCommitActions()
        return Outcome(value: value, generation: nil)
      }
      if let recorder = rows.recorder {
        recorder.end(rows)
        // A read that failed may have ended the transaction.
        try rows.checkOpen()
      }
      let generation = try advanceGeneration()
      rows.recorder?.noteGeneration(generation)
      try rows.history.commit(
        generation, author: rows.author ?? author, changesNotes: rows.areNotesChanged, &historyCare)
      try connection.files?.check()
      published = generation
      // A follower may have come in the meantime: there are then no names for this commit, so it says that all may have
      // changed.
      followers.publish(rows.summary(generation: generation, schema: schema))
      do {
        try connection.commit()
      } catch let error as StoreError where error.kind == .brokenLink {
        throw brokenLink() ?? error
      }
      // Asked once more: only a file that is there after the commit surely has the commit.
      try connection.files?.check(isCommitted: true)
      rows.runCommitActions()
      return Outcome(value: value, generation: generation)
    } catch {
      if let published { followers.withdraw(published) }
      connection.rollback()
      survivors = survivorsBefore
      historyCare = HistoryCare()
      // Another process may have the range by now.
      if hasLeased { keys = PrimaryKeys.Lease() }
      throw error
    }
  }

  // MARK: Row ids

  func newPrimaryKey() throws -> Int64 {
    if let pk = keys.removeFirst() { return pk }
    keys = try lease()
    guard let pk = keys.removeFirst() else { throw StoreError(.sqlite, "No row id could be leased.") }
    return pk
  }

  /// Leases a range within the current transaction.
  func lease() throws -> PrimaryKeys.Lease {
    let range = try PrimaryKeys.lease(on: connection, above: leasedEnd)
    leasedEnd = range.end
    hasLeased = true
    lacksLease = false
    return range
  }

  /// Takes row ids out of the file for rows that come all at once.
  ///
  /// - Returns: The first one.
  func reserve(_ count: Int64) throws -> Int64 {
    let range = try PrimaryKeys.lease(count, on: connection, above: leasedEnd)
    leasedEnd = range.end
    hasLeased = true
    lacksLease = false
    return range.next
  }

  /// Some changes of the transaction were undone. The transaction still holds the file, so that a range it leased is nobody
  /// else's, and is leased again.
  func changesUndone() throws {
    guard hasLeased else { return }
    // Where this fails it is tried again before the commit, which fails with it.
    lacksLease = true
    try keepLease()
  }

  private func keepLease() throws {
    try connection.prepare("UPDATE main._entity_store SET value = max(value, ?) WHERE key = 'next_pk'").run([
      .integer(leasedEnd)
    ])
    lacksLease = false
  }

  private func advanceGeneration() throws -> Int64 {
    let generations = try connection.rows(
      "UPDATE main._entity_store SET value = value + 1 WHERE key = 'generation' "
        + "AND typeof(value) = 'integer' AND value >= 0 RETURNING value"
    ) { $0.value(0) }
    return try Bookkeeping.generation.check(generations.first, of: connection.location)
  }

  /// Which link holds up the commit: SQLite itself does not say.
  private func brokenLink() -> StoreError? {
    for entity in schema.entities {
      let broken = try? connection.rows("PRAGMA main.foreign_key_check(\(entity.name.quoted))") {
        ($0.optionalInt64(1), $0.text(2))
      }
      guard let (pk, target) = broken?.first else { continue }
      let objects = pk.map { entity.isLinks ? linked(by: $0, entity) : [entity.id($0)] } ?? []
      return StoreError(
        .brokenLink,
        "An object of '\(entity.name)' (row \(pk.map(String.init) ?? "?")) refers to a '\(target ?? "?")' that is not "
          + "in the store: it was deleted, or not saved. Set the relationship to another object or to nil.",
        objects: objects)
    }
    return nil
  }

  /// The objects of a membership, which is none that its users know.
  private func linked(by pk: Int64, _ links: EntityModel) -> [AnyEntityID] {
    let names = links.properties.map(\.name.quoted).joined(separator: ", ")
    let ends = try? connection.rows("SELECT \(names) FROM \(links.table) WHERE _pk = ?", [.integer(pk)]) { row in
      links.properties.compactMap { property -> AnyEntityID? in
        guard case .toOne(let target, _, _) = property.kind else { return nil }
        return schema.entities[target].id(row.int64(property.index))
      }
    }
    return ends?.first ?? []
  }
}

extension Connection {
  /// The number of the last commit that the connection sees.
  ///
  /// - Throws: ``StoreError`` of kind `corrupt`.
  func generation() throws -> Int64 { try number(.generation) }

  /// - Throws: ``StoreError`` of kind `corrupt` where the store's own table has no such number.
  func number(_ kind: Bookkeeping) throws -> Int64 {
    try kind.check(rows(kind.select) { $0.value(0) }.first, of: location)
  }

  /// How often all rows were replaced, by whatever process: by a reset, or by those of an archive.
  func age() throws -> Int64 {
    try rows("SELECT value FROM main._entity_store WHERE key = 'age'") { $0.int64(0) }.first ?? 0
  }
}

/// The numbers of the store's own table. They are added to and shifted, and another program may have written any value.
enum Bookkeeping: String, CaseIterable {
  /// The number of the last commit.
  case generation
  /// The first row id that nobody has leased.
  case nextPK = "next_pk"

  /// Each read transaction runs one of them.
  var select: String {
    switch self {
    case .generation: "SELECT value FROM main._entity_store WHERE key = 'generation'"
    case .nextPK: "SELECT value FROM main._entity_store WHERE key = 'next_pk'"
    }
  }

  /// In the history a generation and the one after it are shifted.
  private var range: Range<Int64> {
    switch self {
    case .generation: 0..<(1 << (63 - HistoryTables.bits)) - 1
    case .nextPK: 1..<1 << 62
    }
  }

  /// - Parameter value: As it is in the file; `nil` where the table lacks it.
  /// - Throws: ``StoreError`` of kind `corrupt`.
  func check(_ value: StoredValue?, of location: StoreLocation) throws -> Int64 {
    if case .integer(let number) = value, range.contains(number) { return number }
    throw StoreError(
      .corrupt,
      "The store's own table in the file at \(location) has no number '\(rawValue)', or one out of range: another program "
        + "changed it.")
  }
}

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
