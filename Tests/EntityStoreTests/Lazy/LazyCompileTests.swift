import Foundation
import Testing

/// The table of `LargeValues.md` says what compiles of queries with a lazy property. The compiler says the same.
struct LazyCompileTests {
  private static let entity =
    Compiler.entity(
      "Etching",
      [
        "uid": "Int", "scan": "LazyValue<Data?>", "commentary": "LazyValue<String>", "title": "String",
        "thumbnail": "Data?", "note": "String?",
      ]) + """
      func queries(_ context: EntityContext) throws {

      """

  /// The expressions of the table's rows, by the first word of the second column.
  private static func expressions(_ word: String) throws -> [String] {
    let article = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/EntityStore/EntityStore.docc/LargeValues.md")
    let rows = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    return rows.map { $0.split(separator: " | ") }.filter { $0.count == 2 && $0[1].hasPrefix(word) }.flatMap { row in
      // Text and code by turns.
      row[0].split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
        String($0.element)
      }
    }
  }

  /// The same expression with plain properties. A property that is `nil` is an optional one.
  private static func plain(_ expression: String) -> String {
    expression.replacing("$0.commentary == nil", with: "$0.note == nil").replacing("commentary", with: "title")
      .replacing("scan", with: "thumbnail")
  }

  @Test func `the compiler takes what the article says that it takes`() async throws {
    let expressions = try Self.expressions("yes")
    #expect(expressions.count == 8)
    let code = expressions.map { "_ = \($0)\n" }.joined()
    guard let result = try await Compiler.check(Self.entity + code + "}", main: "") else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func `the compiler refuses what the article says that it refuses`() async throws {
    let expressions = try Self.expressions("no")
    #expect(expressions.count == 11)
    let code = expressions.map { "_ = \($0)\n" }.joined()
    guard let result = try await Compiler.check(Self.entity + code + "}", main: "") else { return }
    // The source has as many lines before the first expression as there are before it in all.
    let first = (Compiler.prelude + Self.entity).filter { $0 == "\n" }.count + 3
    let lines = Set(
      result.output.split(separator: "\n").filter { $0.contains("error:") }.compactMap { line in
        line.split(separator: "snippet.swift:").last?.split(separator: ":").first.flatMap { Int($0) }
      })
    for (number, expression) in expressions.enumerated() where !lines.contains(first + number) {
      Issue.record("compiles, but must not: \(expression)\n\(result.output)")
    }
  }

  /// Nothing but the marker keeps them from compiling.
  @Test func `the same expressions compile for plain properties`() async throws {
    let expressions = try Self.expressions("no").map(Self.plain)
    #expect(expressions.allSatisfy { !$0.contains("scan") && !$0.contains("commentary") })
    let code = expressions.map { "_ = \($0)\n" }.joined()
    guard let result = try await Compiler.check(Self.entity + code + "}", main: "") else { return }
    #expect(result.status == 0, "\(result.output)")
  }
}
