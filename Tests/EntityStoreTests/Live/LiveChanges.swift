import EntityStore
import TestSchema
import TestSupport

/// An entity of the random tests of live queries.
protocol LiveEntity: ManagedEntity {
  /// The values that a query can tell of, by property.
  var values: [String: String] { get }
  /// Sections are by it.
  var group: String { get }

  associatedtype LiveUID: UIDValue
  static func uid(_ number: Int) -> LiveUID
  func setUID(_ uid: LiveUID)
}

extension LiveEntity {
  static func known(_ number: Int, in context: EntityContext) throws -> Self? {
    try context.fetch(Self.self, uid: uid(number))
  }

  /// One with a uid, which is there or is made.
  static func made(in context: EntityContext, _ random: inout SeededRandom) throws -> Self {
    let number = random.below(40) + 1
    if random.chance(3) { return try context.upsert(Self.self, uid: uid(number)) }
    if let known = try known(number, in: context) { return known }
    let new = try context.insert(Self.self)
    // Without a uid now and then: the server has not seen it.
    if !random.chance(8) { new.setUID(uid(number)) }
    return new
  }

  static func any(in context: EntityContext, _ random: inout SeededRandom) throws -> Self? {
    random.element(try context.fetch(Self.all))
  }

  static func some(in context: EntityContext, _ random: inout SeededRandom) throws -> [Self] {
    var chosen = try context.fetch(Self.all)
    chosen.shuffle(using: &random)
    return Array(chosen.prefix(random.below(5)))
  }
}

extension LiveEntity where LiveUID == Int {
  static func uid(_ number: Int) -> Int { number }
}

extension LiveEntity where Self: Numbered {
  func setUID(_ uid: Int) { number = uid }
}

/// Random changes in any context of a store with the entities of `LiveChanges.entities`.
enum LiveChanges {
  static let entities: [any ManagedEntity.Type] = Writer.world + Mix.world

  static func make(_ count: Int, in context: EntityContext, _ random: inout SeededRandom) throws {
    for _ in 0..<count { try make(in: context, &random) }
  }

  /// A change of properties that no query of `LiveShapes` names.
  static func makeUnnoticed(in context: EntityContext, _ random: inout SeededRandom) throws {
    if let writer = try Writer.any(in: context, &random) { writer.nick = "n\(random.below(1_000))" }
    if random.chance(2), let town = try Town.any(in: context, &random) { town.country = "c\(random.below(1_000))" }
  }

  private static func make(in context: EntityContext, _ random: inout SeededRandom) throws {
    switch random.below(30) {
    case 0...2: try insertOrDelete(Writer.self, 12, in: context, &random)
    case 3...5: try insertArticle(in: context, &random)
    case 6: try insertOrDelete(Tag.self, 8, in: context, &random)
    case 7: try insertOrDelete(Town.self, 6, in: context, &random)
    case 8: try insertOrDelete(Mix.self, 5, in: context, &random)
    case 9: try insertOrDelete(Tune.self, 8, in: context, &random)
    case 10: try insertOrDelete(Remark.self, 8, in: context, &random)
    case 11: try deleteWriter(in: context, &random)
    case 12...15:
      guard let writer = try Writer.any(in: context, &random) else { return }
      try edit(writer, in: context, &random)
    case 16...21:
      guard let article = try Article.any(in: context, &random) else { return }
      try edit(article, in: context, &random)
    case 22: try Tag.any(in: context, &random)?.name = random.chance(4) ? nil : random.letter()
    case 23: try Town.any(in: context, &random)?.city = random.letter()
    case 24: try Tune.any(in: context, &random)?.title = random.letter()
    case 25:
      guard let remark = try Remark.any(in: context, &random) else { return }
      if random.chance(2) { remark.text = random.letter() } else { remark.mix = try Mix.any(in: context, &random) }
    case 26: try bind(Writer.self, in: context, &random)
    case 27: try bind(Tag.self, in: context, &random)
    default:
      guard let mix = try Mix.any(in: context, &random) else { return }
      switch random.below(4) {
      case 0: mix.title = random.letter()
      case 1: mix.tunes = try Tune.some(in: context, &random)
      case 2: mix.remarks = try Remark.some(in: context, &random)
      default: mix.tunes = mix.tunes.reversed()
      }
    }
  }

  private static func insertOrDelete<E: LiveEntity>(
    _ type: E.Type, _ count: Int, in context: EntityContext, _ random: inout SeededRandom
  ) throws {
    let all = try context.fetch(E.all)
    if all.count < random.below(2 * count) { return _ = try E.made(in: context, &random) }
    // The deletion of a writer takes articles with it.
    if E.self != Writer.self, let object = random.element(all) { try context.delete(object) }
  }

