import TestSupport
import Testing

/// SQL that the compiler must refuse, and the types of the values of SQL.
struct RawSQLCompileTests {
  static let refused: [(code: String, message: String)] = [
    // A text from elsewhere is no SQL, unless somebody says so.
    ("try store.main.fetch(sql: text, as: Int.self)", "'String' to expected argument type 'SQL'"),
    ("Part.where { _ in text }", "a text is no condition"),
    (#"SQL("SELECT \(Part.columns.parts)")"#, "a to-many relationship is no column"),
    (#"SQL("SELECT \((1, 2))")"#, "no exact matches in call to instance method 'appendInterpolation'"),
  ]

  @Test(arguments: 0..<refused.count)
  func `SQL that means nothing does not compile`(_ number: Int) async throws {
    let (code, message) = Self.refused[number]
    guard let result = try await Compiler.check("", main: "let text = \"SELECT 1\"\n_ = (\(code), text)") else {
      return
    }
    #expect(result.status != 0, "compiles, but must not: \(code)")
    #expect(result.output.contains(message), "\(result.output)")
  }

  @Test func `values have the types that are asked for`() async throws {
    let result = try await Compiler.check(
      "",
      main: #"""
        let context = store.main
        let (name, age) = (String?.some("a"), 3)
        let rows: [(String, Int?, Color)] = try context.fetch(
          sql: "SELECT \(Part.columns.name), \(Part.columns.maker), \(Part.columns.color) FROM \(Part.self) WHERE age > \(age) OR name = \(name)",
          as: (String, Int?, Color).self)
        let count: Int? = try context.fetch(sql: "SELECT count(*) FROM \(Part.self)", as: Int.self).first
        let parts: [Part] = try context.fetch(Part.self, sql: "SELECT * FROM \(raw: "Part") WHERE age IN \([1, 2])")
        let query: EntityQuery<Part> = Part.where {
          SQL("\($0.name) GLOB \("a*") AND \($0)._pk IN (\(Part.where { $0.age > age }))") && $0.age < 9
        }
        for (name, age) in try context.fetch(sql: "SELECT name, age FROM \(Part.self)", as: (String, Int).self) {
          print(name.count + age)
        }
        _ = (rows, count, parts, query, SQL("\(Color.red) \(parts[0]) \(parts[0].entityID)"))
        """#)
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  /// Values of SQL leave their unit: they hold no object.
  @Test func `SQL and its values are sendable`() async throws {
    let result = try await Compiler.check(
      #"""
      let sql: SQL = "SELECT name, age FROM \(Part.self)"
      let rows = try await store.read { try $0.fetch(sql: sql, as: (String, Int).self) }
      let plan = try await store.read { try $0.explain(sql: sql) }
      Task.detached { print(rows.count, sql, plan) }
      """#, main: "")
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }
}
