import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random changes of loose objects, against the same changes of objects of a context. Some are linked to objects of a context,
/// which inserts them, and then all are inserted.
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
    /// Objects of the context that the others are inserted into: the first link to one inserts what leads there.
    let known: (articles: [Article], remarks: [Remark])

    /// The values that each object reads.
    var lines: [() -> String] {
      let (articles, remarks) = (articles + known.articles, remarks + known.remarks)
      return writers.map { writer in
        {
          "writer \(writer.uid) \(writer.name) \(writer.nick ?? "-") home \(writer.home?.uid ?? 0) friends \(sorted(writer.friends)) "
            + "following \(sorted(writer.following)) followers \(sorted(writer.followers)) "
            + "articles \(writer.articles.map(\.uid).sorted()) reviews \(writer.reviews.map(\.uid).sorted())"
        }
      }
        + articles.map { article in
          {
            "article \(article.uid) \(article.title) \(article.rating ?? -1) author \(article.author.uid) "
              + "reviewer \(article.reviewer?.uid ?? 0) tags \(article.tags.map(\.uid).sorted()) "
              + "parent \(article.parent?.uid ?? 0) children \(article.children.map(\.uid).sorted())"
          }
        } + tags.map { tag in { "tag \(tag.uid) \(tag.name ?? "-") \(tag.articles.map(\.uid).sorted())" } }
        + mixes.map { mix in
          { "mix \(mix.number) \(mix.title ?? "-") \(mix.tunes.map(\.number)) \(mix.remarks.map(\.number))" }
        } + tunes.map { tune in { "tune \(tune.number) \(tune.mixes.map(\.number))" } }
        + remarks.map { remark in { "remark \(remark.number) \(remark.mix?.number ?? 0)" } }
    }

    private func sorted(_ writers: [Writer]) -> [Int] { writers.map(\.uid).sorted() }

    var all: [any ManagedEntity] { writers + articles + tags + towns + mixes + tunes + remarks }
  }

  private static let entities = TestStore.blog + Mix.world

  private static func cast(
    _ count: Int, in context: EntityContext, _ make: (any ManagedEntity.Type) throws -> any ManagedEntity
  ) throws -> Cast {
    func objects<E: ManagedEntity>(_ type: E.Type, _ name: (E, Int) -> Void) throws -> [E] {
      try (1...count).map { number in
        let object = try #require(try make(type) as? E)
        name(object, number)
        return object
      }
    }
    let author = try context.insert(Writer.self)
    author.uid = 200
    let known = try (101...100 + count).map { number in
      let (article, remark) = (try context.insert(Article.self), try context.insert(Remark.self))
      (article.uid, article.author, remark.number) = (number, author, number)
      return (article, remark)
    }
    return Cast(
      writers: try objects(Writer.self) { $0.uid = $1 }, articles: try objects(Article.self) { $0.uid = $1 },
      tags: try objects(Tag.self) { $0.uid = "\($1)" }, towns: try objects(Town.self) { $0.uid = $1 },
      mixes: try objects(Mix.self) { $0.number = $1 }, tunes: try objects(Tune.self) { $0.number = $1 },
      remarks: try objects(Remark.self) { $0.number = $1 }, known: (known.map(\.0), known.map(\.1)))
  }

  /// One random change, of each cast.
  private static func change(_ random: inout SeededRandom, _ casts: [Cast], _ count: Int) throws -> String {
    let (one, two, three) = (random.below(count), random.below(count), random.below(count))
    let some = (0..<random.below(count + 1)).map { _ in random.below(count * 2) }
    let isIn = random.chance(2)
    let kind = random.below(16)
    for cast in casts {
      func pick<E>(_ objects: [E], _ known: [E] = []) -> [E] {
        some.map { $0 < count || known.isEmpty ? objects[$0 % count] : known[$0 - count] }
      }
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
      case 5: cast.writers[one].reviews = pick(cast.articles, cast.known.articles)
      case 6: cast.articles[one].author = cast.writers[two]
      case 7: cast.articles[one].tags = pick(cast.tags)
      case 8: cast.tags[one].articles = pick(cast.articles, cast.known.articles)
      case 9: cast.articles[one].parent = isIn ? cast.articles[two] : nil
      case 10: cast.articles[one].children = pick(cast.articles, cast.known.articles)
      case 11: cast.mixes[one].tunes = unique(pick(cast.tunes))
      case 12: cast.mixes[one].remarks = unique(pick(cast.remarks, cast.known.remarks))
      case 13:
        if isIn {
          try cast.articles[one].add(cast.tags[two], to: \.tags)
        } else if cast.articles[one].tags.contains(where: { $0 === cast.tags[two] }) {
          // A list of a context refuses to let go of an object that is in none.
          try cast.articles[one].remove(cast.tags[two], from: \.tags)
        }
      case 14:
        if isIn {
          try cast.mixes[one].add(cast.tunes[two], to: \.tunes)
        } else if cast.mixes[one].tunes.contains(where: { $0 === cast.tunes[two] }) {
          try cast.mixes[one].remove(cast.tunes[two], from: \.tunes)
        }
      default: cast.writers[one].nick = isIn ? "n\(two)" : nil
      }
    }
    return "\(kind): \(one) \(two) \(three) \(some) \(isIn)"
  }

  struct Difference: Error { let text: String }

  @Test(arguments: Place.usual)
  func `loose objects behave as objects of a context do`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 40 : 10, sanitized: 3, place.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      var log: [String] = []
      defer { steps = log.joined(separator: "\n") }
      let (model, test) = (try TestStore(.memory, Self.entities), try TestStore(place, Self.entities))
      let count = 2 + random.below(4)
      let main = test.store.main
      let attached = try Self.cast(count, in: model.store.main) {
        try model.store.main.answers.insert(model.store.core.schema.model($0))
      }
      let loose = try Self.cast(count, in: main) { Self.made($0) }
      @MainActor func check(_ text: String) throws {
        let expected = attached.lines.map { $0() }
        let read = loose.lines.map { $0() }
        guard let index = expected.indices.first(where: { expected[$0] != read[$0] }) else { return }
        throw Difference(text: "\(text): \(read[index]), and \(expected[index]) was expected")
      }
      let lines = loose.lines
      let watchers = lines.map { line in Watcher { _ = line() } }
      var last = lines.map { $0() }
      /// Observers hear of each change.
      @MainActor func checkTold(_ text: String) throws {
        for (index, line) in lines.enumerated() {
          let (line, isTold) = (line(), watchers[index].fired)
          guard isTold || line == last[index] else {
            throw Difference(text: "\(text): \(line) was not told of, after \(last[index])")
          }
          last[index] = line
        }
      }
      // Required.
      for cast in [attached, loose] { for article in cast.articles { article.author = cast.writers[0] } }
      for _ in 0..<random.below(40) {
        log.append(try Self.change(&random, [attached, loose], count))
        try check("loose")
        try checkTold("loose")
      }
      for object in loose.all { try Self.insert(object, main) }
      try check("inserted")
      try checkTold("inserted")
      for _ in 0..<random.below(10) {
        log.append("then " + (try Self.change(&random, [attached, loose], count)))
        try check("changed")
        try checkTold("changed")
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
