import Foundation
import TestSupport
import Testing

/// Code that the compiler must refuse: objects that leave their context.
struct CompileTimeTests {
  static let refused: [(name: String, code: String)] = [
    ("returned from background", "_ = try await store.background { context in try context.insert(Thing.self) }"),
    ("list returned from read", "_ = try await store.read { context in try context.fetch(Thing.self) }"),
    (
      "captured variable",
      "var thing: Thing?; try await store.background { thing = try $0.insert(Thing.self) }; _ = thing"
    ),
    (
      "into a detached task",
      "try await store.background { context in let t = try context.insert(Thing.self); Task.detached { _ = t.name } }"
    ),
    (
      "the context itself",
      "try await store.background { context in Task.detached { _ = try context.insert(Thing.self) } }"
    ),
    (
      "from main to background",
      "let thing = try await MainActor.run { try store.main.insert(Thing.self) }; _ = thing"
    ),
    (
      "main's object in background",
      "try await onMain(store)"
    ),
    ("waiting within a unit", "try await store.background { context in try await Task.sleep(for: .seconds(1)) }"),
  ]

  @Test(arguments: 0..<refused.count)
  func objectsDoNotLeaveTheirContext(_ number: Int) async throws {
    let (name, code) = Self.refused[number]
    let misuse = name == "main's object in background"
    let result = try await Compiler.check(
      code,
      main: misuse
        ? "let t = try store.main.insert(Thing.self); try await store.background { _ in t.name = \"x\" }" : "")
    guard let result else { return }
    #expect(result.status != 0, "compiles, but must not: \(name)")
    #expect(
      ["Sendable", "data race", "concurrently-executing", "async"].contains { result.output.contains($0) },
      "\(result.output)")
  }

  @Test func idsAndValuesDo() async throws {
    let result = try await Compiler.check(
      """
      let id = try await store.background { context in try context.insert(Thing.self).entityID }
      let names = try await store.read { context in try context.fetch(Thing.where { $0.name == "x" }).map(\\.name) }
      Task.detached { _ = id }
      _ = try await MainActor.run { try store.main.object(id)?.name }
      try await onMain(store)
      _ = names
      """, main: "let t = try store.main.insert(Thing.self); t.name = \"x\"; try await store.main.save(); _ = t.name")
    guard let result else { return }
    #expect(result.status == 0, "\(result.output)")
  }
}

