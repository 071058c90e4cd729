import CSQLite
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Random batches and a plain model, in a table with unique values and an index of full-text search.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
struct RandomizedRowBatchTests {
  @Test func `a batch is found, inserted and updated as its single rows are`() async {
    await Seeds.each(60, sanitized: 4, "") { seed, _ in
      var run = try BatchRun(seed)
      defer { run.connection.close() }
      for _ in 0..<12 {
        try run.connection.execute("BEGIN")
        try run.writeBatch()
        try run.connection.execute("COMMIT")
        try run.check()
      }
    }
  }
}

/// The rows of one seed, in SQLite and in the model.
private struct BatchRun {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  private struct Row {
    var isEdited = false
    let isPlaceholder: Bool
    /// uid, code, name, score and data.
    var values: [StoredValue]
  }

  private static let columns = ["uid", "code", "name", "score", "data"]
  private static let words = ["ann", "bob", "cat", "dog", "emu"]
  private static let search = SearchModel(
    entity: "t", columns: ["code", "name"], mask: ColumnMask(), tokenizer: .unicode)

  let connection: Connection
  private var random: SeededRandom
  private var model: [Int64: Row] = [:]
  private var lastPK: Int64 = 0

  init(_ seed: UInt64) throws {
    random = SeededRandom(seed)
    connection = try Connection.inMemory()
    let table = """
      CREATE TABLE t (
        _pk INTEGER PRIMARY KEY, _edited TEXT, _placeholder INTEGER NOT NULL DEFAULT 0, uid INTEGER NOT NULL UNIQUE,
        code TEXT UNIQUE, name TEXT, score REAL, data BLOB)
      """
    for sql in [table] + Self.search.ddl(Self.search.name, of: "t") { try connection.execute(sql) }
  }

  mutating func writeBatch() throws {
    var uids = (0..<30).map { Int64($0) }
    uids.shuffle(using: &random)
    let rows = uids.prefix(random.below(16)).map { row($0) }
    let batch = CellBatch(rows)
    try find(rows, batch)
    var new = rows.indices.filter { !batch.state($0).contains(.found) }
    new.shuffle(using: &random)
    try insert(new, rows, batch)
    // The rows that differ in the same columns go together.
    let found = rows.indices.filter { batch.state($0).contains(.found) }
    for (mask, alike) in Dictionary(grouping: found, by: batch.differing).sorted(by: {
      $0.key.lexicographicallyPrecedes($1.key)
    })
    where !mask.isEmpty {
      try update(alike.shuffled(using: &random), mask, rows, batch)
    }
    for pk in model.keys.sorted() where random.chance(8) {
      try connection.execute("UPDATE t SET _edited = 'x' WHERE _pk = \(pk)")
      model[pk]?.isEdited = true
    }
  }

  private mutating func row(_ uid: Int64) -> [CellBatch.Cell] {
    let rare: [CellBatch.Cell] = [.absent, .open, .null]
    func cell(_ random: inout SeededRandom, _ make: (inout SeededRandom) -> CellBatch.Cell) -> CellBatch.Cell {
      random.chance(3) ? rare[random.below(3)] : make(&random)
    }
    let name = (0..<random.below(4)).map { _ in Self.words[random.below(Self.words.count)] }.joined(separator: " ")
    return [
      .integer(uid), cell(&random) { .text("\($0.below(40))") },
      cell(&random) { $0.chance(2) ? .source(name) : .text(name) },
      cell(&random) { .real([0, 0.1, -1, 1e300, .infinity][$0.below(5)]) },
      cell(&random) { .blob(Array(repeating: 0, count: $0.below(3))) },
    ]
  }

  private func find(_ rows: [[CellBatch.Cell]], _ batch: CellBatch) throws {
    let values = Self.columns.map { "t.\($0)" }.joined(separator: ", ")
    let result = connection.run(
      """
      SELECT 1 FROM _entity_batch(?1) v CROSS JOIN t ON t.uid = v.c0
      WHERE _entity_take(?1, v.n, t._pk, t._edited, t._placeholder, \(values))
      """, batch)
    if let error = result.error { throw error }
    for (row, cells) in rows.enumerated() {
      let stored = model.first { $0.value.values[0] == cells[0].stored }
      guard let (pk, old) = stored else {
        guard batch.state(row) == [] else { throw Difference(description: "a row that there is not is found") }
        continue
      }
      var state = CellBatch.State.found
      if old.isEdited { state.insert(.edited) }
      if old.isPlaceholder { state.insert(.placeholder) }
      let differing = cells.indices.filter {
        ![.absent, .open].contains(cells[$0]) && cells[$0].stored != old.values[$0]
      }
      guard batch.pks[row] == pk, batch.state(row) == state, batch.differing(row) == differing else {
        throw Difference(description: "row \(pk) is found as \(batch.state(row)), with other \(batch.differing(row))")
      }
    }
  }

