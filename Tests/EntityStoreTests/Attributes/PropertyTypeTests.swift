import TestSupport
import Testing

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
    ("URL", ", uid: true, index: .plain", "a uid is an integer, a String or a UUID"),
  ]

  @Test(arguments: 0..<properties.count) func `a wrong type is one error`(_ number: Int) async throws {
    let (type, arguments, message) = Self.properties[number]
    guard let result = try await Compiler.check(Self.entity(type, arguments), main: "") else { return }
    let errors = result.output.split(separator: "\n").filter { $0.contains("snippet.swift") && $0.contains("error:") }
    #expect(errors.count == 1, "\(result.output)")
    #expect(errors.first?.contains(message) == true, "\(result.output)")
  }

  @Test(arguments: [
    ("Role", ", default: .admin"), ("Role?", ""), ("CodedRole", ", default: .admin"),
    ("CodedRole?", ", index: .unique"),
    ("Options", ""), ("Options?", ""), ("Node?", ""), ("Set<Int>?", ""), ("[Role.RawValue: Coded]", ""),
    ("Coded", ", default: Coded()"), ("Coded?", ""), ("[Coded]", ""),
    ("[String: [Int]]", ""), ("Set<String>", ""), ("[Date]?", ", default: []"), ("URL", ""),
    ("Decimal?", ", index: .plain"),
    ("Int", ", uid: true"), ("UInt64?", ", uid: true"), ("String", ", key: \"id\", uid: true"),
    ("UUID?", ", uid: true"),
    ("Float", ", default: 1.5"), ("String", ", transformer: Trimmed.self"), ("String?", ", transformer: Trimmed.self"),
    ("Role", ", default: .admin, transformer: Roles.self"), ("Role?", ", transformer: Roles.self"),
    ("Coded", ", default: Coded(), transformer: Codes.self"), ("Coded?", ", key: \"a.b\", transformer: Codes.self"),
  ]) func `a right type is no error`(_ type: String, _ arguments: String) async throws {
    guard let result = try await Compiler.check(Self.entity(type, arguments), main: "") else { return }
    #expect(result.status == 0, "\(result.output)")
    #expect(!result.output.contains("warning:"), "\(result.output)")
  }

  /// Comparisons with another meaning in SQL than in Swift.
  @Test(arguments: [
    ("$0.role < .admin", "an enum of texts has no order"), ("$0.coded < Coded()", "'<' is unavailable"),
    ("$0.url < URL(fileURLWithPath: \"/\")", "'<' is unavailable"), ("$0.role == nil", "never nil"),
  ]) func `a comparison that SQL cannot make does not compile`(_ condition: String, _ message: String) async throws {
    let code = """
      \(Self.types)
      \(Compiler.entity("Subject", ["role": "Role", "coded": "Coded", "url": "URL"]))
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
