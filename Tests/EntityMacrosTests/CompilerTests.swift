import Foundation
import Testing

/// Entities in modules as users have them.
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
    enum Role: String, AttributeValue { case guest, admin }
    struct Rights: OptionSet, AttributeValue { let rawValue: Int }
    struct Settings: Codable, AttributeValue { var isDark: Bool }
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
  func `entities compile without a warning`(_ options: [String]) async throws {
    // No expression takes a second to check, on a machine that does other things too.
    let options = Compiler.strict + options + ["-Xfrontend", "-warn-long-expression-type-checking=1000"]
    guard let found = try await Compiler.check(Self.module, options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  /// As debug builds compile: one file after the other, each with the declarations of the others.
  @Test(arguments: ["-enable-batch-mode", "-disable-batch-mode"])
  func `entities compile file by file`(_ mode: String) async throws {
    guard let found = try await Compiler.check(Self.module, Compiler.strict + [mode], isWholeModule: false) else {
      return
    }
    #expect(found.isEmpty, "\(found)")
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The texts and articles with blocks of Swift that stand nowhere else.
  private static let documents: [String] = ["docs", "Sources"].flatMap { folder in
    let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }.sorted().filter {
      (try? String(contentsOf: root.appending(path: $0), encoding: .utf8))?.contains("<!-- compiled -->") == true
    }
  }

  /// The blocks of a document compile, in a file each, but in one module.
  @Test(arguments: documents, [[], ["-default-isolation", "MainActor"]])
  func `the document's blocks compile`(_ document: String, _ options: [String]) async throws {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    let blocks = text.split(separator: "<!-- compiled -->\n```swift\n").dropFirst()
      .compactMap { $0.split(separator: "\n```\n").first }
    #expect(!blocks.isEmpty)
    let files = Dictionary(
      uniqueKeysWithValues: blocks.enumerated().map { ("Block\($0)", "import EntityClient\n\($1)\n") })
    guard let found = try await Compiler.check(files, Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  /// In the user's module only the declarations that the user uses are deprecated.
  @Test(arguments: [[], ["-default-isolation", "MainActor"]])
  func `deprecated properties and types compile without a warning`(_ options: [String]) async throws {
    let code = #"""
      import EntityClient

      @available(*, deprecated) nonisolated struct OldKind: Codable, AttributeValue { var x = 1 }
      @available(*, deprecated, message: "gone") enum Old {
        @Entity final class User: RemoteEntity {
          @UID var uid: Int
          @Relationship(inverse: \Note.user) var notes: [Note]
          static var basePath: String { "users" }
        }
        enum Inner {
          @available(*, deprecated) @Entity final class Deep { var name: String }
        }
        @Entity final class Note { var user: User? }
      }
      @Entity final class Thing {
        var name: String
        @available(*, deprecated, renamed: "name") var title: String = "x"
        @available(*, deprecated) var kind: OldKind = OldKind()
        @available(*, deprecated) var thing: Thing?
        @available(*, deprecated, message: "ask") @Relationship(inverse: \Thing.thing) var things: [Thing]
      }
      @available(macOS 99, *) enum New {
        @Entity final class User { var name: String }
      }
      """#
    guard let found = try await Compiler.check(["Deprecated": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
    let use = "nonisolated func use(_ thing: Thing) -> EntityQuery<Thing> {\n  thing.title = \"\"\n  "
    let uses = [
      "Deprecated": code, "Use": "import EntityClient\n" + use + "return Thing.where { $0.title == \"\" }\n}",
    ]
    guard let warned = try await Compiler.check(uses, options) else { return }
    #expect(Set(warned.compactMap(\.file)) == ["Use"], "\(warned)")
    #expect(Set(warned.map(\.line)) == [3, 4], "\(warned)")
  }

  /// Nor is it said twice: the user names the deprecated property of the other side, and is warned there.
  @Test func `a deprecated inverse is reported where it is named`() async throws {
    let other = #"""
      @Entity final class Note {
        @available(*, deprecated) var user: User?
        @available(*, deprecated) var owner: User?
      }
      @available(*, deprecated) @Entity final class Memo { var user: User? }
      """#
    let silent = #"""
      import EntityClient
      @Entity final class User {
        @available(*, deprecated) @Relationship(inverse: \Note.owner) var owned: [Note]
        @available(*, deprecated) @Relationship(inverse: \Memo.user) var memos: [Memo]
        @available(*, deprecated) var memo: Memo?
      }
      """#
    guard let found = try await Compiler.check(["User": silent + "\n" + other], Compiler.strict) else { return }
    #expect(found.isEmpty, "\(found)")
    let named = #"""
      import EntityClient
      @Entity final class User {
        @Relationship(inverse: \Note.user) var notes: [Note]
      }
      """#
    guard let warned = try await Compiler.check(["User": named + "\n" + other]) else { return }
    #expect(warned.map(\.description) == ["User:3: 'user' is deprecated [#DeprecatedDeclaration]"])
  }

  /// Where the main actor is the default it is the project's protocols' too, and a class is isolated as a protocol in its
  /// declaration is.
  @Test(arguments: [[], ["-default-isolation", "MainActor"]])
  func `protocols of the project are nonisolated or conformed to in extensions`(_ options: [String]) async throws {
    let code = """
      import EntityClient
      nonisolated protocol Named { var name: String { get } }
      nonisolated protocol AppEntity: RemoteEntity {}
      nonisolated extension AppEntity { static var basePath: String { "things" } }
      protocol Titled { var name: String { get } }
      @Entity final class Thing: AppEntity, Named, Identifiable, Comparable, CustomStringConvertible {
        @UID var id: Int
        var name: String
        var description: String { name }
        static func == (one: Thing, other: Thing) -> Bool { one === other }
        static func < (one: Thing, other: Thing) -> Bool { one.name < other.name }
      }
      extension Thing: Titled {}
      """
    guard let found = try await Compiler.check(["Protocols": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  /// By identity, unless the class says otherwise; whatever members it has that the protocols name.
  @Test(arguments: [[], ["-default-isolation", "MainActor"]])
  func `objects are hashable and identifiable`(_ options: [String]) async throws {
    let code = #"""
      import EntityClient
      @Entity final class Trip {
        @UID var id: Int
        var description: String
        var debugDescription: String?
        var hash: String
        @Relationship(ordered: true) var tags: [Tag]
        var guide: Person?
      }
      @Entity final class Tag {
        @UID var uid: String
        var id: JSONValue?
      }
      @Entity final class Person: Hashable, Identifiable {
        @UID var id: Int
        static func == (one: Person, other: Person) -> Bool { one.id == other.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
      }
      @Entity final class Role {
        typealias ID = Int
        @UID var id: ID
        var people: [Person]
      }
      @Entity final class Shift {
        @UID var number: Int
      }
      nonisolated extension Shift: Identifiable { var id: Int { number } }
      nonisolated func ids<T: Identifiable>(_ objects: [T]) -> [T.ID] { objects.map(\.id) }
      nonisolated func same<E: ManagedEntity>(_ objects: [E], _ object: E) -> Bool { Set(objects).contains(object) }
      nonisolated func use(_ trips: [Trip], _ tag: Tag, _ person: Person, _ role: Role, _ shift: Shift) -> Bool {
        let identities: [ObjectIdentifier] = ids(trips) + ids([tag])
        let own: [Int] = ids([person]) + ids([shift]) + [trips[0].id, role.id]
        let groups = Dictionary(grouping: trips) { $0.guide }
        return trips[0].tags.contains(tag) && trips.firstIndex(of: trips[0]) == 0 && same(trips, trips[0])
          && groups[person]?.isEmpty == false && trips[0] != trips[1] && trips[0].guide == person && identities.count == own.count
      }
      nonisolated func conditions(_ trip: Trip, _ person: Person) {
        _ = Trip.where { $0.guide == person && $0.guide != nil && $0.id == 4 }
        _ = Role.where { $0.people.any { $0.id == person.id } }
      }
      """#
    guard let found = try await Compiler.check(["Identities": code], Compiler.strict + options) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  /// Entities have any names, also those of types that are attributes elsewhere.
  @Test func `entities are named as types of the libraries`() async throws {
    let names = ["Set", "Character", "Date", "URL", "Data", "Dictionary", "Float", "UUID", "Decoder", "Key", "Unique"]
    var files = ["Names": ""]
    for name in names {
      files[name] = """
        import EntityClient
        @Entity @Renamed(from: "Old") final class \(name) {
          @UID var uid: Int
          @Relationship var parent: \(name)?
          @Relationship(inverse: \\\(name).parent, onDelete: .cascade) var children: [\(name)]
          @Relationship var required: \(name)
          @Relationship(ordered: true) var others: [\(name)] = []
          @Relationship(inverse: \\\(name).others) var of: [\(name)]
          var plain: \(name)?
          @Relationship var owner: Holder?
        }
        """
    }
    files["Names"] =
      "import EntityClient\n@Entity final class Holder {\n  @Relationship var one: Set?\n"
      + names.map { "  @Relationship(inverse: \\\($0).owner) var in\($0): [\($0)]\n" }.joined() + "}"
    guard let found = try await Compiler.check(files, Compiler.strict) else { return }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `only one import is needed`() async throws {
    let entity = "@Entity public final class User {\n  @UID public var uid: Int\n  public var user: User?\n}"
    for imports in ["public import EntityClient", "public import EntityMacros\npublic import EntityStore"] {
      guard let found = try await Compiler.check(["User": imports + "\n" + entity], Compiler.strict) else { return }
      #expect(found.isEmpty, "\(found)")
    }
  }
}
