import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Each misuse gives one error, at its place, in words that say what to do, with a fix-it where there is one.
@Suite struct DiagnosticTests {
  /// A misuse; `▸` in the source stands before the place of the error.
  struct Misuse: Sendable, CustomTestStringConvertible {
    let source: String
    let message: String
    var fix: String?
    var fixed: String?

    var testDescription: String { message }
  }

  /// A property in an entity that is right but for it.
  static func member(_ source: String, _ message: String, _ fix: String? = nil, _ fixed: String? = nil) -> Misuse {
    func entity(_ member: String) -> String { "@Entity final class User {\n  \(member)\n}" }
    return Misuse(source: entity(source), message: message, fix: fix, fixed: fixed.map(entity))
  }

  private static let notDecoded =
    "an entity is not decoded: contexts make its objects, and responses fill them; 'jsonObject(for:)' is what is sent of one"

  static let classes: [Misuse] = [
    Misuse(
      source: "@Entity public ▸class User {\n  var name: String\n}",
      message: "an entity is a final class: its objects are made by contexts, of exactly this type", fix: "add 'final'",
      fixed: "@Entity public final class User {\n  var name: String\n}"),
    Misuse(
      source: "/// Open.\n@Entity open ▸class User {}",
      message: "an entity is a final class: its objects are made by contexts, of exactly this type", fix: "add 'final'",
      fixed: "/// Open.\n@Entity final class User {}"),
    Misuse(
      source: "@Entity ▸struct User {\n  var name: String\n}",
      message: "an entity is a final class, not a struct: each of its objects stands for one row"),
    Misuse(
      source: "@Entity ▸enum User {}",
      message: "an entity is a final class, not an enum: each of its objects stands for one row"),
    Misuse(
      source: "@Entity ▸actor User {\n  var name: String\n}",
      message: "an entity is a final class, not an actor: each of its objects stands for one row"),
    Misuse(
      source: "@Entity ▸protocol User {}",
      message: "an entity is a final class, not a protocol: each of its objects stands for one row"),
    Misuse(
      source: "@Entity final class User▸<T> {}", message: "an entity can't be generic: its name is that of one table"),
    Misuse(
      source: "struct Box<T> {\n  @Entity final class ▸User {}\n}",
      message: "an entity can't be declared in a generic type: its name is that of one table"),
    Misuse(
      source: "@Entity final class User: ▸NSObject {}",
      message: "an entity has no superclass: share code in extensions and protocols"),
    Misuse(
      source: "@Entity final class ▸Columns {}",
      message: "'Columns' is what '@Entity' writes itself; choose another name"),
    Misuse(
      source: "▸@MainActor @Entity final class User {}",
      message: "an entity belongs to no actor: each object is isolated as its context is",
      fix: "remove '@MainActor'", fixed: "@Entity final class User {}"),
    Misuse(
      source: "@Entity ▸@DatabaseActor final class User {}",
      message: "an entity belongs to no actor: each object is isolated as its context is",
      fix: "remove '@DatabaseActor'", fixed: "@Entity final class User {}"),
    Misuse(
      source: "@Entity ▸@Observable final class User {}",
      message: "an entity is observable already, '@Transient' properties too",
      fix: "remove '@Observable'", fixed: "@Entity final class User {}"),
    Misuse(
      source: "@Entity final class User: ▸@unchecked Sendable {}",
      message: "an object of an entity stays in its context, so that it can't be Sendable; hand over its 'entityID'"),
    Misuse(
      source: "@Entity final class User: Hashable, ▸Codable {\n  var name: String\n}", message: notDecoded),
    Misuse(
      source: "@Entity final class User: ▸Swift.Decodable {\n  var name: String\n}", message: notDecoded),
    Misuse(
      source: "struct User {\n  ▸@UID var uid: Int\n}",
      message: "'@UID' has a meaning only in the body of an '@Entity' class", fix: "remove '@UID'",
      fixed: "struct User {\n  var uid: Int\n}"),
    Misuse(
      source: "extension User {\n  ▸@Key(\"a\") var uid: Int { 1 }\n}",
      message: "'@Key' has a meaning only in the body of an '@Entity' class", fix: "remove '@Key'",
      fixed: "extension User {\n  var uid: Int { 1 }\n}"),
    Misuse(
      source: "@Entity final class User {\n  ▸@UID func uid() {}\n}",
      message: "'@UID' is for the properties of an entity"),
  ]

