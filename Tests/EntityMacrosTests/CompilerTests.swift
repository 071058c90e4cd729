import Foundation
import Testing

/// What only the compiler sees.
@Suite struct CompilerTests {
  /// A module as a user may write it: relationships both ways across files, names that collide, types of its own that hide
  /// the store's.
  static let module = [
    "Users": #"""
    import EntityClient

    enum Directory {
      @Entity final class User: RemoteEntity {
        @UID @Key("id") var uid: Int
        var name: String = "nobody", `default`: Bool = true
        var title: String!
        var nick: Optional<String>
        var age: Swift.Int?
        private(set) var secret: String
        @Relationship(inverse: \Post.author, onDelete: .cascade) var posts: [Post]
        @Relationship(inverse: \Post.owner, onDelete: .cascade) var owned: [Post]
        @Relationship(inverse: \Directory.User.manager) var reports: [Directory.User] = []
        var manager: User? = nil
        @Relationship(onDelete: .deny) var slot: Slot?
        var columns: Int
        var properties: String?
        var state: Alias
        @Transient var cache: [String: Any] = [:]
        private var count = 0
        var fullName: String { name }
        static var basePath: String { "users" }
        func count(up by: Int) { count += by }
      }
      typealias Alias = String?
    }
    """#.replacing(", `default`", with: "\n    var `default`"),
    "Posts": #"""
    public import EntityClient

    @Entity package final class Post {
      package var title: String = ""
      var author: Directory.User?
      var owner: Directory.User
      @Relationship(onDelete: .cascade) var cover: Column
      var marks: [Mark] = []
      @Relationship(onDelete: .deny) var related: [Post]
      @Relationship(inverse: \Slot.post) var slots: [Slot]
    }
    @Entity final class Mark {
      @Relationship(inverse: \Post.marks) var posts: [Post] = [Post]()
      @Relationship var parent: Mark?
      @Relationship(inverse: \Mark.parent, onDelete: .cascade) var children: [Mark] = .init()
      var following: [Mark]
      @Relationship(inverse: \Mark.following) var followers: Array<Mark> = []
    }
    @Entity public final class Slot: ManagedEntity {
      var post: Post?
      var column: Column?
    }
    @Entity final class Column {
      @Relationship(inverse: \Slot.column) var slots: [Slot]
    }
    struct RowReader {}
    struct RowValues {}
    struct ObjectState {}
    struct PropertyDescriptor {}
    """#,
    "Attributes": #"""
    import EntityClient
    import Foundation

    @Entity final class Everything {
      @UID var uid: UUID
      var role: Role = .guest
      var formerRole: Role?
      var rights: Rights
      var settings: Settings = Settings(isDark: true)
      var otherSettings: Settings? = nil
      var tags: [String] = []
      var counts: [String: [Int]] = [:]
      var ratio: Float = 0.5
      var weight: Decimal = -1.25
      var link: URL?
      var data: Data
      var since: Date = Date(timeIntervalSince1970: 0)
      @Transformed(by: Cents.self) var price: Decimal
      @Key("old.price") @Indexed @Transformed(by: Cents.self) var oldPrice: Decimal?
    }
    nonisolated enum Role: String { case guest, admin }
    nonisolated struct Rights: OptionSet { let rawValue: Int }
    nonisolated struct Settings: Codable { var isDark: Bool }
    nonisolated enum Cents: AttributeTransformer {
      static func value(from cents: Int) -> Decimal { Decimal(cents) / 100 }
      static func source(from price: Decimal) -> Int { (price * 100 as NSDecimalNumber).intValue }
    }
    """#,
    "Use": #"""
    import EntityClient

    nonisolated func names(_ context: EntityContext) throws -> [String] {
      try context.fetch(Directory.User.where { $0.name == "Ada" && $0.properties == nil }).map { user in
        user.name = "Grace"
        user.manager?.posts.first?.title = user.fullName
        return user.name
      }
    }
    nonisolated func tenTerms(_ low: Int) -> EntityQuery<Directory.User> {
      Directory.User.where {
        $0.name == "Ada" && $0.default && $0.nick != nil && ($0.age > low + 2 || $0.age == nil) && $0.secret != ""
          && $0.manager.name == "Bob" && !$0.name.hasPrefix("C") && $0.columns <= low * 2 && $0.slot.post.title == "x"
          && $0.posts.any { $0.title.contains("y") && $0.owner.age < 3 && $0.marks.count > 2 } && $0.reports.isEmpty
      }
    }
    func ids(_ store: EntityStore) async throws -> [EntityID<Slot>] {
      try await store.background { try $0.fetch(Slot.self).map(\.entityID) }
    }
    """#,
  ]

  @Test(arguments: [[], ["-default-isolation", "MainActor"], ["-O"], ["-D", "DEBUG"]])
  func entitiesCompileWithoutAWarning(_ options: [String]) throws {
    // No expression takes a second to check, on a machine that does other things too.
    let options = Compiler.strict + options + ["-Xfrontend", "-warn-long-expression-type-checking=1000"]
    guard let found = try Compiler.check(Self.module, options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  /// Those of a document in a file each, but in one module.
  @Test(arguments: ["README.md", "docs/from-api-to-entities.md"], [[], ["-default-isolation", "MainActor"]])
  func theDocumentsEntitiesCompile(_ document: String, _ options: [String]) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: folder.deletingLastPathComponent().appending(path: document), encoding: .utf8)
    let blocks = text.split(separator: "<!-- compiled -->\n```swift\n").dropFirst()
      .compactMap { $0.split(separator: "\n```\n").first }
    #expect(!blocks.isEmpty)
    let files = Dictionary(
      uniqueKeysWithValues: blocks.enumerated().map { ("Block\($0)", "import EntityClient\n\($1)\n") })
    guard let found = try Compiler.check(files, Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func onlyOneImportIsNeeded() throws {
    let entity = "@Entity public final class User {\n  @UID public var uid: Int\n  public var user: User?\n}"
    for imports in ["public import EntityClient", "public import EntityMacros\npublic import EntityStore"] {
      guard let found = try Compiler.check(["User": imports + "\n" + entity], Compiler.strict) else { return }
      #expect(found.isEmpty, "\(found)")
    }
  }

  static let misuses: [String: (code: String, errors: [String])] = [
    "UnknownInverse": (
      #"""
      @Entity final class UnknownInverse {
        @Relationship(inverse: \Target.nobody) var targets: [Target]
      }
      """#, ["UnknownInverse:3: value of type 'Target' has no member 'nobody'"]
    ),
    "InverseOfOthers": (
      #"""
      @Entity final class InverseOfOthers {
        @Relationship(inverse: \Target.other) var targets: [Target]
      }
      """#, ["expansion:10: " + pointsBack]
    ),
    "InverseOfText": (
      #"""
      @Entity final class InverseOfText {
        @Relationship(inverse: \Target.name) var targets: [Target]
      }
      """#, ["expansion:10: " + pointsBack]
    ),
    "InverseOfAnother": (
      #"""
      @Entity final class InverseOfAnother {
        @Relationship(inverse: \Other.target) var targets: [Target]
      }
      """#, ["expansion:10: " + pointsBack]
    ),
    // The compiler itself stops at the circle, at the first of the two.
    "BothSides": (
      #"""
      @Entity final class BothSides {
        @Relationship(inverse: \Beside.both) var beside: [Beside]
      }
      @Entity final class Beside {
        @Relationship(inverse: \BothSides.beside) var both: BothSides?
      }
      """#,
      [
        "BothSides:3: circular reference resolving attached macro 'Relationship'",
        "BothSides:3: unknown attribute 'Relationship'",
        "BothSides:6: the inverse is named on the side that is an array, and on one side only (from macro 'Entity')",
      ]
    ),
    "ListsOnBothSides": (
      #"""
      @Entity final class ListsOnBothSides {
        @Relationship(inverse: \Others.lists) var others: [Others]
      }
      @Entity final class Others {
        @Relationship(inverse: \ListsOnBothSides.others) var lists: [ListsOnBothSides]
      }
      """#,
      [
        "ListsOnBothSides:3: circular reference resolving attached macro 'Relationship'",
        "ListsOnBothSides:3: unknown attribute 'Relationship'",
      ]
    ),
    "Marked": (
      "@Entity final class Marked {\n  @Unique var one: Target?\n  @Indexed var all: [Target]\n  @UID var own: Target\n}",
      [
        "expansion:10: " + noAttribute, "expansion:11: " + noAttribute,
        "expansion:12: 'property(_:_:key:uid:unique:indexed:default:transformer:)' is unavailable: a uid is of a type that is "
          + "stored as it is, as Int, String and UUID are; it is no enum and no JSON, and has no transformer",
      ]
    ),
    "Sets": (
      #"""
      @Entity final class Sets {
        @Relationship(inverse: \Target.sets) var all: Set<Target>
        @Relationship var many: [Target]?
      }
      """#, ["Sets:3: " + isArray, "Sets:4: " + isArray]
    ),
    "SetsAlone": (
      "@Entity final class SetsAlone {\n  var all: Set<Target>\n  var many: [Target]?\n  var some: [Target?]\n}",
      ["expansion:10: " + noAttribute, "expansion:11: " + noAttribute, "expansion:12: " + noAttribute]
    ),
    "NotAnEntity": (
      "class Plain {}\n@Entity final class NotAnEntity {\n  @Relationship var one: Plain?\n  @Relationship var all: [Plain]\n}",
      ["expansion:9: " + noAttribute, "expansion:10: " + noAttribute]
    ),
    "Contained": (
      """
      func contained() {
        _ = Target.where { $0.peers.contains { $0.name == "a" } && $0.name != "" }
        _ = Target.where { $0.peers.allSatisfy { $0.name == "a" } }
      }
      """,
      [
        "Contained:3: 'contains(where:)' has been renamed to 'any(_:)'",
        "Contained:4: 'allSatisfy' has been renamed to 'all(_:)'",
      ]
    ),
    "Made": (
      "func made(_ context: EntityContext, _ target: Target) throws {\n  _ = Target()\n  try context.insert(target)\n}",
      [
        "Made:3: 'init()' is unavailable: objects of an entity are made by contexts: 'context.insert(Type.self)'",
        "Made:4: 'insert' is unavailable: a context makes its objects itself: 'context.insert(Type.self)'",
      ]
    ),
    "OfItself": (
      "@Entity final class OfItself {\n  var parent: Self?\n}",
      ["OfItself:3: stored property cannot have covariant 'Self' type"]
    ),
    "NotFinal": (
      "@Entity class NotFinal {\n  var name: String\n}",
      [
        "NotFinal:2: an entity is a final class: its objects are made by contexts, of exactly this type (from macro 'Entity')"
      ]
    ),
    "Structure": (
      "@Entity struct Structure {\n  @UID var uid: Int\n  var age = 4\n}",
      [
        "Structure:2: an entity is a final class, not a struct: each of its objects stands for one row (from macro 'Entity')"
      ]
    ),
    "Player": (
      "@Entity actor Player {\n  var uid: Int\n}",
      [
        "Player:2: an entity is a final class, not an actor: each of its objects stands for one row (from macro 'Entity')"
      ]
    ),
    "Generic": (
      "@Entity final class Generic<T> {\n  var uid: Int\n}",
      ["Generic:2: an entity can't be generic: its name is that of one table (from macro 'Entity')"]
    ),
    "Extended": (
      "final class Extended {}\n@Entity extension Extended {}",
      ["Extended:3: 'extension' macro cannot be attached to extension (extension of 'Extended')"]
    ),
    "Constant": (
      "@Entity final class Constant {\n  let uid: Int\n}",
      [
        "Constant:3: a property of an entity is a 'var': its value comes from a row; mark a constant '@Transient' (from macro 'Entity')"
      ]
    ),
    "TwoUIDs": (
      "@Entity final class TwoUIDs {\n  @UID var uid: Int\n  @UID var other: Int\n}",
      [
        "TwoUIDs:4: an entity has one uid, and 'uid' is it already; mark other identifiers '@Unique' (from macro 'Entity')"
      ]
    ),
    "Many": (
      "@Entity final class Many {\n  var a: Int, b: Int\n}",
      ["Many:3: declare each property of an entity in a line of its own (from macro 'Entity')"]
    ),
    "Observed": (
      "@Entity final class Observed {\n  var a: Int = 0 { didSet {} }\n}",
      [
        "Observed:3: a property of an entity has no 'didSet': merges and responses change it too; "
          + "use withObservationTracking, or mark it '@Transient' (from macro 'Entity')"
      ]
    ),
    "Untyped": (
      "@Entity final class Untyped {\n  var age = 18\n}",
      ["Untyped:3: 'age' needs a written type: a macro does not see the one that is inferred (from macro 'Entity')"]
    ),
    "Initialised": (
      "@Entity final class Initialised {\n  var age: Int\n  init(age: Int) { self.age = age }\n}",
      [
        "Initialised:4: objects of an entity are made by contexts: insert one and set its properties, "
          + "in a static function if you like (from macro 'Entity')"
      ]
    ),
    "Hidden": (
      "@Entity final class Hidden {\n  private var age: Int\n}",
      ["Hidden:3: 'age' needs an initial value: it is private, so that no row has one for it (from macro 'Entity')"]
    ),
    "Listed": (
      "@Entity final class Listed {\n  @UID var uid: Int = 1\n  @Relationship(onDelete: .deny) var name: String\n}",
      [
        "Listed:3: a uid has no default: an object has none until the server gives it one (from macro 'Entity')",
        "Listed:4: 'name' is an attribute: 'String' is no entity (from macro 'Entity')",
      ]
    ),
    "Unstorable": (
      "struct Opaque {}\n@Entity final class Unstorable {\n  var opaque: Opaque\n  var targets: Set<Target>?\n}",
      ["expansion:9: " + noAttribute, "expansion:10: " + noAttribute]
    ),
    "Undecided": (
      "enum Choice: Int { case a, b }\n@Entity final class Undecided {\n  var choice: Choice\n}",
      [
        "expansion:8: 'property(_:_:key:unique:indexed:transformer:)' is unavailable: a property of this type needs a "
          + "default value, for the time before a server sends one and for raw values that it does not know: give it one, "
          + "or make it optional"
      ]
    ),
    "Untransformed": (
      "enum Nothing {}\n@Entity final class Untransformed {\n  @Transformed(by: Nothing.self) var age: Int\n}",
      [
        "expansion:8: static method 'property(_:_:key:unique:indexed:default:transformer:)' requires that 'Nothing' conform "
          + "to 'AttributeTransformer'"
      ]
    ),
    "Subclass": (
      "class Super {}\n@Entity final class Subclass: Target {}",
      ["Subclass:3: inheritance from a final class 'Target'"]
    ),
  ]

  private static let noAttribute =
    "'property(_:_:key:unique:indexed:default:transformer:)' is unavailable: an attribute is a Bool, an integer, Float, "
    + "Double, Decimal, String, Data, Date, UUID, URL, an enum or option set with such a raw value, any Codable, or the "
    + "Optional of one; a relationship is to an entity, its Optional or an array of entities, and is neither unique, indexed "
    + "nor transformed"

  private static let isArray =
    "a relationship to many is an array, which is empty where there are none (from macro 'Entity')"

  private static let pointsBack =
    "'property(_:_:key:inverse:onDelete:)' is unavailable: the inverse points back: it is a property of the other entity "
    + "that holds this one, its Optional or an array"

  /// The type is in the expansion too, where the compiler repeats itself.
  @Test func anUnknownTypeIsToldWhereItIsWritten() throws {
    let code = #"""
      import EntityClient
      @Entity final class User {
        var one: Nowhere?
        var all: [Nowhere]
        @Relationship(inverse: \Nobody.user) var others: [Nobody]
        @Relationship(inverse: \Tag.nowhere) var tags: [Tag]
      }
      @Entity final class Tag {
        var user: User
      }
      """#
    guard let found = try Compiler.check(["User": code]) else { return }
    #expect(
      found.filter { $0.file != nil }.map(\.description).sorted() == [
        "User:3: cannot find type 'Nowhere' in scope",
        "User:4: cannot find type 'Nowhere' in scope",
        "User:5: cannot find 'Nobody' in scope",
        "User:5: cannot find type 'Nobody' in scope",
        "User:6: value of type 'Tag' has no member 'nowhere'",
      ])
  }

  @Test func eachMisuseIsOneError() throws {
    var files = Self.misuses.mapValues { "import EntityClient\n" + $0.code }
    files["Shared"] = """
      import EntityClient
      @Entity final class Target: Hashable {
        static func == (one: Target, other: Target) -> Bool { one === other }
        func hash(into hasher: inout Hasher) {}
        var name: String
        var owner: UnknownInverse?
        var other: Other?
        var sets: Sets?
        var peers: [Target]
      }
      @Entity final class Other {
        var target: InverseOfAnother?
      }
      """
    guard let found = try Compiler.check(files) else { return }
    let lines = found.map { $0.description.replacing(#/ \(from macro '(\w+) *'\)/#) { " (from macro '\($0.1)')" } }
    let expected = Self.misuses.values.flatMap(\.errors)
    // A subclass overrides what its superclass was given; those errors follow the one that says what is wrong.
    let follow = lines.filter { $0.hasPrefix("expansion") && ($0.contains("overrid") || $0.contains("override")) }
    #expect(lines.filter { !follow.contains($0) }.sorted() == expected.sorted())
  }
}
