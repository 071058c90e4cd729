import Foundation

/// The entries of the outbox, in the transaction of a unit.
package final class RowOutbox: RowWriterPart {
  /// Whether there are any entries, as far as this transaction knows. Mostly there are none, and the result is kept: a
  /// response that meets many edits asks once.
  private var hasEntries: Bool?
  /// The claims of the rows that this transaction asked for.
  private var claims: [RowKey: [Claim]] = [:]

  private struct Claim {
    let number: Int64
    let properties: ColumnMask
  }

  /// Rows went back to an earlier state, or all of them went.
  func forget() {
    hasEntries = nil
    claims = [:]
  }
}

extension RowOutbox {
  /// Writes a new entry.
  ///
  /// - Returns: The number of the entry.
  @discardableResult
  package func insert(_ entry: OutboxEntry) throws -> Int64 {
    try rows.checkOpen()
    noteChange()
    hasEntries = true
    let names = OutboxTable.columns.map(\.quoted).joined(separator: ", ")
    let places = OutboxTable.columns.map { _ in "?" }.joined(separator: ", ")
    return try connection.rows(
      "INSERT INTO \(OutboxTable.table) (\(names)) VALUES (\(places)) RETURNING number", entry.values(schema)
    ) { $0.int64(0) }.first ?? 0
  }

  /// Writes all fields of an entry that is there. An entry that was removed stays removed.
  package func update(_ entry: OutboxEntry) throws {
    try rows.checkOpen()
    let names = OutboxTable.columns.map { "\($0.quoted) = ?" }.joined(separator: ", ")
    try connection.prepare("UPDATE \(OutboxTable.table) SET \(names) WHERE number = ?")
      .run(entry.values(schema) + [.integer(entry.number)])
    if connection.changedRows > 0 { noteChange() }
  }

  package func remove(numbers: some Sequence<Int64>) throws {
    try rows.checkOpen()
    let statement = try connection.prepare("DELETE FROM \(OutboxTable.table) WHERE number = ?")
    for number in numbers {
      try statement.run([.integer(number)])
      if connection.changedRows > 0 { noteChange() }
    }
  }

  /// Gives the request of an entry up: the change follows from the marks alone again. An update before a command keeps an
  /// entry, which has its place.
  package func giveUpRequest(of number: Int64) throws {
    guard var entry = try entry(number: number), entry.kind == .update,
      try entries(of: entry.key).contains(where: { $0.kind == .command && $0.number > number })
    else { return try remove(numbers: [number]) }
    (entry.state, entry.attempts) = (.waiting, 0)
    entry.forgetRequest()
    try update(entry)
  }

  package func entry(number: Int64) throws -> OutboxEntry? {
    try connection.outboxEntries(schema, "number = ?", [.integer(number)]).first
  }

  /// The entries of an object, in the order of their numbers.
  package func entries(of key: RowKey) throws -> [OutboxEntry] {
    guard try hasAny() else { return [] }
    return try connection.outboxEntries(
      schema, "entity = ? AND pk = ?", [.text(schema.entities[key.entity].name), .integer(key.pk)])
  }

  /// The commands of an object that is deleted here, and of the objects that its deletion deleted, in the order of their
  /// numbers.
  package func commands(deletedWith key: RowKey) throws -> [OutboxEntry] {
    guard try hasAny() else { return [] }
    return try connection.outboxEntries(
      schema,
      "kind = \(OutboxEntry.Kind.command.rawValue) AND number IN (SELECT _entry.number FROM \(Tombstones.table) AS _note "
        + "CROSS JOIN \(OutboxTable.table) AS _entry ON _entry.entity = _note.entity AND _entry.pk = _note.pk "
        + "WHERE _note.entity = ?1 AND _note.pk = ?2 OR _note.cause = ?2)",
      [.text(schema.entities[key.entity].name), .integer(key.pk)])
  }

  /// All entries that this version of the app can read, in the order of their numbers.
  package func all() throws -> [OutboxEntry] { try connection.outboxEntries(schema) }

  /// The facts of objects with pending changes; see ``ContextPendingEdits/outboxFacts(of:)``. The values of a context that
  /// are not written yet are none of them.
  package func facts(of keys: Set<RowKey>? = nil) throws -> [RowKey: PendingFacts] {
    var facts = OutboxFacts(connection, schema)
    return try facts.facts(of: keys)
  }

  /// The entries of a row that was absorbed are those of the row that absorbed it.
  func moveEntries(_ model: EntityModel, from loser: Int64, to survivor: Int64) throws {
    guard try hasAny() else { return }
    try connection.prepare("UPDATE \(OutboxTable.table) SET pk = ? WHERE entity = ? AND pk = ?")
      .run([.integer(survivor), .text(model.name), .integer(loser)])
    if connection.changedRows > 0 { noteChange() }
  }

  /// Whether the file has entries.
  func hasAny() throws -> Bool {
    if let hasEntries { return hasEntries }
    let found = try !connection.rows("SELECT 1 FROM \(OutboxTable.table) LIMIT 1") { _ in true }.isEmpty
    hasEntries = found
    return found
  }

