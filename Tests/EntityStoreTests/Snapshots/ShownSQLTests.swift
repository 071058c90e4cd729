import Foundation
import Testing

/// The documentation of each public function of queries shows its SQL, which `SQLSnapshotTests` then compares. Of the
/// subscripts of a type that give the same type, one shows it: they differ in whether a property is optional.
struct ShownSQLTests {
  /// Those that show none, with the reason.
  private static let others: [String: String] = [
    "EntityIndex.index": "its SQL is of the schema, in the comment of its example",
    "EntityIndex.unique": "its SQL is of the schema",
    "PageCursor.encode": "it runs no SQL",
    "EntityContext.snapshots": "it runs that of a fetch",
    "EntityStore.evictExpired": "its queries name objects that stay",
    "EntityStore.evict": "its queries name objects that stay",
    "SearchPattern.allWords": "it makes a value for MATCH",
    "SearchPattern.anyWord": "it makes a value for MATCH",
    "SearchPattern.phrase": "it makes a value for MATCH",
    "SearchPattern.fts5": "it makes a value for MATCH",
    "PrefetchPath.subscript -> PrefetchPath": "it names a relationship for prefetching, which shows its SQL",
  ]

  private static func functions() throws -> [PublicFunction] {
    let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/EntityStore").standardized
    func functions(_ folder: String) throws -> [PublicFunction] {
      let files = try FileManager.default.subpathsOfDirectory(atPath: sources.appending(path: folder).path)
        .sorted().map { sources.appending(path: "\(folder)/\($0)") }
      return try files.filter { $0.pathExtension == "swift" }.flatMap {
        PublicFunction.all(in: try String(contentsOf: $0, encoding: .utf8), $0.lastPathComponent)
      }
    }
    // In contexts, those that run a query. The SQL of the files that are left out is an app's own.
    let running = try functions("Objects").filter {
      $0.text.contains("EntityQuery<") || $0.text.contains("ValueQuery<")
    }
    return try (functions("Queries") + running).filter {
      !["SQL.swift", "QueryPlan.swift", "EntityContext+SQL.swift"].contains($0.file) && $0.isAvailable
        // A name that begins so is for the package's own use.
        && !$0.name.hasPrefix("_")
    }
  }

  @Test func `each function of queries shows its SQL`() throws {
    let functions = try Self.functions()
    #expect(functions.count > 110)
    #expect(functions.filter(\.isSubscript).count > 20)
    let shown = Set(functions.filter { $0.isSubscript && $0.showsSQL }.map(\.fullName))
    let silent = functions.filter { !$0.showsSQL && !shown.contains($0.fullName) }
    for function in silent where Self.others[function.fullName] == nil {
      Issue.record("\(function.file):\(function.line): \(function.fullName) shows no SQL: \(function.text)")
    }
    let names = Set(silent.map(\.fullName))
    for name in Self.others.keys where !names.contains(name) { Issue.record("\(name) is none, or shows its SQL") }
  }

  @Test func `a declaration is read with its name and its comment`() {
    let text = """
      extension A {
        /// One.
        /// // SELECT 1
        public func one<E: B>(_ a: E, by b: (Int, Int) -> C, d: [Int: Int] = [:]) -> Int { 1 }
        /// Two.
        public var two: Int { 1 }

        @available(
          *, unavailable, message: "three"
        )
        public static func three(_ a: Int) {}
        /// // SELECT 4
        public static func <= (
          left: Self, right: Self
        ) -> Bool { true }
        public init() {}
      }

      public struct B<E: C> {
        enum D {
          public subscript<F>(_ key: (F) -> Int) -> G<F?> { 5 }
        }
        public subscript(
          key: Int
        ) -> Int { 6 }
      }
      """
    let functions = PublicFunction.all(in: text, "A.swift")
    #expect(
      functions.map(\.fullName)
        == ["A.one", "A.two", "A.three", "A.<=", "B.D.subscript -> G", "B.subscript -> Int"])
    #expect(functions.map(\.showsSQL) == [true, false, false, true, false, false])
    #expect(functions.map(\.isAvailable) == [true, true, false, true, true, true])
    #expect(functions.map(\.isSubscript) == [false, false, false, false, true, true])
  }
}
