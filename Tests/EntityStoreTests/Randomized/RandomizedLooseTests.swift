import TestSupport
import Testing

@testable import EntityStore

/// Random changes of loose objects, against the same changes of objects of a context. Then they are inserted.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedLooseTests {
  /// Objects with the same numbers, by kind.
  @MainActor struct Cast {
    let writers: [Writer]
    let articles: [Article]
    let tags: [Tag]
    let towns: [Town]
    let mixes: [Mix]
    let tunes: [Tune]
    let remarks: [Remark]

    func read() -> [String] {
      writers.map { writer in
        "writer \(writer.uid) \(writer.name) \(writer.nick ?? "-") home \(writer.home?.uid ?? 0) friends \(sorted(writer.friends)) "
          + "following \(sorted(writer.following)) followers \(sorted(writer.followers)) "
          + "articles \(writer.articles.map(\.uid).sorted()) reviews \(writer.reviews.map(\.uid).sorted())"
      }
        + articles.map { article in
          "article \(article.uid) \(article.title) \(article.rating ?? -1) author \(article.author.uid) "
            + "reviewer \(article.reviewer?.uid ?? 0) tags \(article.tags.map(\.uid).sorted()) "
            + "parent \(article.parent?.uid ?? 0) children \(article.children.map(\.uid).sorted())"
        } + tags.map { "tag \($0.uid) \($0.name ?? "-") \($0.articles.map(\.uid).sorted())" }
        + mixes.map { "mix \($0.number) \($0.title ?? "-") \($0.tunes.map(\.number)) \($0.remarks.map(\.number))" }
        + tunes.map { "tune \($0.number) \($0.mixes.map(\.number))" }
        + remarks.map { "remark \($0.number) \($0.mix?.number ?? 0)" }
    }

    private func sorted(_ writers: [Writer]) -> [Int] { writers.map(\.uid).sorted() }

    var all: [any ManagedEntity] { writers + articles + tags + towns + mixes + tunes + remarks }
  }

  private static let entities = ManyToManyTests.blog + Mix.all

  private static func cast(_ count: Int, _ make: (any ManagedEntity.Type) throws -> any ManagedEntity) throws -> Cast {
    func objects<E: ManagedEntity>(_ type: E.Type, _ name: (E, Int) -> Void) throws -> [E] {
      try (1...count).map { number in
        let object = try #require(try make(type) as? E)
        name(object, number)
        return object
      }
    }
    return Cast(
      writers: try objects(Writer.self) { $0.uid = $1 }, articles: try objects(Article.self) { $0.uid = $1 },
      tags: try objects(Tag.self) { $0.uid = "\($1)" }, towns: try objects(Town.self) { $0.uid = $1 },
      mixes: try objects(Mix.self) { $0.number = $1 }, tunes: try objects(Tune.self) { $0.number = $1 },
      remarks: try objects(Remark.self) { $0.number = $1 })
  }

  /// One random change, of each cast.
  private static func change(_ random: inout SeededRandom, _ casts: [Cast], _ count: Int) throws -> String {
    let (one, two, three) = (random.below(count), random.below(count), random.below(count))
    let some = (0..<random.below(count + 1)).map { _ in random.below(count) }
    let isIn = random.chance(2)
    let kind = random.below(16)
    for cast in casts {
      func pick<E>(_ objects: [E]) -> [E] { some.map { objects[$0] } }
      /// An array that has no member twice, as a list has none.
      func unique<E: ManagedEntity>(_ objects: [E]) -> [E] {
        var seen: Set<ObjectIdentifier> = []
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
      }
      switch kind {
      case 0: cast.writers[one].name = "w\(three)"
      case 1: cast.writers[one].home = isIn ? cast.towns[two] : nil
      case 2: cast.writers[one].friends = pick(cast.writers)
      case 3: cast.writers[one].following = pick(cast.writers)
      case 4: cast.writers[one].followers = pick(cast.writers)
      case 5: cast.writers[one].reviews = pick(cast.articles)
      case 6: cast.articles[one].author = cast.writers[two]
      case 7: cast.articles[one].tags = pick(cast.tags)
      case 8: cast.tags[one].articles = pick(cast.articles)
      case 9: cast.articles[one].parent = isIn ? cast.articles[two] : nil
      case 10: cast.articles[one].children = pick(cast.articles)
      case 11: cast.mixes[one].tunes = unique(pick(cast.tunes))
      case 12: cast.mixes[one].remarks = unique(pick(cast.remarks))
      case 13:
        if isIn {
          try cast.articles[one].add(cast.tags[two], to: \.tags)
        } else {
          try cast.articles[one].remove(cast.tags[two], from: \.tags)
        }
      case 14:
        if isIn {
          try cast.mixes[one].add(cast.tunes[two], to: \.tunes)
        } else {
          try cast.mixes[one].remove(cast.tunes[two], from: \.tunes)
        }
      default: cast.writers[one].nick = isIn ? "n\(two)" : nil
      }
    }
    return "\(kind): \(one) \(two) \(three) \(some) \(isIn)"
  }

  struct Difference: Error { let text: String }

  @Test(arguments: Place.allCases)
  func looseObjectsAreAsThoseOfAContext(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 40 : 10, sanitized: 3, place.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      var log: [String] = []
      defer { steps = log.joined(separator: "\n") }
      let (model, test) = (try TestStore(.memory, Self.entities), try TestStore(place, Self.entities))
      let count = 2 + random.below(4)
      let attached = try Self.cast(count) { try model.store.main.insert(model.store.core.schema.model($0)) }
      let loose = try Self.cast(count) { Self.made($0) }
      @MainActor func check(_ text: String) throws {
        let (expected, read) = (attached.read(), loose.read())
        guard let index = expected.indices.first(where: { expected[$0] != read[$0] }) else { return }
        throw Difference(text: "\(text): \(read[index]), and \(expected[index]) was expected")
      }
      // Required.
      for cast in [attached, loose] { for article in cast.articles { article.author = cast.writers[0] } }
      let main = test.store.main
      for _ in 0..<random.below(40) {
        log.append(try Self.change(&random, [attached, loose], count))
        try check("loose")
      }
      // All that is linked comes with the first.
      for object in loose.all { try Self.insert(object, main) }
      try check("inserted")
      for _ in 0..<random.below(10) {
        log.append("then " + (try Self.change(&random, [attached, loose], count)))
        try check("changed")
      }
      try await main.save()
      try check("saved")
      main.reset()
      try check("read again")
    }
  }

  private static func made<E: ManagedEntity>(_ type: E.Type) -> any ManagedEntity { E() }

  private static func insert<E: ManagedEntity>(_ object: E, _ context: EntityContext) throws {
    try context.insert(object)
  }
}