  private static func insertArticle(in context: EntityContext, _ random: inout SeededRandom) throws {
    let all = try context.fetch(Article.all)
    if all.count >= random.below(40) {
      if let article = random.element(all) { try context.delete(article) }
      return
    }
    guard let author = try Writer.any(in: context, &random) else { return }
    // An article is never without author, not even before a fetch.
    let number = random.below(40) + 1
    guard try Article.known(number, in: context) == nil else { return }
    let article = try context.insert(Article.self)
    article.author = author
    article.uid = number
    article.title = random.letter()
    article.length = random.below(6)
  }

  private static func deleteWriter(in context: EntityContext, _ random: inout SeededRandom) throws {
    guard let writer = try Writer.any(in: context, &random) else { return }
    for article in writer.articles { try context.delete(article) }
    try context.delete(writer)
  }

  /// Gives an object that the server has not seen a uid, which may be another one's.
  private static func bind<E: LiveEntity>(
    _ type: E.Type, in context: EntityContext, _ random: inout SeededRandom
  ) throws {
    guard let object = random.element(try context.fetch(E.all).filter { !$0.hasUID }) else { return }
    object.setUID(E.uid(random.below(40) + 1))
  }

  private static func edit(_ writer: Writer, in context: EntityContext, _ random: inout SeededRandom) throws {
    switch random.below(7) {
    case 0, 1: writer.name = random.letter()
    case 2: writer.age = random.below(6)
    case 3: writer.isActive.toggle()
    case 4: writer.home = random.chance(4) ? nil : try Town.any(in: context, &random)
    case 5: writer.friends = try Writer.some(in: context, &random)
    default: writer.following = try Writer.some(in: context, &random)
    }
  }

  private static func edit(_ article: Article, in context: EntityContext, _ random: inout SeededRandom) throws {
    switch random.below(7) {
    case 0: article.title = random.letter()
    case 1: article.length = random.below(6)
    case 2: article.rating = random.chance(4) ? nil : Double(random.below(5)) / 2
    case 3:
      guard let author = try Writer.any(in: context, &random) else { return }
      article.author = author
    case 4: article.reviewer = random.chance(3) ? nil : try Writer.any(in: context, &random)
    case 5: article.parent = random.chance(3) ? nil : try Article.any(in: context, &random)
    default: article.tags = try Tag.some(in: context, &random)
    }
  }
}

extension SeededRandom {
  /// One of few, so that results change often.
  mutating func letter() -> String { ["a", "b", "c", "d", "e"][below(5)] }
}

extension ManagedEntity {
  fileprivate var key: String { "\(entityID.pk)" }
}

private func keys(_ objects: [some ManagedEntity]) -> String {
  objects.map(\.entityID.pk).sorted().map(String.init).joined(separator: " ")
}

extension Writer: LiveEntity {
  var values: [String: String] {
    [
      "uid": hasUID ? "\(uid)" : "-", "name": name, "age": "\(age)", "nick": nick ?? "-", "isActive": "\(isActive)",
      "home": home?.key ?? "-", "friends": keys(friends), "following": keys(following),
    ]
  }
  var group: String { "\(age)" }

  func setUID(_ uid: Int) { self.uid = uid }
}

extension Article: LiveEntity {
  var values: [String: String] {
    [
      "uid": hasUID ? "\(uid)" : "-", "title": title, "length": "\(length)", "rating": "\(rating ?? -1)",
      "author": author.key, "reviewer": reviewer?.key ?? "-", "parent": parent?.key ?? "-", "tags": keys(tags),
    ]
  }
  var group: String { author.name }

  func setUID(_ uid: Int) { self.uid = uid }
}

extension Tag: LiveEntity {
  var values: [String: String] { ["uid": hasUID ? uid : "-", "name": name ?? "-"] }
  var group: String { name ?? "-" }

  static func uid(_ number: Int) -> String { "t\(number)" }
  func setUID(_ uid: String) { self.uid = uid }
}

extension Town: LiveEntity {
  var values: [String: String] { ["uid": hasUID ? "\(uid)" : "-", "city": city, "country": country ?? "-"] }
  var group: String { city }

  func setUID(_ uid: Int) { self.uid = uid }
}

extension Mix: LiveEntity {
  var values: [String: String] {
    [
      "number": hasUID ? "\(number)" : "-", "title": title ?? "-",
      "tunes": tunes.map(\.key).joined(separator: " "), "remarks": remarks.map(\.key).joined(separator: " "),
    ]
  }
  var group: String { title ?? "-" }
}

extension Tune: LiveEntity {
  var values: [String: String] { ["number": hasUID ? "\(number)" : "-", "title": title ?? "-"] }
  var group: String { title ?? "-" }
}

extension Remark: LiveEntity {
  var values: [String: String] {
    ["number": hasUID ? "\(number)" : "-", "text": text ?? "-", "mix": mix?.key ?? "-"]
  }
  var group: String { text ?? "-" }
}
