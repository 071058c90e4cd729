import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// A unit of work or a save, whose effect is there as a whole or not at all.
struct FaultStep: Sendable {
  enum Kind: Sendable {
    case change
    /// Takes back the last save of the main context, or makes it again: `FaultRun` does it, and no effect is its own.
    case undo, redo
    /// The saves between the two are undone as one.
    case beginGroup, endGroup
  }

  let name: String
  var kind = Kind.change
  /// Whether it is a save of the main context. The next save has the changes of one that was refused, too.
  var isOfMain = false
  /// Does it, once more too where it was refused.
  let run: @MainActor @Sendable (EntityStore) async throws -> Void
  /// How much of the effect is there, as a fraction of two counts that say "all" where they are equal.
  let isThere: @Sendable (EntityContext) throws -> (found: Int, all: Int)
}

/// A piece of a store's life, in which any call may fail.
struct FaultScenario: Sendable, CustomTestStringConvertible {
  let name: String
  /// Makes the file that is there before; `nil` for none.
  let old: (@Sendable (URL) async throws -> Void)?
  let entities: [any ManagedEntity.Type]
  var migrations: [Migration] = []
  var options = StoreOptions()
  let steps: [FaultStep]
  /// A read of the main context.
  var read: @MainActor @Sendable (EntityContext) throws -> Void = { _ = try $0.fetch(Person.all) }
  /// Throws where something does not hold that must hold at any time.
  var hold: (@Sendable (EntityStore) async throws -> Void)?
  /// Objects that the test holds in the main context, from each step on: they have to agree with the file.
  var objects: (@Sendable (EntityContext) throws -> [any ManagedEntity])?
  /// Whether others write to the file, not through the store's file system.
  var hasOtherWriters = false

  var testDescription: String { name }

  func open(_ location: StoreLocation) throws -> EntityStore {
    try EntityStore(location, entities: entities, migrations: migrations, busyTimeout: .ample, options: options)
  }

  private static let every =
    [creating, reopening, migrating, saving, units, response, archive, outbox] + care + undos + openings + merges

  /// The names in `ENTITYCLIENT_FAULTS_SCENARIOS`, with commas between them; empty where the variable chooses none.
  static let chosen = (ProcessInfo.processInfo.environment["ENTITYCLIENT_FAULTS_SCENARIOS"] ?? "")
    .split(separator: ",").map(String.init)

  /// The chosen scenarios; every one where none is chosen.
  static let all = chosen.isEmpty ? every : every.filter { chosen.contains($0.name) }

  static let names = every.map(\.name)

  static func named(_ name: String) throws -> FaultScenario { try #require(every.first { $0.name == name }) }

  static let people = CommitSequence.entities

  private static let creating = FaultScenario(
    name: "create", old: nil, entities: people, steps: [.insert(1), .save(2)])

  private static let reopening = FaultScenario(
    name: "reopen", old: fill, entities: people, steps: [.read(0), .insert(1), .read(0)])

  private static let migrating = FaultScenario(
    name: "migrate", old: { try await Hotel.fill(.file($0)) }, entities: V5.all,
    migrations: [
      Migration("count") { try $0.execute("UPDATE Guest SET nickname = coalesce(nickname, '') || '+'") }
    ] + MigrationStepTests.splitting,
    steps: [], read: { _ = try $0.fetch(V5.Guest.all) })

  private static let saving = FaultScenario(
    name: "save", old: fill, entities: people, steps: [.save(1), .saveAtOnce(2), .edit(3), .read(0), .save(4)])

  private static let units = FaultScenario(
    name: "units", old: fill, entities: people,
    steps: [.checkpoints, .insert(1), .cascade, .pairs(2), .read(0), .insert(3)])

  private static let response = FaultScenario(
    name: "response", old: fill, entities: people, steps: [.response(1), .read(0), .response(2)])

  private static let archive = FaultScenario(
    name: "archive", old: fill, entities: people, steps: [.restore, .insert(1)])

  /// Person 1000 with notes.
  @Sendable static func fill(_ file: URL) async throws {
    let store = try EntityStore(.file(file), entities: people, busyTimeout: .ample)
    try await store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      person.uid = 1000
      person.name = "old"
      for rank in 0..<FaultStep.noteCount {
        let note = try context.insert(Note.self)
        note.rank = rank
        note.person = person
      }
    }
    try await store.close()
  }
}

extension FaultStep {
  static let noteCount = 30

  private static func count<E: ManagedEntity>(_ query: EntityQuery<E>, of all: Int)
    -> @Sendable (EntityContext) throws
    -> (found: Int, all: Int)
  {
    { (try $0.count(query), all) }
  }

  private static func people(_ uids: Range<Int>) -> EntityQuery<Person> {
    Person.where { $0.uid >= uids.lowerBound && $0.uid < uids.upperBound }
  }

  /// Objects of several entities that refer to each other.
  private static func team(_ number: Int, _ context: EntityContext) throws {
    let team = try context.insert(Team.self)
    team.uid = "team \(number)"
    for index in 0..<3 {
      let person = try context.insert(Person.self)
      person.uid = number * 10 + index
      person.name = String(repeating: "name", count: 200)
      person.team = team
    }
  }

