import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// The notes of answers in the file, and those of this process alone.
struct AnswerNoteTests {
  private struct Broken: Error {}

  private static let key = AnswerKey("users")
  private static let secret = AnswerKey("secret", isVolatile: true)

  private func store(_ place: Place, people: Int = 3) async throws -> (test: TestStore, ids: [Int64]) {
    let test = try TestStore(place)
    let ids = try await test.store.background(as: .server) { context in
      try (1...people).map { uid in
        let person = try context.insert(Person.self)
        person.uid = uid
        return person.entityID.pk
      }
    }
    return (test, ids)
  }

  private func note(_ ids: [Int64], _ text: String = "v1", time: Double = 100) -> AnswerNote {
    AnswerNote(entity: "Person", pks: ids, text: text, time: time)
  }

  // MARK: Kept

  @Test(arguments: Place.usual)
  func `a note has the objects of its answer in their order`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    var note = note(ids.reversed())
    note.parts = ["Team": [], "Person": [ids[1]]]
    try await test.store.keep(note, Self.key)
    #expect(try await test.store.core.answer(Self.key) == note)
    #expect(try await test.store.core.answer(AnswerKey("others")) == nil)
    #expect(try await test.store.core.answer(AnswerKey("users", isVolatile: true)) == nil)
  }

  @Test func `the next process finds the note in the file`() async throws {
    let (test, ids) = try await store(.file)
    try await test.store.keep(note(ids), Self.key)
    try await test.store.keep(note(ids), Self.secret)
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people, busyTimeout: .ample)
    #expect(again.core.hasAnswers)
    #expect(try await again.core.answer(Self.key) == note(ids))
    #expect(try await again.core.answer(Self.secret) == nil)
  }

  @Test(arguments: Place.usual)
  func `a volatile note is never in the file`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    try await test.store.keep(note(ids), Self.secret)
    #expect(try await test.store.core.answer(Self.secret) == note(ids))
    #expect(try await test.store.answerCount() == 0)
  }

  @Test(arguments: Place.usual)
  func `a note belongs to the unit that took the answer in`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    for key in [Self.key, Self.secret] {
      await #expect(throws: Broken.self) {
        try await test.store.core.unit { rows in
          try rows.answerNotes.keep(note(ids), key, test.store.core.requests.begin(), hasOlder: false)
          throw Broken()
        }
      }
      #expect(try await test.store.core.answer(key) == nil)
    }
  }

  @Test(arguments: Place.usual)
  func `an equal answer writes nothing`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    try await test.store.keep(note(ids), Self.key)
    try await test.store.keep(note(ids, time: 200), Self.key)
    #expect(try await test.store.answerTimes() == [100])
    #expect(try await test.store.core.answer(Self.key)?.time == 200)
    try await test.store.keep(note(ids, "v2", time: 300), Self.key)
    #expect(try await test.store.answerTimes() == [300])
    #expect(try await test.store.core.answer(Self.key)?.time == 300)
  }

  @Test(arguments: Place.usual)
  func `a confirmation writes nothing and concerns one note only`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    try await test.store.keep(note(ids), Self.key)
    let generation = try await test.store.generation()
    let known = try #require(try await test.store.core.answer(Self.key))
    try await test.store.core.confirmAnswer(Self.key, known, at: 500)
    #expect(try await test.store.core.answer(Self.key)?.time == 500)
    #expect(try await test.store.answerTimes() == [100])
    #expect(try await test.store.generation() == generation)
    // This process alone may know of another text.
    try await test.store.core.confirmAnswer(Self.key, known, at: 600, text: "own", isWritten: false)
    #expect(try await test.store.core.answer(Self.key)?.text == "own")
    try await test.store.core.confirmAnswer(Self.key, known, at: 700)
    #expect(try await test.store.core.answer(Self.key)?.text == "own")
    #expect(try await test.store.answerTexts() == ["v1"])
    try await test.store.core.confirmAnswer(Self.key, known, at: 800, text: "new")
    #expect(try await test.store.core.answer(Self.key)?.text == "new")
    #expect(try await test.store.answerTexts() == ["new"])
    // The note of another answer is not what the server confirmed.
    try await test.store.keep(note(ids, "v2", time: 150), Self.key)
    #expect(try await test.store.core.answer(Self.key)?.time == 150)
    #expect(try await test.store.core.answer(Self.key)?.text == "v2")
    let next = try #require(try await test.store.core.answer(Self.key))
    try await test.store.core.confirmAnswer(Self.key, next, at: 900, text: "own", isWritten: false)
    try await test.store.keep(note(ids, "v3", time: 150), Self.key)
    #expect(try await test.store.core.answer(Self.key)?.text == "v3")
  }

  @Test(arguments: Place.usual)
  func `a confirmation in a closed store fails`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    try await test.store.keep(note(ids), Self.key)
    let known = try #require(try await test.store.core.answer(Self.key))
    try await test.store.close()
    let error = await #expect(throws: StoreError.self) {
      try await test.store.core.confirmAnswer(Self.key, known, at: 500, text: "new")
    }
    #expect(error?.kind == .closed)
  }

  @Test(arguments: Place.usual, [false, true])
  func `an older answer leaves the note of a newer answer`(_ place: Place, _ isVolatile: Bool) async throws {
    let (test, ids) = try await store(place)
    let key = AnswerKey("users", isVolatile: isVolatile)
    let requests = test.store.core.requests
    let (old, new) = (requests.begin(), requests.begin())
    try await test.store.keep(note(ids, "new"), key, new)
    try await test.store.keep(note([ids[0]], "old"), key, old)
    requests.end(old)
    requests.end(new)
    #expect(try await test.store.core.answer(key)?.text == "new")
    try await test.store.keep(note(ids, "newest"), key)
    #expect(try await test.store.core.answer(key)?.text == "newest")
  }

  @Test(arguments: Place.usual)
  func `only the newest notes stay`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    let count = AnswerMemory.limit + 10
    try await test.store.core.unit { rows in
      try rows.connection.prepare(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO \(AnswerNotes.table) "
          + "(key, entity, time, note, objects) SELECT 'k' || i, 'Person', i, '', '[]' FROM n"
      ).run([.integer(Int64(count))])
    }
    try await test.store.keep(note(ids, time: Double(count + 1)), Self.key)
    #expect(try await test.store.answerCount() == AnswerMemory.limit)
    #expect(try await test.store.answerTimes().min() == Double(count + 2 - AnswerMemory.limit))
    #expect(try await test.store.core.answer(Self.key) != nil)
    for number in 0...AnswerMemory.limit {
      test.store.core.answers.keep(note(ids, time: Double(number)), AnswerKey("v\(number)", isVolatile: true))
    }
    #expect(test.store.core.answers[AnswerKey("v0", isVolatile: true)] == nil)
    #expect(test.store.core.answers[AnswerKey("v\(AnswerMemory.limit)", isVolatile: true)] != nil)
  }

  // MARK: Rows that are gone

  @Test(arguments: Place.usual)
  func `rows that are gone are left out`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    try await test.store.keep(note(ids), Self.key)
    try await test.store.keep(note(ids), Self.secret)
    try await test.store.background(as: .server) { try $0.delete(try #require(try $0.fetch(Person.self, uid: 2))) }
    for key in [Self.key, Self.secret] {
      let left = try #require(try await test.store.core.answer(key))
      #expect(left.pks == [ids[0], ids[2]])
      #expect(!left.isWhole)
    }
    try await test.store.background(as: .server) { try $0.fetch(Person.all).forEach($0.delete) }
    #expect(try await test.store.core.answer(Self.key) == nil)
    #expect(try await test.store.core.answer(Self.secret) == nil)
  }

  @Test(arguments: Place.usual)
  func `an answer without objects is noted`(_ place: Place) async throws {
    let (test, _) = try await store(place)
    try await test.store.keep(note([]), Self.key)
    #expect(try await test.store.core.answer(Self.key)?.pks == [])
  }

  @Test(arguments: Place.usual)
  func `a reset forgets the notes`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    for key in [Self.key, Self.secret] { try await test.store.keep(note(ids), key) }
    try await test.store.reset()
    try await store(again: test.store, ids)
    #expect(try await test.store.answerCount() == 0)
    #expect(try await test.store.core.answer(Self.key) == nil)
    #expect(try await test.store.core.answer(Self.secret) == nil)
  }

  /// Puts rows with the same ids back: nothing but the note is missing then.
  private func store(again store: EntityStore, _ ids: [Int64]) async throws {
    try await store.core.unit { rows in
      let insert = try rows.connection.prepare("INSERT INTO Person (_pk, uid, name, age) VALUES (?1, ?1, '', 0)")
      for pk in ids { try insert.run([.integer(pk)]) }
    }
  }

  // MARK: Ends

  private enum Taking: CaseIterable {
    case edit, property, all, acknowledged, acknowledgedAll, deletion, embedded

    /// A change that makes the store lack something of the answer, which "not modified" would hide.
    func run(in store: EntityStore, _ id: EntityID<Person>) async throws {
      switch self {
      case .edit, .property, .all, .acknowledged, .acknowledgedAll:
        try await store.edit(id) { $0.name = "mine" }
      case .deletion:
        try await store.background { try $0.delete(try #require(try $0.object(id))) }
      case .embedded: break
      }
      #expect(try await store.core.answer(AnswerNoteTests.key)?.isEnded == false)
      switch self {
      case .edit: try await store.pending.discard(id)
      case .property: try await store.pending.discard(id, \.name)
      case .all: try await store.pending.discardAll()
      case .acknowledged: try await store.pending.acknowledge(id, \.name)
      case .acknowledgedAll: try await store.pending.acknowledgeAll()
      case .deletion: try await store.pending.discard(try #require(try await store.pending.changes().first))
      case .embedded:
        try await store.background { try $0.delete(try #require(try $0.fetch(Note.all).first)) }
      }
    }
  }

  @Test(arguments: Place.usual, Taking.allCases)
  private func `taking back a change that the server does not know ends the notes of answers`(
    _ place: Place, _ taking: Taking
  ) async throws {
    let (test, ids) = try await store(place)
    let id = EntityID<Person>(pk: ids[0])
    try await test.store.background(as: .server) { context in
      try context.insert(Note.self).person = try context.object(id)
    }
    for key in [Self.key, Self.secret] { try await test.store.keep(note(Array(ids[1...])), key) }
    try await taking.run(in: test.store, id)
    for key in [Self.key, Self.secret] {
      let note = try #require(try await test.store.core.answer(key))
      #expect(note.isEnded && note.isWhole && note.pks == Array(ids[1...]))
    }
    try await test.store.keep(note(ids), Self.key)
    #expect(try await test.store.core.answer(Self.key)?.isEnded == false)
  }

  @Test(arguments: Place.usual)
  func `a local edit ends no note of an answer`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    try await test.store.keep(note(ids), Self.key)
    try await test.store.edit(EntityID(pk: ids[0])) { $0.name = "mine" }
    try await test.store.background { try $0.insert(Team.self).uid = "new" }
    #expect(try await test.store.core.answer(Self.key) == note(ids))
  }

  @Test(arguments: Place.usual)
  func `a write ends the notes of its entity`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    let teams = AnswerKey("teams")
    for key in [Self.key, Self.secret] { try await test.store.keep(note(ids), key) }
    try await test.store.keep(AnswerNote(entity: "Team", pks: [], text: "", time: 1), teams)
    await test.store.core.endAnswersAfterWrite(of: ["Person"])
    #expect(try await test.store.core.answer(Self.key)?.isEnded == true)
    #expect(try await test.store.core.answer(Self.secret)?.isEnded == true)
    #expect(try await test.store.core.answer(teams)?.isEnded == false)
  }

  private final class Count: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock(\.self) }
    func increase() { count.withLock { $0 += 1 } }
  }

  /// Another process has noted the answer: this one knows of no note, and can't read the file.
  @Test func `a write ends the notes of others while no reader is free`() async throws {
    let test = try TestStore(.file, busyTimeout: .milliseconds(50))
    let store = test.store
    let other = try EntityStore(.file(test.folder.file), entities: TestStore.people, busyTimeout: .ample)
    try await other.keep(note([]), Self.key)
    let (go, reading) = (DispatchSemaphore(value: 0), Count())
    var reads: [Task<Void, any Error>] = []
    for _ in 0..<4 {
      reads.append(
        Task.detached {
          try await store.read { _ in
            reading.increase()
            go.wait()
          }
        })
    }
    while reading.value < 4 { await Task.yield() }
    // With the short deadline the writer may need more than one attempt.
    var isEnded = false
    for _ in 0..<20 where !isEnded {
      await test.store.core.endAnswersAfterWrite(of: ["Person"])
      isEnded = (try? await other.core.answer(Self.key)?.isEnded) == true
    }
    for _ in 0..<4 { go.signal() }
    for read in reads { try await read.value }
    #expect(isEnded)
  }

  @Test(arguments: Place.usual)
  func `an answer that is not to be kept is forgotten`(_ place: Place) async throws {
    let (test, ids) = try await store(place)
    for key in [Self.key, Self.secret] {
      try await test.store.keep(note(ids), key)
      try await test.store.core.unit { try $0.answerNotes.forgetAnswer(key) }
      #expect(try await test.store.core.answer(key) == nil)
    }
  }

  // MARK: Files

  @Test(arguments: Place.usual)
  func `another schema forgets the notes`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let note = AnswerNote(entity: "Room", pks: [], text: "", time: 1)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.keep(note, Self.key)
      #expect(try await store.core.answer(Self.key) == note)
    }
    let store = try EntityStore(hotel.location, entities: V2.all, busyTimeout: .ample)
    #expect(try await store.core.answer(Self.key) == nil)
  }

  @Test(arguments: Place.usual)
  func `a step forgets the notes`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let note = AnswerNote(entity: "Room", pks: [], text: "", time: 1)
    for _ in 0..<2 {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.keep(note, Self.key)
      #expect(try await store.core.answer(Self.key) == note)
    }
    let store = try EntityStore(
      hotel.location, entities: V1.all, migrations: [Migration("changes rows") { _ in }], busyTimeout: .ample)
    #expect(try await store.core.answer(Self.key) == nil)
  }

  @Test func `a note that another program wrote is ignored`() async throws {
    let (test, ids) = try await store(.file)
    try await test.store.keep(note(ids), Self.key)
    try await test.store.core.unit { rows in
      try rows.connection.execute("UPDATE \(AnswerNotes.table) SET objects = 'nothing'")
    }
    #expect(try await test.store.core.answer(Self.key) == nil)
    try await test.store.keep(note(ids), Self.key)
    #expect(try await test.store.core.answer(Self.key) == note(ids))
  }
}

extension EntityStore {
  fileprivate func keep(_ note: AnswerNote, _ key: AnswerKey, _ number: RequestNumber? = nil) async throws {
    let requests = core.requests
    let own = number ?? requests.begin()
    try await core.unit {
      try $0.answerNotes.keep(note, key, own, hasOlder: requests.hasOlder(than: own) || number != nil)
    }
    if number == nil { requests.end(own) }
  }

  fileprivate func answerCount() async throws -> Int { try await answerTimes().count }

  fileprivate func answerTimes() async throws -> [Double] {
    try await read { try $0.connection.rows("SELECT time FROM \(AnswerNotes.table)") { $0.double(0) ?? 0 } }
  }

  fileprivate func answerTexts() async throws -> [String] {
    try await read { try $0.connection.rows("SELECT note FROM \(AnswerNotes.table)") { $0.text(0) ?? "" } }
  }

  fileprivate func generation() async throws -> Int64 { try await read { try $0.connection.generation() } }
}
