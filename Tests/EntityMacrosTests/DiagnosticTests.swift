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

  private static let takesNone =
    "an initializer that takes no argument hides the 'init()' that every entity has, and would call itself: "
    + "give it a parameter without a default"

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

  static let kinds: [Misuse] = [
    member(
      "▸let name: String",
      "a property of an entity is a 'var': its value comes from a row; mark a constant '@Transient'",
      "replace 'let' with 'var'", "var name: String"),
    member(
      "var ▸age = 18", "'age' needs a written type: a macro does not see the one that is inferred", "add ': Int'",
      "var age: Int = 18"),
    member(
      "var ▸rate = -0.5", "'rate' needs a written type: a macro does not see the one that is inferred",
      "add ': Double'", "var rate: Double = -0.5"),
    member(
      "var ▸tags = Set([1])", "'tags' needs a written type: a macro does not see the one that is inferred",
      "add ': Type'", "var tags: <#Type#> = Set([1])"),
    member(
      "var ▸a: Int, b: String", "declare each property of an entity in a line of its own", "declare them one by one",
      "var a: Int\n  var b: String"),
    member(
      "public var ▸a, b: Int", "declare each property of an entity in a line of its own", "declare them one by one",
      "public var a: Int\n  public var b: Int"),
    member("var ▸(a, b): (Int, Int)", "a property of an entity has one name and one type; declare each on its own"),
    member(
      "var pair: ▸(Int, Int)",
      "a tuple can't be stored in an entity; use a type that is Codable, or mark the property '@Transient'"),
    member(
      "var done: ▸(() -> Void)?",
      "a function can't be stored in an entity; use a type that is Codable, or mark the property '@Transient'"),
    member(
      "var type: ▸Int.Type",
      "a type can't be stored in an entity; use a type that is Codable, or mark the property '@Transient'"),
    member(
      "var value: ▸any Equatable",
      "'any Equatable' can't be stored in an entity; use a type that is Codable, or mark the property '@Transient'"),
    member(
      "var value: ▸Any?",
      "'Any' can't be stored in an entity; use a type that is Codable, or mark the property '@Transient'"),
    member(
      "var age: Int = 1 { ▸didSet {} }",
      "a property of an entity has no 'didSet': merges and responses change it too; "
        + "use withObservationTracking, or mark it '@Transient'"),
    member(
      "▸@MainActor var age: Int",
      "a property of an entity belongs to no actor: each object is isolated as its context is", "remove '@MainActor'",
      "var age: Int"),
    member(
      "@Key(\"a\") ▸@ObservationIgnored var age: Int",
      "a column is observed; what is not observed is no column, and '@Transient'", "remove '@ObservationIgnored'",
      "@Key(\"a\") var age: Int"),
    member(
      "▸@Published var age: Int", "a column has no property wrapper: an entity is observable without one",
      "remove '@Published'", "var age: Int"),
    member(
      "▸lazy var age: Int = 1",
      "a lazy property can't be stored in an entity; make it computed, or mark it '@Transient'"),
    member(
      "▸weak var friend: User?",
      "a relationship keeps no object alive, so that 'weak' has no meaning in an entity", "remove 'weak'",
      "var friend: User?"),
    member(
      "public ▸init(name: String) {}",
      "an initializer of an entity is a convenience one, which calls 'self.init()' first",
      "add 'convenience'", "public convenience init(name: String) {}"),
    member(
      "▸init(name: String) {}", "an initializer of an entity is a convenience one, which calls 'self.init()' first",
      "add 'convenience'", "convenience init(name: String) {}"),
    member("convenience ▸init(name: String = \"\") { self.init() }", takesNone),
    member("convenience ▸init() { self.init() }", takesNone),
    member(
      "#if DEBUG\n  ▸var trace: String\n  #endif",
      "a property of an entity can't be in '#if': the columns of a file do not change with the build; "
        + "move it out, or mark it '@Transient'"),
  ]

  static let left: [Misuse] = [
    member(
      "private var ▸hidden: Int", "'hidden' needs an initial value: it is private, so that no row has one for it",
      "add an initial value", "private var hidden: Int = <#value#>"),
    member(
      "@Transient var ▸cache: [Int]",
      "'cache' needs an initial value: it is transient, so that no row has one for it", "add an initial value",
      "@Transient var cache: [Int] = <#value#>"),
    member(
      "▸@Key(\"full\") var name: String { \"\" }",
      "'@Key' has no meaning here: 'name' is no stored property of the object", "remove '@Key'",
      "var name: String { \"\" }"),
    member(
      "▸@Unique static var count: Int = 0",
      "'@Unique' has no meaning here: 'count' is no stored property of the object", "remove '@Unique'",
      "static var count: Int = 0"),
    member(
      "@Transient ▸@Indexed var name: String?",
      "'@Indexed' has no meaning here: 'name' is '@Transient', so that it is no column", "remove '@Indexed'",
      "@Transient var name: String?"),
    member(
      "▸@UID private var uid: Int?",
      "'@UID' has no meaning here: 'uid' is private, so that it is no column", "remove '@UID'",
      "private var uid: Int?"),
  ]

  static let names: [Misuse] = [
    member(
      "var ▸isDeleted: Bool",
      "each entity has a member 'isDeleted'; choose another name, and say '@Key' for the one in responses"),
    member(
      "var ▸_name: String",
      "the column '_name' would be one of SQLite's or the store's own; choose a name without '_' or 'sqlite_' at its start"
    ),
    member(
      "var ▸`first name`: String",
      "a property of an entity has a name of letters, digits and '_'; say '@Key' for the one in responses"),
    member("struct ▸Columns {}", "'Columns' is what '@Entity' writes itself; choose another name"),
    member("static let ▸columns = 3", "'columns' is what '@Entity' writes itself; choose another name"),
    member(
      "var name: String\n  var ▸Name: String",
      "'Name' and 'name' are one column to SQLite, which ignores case; rename one"),
    member("@Key(▸\"\") var name: String", "the key is empty; without '@Key' it is the property's name"),
    member(
      "@Key(▸\"a..b\") var name: String", "\"a..b\" has an empty part: a key path is keys with a dot between them"),
    member("@Key(▸\".a\") var name: String", "\".a\" has an empty part: a key path is keys with a dot between them"),
    member(
      "@Key(▸\"a\\(1)\") var name: String", "a key is written in full: it can't have an interpolation"),
    member(
      "@Key(\"a\") ▸@Key(\"b\") var name: String", "'name' has an '@Key' already", "remove '@Key'",
      "@Key(\"a\") var name: String"),
    member(
      "@Unique @Indexed ▸@Unique var name: String", "'name' has an '@Unique' already", "remove '@Unique'",
      "@Unique @Indexed var name: String"),
    member(
      "var ▸`Type`: Int",
      "'Type' after a dot is a metatype; choose another name, and say '@Key' for the one in responses"),
    member(
      "var ▸`Protocol`: Int",
      "'Protocol' after a dot is a metatype; choose another name, and say '@Key' for the one in responses"),
    member(
      "var ▸`Self`: Int", "'Self' is the entity; choose another name, and say '@Key' for the one in responses"),
    member("@Key(\"a\") var name: String\n  @Key(▸\"a\") var other: String", "'name' has the key \"a\" already"),
    member(
      "@Relationship @Key(\"a\") var user: User?\n  @Key(▸\"a\") var post: Post?", "'user' has the key \"a\" already"),
  ]

  private static func missing(_ name: String) -> String {
    "mark '\(name)' '@UID', so that a response finds the object's row; "
      + "call it otherwise where it does not identify the object"
  }

  static let uids: [Misuse] = [
    member(
      "▸@UID @Relationship(onDelete: .cascade) var uid: User?",
      "a relationship can't be the uid: that is a number, a text or a UUID", "remove '@Relationship'",
      "@UID var uid: User?"),
    member(
      "/// The number.\n  @Indexed public var ▸id: Int", missing("id"), "add '@UID'",
      "/// The number.\n  @UID @Indexed public var id: Int"),
    member(
      "var name: String\n  var ▸uid: UUID?", missing("uid"), "add '@UID'", "var name: String\n  @UID var uid: UUID?"),
    member(
      "@UID var uids: ▸[Int]", "a uid is one value: a number, a text or a UUID", "remove '@UID'", "var uids: [Int]"),
    member(
      "@UID var uid: Int = ▸0", "a uid has no default: an object has none until the server gives it one",
      "remove the default", "@UID var uid: Int"),
  ]

  static let relationships: [Misuse] = [
    member(
      "▸@Relationship(onDelete: .cascade) var name: String?", "'name' is an attribute: 'String?' is no entity",
      "remove '@Relationship'", "var name: String?"),
    member(
      "▸@Relationship(onDelete: .cascade) var dates: [Date]", "'dates' is an attribute: '[Date]' is no entity",
      "remove '@Relationship'", "var dates: [Date]"),
    member(
      "@Relationship(onDelete: .cascade) ▸@Unique var friend: User?",
      "'@Unique' is for attributes, and 'friend' is a relationship", "remove '@Unique'",
      "@Relationship(onDelete: .cascade) var friend: User?"),
    member(
      "@Relationship(inverse: \\Post.author) var posts: [Post] = ▸[Post.first]",
      "a relationship has no default: link objects when they are made"),
    member(
      "@Relationship(inverse: \\Post.author) var posts: [Post]\n  @Relationship(inverse: ▸\\Post.author) var drafts: [Post]",
      "'posts' has this inverse already; two lists can't be filled from one property"),
    member(
      "@Relationship(inverse: ▸Post.link) var posts: [Post]",
      "an inverse is a property of the other entity, written as '\\Other.property'"),
    member(
      "@Relationship(inverse: ▸\\Post.author.name) var posts: [Post]",
      "an inverse is a property of the other entity, written as '\\Other.property'"),
    member(
      "@Relationship(inverse: ▸\\User.posts) var author: User",
      "the inverse is named on one side only: on that of an array, or of an Optional whose inverse is no array",
      "remove '@Relationship'", "var author: User"),
    member(
      "@Relationship(ordered: ▸true) var author: User?",
      "an order is one of several objects, and 'author' is a relationship to one", "remove '@Relationship'",
      "var author: User?"),
    member(
      "@Relationship(sortedBy: ▸\\Post.date) var post: Post",
      "an order is one of several objects, and 'post' is a relationship to one", "remove '@Relationship'",
      "var post: Post"),
    member(
      "@Relationship(ordered: true, sortedBy: ▸\\Post.date) var posts: [Post]",
      "a relationship has an order of its own or is sorted by an attribute; remove 'ordered' or 'sortedBy'"),
    member(
      "@Relationship(sortedBy: ▸Post.order) var posts: [Post]",
      "a relationship is sorted by an attribute, written as '\\Other.property'"),
    member(
      "@Relationship(inverse: \\Post.tags) var posts: ▸Set<Post>",
      "a relationship to many is an array, which is empty where there are none", "make it '[Post]'",
      "@Relationship(inverse: \\Post.tags) var posts: [Post]"),
    member(
      "@Relationship var posts: ▸[Post?]? = nil",
      "a relationship to many is an array, which is empty where there are none", "make it '[Post]'",
      "@Relationship var posts: [Post] = nil"),
    member(
      "@Relationship(▸deleteRule: .cascade, inverse: \\Post.author) var posts: [Post] = []",
      "SwiftData's 'deleteRule' is 'onDelete' here, after the inverse", "replace 'deleteRule' with 'onDelete'",
      "@Relationship(inverse: \\Post.author, onDelete: .cascade) var posts: [Post] = []"),
    member(
      "@Relationship(inverse: \\Post.author, ▸deleteRule: .cascade) var posts: [Post]",
      "SwiftData's 'deleteRule' is 'onDelete' here, after the inverse", "replace 'deleteRule' with 'onDelete'",
      "@Relationship(inverse: \\Post.author, onDelete: .cascade) var posts: [Post]"),
    member(
      "@Relationship(▸.cascade) var post: Post?", "what a deletion does is 'onDelete', after the inverse",
      "add 'onDelete:'", "@Relationship(onDelete: .cascade) var post: Post?"),
    member(
      "@Relationship(inverse: \\Post.author, ▸.deny) var posts: [Post]",
      "what a deletion does is 'onDelete', after the inverse", "add 'onDelete:'",
      "@Relationship(inverse: \\Post.author, onDelete: .deny) var posts: [Post]"),
    member(
      "@Relationship(inverse: ▸\\Post.self) var posts: [Post]",
      "an inverse is a property of the other entity, written as '\\Other.property'"),
    member(
      "var ▸`self`: Int", "'self' is the object itself; choose another name, and say '@Key' for the one in responses"),
    member(
      "@Relationship(▸deleteRule: .deny) var post: Post?",
      "SwiftData's 'deleteRule' is 'onDelete' here, after the inverse", "replace 'deleteRule' with 'onDelete'",
      "@Relationship(onDelete: .deny) var post: Post?"),
    member(
      "var made: Date = ▸Date()",
      "a default is one value for all objects, and 'Date()' is another each time; set it where objects are inserted"),
    member(
      "var key: Foundation.UUID? = ▸.init()",
      "a default is one value for all objects, and '.init()' is another each time; set it where objects are inserted"),
  ]

  /// Defaults that are another value each time.
  static let defaults: [Misuse] = [
    ("Date", ".now"), ("Date?", "Date.now"), ("Date", ".now.addingTimeInterval(60)"), ("Date", "Foundation.Date()"),
    ("Date", ".init(timeIntervalSinceNow: 60)"), ("Double", "Date().timeIntervalSince1970"),
    ("Date", "Calendar.current.startOfDay(for: .now)"), ("String", "UUID().uuidString"),
    ("String", "\"\\(UUID())\""), ("[UUID]", "[UUID.init()]"), ("Int", ".random(in: 0...9)"),
    ("Int", "Int.random(in: 0...9) + 1"), ("Color", "Color.all.randomElement() ?? .red"),
  ].map { type, value in
    member(
      "var value: \(type) = ▸\(value)",
      "a default is one value for all objects, and '\(value)' is another each time; set it where objects are inserted")
  }

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
  func isToldOnceWhereItIs(_ misuse: Misuse) throws {
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

  @Test func aCorrectEntityIsNotRefused() {
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
