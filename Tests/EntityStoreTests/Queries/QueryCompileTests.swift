import TestSupport
import Testing

/// Queries that the compiler must refuse, with one error that says why.
struct QueryCompileTests {
  static let refused: [(code: String, message: String)] = [
    ("Part.all.grouped { $0.age }.select { $0.sum { $0.name } }", "SQLite adds up"),
    ("Part.all.grouped { $0.age }.select { $0.average { $0.nick } }", "SQLite adds up"),
    ("Part.all.grouped { $0.age }.select { $0.sum { $0.flag } }", "SQLite adds up"),
    ("Part.all.grouped { $0.age }.select { $0.sum { $0.maker } }", "SQLite adds up"),
    ("Part.all.grouped { $0.age }.select { $0.min { $0.data } }", "SQLite has no order of the value"),
    ("Part.all.grouped { $0.age }.select { $0.max { $0.color } }", "SQLite has no order of the value"),
    ("Part.all.sorted { $0.parts }", "cannot convert value of type 'QueryList<Part>'"),
    ("Part.all.sorted { $0.tags }", "SQLite has no order"),
    ("Part.all.sorted(by: \\.maker)", "SQLite has no order"),
    // A group has no columns of one object.
    ("Part.all.grouped { $0.age }.select { $0.name }", "has no member 'name'"),
    // Aggregates are no conditions of rows.
    ("Part.where { $0.count > 3 }", "has no dynamic member 'count'"),
    ("Part.all.or(Thing.all)", "'EntityQuery<Thing>' to expected argument type"),
    ("Part.where { $0.maker.isIn(Thing.all) }", "'EntityQuery<Thing>' to expected argument type"),
    ("Part.where { $0.parts.any(in: Thing.all) }", "'EntityQuery<Thing>' to expected argument type"),
  ]

  @Test(arguments: 0..<refused.count)
  func `a query that means nothing does not compile`(_ number: Int) async throws {
    let (code, message) = Self.refused[number]
    guard let result = try await Compiler.check("", main: "_ = \(code)") else { return }
    #expect(result.status != 0, "compiles, but must not: \(code)")
    #expect(result.output.contains(message), "\(result.output)")
  }

  @Test func `values have the types of their properties`() async throws {
    let result = try await Compiler.check(
      "",
      main: """
        let context = store.main
        let rows: [(String, Int, String?, Double?, Color, Color?, [String])] = try context.fetch(
          Part.all.select { ($0.name, $0.age, $0.nick, $0.score, $0.color, $0.shade, $0.tags) })
        let ids: [(EntityID<Part>, EntityID<Part>?, String?, Int)] = try context.fetch(
          Part.all.select { ($0.entityID, $0.maker, $0.maker.name, $0.parts.count) })
        let names: [String] = try context.fetch(Part.all.select { $0.name }.distinct().limited(to: 3))
        let groups: [(Color, Int, Double?, Int?, String?)] = try context.fetch(
          Part.all.grouped { $0.color }.having { $0.count > 1 }.sorted(.descending) { $0.sum { $0.age } }
            .select { ($0.key, $0.count, $0.average { $0.score }, $0.max { $0.age }, $0.min { $0.nick }) })
        let sum: Int = try context.aggregate(Part.all) { $0.sum(\\.age) }
        let total: Double = try context.aggregate(Part.all) { $0.sum { $0.score } }
        _ = (rows, ids, names, groups, sum, total)
        """)
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  /// The compiler finds the types of groups within the expression that fetches them.
  @Test func `groups need no name of their own`() async throws {
    let result = try await Compiler.check(
      "",
      main: """
        let context = store.main
        let keys = try context.fetch(Part.all.grouped { $0.nick }.having { $0.count > 3 }.select { $0.key })
        let names: [String] = keys.compactMap { $0 }
        let rows = try context.fetch(Part.all.grouped { $0.nick }.having { $0.count > 3 }.select { ($0.key, $0.count) })
        let first: (String?, Int)? = rows.first
        for (nick, count) in try context.fetch(Part.all.grouped { $0.nick }.select { ($0.key, $0.count) }) {
          print(nick ?? "-", count + 1)
        }
        let total = try context.fetch(Part.all.grouped { $0.age }.select { $0.count }).reduce(0, +) + 1
        let counts = try context.fetch(Part.all.grouped { $0.nick }.select { ($0.key, $0.count) }).map { $0.1 + 1 }
        let most = try context.fetch(Part.all.grouped { $0.color }.select { ($0.key, $0.max { $0.age }) }).first?.1 ?? 0
        let sorted = try context.fetch(
          Part.where { $0.flag }.grouped { $0.maker.nick }.having { $0.average { $0.age } > 2 && $0.key != nil }
            .sorted { $0.key }.select { $0.key }.distinct().limited(to: 3)
        ).compactMap { $0?.uppercased() }
        let byTwo = try context.fetch(
          Part.all.grouped { ($0.nick, $0.age) }.having { $0.count > 3 }.sorted(.descending) { $0.count }
            .select { ($0.key.0, $0.key.1, $0.sum { $0.age }) }
        ).map { "\\($0.0 ?? "-") \\($0.1 + $0.2)" }
        let byName = Dictionary(
          uniqueKeysWithValues: try context.fetch(Part.all.grouped { $0.name }.select { ($0.key, $0.count) }))
        let isThere = try context.fetch(Part.all.grouped { $0.name }.select { $0.key }).contains("a")
        let averages = try context.fetch(Part.all.grouped { $0.flag }.select { ($0.key, $0.average { $0.score }) }).count
        _ = (averages, names, first, total, counts, most, sorted, byTwo, byName["a"] ?? 0, isThere)
        """)
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  /// Rows of values leave their unit: they hold no object.
  @Test func `values are sendable`() async throws {
    let result = try await Compiler.check(
      """
      let query = Part.all.select { ($0.name, $0.age) }
      let rows = try await store.read { try $0.fetch(query) }
      Task.detached { print(rows.count, query) }
      """, main: "")
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }
}