  /// A unit of work.
  static func insert(_ number: Int) -> FaultStep {
    FaultStep(
      name: "insert", run: { try await $0.background { try team(number, $0) } },
      isThere: count(people(number * 10..<number * 10 + 10), of: 3))
  }

  private static func save(_ number: Int, _ save: @escaping @MainActor @Sendable (EntityContext) async throws -> Void)
    -> FaultStep
  {
    FaultStep(
      name: "save", isOfMain: true,
      run: { store in
        let main = store.main
        if try main.fetch(Team.self, uid: "team \(number)") == nil {
          do { try team(number, main) } catch {
            // A part of it is no step.
            main.rollback()
            throw error
          }
        }
        try await save(main)
      }, isThere: count(people(number * 10..<number * 10 + 10), of: 3))
  }

  static func save(_ number: Int) -> FaultStep { save(number) { try await $0.save() } }
  static func saveAtOnce(_ number: Int) -> FaultStep { save(number) { try $0.saveAtOnce() } }

  /// An edit of a row, of which each read is one more that may fail.
  static func edit(_ number: Int) -> FaultStep {
    FaultStep(
      name: "edit", isOfMain: true,
      run: { store in
        guard let person = try store.main.fetch(Person.self, uid: 1000) else {
          throw StoreError(.corrupt, "The first person is gone.")
        }
        person.name = "edited \(number)"
        person.score = Double(number)
        try await store.main.save()
      }, isThere: count(Person.where { $0.name == "edited \(number)" && $0.score == Double(number) }, of: 1))
  }

  /// The deletion of an object, and of all that goes with it.
  static let cascade = FaultStep(
    name: "cascade",
    run: { store in
      try await store.background { context in
        if let person = try context.fetch(Person.self, uid: 1000) { try context.delete(person) }
      }
    },
    isThere: { context in
      (
        noteCount + 1 - (try context.count(Note.all)) - (try context.count(Person.where { $0.uid == 1000 })),
        noteCount + 1
      )
    })

  static func makePairs(_ number: Int, _ context: EntityContext) throws {
    let writer = try context.insert(Writer.self)
    writer.uid = number
    for index in 0..<4 {
      let article = try context.insert(Article.self)
      article.uid = number * 10 + index
      article.author = writer
      article.tags = try (0...index).map { try context.upsert(Tag.self, uid: "\(number) \($0)") }
    }
  }

  /// Lists of a many-to-many relationship.
  static func pairs(_ number: Int) -> FaultStep {
    FaultStep(
      name: "pairs",
      run: { try await $0.background { try makePairs(number, $0) } },
      isThere: { context in
        let tags = try context.fetch(Tag.all).filter { $0.uid.hasPrefix("\(number) ") }
        return (tags.count + tags.reduce(0) { $0 + $1.articles.count }, 14)
      })
  }

  /// A response that fills rows, and refers to one of which only the uid is known.
  static func response(_ number: Int) -> FaultStep {
    FaultStep(
      name: "response",
      run: { store in
        try await store.core.unit { rows in
          let context = ContextAnswers.ofResponse(store.core, rows)
          defer { context.finish() }
          let model = try rows.schema.model(Person.self)
          for index in 0..<20 {
            var row = RowValues(count: model.properties.count)
            row[Person.columns.uid.index] = .integer(Int64(number * 100 + index))
            row[Person.columns.name.index] = .text(String(repeating: "n", count: 500))
            _ = try rows.insert(
              model, pk: rows.newPrimaryKey(), row, .response(.keepingEdits, newer: ColumnMask()))
          }
          try context.saving.throwMistakes()
        }
      }, isThere: count(people(number * 100..<number * 100 + 100), of: 20))
  }

  static let restore = FaultStep(
    name: "restore",
    run: { store in
      let archive = try await store.archive()
      let other = try EntityStore(.inMemory, entities: CommitSequence.entities, busyTimeout: .ample)
      try await other.restore(from: archive)
      try await other.background { context in
        for number in 7...9 { try team(number, context) }
      }
      try await store.restore(from: try await other.archive(), discardsPending: true)
    }, isThere: count(people(70..<100), of: 9))

  /// Reads only, on each path: there is nothing of it.
  static func read(_ number: Int) -> FaultStep {
    FaultStep(
      name: "read",
      run: { store in
        let main = store.main
        let person = try main.fetch(Person.self, uid: 1000)
        let notes = person?.notes.map(\.text)
        // The error of a property is thrown by the next read.
        _ = try main.count(Person.all)
        let found = try await store.read { try $0.fetch(Note.all).map(\.text) }
        guard person == nil || notes == found else { throw StoreError(.corrupt, "The reads differ.") }
      }, isThere: { _ in (0, 0) })
  }

  /// Has the write-ahead log move into the file often.
  static let checkpoints = FaultStep(
    name: "checkpoints",
    run: { try await $0.core.unit { try $0.connection.execute("PRAGMA wal_autocheckpoint = 6") } },
    isThere: { _ in (0, 0) })
}