  /// Inserts all but the rows whose code another row has: the statement stops at each of these.
  private mutating func insert(_ new: [Int], _ rows: [[CellBatch.Cell]], _ batch: CellBatch) throws {
    for row in new {
      lastPK += 1
      batch.pks[row] = lastPK
      if random.chance(4) { batch.setPlaceholder(row) }
    }
    var left = new[...]
    while !left.isEmpty {
      batch.read(left)
      let sql = """
        INSERT OR FAIL INTO t (_pk, _placeholder, \(Self.columns.joined(separator: ", ")))
        SELECT pk, placeholder, c0, c1, c2, c3, c4 FROM _entity_batch(?1)
        """
      let result = connection.run(sql, batch)
      let written = try Self.check(result, left, on: connection) { row in
        guard isFree(rows[row][1].stored, for: batch.pks[row]) else { return false }
        let isPlaceholder = batch.state(row).contains(.placeholder)
        model[batch.pks[row]] = Row(isPlaceholder: isPlaceholder, values: rows[row].map(\.stored))
        return true
      }
      left = left.dropFirst(written + 1)
    }
  }

  /// SQLite updates in the order of the row ids, and not in that of the batch.
  private mutating func update(_ found: [Int], _ mask: [Int], _ rows: [[CellBatch.Cell]], _ batch: CellBatch) throws {
    var left = found.sorted { batch.pks[$0] < batch.pks[$1] }[...]
    while !left.isEmpty {
      batch.read(left.shuffled(using: &random))
      let sets = mask.map { "\(Self.columns[$0]) = v.c\($0)" }.joined(separator: ", ")
      let result = connection.run("UPDATE OR FAIL t SET \(sets) FROM _entity_batch(?1) v WHERE t._pk = v.pk", batch)
      let written = try Self.check(result, left, on: connection) { row in
        let pk = batch.pks[row]
        guard !mask.contains(1) || isFree(rows[row][1].stored, for: pk) else { return false }
        for column in mask { model[pk]?.values[column] = rows[row][column].stored }
        return true
      }
      left = left.dropFirst(written + 1)
    }
  }

  /// Compares a run with the model, in which `write` writes a row where the row can be written.
  ///
  /// - Returns: How many rows were written before the first that can't be.
  private static func check(
    _ result: (rows: [[StoredValue]], changes: Int, error: RawSQLError?), _ rows: ArraySlice<Int>,
    on connection: Connection, _ write: (Int) -> Bool
  ) throws -> Int {
    let written = rows.firstIndex { !write($0) }.map { $0 - rows.startIndex }
    guard result.changes == written ?? rows.count else {
      throw Difference(description: "\(result.changes) rows are written, not \(written ?? rows.count)")
    }
    guard result.error.map({ $0.code & 0xFF == SQLITE_CONSTRAINT }) ?? (written == nil) else {
      throw Difference(description: "ends with \(String(describing: result.error))")
    }
    guard sqlite3_get_autocommit(connection.handle) == 0 else {
      throw Difference(description: "no transaction is left")
    }
    return written ?? rows.count
  }

  private func isFree(_ code: StoredValue, for pk: Int64) -> Bool {
    code.isNull || !model.contains { $0.key != pk && $0.value.values[1] == code }
  }

  func check() throws {
    let all = connection.run("SELECT _pk, \(Self.columns.joined(separator: ", ")) FROM t ORDER BY _pk", nil).rows
    let expected = model.sorted { $0.key < $1.key }.map { [.integer($0.key)] + $0.value.values }
    guard all == expected else { throw Difference(description: "\(all)\n\(expected)") }
    let index = Self.search.name.quoted
    for word in Self.words {
      let found = connection.run("SELECT rowid FROM \(index) WHERE \(index) MATCH 'name:\(word)' ORDER BY rowid", nil)
      let holders = model.filter {
        if case .text(let name) = $0.value.values[2] { name.contains(word) } else { false }
      }
      guard found.error == nil, found.rows == holders.keys.sorted().map({ [.integer($0)] }) else {
        throw Difference(description: "the search finds \(found)")
      }
    }
    try connection.execute("INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
  }
}
