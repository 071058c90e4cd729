import TestSupport
import Testing

/// Conditions that the compiler must refuse, each with an error that says why.
struct ConditionCompileTests {
  /// Conditions that SQLite has not, or that mean something else in SQLite than in Swift.
  static let refusedQueries: [(query: String, message: String)] = [
    ("$0.name.uppercased() == \"A\"", "has no member 'uppercased'"),
    ("$0.age.hasPrefix(\"1\")", "has no member 'hasPrefix'"),
    ("$0.flag < true", "'<' is unavailable"),
    ("$0.age == \"1\"", "'==' is unavailable"),
    ("$0.age > nil", "binary operator '>' cannot be applied"),
    ("$0.parts == []", "requires that 'QueryList<Part>' conform to 'QueryOperand'"),
    ("$0.parts.first.age > 1", "could not be inferred"),
    ("$0.parts.any { $0.age }", "conform to 'QueryCondition'"),
    ("$0.maker > 3", "'>' is unavailable"),
    ("$0.maker.nothing == 1", "has no dynamic member 'nothing'"),
    ("$0.age", "conform to 'QueryCondition'"),
    ("$0.nick && $0.flag", "requires the types 'String' and 'Bool' be equivalent"),
    ("$0.nick > 3", "'>' is unavailable"),
    ("$0.data < $0.data", "'<' is unavailable"),
    ("$0.name == $0.age", "'==' is unavailable"),
    ("$0.parts.contains(3)", "no exact matches in call to instance method 'contains'"),
    ("$0.name.isIn(1...3)", "no exact matches in call to instance method 'isIn'"),
    ("$0.flag.isIn(false...true)", "requires that 'Bool' conform to 'Comparable'"),
    ("$0.name.count > 3", "SQLite does not count characters as Swift does"),
    ("$0.nick.count > 3", "SQLite does not count characters as Swift does"),
    ("\"a\".isEmpty || $0.name == \"a\"", "a value of Swift is no condition"),
    ("[1, 2].contains($0.age)", "write '$0.id.isIn(ids)'"), ("[\"a\"].contains($0.nick)", "write '$0.id.isIn(ids)'"),
    ("$0.tags.contains(\"a\")", "make the elements objects of a relationship"),
  ]

  /// Questions that other types answer.
  static let explainedQueries = [
    ("$0.mode.isUnrecognized", "declare it CaseIterable"), ("$0.maybeMode.isUnrecognized", "declare it CaseIterable"),
    ("$0.wide.contains(Wide.first)", "SQLite has no bits of a UInt"),
    ("$0.wide.contains(.first)", "SQLite has no bits of a UInt"),
    ("$0.maybeWide.contains(Wide.first)", "SQLite has no bits of a UInt"),
    ("$0.maybeWide.contains(.first)", "SQLite has no bits of a UInt"),
  ]

  /// Values of another type, with `▸` before the place of the one error, and its words.
  static let mistyped: [(query: String, message: String)] = [
    ("$0.age ▸== \"x\"", ofAnotherType), ("$0.name ▸== 1", ofAnotherType), ("$0.name ▸!= 1", ofAnotherType),
    ("$0.age ▸== Int64(1)", ofAnotherType), ("$0.name ▸== Optional(\"a\")", ofAnotherType),
    ("$0.nick ▸== 1", ofAnotherType), ("$0.name ▸== $0.age", ofAnotherType), ("$0.flag ▸== 1", ofAnotherType),
    ("$0.color ▸== \"red\"", ofAnotherType), ("$0.shade ▸!= \"red\"", ofAnotherType),
    ("$0.maker.age ▸== \"x\"", ofAnotherType), ("$0.maker.shade ▸== \"x\"", ofAnotherType),
    ("$0.maker ▸== 3", ofAnotherType), ("$0.tags ▸== 3", ofAnotherType), ("$0.tags ▸!= [3]", ofAnotherType),
    ("$0.parts.any { $0.age ▸== \"x\" }", ofAnotherType),
    ("$0.age == 1 && $0.name ▸== 3 && $0.flag", ofAnotherType),
    ("$0.age == 1 && $0.name == \"a\" && $0.color ▸== \"red\"", ofAnotherType),
    ("$0.age ▸< \"x\"", inNoOrder), ("$0.nick ▸>= 3", inNoOrder), ("$0.maker.age ▸<= \"x\"", inNoOrder),
    ("$0.data ▸> $0.data", inNoOrder), ("$0.flag ▸< true && $0.age > 1", inNoOrder),
    ("$0.name ▸== nil", "never nil"), ("$0.color ▸!= nil", "never nil"), ("$0.tags ▸== nil", "never nil"),
    ("$0.age == 1 && $0.name ▸!= nil && $0.nick != nil", "never nil"),
  ]