  static let formerNames: [Misuse] = [
    member("@Renamed(from: ▸\"\") var name: String", "the former name is empty"),
    member(
      "@Renamed(from: \"title\", ▸\"name\") var name: String", "'name' is the name now; a former name is another one"),
    member(
      "@Renamed(from: ▸\"first, last\") var name: String",
      "'first, last' was never a name: names hold no comma, and do not begin with '_'; each is an argument"),
    member(
      "@Renamed(from: ▸\"a\\(1)\") var name: String",
      "a former name is written in full: it can't have an interpolation"),
    member(
      "@Renamed(from: \"title\") ▸@Renamed(from: \"label\") var name: String", "'name' has an '@Renamed' already",
      "remove '@Renamed'", "@Renamed(from: \"title\") var name: String"),
    member(
      "@Renamed(from: \"title\") var name: String\n  @Renamed(from: ▸\"title\") var label: String",
      "'name' was 'title' already; its values can't go to two"),
    member("@Renamed(from: \"title\", ▸\"title\") var name: String", "'name' says so already"),
    member(
      "▸@Renamed(from: \"title\") private var name: String = \"\"",
      "'@Renamed' has no meaning here: 'name' is private, so that it is no column", "remove '@Renamed'",
      "private var name: String = \"\""),
    Misuse(
      source: "@Entity @Renamed(from: ▸\"User\") final class User {}",
      message: "'User' is the name now; a former name is another one"),
    Misuse(
      source: "@Entity @Renamed(from: \"A\") ▸@Renamed(from: \"B\") final class User {}",
      message: "'User' has an '@Renamed' already", fix: "remove '@Renamed'",
      fixed: "@Entity @Renamed(from: \"A\") final class User {}"),
    Misuse(
      source: "▸@Renamed(from: \"Person\") final class User {}",
      message: "'@Renamed' has a meaning only on an '@Entity' class and in its body", fix: "remove '@Renamed'",
      fixed: "final class User {}"),
    Misuse(
      source: "@Entity final class User {\n  ▸@Renamed(from: \"old\") func now() {}\n}",
      message: "'@Renamed' is for the properties of an entity"),
    Misuse(
      source: "@Entity(removed: ▸\"name\") final class User {\n  var name: String\n}",
      message: "'name' is a property of the entity, so that it is not removed"),
    Misuse(
      source: "@Entity(removed: ▸\"title\") final class User {\n  @Renamed(from: \"title\") var name: String\n}",
      message: "'title' is 'name' now, so that it is not removed"),
    Misuse(
      source: "@Entity(removed: \"a\", ▸\"b,c\") final class User {}",
      message: "'b,c' was never a name: names hold no comma, and do not begin with '_'; each is an argument"),
  ]

  static let availability: [Misuse] = ["macOS 99, *", "macOS, introduced: 12, deprecated: 14", "swift 6"].map {
    argument in
    member(
      "▸@available(\(argument)) var name: String",
      "the columns of a file are the same on every system: a property of an entity can be deprecated, no more",
      "remove '@available'", "var name: String")
  }

  @Test(
    arguments: [classes, kinds, left, names, uids, relationships, defaults, formerNames, availability].flatMap { $0 })
  func `a diagnostic is told once, where it is`(_ misuse: Misuse) throws {
    let parts = misuse.source.split(separator: "▸", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let before = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    expectExpansion(
      parts.joined(), nil,
      [
        DiagnosticSpec(
          message: misuse.message, line: before.count, column: (before.last?.utf8.count ?? 0) + 1,
          fixIts: misuse.fix.map { [FixItSpec(message: $0)] } ?? [])
      ], fixed: misuse.fixed)
  }

  /// A store would refuse it, when it is opened.
  @Test func `an entity has at most 128 properties`() {
    func entity(_ count: Int, _ more: String = "") -> String {
      "@Entity final class Sheet {\n" + (1...count).map { "  var p\($0): Int\n" }.joined() + more + "}"
    }
    expectExpansion(entity(128, "  @Transient var note = 1\n  var sum: Int { 1 }\n"))
    expectExpansion(
      entity(129), nil,
      [
        DiagnosticSpec(
          message:
            "an entity has at most 128 properties, and 'Sheet' has 129: move some into an entity of their own, or into a "
            + "Codable struct", line: 1, column: 21)
      ])
  }

  @Test func `a correct entity is not refused`() {
    expectExpansion(
      """
      @Entity public final class User: Hashable, CustomStringConvertible {
        @UID var uid: Int? = nil
        var columns: Int
        var properties: String?
        var state: String = "new"
        @Key("a") var one: Int
        @Key("a.b") var two: Int
        var since: Date = Date(timeIntervalSince1970: 0)
        var due: Due = .now
        var order: Order = .random
        @available(*, deprecated, message: "gone") var old: String
        @available(macOS, deprecated: 12) var older: String
        @Relationship(inverse: \\User.friend) var friends: [User] = []
        @Relationship(onDelete: .cascade) var friend: User? = nil
        @Relationship var boss: User
        @Relationship(inverse: \\Tag.users) var tags: [Tag] = .init()
        var marks: [Tag] = []
        @Transient @MainActor var shown: Int = 3
        @Transient let limit: Int = 3
        @Transient lazy var slow: Int = 3
        @Transient var watched: Int = 0 { didSet {} }
        private lazy var other: Int = 3
        fileprivate weak var peer: User?
        var computed: Int {
          get { 1 }
          set {}
        }
        class func make() {}
        deinit {}
      }
      """)
  }
}
