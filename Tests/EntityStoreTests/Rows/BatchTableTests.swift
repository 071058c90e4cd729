import CSQLite
import Foundation
import Testing

@testable import EntityStore

/// The statements that find, insert and update the rows of a batch.
struct BatchTableTests {
  private static let find = """
    SELECT 1 FROM _entity_batch(?1) v CROSS JOIN t ON t.uid = v.c0
    WHERE _entity_take(?1, v.n, t._pk, t._edited, t._placeholder, t.uid, t.name, t.score, t.data, t.link)
    """
  private static let insert = """
    INSERT OR FAIL INTO t (_pk, _placeholder, uid, name, score, data, link)
    SELECT pk, placeholder, c0, c1, c2, c3, c4 FROM _entity_batch(?1)
    """
  private static let update =
    "UPDATE OR FAIL t SET name = v.c1, score = v.c2 FROM _entity_batch(?1) v WHERE t._pk = v.pk"
  private static let all = "SELECT _pk, _edited, _placeholder, uid, name, score, data, link FROM t ORDER BY _pk"

  private static func connection() throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (
        _pk INTEGER PRIMARY KEY, _edited TEXT, _placeholder INTEGER NOT NULL DEFAULT 0, uid INTEGER NOT NULL, name TEXT,
        score REAL, data BLOB, link INTEGER)
      """)
    try connection.execute("CREATE UNIQUE INDEX \"t,uid\" ON t (uid)")
    return connection
  }

  private static func plan(_ sql: String, _ connection: Connection) -> [StoredValue] {
    let plan = connection.run("EXPLAIN QUERY PLAN \(sql)", nil)
    #expect(plan.error == nil)
    return plan.rows.map { $0[3] }
  }

  @Test func `the batch is the outer loop and the table is found by an index`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    let outer = "SCAN v VIRTUAL TABLE INDEX 0:"
    #expect(Self.plan(Self.find, connection) == [.text(outer), .text("SEARCH t USING INDEX t,uid (uid=?)")])
    let byPK = Self.find.replacing("t.uid = v.c0", with: "t._pk = v.pk")
    let search = StoredValue.text("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)")
    #expect(Self.plan(byPK, connection) == [.text(outer), search])
    #expect(Self.plan(Self.update, connection) == [.text(outer), search])
    #expect(Self.plan(Self.insert, connection) == [.text("SCAN _entity_batch VIRTUAL TABLE INDEX 0:")])
  }

  @Test func `a batch is inserted, found and updated`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    let new = CellBatch([
      [.integer(1), .source("Ann\0"), .real(0.5), .blob([0, 1]), .null],
      [.integer(2), .text(""), .null, .blob([]), .integer(7)],
      [.integer(3), .null, .absent, .open, .null],
    ])
    for row in 0..<3 { new.pks[row] = Int64(10 + row) }
    new.setPlaceholder(2)
    // A row that is not read is not written.
    new.read([2, 0])
    var result = connection.run(Self.insert, new)
    #expect(result.error == nil && result.changes == 2)
    new.read([1])
    result = connection.run(Self.insert, new)
    #expect(result.error == nil && result.changes == 1)
    let first: [StoredValue] = [
      .integer(10), .null, .integer(0), .integer(1), .text("Ann\0"), .real(0.5), .blob(Data([0, 1])), .null,
    ]
    let second: [StoredValue] = [
      .integer(11), .null, .integer(0), .integer(2), .text(""), .null, .blob(Data()), .integer(7),
    ]
    let third: [StoredValue] = [.integer(12), .null, .integer(1), .integer(3), .null, .null, .null, .null]
    #expect(connection.run(Self.all, nil).rows == [first, second, third])

    try connection.execute("UPDATE t SET _edited = '1' WHERE _pk = 11")
    let next = CellBatch(
      [
        [.integer(4), .text("new"), .null, .null, .null],
        [.integer(2), .source(""), .real(1), .absent, .integer(8)],
        [.integer(1), .text("Ann"), .real(0.5), .blob([0, 1]), .open],
        [.integer(3), .null, .integer(0), .null, .null],
      ], compared: [0, 1, 2, 3], linking: [4])
    result = connection.run(Self.find, next)
    #expect(result.error == nil && result.rows == [])
    #expect((0..<4).map { next.state($0) } == [[], [.found, .edited], .found, [.found, .placeholder]])
    #expect((1..<4).map { next.pks[$0] } == [11, 10, 12])
    #expect((1..<4).map { next.differing($0) } == [[2], [1], [2]])
    #expect((0..<4).map { next.link($0, 4) } == [-1, 7, 0, 0])

    next.read([1, 2])
    result = connection.run(Self.update, next)
    #expect(result.error == nil && result.changes == 2)
    let changed: [[StoredValue]] = [[.text("Ann"), .real(0.5)], [.text(""), .real(1)], [.null, .null]]
    #expect(connection.run("SELECT name, score FROM t ORDER BY _pk", nil).rows == changed)
  }

  /// A blob with the same bytes is another value, and so is a real that is a whole number.
  @Test func `values of other types differ`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    try connection.execute("CREATE TABLE u (_pk INTEGER PRIMARY KEY, a)")
    let cells: [CellBatch.Cell] = [
      .null, .integer(1), .integer(.min), .real(1), .real(-.infinity), .text(""), .text("1"), .source("1\0"),
      .blob([]), .blob([0x31]), .blob([0x31, 0]),
    ]
    let rows = CellBatch(cells.map { [$0] })
    for row in cells.indices { rows.pks[row] = Int64(row) }
    #expect(connection.run("INSERT INTO u SELECT pk, c0 FROM _entity_batch(?1)", rows).error == nil)
    for (stored, _) in cells.enumerated() {
      let sql = "SELECT _entity_take(?1, v.n, u._pk, NULL, 0, u.a) FROM _entity_batch(?1) v, u WHERE u._pk = \(stored)"
      #expect(connection.run(sql, rows).error == nil)
      for row in cells.indices { #expect(rows.differing(row) == (row == stored ? [] : [0])) }
    }
  }

  /// An array without elements has no address, which SQLite reads as NULL.
  @Test func `an empty text is no NULL where the batch has no bytes`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    let batch = CellBatch([[.text(""), .source(""), .blob([])]])
    #expect(batch.batch.pointee.source == nil && batch.batch.pointee.arena == nil)
    let row: [StoredValue] = [.text(""), .text(""), .blob(Data())]
    #expect(connection.run("SELECT c0, c1, c2 FROM _entity_batch(?1)", batch).rows == [row])
    #expect(connection.run("SELECT _entity_take(?1, 0, 1, NULL, 0, '', NULL, x'')", batch).error == nil)
    #expect(batch.differing(0) == [1])
  }

  @Test func `a batch has a hundred and twenty columns`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    let cells = (0..<120).map { CellBatch.Cell.integer(Int64($0)) }
    let batch = CellBatch([cells], linking: [0, 63, 64, 119])
    let columns = (0..<120).map { "c\($0)" }.joined(separator: ", ")
    #expect(connection.run("SELECT \(columns) FROM _entity_batch(?1)", batch).rows == [cells.map(\.stored)])
    let values = (0..<120).map { [0, 63, 64, 119].contains($0) ? "-\($0)" : "\($0)" }.joined(separator: ", ")
    #expect(connection.run("SELECT _entity_take(?1, 0, 5, NULL, 0, \(values))", batch).error == nil)
    #expect(batch.pks[0] == 5 && batch.differing(0) == [63, 64, 119])
    #expect([0, 1, 63, 64, 119].map { batch.link(0, $0) } == [0, -1, -63, -64, -119])
  }

  @Test func `a broken batch ends the statement with an error`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    let read = "SELECT c0, c1 FROM _entity_batch(?1)"
    func take(_ arguments: String) -> String { "SELECT _entity_take(\(arguments))" }
    func message(_ sql: String, _ batch: CellBatch?) -> String? { connection.run(sql, batch).error?.message }
    let batch = CellBatch([[.integer(1), .source("ab")], [.integer(2), .blob([1, 2, 3])]])

    #expect(message(read, nil) == "not a batch of rows")
    #expect(message("SELECT * FROM _entity_batch(1)", nil) == "not a batch of rows")
    #expect(message("SELECT * FROM _entity_batch", nil) == "no query solution")
    #expect(message(take("NULL, 0, 1, NULL, 0, 1, 2"), nil) == "not a batch of rows")
    #expect(message(take(""), nil) == "not a batch of rows")
    #expect(message(take("?1, 0, 1, NULL"), batch) == "not a batch of rows")
    #expect(message(take("?1, 0, 1, NULL, 0, 1"), batch) == "1 values for a batch of 2 columns")
    #expect(message(take("?1, 0, 1, NULL, 0, 1, 2, 3"), batch) == "3 values for a batch of 2 columns")
    #expect(message(take("?1, 2, 1, NULL, 0, 1, 2"), batch) == "a batch has no row 2")
    #expect(message(take("?1, -1, 1, NULL, 0, 1, 2"), batch) == "a batch has no row -1")
    #expect(message(take("?1, NULL, 1, NULL, 0, 1, 2"), batch) == "a batch has no row 0")
    #expect(message(take("?1, 0, NULL, NULL, 0, 1, 2"), batch) == "a row without a row id")
    #expect(message("SELECT c2 FROM _entity_batch(?1)", batch) == "a batch has no column c2")
    batch.read([1, 2])
    #expect(message(read, batch) == "a batch has no row 2")
    batch.read([0, 1])
    #expect(message(read, batch) == nil && message(take("?1, 1, 1, NULL, 0, 1, 2"), batch) == nil)

    let broken = "c1 of row 1 of a batch has no such kind, or bytes that the batch lacks"
    for (kind, length, place) in [
      (ENTITY_CELL_SOURCE_TEXT, 1, 2), (ENTITY_CELL_SOURCE_TEXT, 3, 0), (ENTITY_CELL_TEXT, 0, 4),
      (ENTITY_CELL_TEXT, 4, 0), (ENTITY_CELL_BLOB, 1, -1), (ENTITY_CELL_BLOB, 1, .max), (8, 0, 0), (-1, 0, 0),
    ] as [(Int32, UInt32, Int64)] {
      batch.cells[3] = entity_cell(kind: UInt32(bitPattern: kind), length: length, bits: place)
      #expect(message(read, batch) == broken)
      #expect(message(take("?1, 1, 1, NULL, 0, 1, 'ab'"), batch) == broken)
    }
  }

  /// A schema that another program wrote can't have the store read memory.
  @Test func `no view and no trigger reads a batch`() throws {
    let connection = try Self.connection()
    defer { connection.close() }
    try connection.execute("CREATE VIEW rows AS SELECT * FROM _entity_batch(1)")
    try connection.execute("CREATE VIEW taken AS SELECT _entity_take(1) AS x")
    let rows = connection.run("SELECT * FROM rows", nil).error
    let taken = connection.run("SELECT x FROM taken", nil).error
    #expect(rows?.message == "unsafe use of virtual table \"_entity_batch\"")
    #expect(taken?.message == "unsafe use of _entity_take()")
  }
}
