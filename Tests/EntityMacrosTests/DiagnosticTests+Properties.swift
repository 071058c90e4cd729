// The misuses of properties.

extension DiagnosticTests {
  private static let takesNone =
    "an initializer that takes no argument hides the 'init()' that every entity has, and would call itself: "
    + "give it a parameter without a default"

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
      "▸@Relationship(onDelete: .cascade) var names: [String: String]",
      "'names' is an attribute: '[String: String]' is no entity", "remove '@Relationship'",
      "var names: [String: String]"
    ),
    member(
      "▸@Relationship(onDelete: .cascade) var dates: Set<Date>", "'dates' is an attribute: 'Set<Date>' is no entity",
      "remove '@Relationship'", "var dates: Set<Date>"),
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
}
