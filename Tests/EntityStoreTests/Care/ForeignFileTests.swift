import CSQLite
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Files that anybody may have made, and SQL that anybody may have written.
struct ForeignFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var location: StoreLocation { .file(folder.file) }

  /// Makes a store with one person, and changes its file by other means.
  private func make(_ statements: String...) async throws {
    let store = try EntityStore(location, entities: Person.world)
    try await store.addPerson(1, "Ada", age: 36)
    try await store.close()
    let raw = try RawConnection(folder.file.path, vfs: nil)
    for sql in statements { try raw.run(sql) }
    try raw.close()
  }

  private func error(_ body: () throws -> Void) throws -> StoreError {
    try #require(throws: StoreError.self, performing: body)
  }

  // MARK: The opening

  /// One call of a function that takes minutes.
  private static let endless = "instr(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b')"

  @Test(arguments: [
    "ALTER TABLE Person ADD COLUMN evil AS (\(endless))",
    "DROP TABLE _entity_store; CREATE TABLE _entity_store (key TEXT, value AS (length(key))); "
      + "INSERT INTO _entity_store VALUES ('format')",
    "CREATE TABLE \"a\"\"b\" (x, y GENERATED ALWAYS AS (x + 1) STORED)",
  ])
  func `a file whose columns run expressions is refused`(_ sql: String) async throws {
    try await make(sql)
    let error = try error { _ = try StoreFileReader(location) }
    #expect(error.kind == .notAStore)
    #expect(error.message.contains("generated columns"))
  }

  @Test func `a schema that takes long is not read to the end`() async throws {
    try await make(
      "CREATE TABLE copy AS SELECT * FROM _entity_store", "DROP TABLE _entity_store",
      "CREATE TABLE _entity_store (key TEXT, value)",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) "
        + "INSERT INTO _entity_store SELECT 'none', i FROM n", "INSERT INTO _entity_store SELECT key, value FROM copy")
    #expect(throws: Never.self) { try StoreFileReader(location) }
    let error = try error { _ = try StoreFileReader(location, within: .zero) }
    #expect(error.kind == .corrupt)
    #expect(error.message.contains("within"))
  }

  @Test func `a check of the file runs no expression of the file`() async throws {
    try await make(
      "PRAGMA ignore_check_constraints = ON", "CREATE TABLE evil (x CHECK (x > 1))", "INSERT INTO evil VALUES (1)")
    #expect(try StoreFileReader(location).damage(within: .seconds(60)) == [])
  }

  // MARK: Queries

  @Test func `values that are too long together, or by themselves, are not taken into memory`() async throws {
    try await make()
    let reader = try StoreFileReader(location)
    let columns = Array(repeating: "zeroblob(1000000)", count: 50).joined(separator: ", ")
    let rows = try reader.query("SELECT \(columns)").rows
    #expect(rows.cut == .bytes && rows.rows.isEmpty)
    #expect(try reader.query("SELECT 1, 'a', zeroblob(1000000), NULL").rows.rows.count == 1)
    let sql = "WITH n(i) AS (VALUES (1), (5000000)) SELECT hex(zeroblob(i)) FROM n"
    let long = try reader.query(sql).rows
    #expect(long.cut == .bytes && long.rows == [[.text("00")]])
  }

  @Test(arguments: ["SELECT 1; -- why", "SELECT 1 /* why */", "SELECT 1; ; /* why */ ;", " SELECT 1 "])
  func `a comment behind a statement is no second statement`(_ sql: String) async throws {
    try await make()
    #expect(try StoreFileReader(location).query(sql).rows.rows == [[.integer(1)]])
  }

  @Test(arguments: [
    "SELECT 1; SELECT 2", "SELECT 1; -- why\n DELETE FROM Person", "SELECT 1; nonsense", "EXPLAIN SELECT 1",
  ])
  func `a second statement and a plan are refused`(_ sql: String) async throws {
    try await make()
    let reader = try StoreFileReader(location)
    #expect(try error { _ = try reader.query(sql) }.kind == .invalidQuery)
  }

  @Test func `the check of a statement leaves the guard on`() async throws {
    try await make()
    let connection = try Connection(location, opening: .reading, busyTimeout: .seconds(1), log: nil)
    try connection.distrust(ReadGuard())
    #expect(try connection.prepareReading("SELECT 1", values: 0).step())
    #expect(throws: StoreError.self) { try connection.execute("PRAGMA query_only = OFF") }
    #expect(throws: StoreError.self) { try connection.execute("ATTACH ':memory:' AS other") }
  }
}