extension CompileTimeTests {
  /// Conditions that SQLite has not, or that mean something else in SQLite than in Swift.
  static let refusedQueries: [(query: String, message: String)] = [
    ("$0.name.uppercased() == \"A\"", "has no member 'uppercased'"),
    ("$0.name.count > 3", "could not be inferred"),
    ("$0.age.hasPrefix(\"1\")", "has no member 'hasPrefix'"),
    ("$0.flag < true", "'<' is unavailable"),
    ("$0.age == \"1\"", "'==' is unavailable"),
    ("$0.age > nil", "binary operator '>' cannot be applied"),
    ("$0.parts == []", "requires that 'QueryList<Part>' conform to 'QueryOperand'"),
    ("$0.parts.first.age > 1", "could not be inferred"),
    ("$0.parts.any { $0.age }", "requires the types 'Int' and 'Bool' be equivalent"),
    ("$0.maker > 3", "'>' is unavailable"),
    ("$0.maker.nothing == 1", "has no dynamic member 'nothing'"),
    ("$0.age", "requires the types 'Int' and 'Bool' be equivalent"),
    ("$0.nick && $0.flag", "requires the types 'String?' and 'Bool' be equivalent"),
    ("$0.nick > 3", "'>' is unavailable"),
    ("$0.data < $0.data", "'<' is unavailable"),
    ("$0.name == $0.age", "'==' is unavailable"),
    ("$0.parts.contains(3)", "no exact matches in call to instance method 'contains'"),
    ("$0.name.isIn(1...3)", "no exact matches in call to instance method 'isIn'"),
    ("$0.flag.isIn(false...true)", "requires that 'Bool' conform to 'Comparable'"),
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
  private static let inNoOrder = "the column is of another type than the value, or SQLite has no such order of it"

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
    final class Masked: ManagedEntity {
      struct Columns: Sendable {
        let mode = Column<Masked, Mode>(0, "mode")
        let maybeMode = Column<Masked, Mode?>(1, "maybeMode")
        let wide = Column<Masked, Wide>(2, "wide")
        let maybeWide = Column<Masked, Wide?>(3, "maybeWide")
      }
      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = []
      let _$state: ObjectState
      init(_ state: ObjectState) { _$state = state }
      func _$load(_ row: RowReader) {}
      func _$store(into row: inout RowValues) {}
    }

    """

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

/// The compiler's error for a property whose type no property can have: one error, which says what to do.
struct PropertyTypeTests {
  private static let properties: [(type: String, arguments: String, message: String)] = [
    ("(Int, Int)", "", "does not conform to 'AttributeValue'"),
    ("() -> Void", "", "does not conform to 'AttributeValue'"),
    ("Plain?", "", "does not conform to 'AttributeValue'"), ("[Plain]", "", "does not conform to 'AttributeValue'"),
    ("Plain", ", default: Plain()", "does not conform to 'AttributeValue'"),
    ("Unnamed?", "", "does not conform to 'AttributeValue'"),
    ("Untold", ", default: .one", "does not conform to 'AttributeValue'"),
    ("Role", "", "needs a default value"), ("CodedRole", "", "needs a default value"),
    ("Coded", "", "needs a default value"), ("Role", ", uid: true", "a uid is an integer, a String or a UUID"),
    ("Double", ", uid: true", "a uid is an integer, a String or a UUID"),
    ("Date?", ", key: \"id\", uid: true", "a uid is an integer, a String or a UUID"),
    ("URL", ", uid: true, indexed: true", "a uid is an integer, a String or a UUID"),
  ]

  @Test(arguments: 0..<properties.count) func aWrongTypeIsOneError(_ number: Int) async throws {
    let (type, arguments, message) = Self.properties[number]
    guard let result = try await Compiler.check(Self.entity(type, arguments), main: "") else { return }
    let errors = result.output.split(separator: "\n").filter { $0.contains("snippet.swift") && $0.contains("error:") }
    #expect(errors.count == 1, "\(result.output)")
    #expect(errors.first?.contains(message) == true, "\(result.output)")
  }

  @Test(arguments: [
    ("Role", ", default: .admin"), ("Role?", ""), ("CodedRole", ", default: .admin"), ("CodedRole?", ", unique: true"),
    ("Options", ""), ("Options?", ""), ("Node?", ""), ("Set<Int>?", ""), ("[Role.RawValue: Coded]", ""),
    ("Coded", ", default: Coded()"), ("Coded?", ""), ("[Coded]", ""),
    ("[String: [Int]]", ""), ("Set<String>", ""), ("[Date]?", ", default: []"), ("URL", ""),
    ("Decimal?", ", indexed: true"),
    ("Int", ", uid: true"), ("UInt64?", ", uid: true"), ("String", ", key: \"id\", uid: true"),
    ("UUID?", ", uid: true"),
    ("Float", ", default: 1.5"), ("String", ", transformer: Trimmed.self"), ("String?", ", transformer: Trimmed.self"),
    ("Role", ", default: .admin, transformer: Roles.self"), ("Role?", ", transformer: Roles.self"),
    ("Coded", ", default: Coded(), transformer: Codes.self"), ("Coded?", ", key: \"a.b\", transformer: Codes.self"),
  ]) func aRightTypeIsNoError(_ type: String, _ arguments: String) async throws {
    guard let result = try await Compiler.check(Self.entity(type, arguments), main: "") else { return }
    #expect(result.status == 0, "\(result.output)")
    #expect(!result.output.contains("warning:"), "\(result.output)")
  }

  /// Comparisons with another meaning in SQL than in Swift.
  @Test(arguments: [
    ("$0.role < .admin", "in reference to member 'admin'"), ("$0.coded < Coded()", "'<' is unavailable"),
    ("$0.coded.isIn([])", "requires that 'Coded' conform to 'ManagedEntity'"),
    ("$0.url < URL(fileURLWithPath: \"/\")", "'<' is unavailable"), ("$0.role == nil", "never nil"),
  ]) func aComparisonThatSQLCantMakeDoesNotCompile(_ condition: String, _ message: String) async throws {
    let code = """
      \(Self.types)
      final class Subject: ManagedEntity {
        struct Columns: Sendable {
          let role = Column<Subject, Role>(0, "role")
          let coded = Column<Subject, Coded>(1, "coded")
          let url = Column<Subject, URL>(2, "url")
        }
        static let columns: Columns = Columns()
        static let properties: [PropertyDescriptor] = []
        let _$state: ObjectState
        init(_ state: ObjectState) { _$state = state }
        func _$load(_ row: RowReader) {}
        func _$store(into row: inout RowValues) {}
      }
      _ = Subject.where { $0.role == .admin && $0.coded == Coded() && $0.url == URL(fileURLWithPath: "/") }

      """
    guard let right = try await Compiler.check(code, main: "") else { return }
    #expect(right.status == 0, "\(right.output)")
    guard let wrong = try await Compiler.check(code + "_ = Subject.where { \(condition) }", main: "") else { return }
    #expect(wrong.status != 0, "compiles, but must not: \(condition)")
    #expect(wrong.output.contains(message), "\(wrong.output)")
  }

  private static let types = """
    struct Plain {}
    enum Role: String, AttributeValue { case admin, user }
    enum CodedRole: String, Codable, AttributeValue { case admin, user }
    struct Options: OptionSet, AttributeValue { let rawValue: Int }
    class Node: Codable, AttributeValue { var a = 1 }
    struct Unnamed: Codable {}
    enum Untold: String { case one }
    struct Coded: Codable, AttributeValue { var a = 1 }
    enum Trimmed: AttributeTransformer {
      static func value(from text: String) -> String { text }
      static func source(from text: String) -> String { text }
    }
    enum Roles: AttributeTransformer {
      static func value(from text: String) -> Role { .user }
      static func source(from role: Role) -> String { "" }
    }
    enum Codes: AttributeTransformer {
      static func value(from code: Int) -> Coded { Coded(a: code) }
      static func source(from coded: Coded) -> Int { coded.a }
    }
    """

  private static func entity(_ type: String, _ arguments: String) -> String {
    """
    \(types)
    final class Subject: ManagedEntity {
      struct Columns: Sendable { let x = Column<Subject, \(type)>(0, "x") }
      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = [.property(\\Subject.x, columns.x\(arguments))]
      let _$state: ObjectState
      private var _$$x = Slot<\(type)>()
      init(_ state: ObjectState) { _$state = state }
      var x: \(type) {
        get { _get(\\.x, Self.columns.x, _$$x) }
        set { _set(\\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
      }
      func _$load(_ row: RowReader) { _load(row, Self.columns.x) { _$$x = $0 } }
      func _$store(into row: inout RowValues) { _store(&row, Self.columns.x, _$$x) }
    }
    """
  }
}

/// Type-checks snippets against the modules that these tests were built with.
enum Compiler {
  static let prelude = """
    import EntityStore
    import Foundation
    import Observation

    final class Thing: ManagedEntity {
      struct Columns: Sendable { let name = Column<Thing, String>(0, "name") }
      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = [.property(\\Thing.name, columns.name)]
      let _$state: ObjectState
      private var _$$name = Slot<String>()
      init(_ state: ObjectState) { _$state = state }
      var name: String {
        get { _get(\\.name, Self.columns.name, _$$name) }
        set { _set(\\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
      }
      func _$load(_ row: RowReader) { _load(row, Self.columns.name) { _$$name = $0 } }
      func _$store(into row: inout RowValues) { _store(&row, Self.columns.name, _$$name) }
    }

    enum Color: String, AttributeValue { case red, blue }

    final class Part: ManagedEntity {
      struct Columns: Sendable {
        let name = Column<Part, String>(0, "name")
        let age = Column<Part, Int>(1, "age")
        let nick = Column<Part, String?>(2, "nick")
        let score = Column<Part, Double?>(3, "score")
        let flag = Column<Part, Bool>(4, "flag")
        let data = Column<Part, Data>(5, "data")
        let color = Column<Part, Color>(6, "color")
        let shade = Column<Part, Color?>(7, "shade")
        let maker = Column<Part, Part?>(8, "maker")
        let parts = Column<Part, [Part]>(9, "parts")
        let tags = Column<Part, [String]>(10, "tags")
      }

      static let columns: Columns = Columns()
      static let properties: [PropertyDescriptor] = [
        .property(\\Part.name, columns.name),
        .property(\\Part.age, columns.age),
        .property(\\Part.nick, columns.nick),
        .property(\\Part.score, columns.score),
        .property(\\Part.flag, columns.flag),
        .property(\\Part.data, columns.data),
        .property(\\Part.color, columns.color, default: .red),
        .property(\\Part.shade, columns.shade),
        .property(\\Part.maker, columns.maker),
        .property(\\Part.parts, columns.parts),
        .property(\\Part.tags, columns.tags),
      ]

      let _$state: ObjectState

      private var _$$name = Slot<String>()
      private var _$$age = Slot<Int>()
      private var _$$nick = Slot<String?>()
      private var _$$score = Slot<Double?>()
      private var _$$flag = Slot<Bool>()
      private var _$$data = Slot<Data>()
      private var _$$color = Slot<Color>()
      private var _$$shade = Slot<Color?>()
      private var _$$maker = Slot<Part?>()
      private var _$$parts = Slot<[Part]>()
      private var _$$tags = Slot<[String]>()

      init(_ state: ObjectState) { _$state = state }

      var name: String {
        get { _get(\\.name, Self.columns.name, _$$name) }
        set { _set(\\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
      }

      var age: Int {
        get { _get(\\.age, Self.columns.age, _$$age) }
        set { _set(\\.age, Self.columns.age, _$$age, newValue) { _$$age = $0 } }
      }

      var nick: String? {
        get { _get(\\.nick, Self.columns.nick, _$$nick) }
        set { _set(\\.nick, Self.columns.nick, _$$nick, newValue) { _$$nick = $0 } }
      }

      var score: Double? {
        get { _get(\\.score, Self.columns.score, _$$score) }
        set { _set(\\.score, Self.columns.score, _$$score, newValue) { _$$score = $0 } }
      }

      var flag: Bool {
        get { _get(\\.flag, Self.columns.flag, _$$flag) }
        set { _set(\\.flag, Self.columns.flag, _$$flag, newValue) { _$$flag = $0 } }
      }

      var data: Data {
        get { _get(\\.data, Self.columns.data, _$$data) }
        set { _set(\\.data, Self.columns.data, _$$data, newValue) { _$$data = $0 } }
      }

      var color: Color {
        get { _get(\\.color, Self.columns.color, _$$color) }
        set { _set(\\.color, Self.columns.color, _$$color, newValue) { _$$color = $0 } }
      }

      var shade: Color? {
        get { _get(\\.shade, Self.columns.shade, _$$shade) }
        set { _set(\\.shade, Self.columns.shade, _$$shade, newValue) { _$$shade = $0 } }
      }

      var maker: Part? {
        get { _get(\\.maker, Self.columns.maker, _$$maker) }
        set { _set(\\.maker, Self.columns.maker, _$$maker, newValue) { _$$maker = $0 } }
      }

      var parts: [Part] {
        get { _get(\\.parts, Self.columns.parts, _$$parts) }
        set { _set(\\.parts, Self.columns.parts, _$$parts, newValue) { _$$parts = $0 } }
      }

      var tags: [String] {
        get { _get(\\.tags, Self.columns.tags, _$$tags) }
        set { _set(\\.tags, Self.columns.tags, _$$tags, newValue) { _$$tags = $0 } }
      }

      func _$load(_ row: RowReader) {
        _load(row, Self.columns.name) { _$$name = $0 }
        _load(row, Self.columns.age) { _$$age = $0 }
        _load(row, Self.columns.nick) { _$$nick = $0 }
        _load(row, Self.columns.score) { _$$score = $0 }
        _load(row, Self.columns.flag) { _$$flag = $0 }
        _load(row, Self.columns.data) { _$$data = $0 }
        _load(row, Self.columns.color) { _$$color = $0 }
        _load(row, Self.columns.shade) { _$$shade = $0 }
        _load(row, Self.columns.maker) { _$$maker = $0 }
        _load(row, Self.columns.parts) { _$$parts = $0 }
        _load(row, Self.columns.tags) { _$$tags = $0 }
      }

      func _$store(into row: inout RowValues) {
        _store(&row, Self.columns.name, _$$name)
        _store(&row, Self.columns.age, _$$age)
        _store(&row, Self.columns.nick, _$$nick)
        _store(&row, Self.columns.score, _$$score)
        _store(&row, Self.columns.flag, _$$flag)
        _store(&row, Self.columns.data, _$$data)
        _store(&row, Self.columns.color, _$$color)
        _store(&row, Self.columns.shade, _$$shade)
        _store(&row, Self.columns.maker, _$$maker)
        _store(&row, Self.columns.parts, _$$parts)
        _store(&row, Self.columns.tags, _$$tags)
      }
    }

    """

  /// `nil` where the compiler or the modules are not found; says so.
  static func check(
    _ code: String, main: String, arguments: [String] = []
  ) async throws -> (status: Int32, output: String)? {
    guard let modules = modules(), let compiler = compiler() else {
      print("Skipped: no EntityStore.swiftmodule beside the test bundle, or no swiftc in PATH.")
      return nil
    }
    // EntityStore's interface names it, though none of it is public.
    let sqlite = modules.deletingLastPathComponent().appendingPathComponent("CSQLite.build/module.modulemap")
    let folder = try TemporaryFolder()
    let source = folder.url.appendingPathComponent("snippet.swift")
    let text = """
      \(prelude)
      func snippet(_ store: EntityStore) async throws {
      \(code)
      }
      @MainActor func onMain(_ store: EntityStore) async throws {
      \(main)
      }
      """
    try Data(text.utf8).write(to: source)
    let command =
      [
        // A full type-check: isolation by regions is found after it, so a mere -typecheck would miss it.
        "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules.path, "-Xcc",
        "-fmodule-map-file=" + sqlite.path, "-module-name", "Snippet",
        "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", source.path,
      ] + arguments
    return try await CompilerProcess.run(compiler, command, in: folder.url)
  }

  private static func modules() -> URL? {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    return [bundle, bundle.deletingLastPathComponent()].lazy.map { $0.appendingPathComponent("Modules") }.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent("EntityStore.swiftmodule").path)
    }
  }

  private static func compiler() -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").lazy.map { URL(fileURLWithPath: String($0)).appendingPathComponent("swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
