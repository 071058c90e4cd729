import TestSchema
import TestSupport
import Testing

/// Conditions that the compiler must refuse, each with an error that says why.
struct ConditionCompileTests {
  /// Conditions that SQLite has not, or that mean something else in SQLite than in Swift.
  static let refusedQueries: [(query: String, message: String)] = [
    ("$0.name.uppercased() == \"A\"", "'$0.name.ignoringCase == text'"),
    ("$0.nick.lowercased() == \"a\"", "'$0.name.ignoringCase == text'"),
    ("$0.name.localizedStandardContains(\"a\")", "'$0.name.ignoringCaseAndAccents.contains(text)'"),
    ("$0.age.hasPrefix(\"1\")", "a text alone has a beginning"),
    ("$0.color.hasSuffix(\"d\")", "a text alone has an end"),
    ("$0.flag < true", "'<' is unavailable"),
    ("$0.age == \"1\"", "'==' is unavailable"),
    ("$0.age > nil", "'nil' is not compatible with expected argument type 'Int'"),
    ("$0.parts == []", "ask '$0.parts.isEmpty'"), ("$0.parts != []", "ask '$0.parts.isEmpty'"),
    ("$0.parts.first.age > 1", "'$0.parts.any { $0.age > 1 }'"),
    ("$0.parts.last == nil", "'$0.parts.any { $0.age > 1 }'"),
    ("$0.parts.any { $0.age }", "a value is no condition"), ("$0.parts.all { $0.maker }", "a value is no condition"),
    ("$0.maker > 3", "'>' is unavailable"),
    ("$0.maker.nothing == 1", "has no member 'nothing'"),
    ("$0.age", "a value is no condition"), ("$0.nick", "a value is no condition"),
    ("$0.nick && $0.flag", "a value is no condition"), ("$0.flag || $0.age", "a value is no condition"),
    ("!$0.age", "a value is no condition"), ("_ in [1].isEmpty", "a value of Swift is no condition"),
    ("$0.nick ?? \"\" == \"a\"", "'$0.nick == text || $0.nick == nil'"),
    ("$0.data.contains(3)", "a text contains a text of Swift"),
    ("$0.name.contains($0.nick)", "a text contains a text of Swift"),
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
    ("$0.data ▸> $0.data", inNoOrder), ("$0.color ▸< .blue", ofTexts), ("$0.shade ▸>= .red", ofTexts),
    ("$0.tags ▸< [\"a\"]", inNoOrder), ("$0.flag ▸< true && $0.age > 1", inNoOrder),
    ("$0.name ▸== nil", "never nil"), ("$0.color ▸!= nil", "never nil"), ("$0.tags ▸== nil", "never nil"),
    ("$0.age == 1 && $0.name ▸!= nil && $0.nick != nil", "never nil"),
  ]

  private static let ofAnotherType =
    "the column is of another type than the value: unwrap one that is optional, compare an enum with its cases or '$0.kind.rawValue'"
  private static let inNoOrder =
    "the column is of another type than the value, or SQLite has no order of it"

  private static let ofTexts = "an enum of texts has no order that SQLite knows: compare '$0.kind.rawValue'"

  @Test func `a value of another type is a single error at the operator`() async throws {
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

  @Test func `a condition that SQLite cannot evaluate does not compile`() async throws {
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
  }

  /// The forms that the errors name compile, also of optionals.
  @Test func `the right forms compile`() async throws {
    let result = try await Compiler.check(
      Self.rated + """
        let names = ["a"]
        _ = Rated.where { $0.rank > .low && $0.maybeRank <= .high && $0.rank.isIn([.low]) && $0.maybeRank.isIn([.high, nil]) }
        _ = Rated.where { $0.rank.rawValue > 1 && $0.maybeRank.rawValue == nil && $0.maybeFlag && !$0.maybeFlag }
        _ = Rated.where { $0.rights.contains(.first) || $0.maybeRights.contains(.first) || $0.maybeRank.isUnrecognized }
        _ = Rated.where { $0.rank == $0.maybeRank && $0.labels == $0.labels }.sorted(by: \\.maybeRank).sorted { $0.rank }
        _ = Part.where { $0.name.isIn(names) && $0.nick.isEmpty && $0.color.rawValue < "m" && $0.shade.rawValue.hasPrefix("r") }
        _ = Part.where { $0.parts.isEmpty && $0.parts.any { $0.flag } && $0.name.ignoringCase == $0.nick.ignoringCase }
        _ = Part.where { $0.name.ignoringCase.isIn(names) && $0.nick.ignoringCase > "a" && $0.nick.ignoringCase == nil }
        """, main: "")
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }

  private static let rated = """
    enum Rank: Int, CaseIterable, AttributeValue { case low, high }
    struct Rights: OptionSet, AttributeValue { let rawValue: Int; static let first = Rights(rawValue: 1) }

    """
    + Compiler.entity(
      "Rated",
      [
        "rank": "Rank", "maybeRank": "Rank?", "rights": "Rights", "maybeRights": "Rights?", "maybeFlag": "Bool?",
        "labels": "[String]",
      ])

  @Test func `ten terms type check quickly`() async throws {
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