  /// Whether a request that may have reached the server, or that is sent again as it is, carries a property of a row.
  ///
  /// - Parameter own: The entry of the request whose answer is taken in.
  func isClaimed(_ model: EntityModel, _ pk: Int64, _ index: Int, but own: Int64?) throws -> Bool {
    guard try hasAny() else { return false }
    let key = RowKey(entity: model.number, pk: pk)
    let claims = try self.claims[key] ?? readClaims(model, pk)
    self.claims[key] = claims
    return claims.contains { $0.number != own && $0.properties.contains(index) }
  }

  /// Whether an entry of a row carries a property with this value: a server that has the value has the request.
  func claims(_ value: StoredValue, _ model: EntityModel, _ pk: Int64, _ index: Int) throws -> Bool {
    try entries(of: RowKey(entity: model.number, pk: pk)).contains { entry in
      let sent = entry.sent.flatMap {
        SentEdits(stored: $0, model, pk: pk, schema, endsInsertion: false, editedSince: ColumnMask())
      }
      guard let sent, sent.values.mask.contains(index) else { return false }
      return sent.values[index].isIdentical(to: value)
    }
  }

  /// A request that was never sent, and that holds for one version of the object, claims no property: the server refuses
  /// the request when the object has another version, and it is made anew. Neither does one that is yet to be made.
  private func readClaims(_ model: EntityModel, _ pk: Int64) throws -> [Claim] {
    try connection.rows(
      "SELECT number, sent, CASE WHEN \(OutboxTable.unsent) THEN request END FROM \(OutboxTable.table) "
        + "WHERE entity = ? AND pk = ? AND \(OutboxTable.claims) "
        + "AND (request IS NOT NULL OR state <> \(OutboxEntry.State.waiting.rawValue))",
      [.text(model.name), .integer(pk)]
    ) { row in
      var properties = ColumnMask()
      if !OutboxEntry.isConditional(row.text(2)) {
        for name in OutboxEntry.properties(in: row.text(1)) {
          if let index = model.index(of: name) { properties.insert(index) }
        }
      }
      return Claim(number: row.int64(0), properties: properties)
    }
  }

  /// The commit counts as one, also where the unit writes no row.
  private func noteChange() {
    rows.edits.noteChanges += 1
    claims = [:]
  }
}

extension Connection {
  /// The entries of the outbox, in the order of their numbers. Those of entities that the schema does not have, and those
  /// of a newer version of the package, stay in the file unread.
  func outboxEntries(
    _ schema: SchemaModel, _ condition: String = "1", _ values: [StoredValue] = []
  ) throws -> [OutboxEntry] {
    let names = OutboxTable.columns.map(\.quoted).joined(separator: ", ")
    return try rows(
      "SELECT \(names), number FROM \(OutboxTable.table) WHERE \(condition) ORDER BY number", values
    ) { OutboxEntry($0, schema) }.compactMap(\.self)
  }
}

extension OutboxEntry {
  /// The values of the columns in the order of `OutboxTable.columns`.
  fileprivate func values(_ schema: SchemaModel) -> [StoredValue] {
    func text(_ value: String?) -> StoredValue { value.map { .text($0) } ?? .null }
    func data(_ value: Data?) -> StoredValue { value.map { .blob($0) } ?? .null }
    return [
      .text(schema.entities[key.entity].name), .integer(key.pk), text(uid), .integer(kind.rawValue),
      .integer(state.rawValue), text(name), text(request), data(body), text(sent), text(idempotencyKey),
      .integer(Int64(attempts)), next.map { .real($0) } ?? .null, .real(time), .integer(edited),
      status.map { .integer(Int64($0)) } ?? .null, text(reason), data(answer), text(kept),
    ]
  }

  /// - Parameter row: `OutboxTable.columns`, and the number.
  fileprivate init?(_ row: Statement, _ schema: SchemaModel) {
    guard let entity = row.text(0).flatMap(schema.entity(ofTable:)), !entity.isLinks,
      let kind = Kind(rawValue: row.int64(3)), let state = State(rawValue: row.int64(4))
    else { return nil }
    func data(_ column: Int) -> Data? {
      if case .blob(let data) = row.value(column) { data } else { nil }
    }
    self.init(
      key: RowKey(entity: entity.number, pk: row.int64(1)), kind: kind, state: state, time: row.double(12) ?? 0)
    (uid, name, request, body, sent) = (row.text(2), row.text(5), row.text(6), data(7), row.text(8))
    (idempotencyKey, attempts) = (row.text(9), Int(clamping: row.int64(10)))
    (next, edited) = (row.double(11), row.int64(13))
    (status, reason, answer, kept) = (
      row.optionalInt64(14).map { Int(clamping: $0) }, row.text(15), data(16), row.text(17)
    )
    number = row.int64(18)
    if kind == .update, state == .waiting, request == nil, body == nil, sent != nil {
      ownProperties = Self.properties(in: sent).compactMap(entity.index(of:)).reduce(into: ColumnMask()) {
        $0.insert($1)
      }
    }
  }
}
