import Foundation
import TestSchema
import TestSupport

@testable import EntityStore

/// Commits that follow from each other: each changes what the one before it left, as a seed and its number say.
///
/// The content of a store then tells how many commits it has, and that it has all of each.
struct CommitSequence: Sendable {
  static let entities: [any ManagedEntity.Type] = TestStore.people + Writer.world

  let seed: UInt64

  init(_ seed: UInt64) { self.seed = seed }

  static func open(
    _ location: StoreLocation, _ durability: StoreOptions.Durability = .normal
  ) throws -> EntityStore {
    var options = StoreOptions()
    options.durability = durability
    return try EntityStore(location, entities: entities, busyTimeout: .ample, options: options)
  }

  /// The contents of a store before the first commit, and after each one.
  @MainActor func contents(_ count: Int) async throws -> [[String]] {
    let store = try Self.open(.inMemory)
    var contents = [try await Self.content(store)]
    for number in 1...count {
      try await commit(number, to: store)
      contents.append(try await Self.content(store))
    }
    return contents
  }

  /// Makes one commit: a unit of work, or a save of the main context.
  @MainActor func commit(_ number: Int, to store: EntityStore) async throws {
    let seed = seed
    switch number % 3 {
    case 0:
      try Self.change(store.main, number, seed)
      try await store.main.save()
    case 1: try await store.background { try Self.change($0, number, seed) }
    default: try await store.background(as: .server) { try Self.change($0, number, seed) }
    }
  }

  private static func change(_ context: EntityContext, _ number: Int, _ seed: UInt64) throws {
    var random = SeededRandom(seed &* 1000 &+ UInt64(number))
    let counter = try context.fetch(Team.self, uid: "counter") ?? context.insert(Team.self)
    if counter.uid != "counter" { counter.uid = "counter" }
    counter.title = "\(number)"
    for index in 0..<(1 + random.below(4)) {
      let person = try context.insert(Person.self)
      person.uid = number * 10 + index
      // Long enough for pages of their own.
      person.name = String(repeating: "\(number) ", count: random.below(800))
      person.team = counter
      for rank in 0..<random.below(4) {
        let note = try context.insert(Note.self)
        note.text = "\(number) \(index)"
        note.rank = rank
        note.person = person
      }
    }
    let people = try context.fetch(Person.all.sorted(by: \.uid))
    for person in people where random.chance(8) { person.age = number }
    for person in people where random.chance(12) && person.age != number { try context.delete(person) }
    let article = try context.insert(Article.self)
    article.uid = number
    let uid = 1 + random.below(3)
    let writer = try context.fetch(Writer.self, uid: uid) ?? context.insert(Writer.self)
    if writer.uid != uid { writer.uid = uid }
    article.author = writer
    for article in try context.fetch(Article.all.sorted(by: \.uid)) where random.chance(4) {
      article.tags = try (0..<random.below(4)).map { try tag("\($0)", context) }
    }
  }

  private static func tag(_ uid: String, _ context: EntityContext) throws -> Tag {
    if let tag = try context.fetch(Tag.self, uid: uid) { return tag }
    let tag = try context.insert(Tag.self)
    tag.uid = uid
    return tag
  }

  /// All values, links and marks, without row ids.
  static func content(_ store: EntityStore) async throws -> [String] {
    try await store.read { context in
      var lines = try context.fetch(Team.all).map { "team \($0.uid) \($0.title ?? "-")" }
      lines += try context.fetch(Person.all.sorted(by: \.uid)).map { person in
        let notes = person.notes.map { "\($0.text) \($0.rank)" }.sorted()
        return "person \(person.uid) \(person.name.count) \(person.age) \(person.team?.uid ?? "-") \(notes)"
      }
      lines += try context.fetch(Writer.all.sorted(by: \.uid)).map {
        "writer \($0.uid) \($0.articles.map(\.uid).sorted())"
      }
      lines += try context.fetch(Article.all.sorted(by: \.uid)).map {
        "article \($0.uid) \($0.author.uid) \($0.tags.map(\.uid).sorted())"
      }
      lines += ["notes \(try context.count(Note.all))"]
      for table in ["Person", "Team", "Article", "Article,tags"] {
        let marks = try context.connection.rows("SELECT _edited FROM main.\(table.quoted)") { $0.text(0) ?? "-" }
        lines.append("\(table) \(marks.sorted())")
      }
      return lines
    }
  }
}