  private static let ofAnotherType = "the column is of another type than the value; unwrap one that is optional"
  private static let inNoOrder =
    "the column is of another type than the value, or SQLite has no order of it; of raw values, it has that of integers"

  @Test func aValueOfAnotherTypeIsOneErrorAtTheOperator() async throws {
    let lines = Self.mistyped.map { "_ = Part.where { \($0.query) }" }
    let code = lines.map { $0.replacing("▸", with: "") }.joined(separator: "\n")
    guard let result = try await Compiler.check(code, main: "") else { return }
    let errors = result.output.split(separator: "\n").filter { $0.contains("snippet.swift:") && $0.contains("error:") }
    try #require(errors.count == lines.count, "\(result.output)")
    for ((line, mistyped), error) in zip(zip(lines, Self.mistyped), errors) {
      let column = (line.split(separator: "▸").first?.count ?? 0) + 1
      #expect(error.contains(":\(column): error:"), "\(line): \(error)")
      #expect(error.contains(mistyped.message), "\(line): \(error)")
    }
  }

  private static let masked = """
    enum Mode: String, AttributeValue { case on, off }
    struct Wide: OptionSet, AttributeValue { let rawValue: UInt64; static let first = Wide(rawValue: 1) }

    """
    + Compiler.entity("Masked", ["mode": "Mode", "maybeMode": "Mode?", "wide": "Wide", "maybeWide": "Wide?"])

  @Test func aConditionThatSQLiteCanNotEvaluateDoesNotCompile() async throws {
    for (query, message) in Self.refusedQueries {
      let result = try await Compiler.check("_ = Part.where { \(query) }", main: "")
      guard let result else { return }
      #expect(result.status != 0, "compiles, but must not: \(query)")
      #expect(result.output.contains(message), "\(query): \(result.output)")
    }
    for (query, message) in Self.explainedQueries {
      let result = try await Compiler.check(Self.masked + "_ = Masked.where { \(query) }", main: "")
      guard let result else { return }
      let errors = result.output.split(separator: "\n").filter { $0.contains("snippet.swift") && $0.contains("error:") }
      #expect(errors.count == 1, "\(query): \(result.output)")
      #expect(errors.first?.contains(message) == true, "\(query): \(result.output)")
    }
    let sort = try await Compiler.check("_ = Part.all.sorted { $0.parts }", main: "")
    #expect(sort.map { $0.status != 0 } ?? true)
  }

  @Test func tenTermsTypeCheckQuickly() async throws {
    // Each expression is checked within a second, on a machine that does other things too.
    let result = try await Compiler.check(
      """
      let low = 3
      let names = ["a", "b"]
      _ = Part.where {
        $0.age > 21 && $0.name == "a" && $0.nick != nil && ($0.score < 2.5 || $0.score == nil) && $0.flag == true
          && $0.maker.name == "b" && !$0.name.hasPrefix("c") && $0.age <= low + 4 && $0.color == .red
          && $0.parts.any { $0.age == 3 && $0.name.isIn(names) } && $0.parts.count > 2
      }
      _ = Part.where {
        $0.flag && $0.age >= -1 || $0.age == 2 && $0.nick == "x" || $0.nick == nil || $0.score >= 1
          || $0.maker.maker.age != 4 || $0.maker == nil || $0.score < $0.maker.score || $0.shade != .blue || $0.shade == nil
      }
      """, main: "", arguments: ["-Xfrontend", "-warn-long-expression-type-checking=1000"])
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
    #expect(!result.output.contains("took"), "\(result.output)")
  }
}
