import EntityJSON
import Foundation
import Testing

/// The one SELECT that a person types.
struct SQLTests {
  private func run(_ sql: String, _ test: InspectedStore) throws -> JSONValue {
    let query = try #require(sql.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    return try test.browser.json("sql.json?q=\(query)")
  }

  @Test func `a query has its rows and its plan`() async throws {
    let test = try await InspectedStore()
    let page = try run("SELECT name, age FROM Writer WHERE age > 1 ORDER BY age", test)
    #expect(page["problem"] == nil)
    #expect(page["columns"]?.array?.compactMap(\.string) == ["name", "age"])
    #expect(page["rows[0]"]?.array?.compactMap(\.string) == ["Ada", "31"])
    #expect(page["plan"]?.array?.contains { $0["isScan"]?.bool == true } == true)
    let search = try run("SELECT name FROM Writer WHERE uid = 1;", test)
    #expect(search["plan"]?.array?.contains { $0["isScan"]?.bool == true } == false)
  }

  @Test(
    arguments: [
      "DELETE FROM Writer", "UPDATE Writer SET name = ''", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "BEGIN",
      "COMMIT",
      "ROLLBACK", "ATTACH ':memory:' AS x", "PRAGMA journal_mode = DELETE", "PRAGMA query_only = OFF",
      "PRAGMA page_size",
      "SELECT 1; SELECT 2", "VACUUM INTO '/tmp/x'", "SELECT load_extension('x')", "SELECT * FROM pragma_journal_mode",
      "SELECT ?", "", "nonsense", "DROP TABLE Writer", "REINDEX", "ANALYZE", "SAVEPOINT x", "EXPLAIN SELECT 1",
    ])
  func `anything but one SELECT is refused`(_ sql: String) async throws {
    let test = try await InspectedStore()
    let page = try run(sql, test)
    #expect((page["problem"]?.string ?? "").isEmpty == sql.isEmpty, "\(page)")
    #expect(page["rows"]?.array?.isEmpty == true)
    #expect(try test.browser.json("e/Writer.json")["rows"]?.array?.count == 3)
  }

  @Test func `a query ends after a second, a thousand rows or eight megabytes`() async throws {
    let test = try await InspectedStore()
    let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    let endless = try run("\(count)) SELECT count(*) FROM n", test)
    #expect(endless["cut"]?.string == "time")
    let many = try run("\(count) LIMIT 5000) SELECT i FROM n", test)
    #expect(many["cut"]?.string == "rows" && many["rows"]?.array?.count == 1000)
    let large = try run("\(count) LIMIT 20) SELECT zeroblob(1000000) FROM n", test)
    #expect(large["cut"]?.string == "bytes" && large["rows"]?.array?.count == 8)
    #expect(try run("SELECT zeroblob(500000000)", test)["cut"]?.string == "bytes")
  }
}
