@testable import EntityStore
import Foundation
import TestSchema
import Testing

@MainActor
struct EditingTests {
  @Test(arguments: Place.usual)
  func `setters that change nothing stay clean`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 36)
    let main = test.store.main
    let person = try #require(try main.fetch(Person.self, uid: 1))
    person.name = "Ada"
    person.age = 36
    person.uid = 1
    person.email = nil
    person.score = nil
    person.boss = nil
    person.reports = []
    #expect(!person.hasChanges)
    #expect(!main.hasChanges)
    person.score = -0.0
    try await main.save()
    person.score = 0
    #expect(!person.hasChanges)
    person.name = "Ada L."
    #expect(person.hasChanges)
    #expect(main.hasChanges)
    try await main.save()
    #expect(!person.hasChanges)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `an undone edit of a deleted object does not fail the save`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    let main = test.store.main
    let person = try #require(try main.fetch(Person.self, uid: 1))
    try main.delete(person)
    person.name = "Bob"
    person.name = "Ada"
    try await main.save()
    #expect(person.isDeleted)
    #expect(try main.count(Person.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `text is compared byte by byte`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "\u{e9}")
    try await test.store.edit(id) { $0.name = "e\u{301}" }
    let name = try await test.store.read { try $0.object(id)?.name }
    #expect(name.map { Array($0.utf8) } == Array("e\u{301}".utf8))
    let main = test.store.main
    #expect(try main.count(Person.where { $0.name == "\u{e9}" }) == 0)
    #expect(try main.count(Person.where { $0.name == "e\u{301}" }) == 1)
  }

  @Test(arguments: Place.usual)
  func `a uid of zero can be set`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    #expect(person.uid == 0)
    try await main.save()
    #expect(try main.fetch(Person.self, uid: 0) == nil)
    person.uid = 0
    try await main.save()
    #expect(try main.fetch(Person.self, uid: 0) === person)
  }

  @Test(arguments: Place.usual)
  func `each type keeps its values`(_ place: Place) async throws {
    let test = try TestStore(place, [Values.self])
    let uid = UUID()
    let date = Date(timeIntervalSince1970: 1_700_000_000.123456)
    let text = "a\u{0}b 'quoted' 🙂"
    let id = try await test.store.background { context in
      let empty = try context.insert(Values.self)
      _ = empty
      let values = try context.insert(Values.self)
      values.uid = uid
      values.bool = true
      values.int = .min
      values.int8 = .min
      values.int16 = .max
      values.int32 = .min
      values.int64 = .max
      values.uint = .max
      values.uint8 = .max
      values.uint16 = .max
      values.uint32 = .max
      values.uint64 = UInt64(Int64.max) + 1
      values.double = -.infinity
      values.string = text
      values.data = Data([0, 255, 0])
      values.date = date
      values.uuid = uid
      values.maybeBool = false
      values.maybeInt = -1
      values.maybeUint64 = .max
      values.maybeDouble = .nan
      values.maybeString = ""
      values.maybeData = Data()
      values.maybeDate = .distantPast
      values.maybeUuid = uid
      return values.entityID
    }
    let values = try #require(try test.store.main.object(id))
    #expect(values.uid == uid)
    #expect(values.bool)
    #expect(values.int == .min)
    #expect(values.int8 == .min)
    #expect(values.int16 == .max)
    #expect(values.int32 == .min)
    #expect(values.int64 == .max)
    #expect(values.uint == .max)
    #expect(values.uint8 == .max)
    #expect(values.uint16 == .max)
    #expect(values.uint32 == .max)
    #expect(values.uint64 == UInt64(Int64.max) + 1)
    #expect(values.double == -.infinity)
    #expect(values.string == text)
    #expect(values.data == Data([0, 255, 0]))
    #expect(values.date == date)
    #expect(values.uuid == uid)
    #expect(values.maybeBool == false)
    #expect(values.maybeInt == -1)
    #expect(values.maybeUint64 == .max)
    #expect(values.maybeDouble == nil)
    #expect(values.maybeString == "")
    #expect(values.maybeData == Data())
    #expect(values.maybeDate == .distantPast)
    #expect(values.maybeUuid == uid)
    #expect(values.maybeInt8 == nil)
    let main = test.store.main
    #expect(try main.fetch(Values.self, uid: uid) === values)
    #expect(try main.fetch(Values.where { $0.maybeUint64 == .max }).count == 1)
    #expect(try main.fetch(Values.where { $0.uint64 > 5 }).count == 1)
    #expect(try main.fetch(Values.where { $0.uint64 < UInt64.max }).count == 2)
    #expect(try main.fetch(Values.where { $0.date == date && $0.data == Data([0, 255, 0]) }).count == 1)
    #expect(try main.fetch(Values.all.sorted(by: \.uint64, .descending)).first === values)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a value that cannot be stored fails the save`(_ place: Place) async throws {
    let test = try TestStore(place, [Values.self])
    let main = test.store.main
    let values = try main.insert(Values.self)
    values.double = .nan
    #expect(errorKind { try main.save() } == .invalidValue)
    values.double = 1
    try await main.save()
    #expect(try main.fetch(Values.where { $0.double == 1 }).count == 1)
  }

  @Test(arguments: Place.usual)
  func `defaults show before and after the save`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let note = try main.insert(Note.self)
    #expect(note.text == "new")
    #expect(note.rank == 0)
    #expect(try main.fetch(Note.where { $0.text == "new" && $0.rank == 0 }) == [note])
    try await main.save()
    #expect(note.text == "new")
    #expect(try await test.store.read { try $0.fetch(Note.where { $0.text == "new" && $0.rank == 0 }).count } == 1)
  }

  @Test(arguments: Place.usual)
  func `both sides of a relationship change`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let boss = try main.insert(Person.self)
    let first = try main.insert(Person.self)
    let second = try main.insert(Person.self)
    boss.reports = [first, second]
    #expect(first.boss === boss)
    #expect(second.boss === boss)
    try await main.save()
    second.boss = nil
    #expect(boss.reports == [first])
    boss.reports = [second]
    #expect(first.boss == nil)
    #expect(second.boss === boss)
    try await main.save()
    #expect(boss.reports == [second])
    let bossID = boss.entityID
    #expect(try await test.store.read { try $0.object(bossID)?.reports.count } == 1)
  }

  @Test(arguments: Place.usual)
  func `rollback brings back the stored values`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place, age: 36)
    let main = test.store.main
    let boss = try main.insert(Person.self)
    person.name = "Bob"
    person.boss = boss
    try main.delete(person)
    #expect(try main.fetch(Person.all) == [boss])
    main.rollback()
    #expect(!main.hasChanges)
    #expect(!person.hasChanges)
    #expect(!person.isDeleted)
    #expect(boss.isDeleted)
    #expect(person.name == "Ada")
    #expect(person.boss == nil)
    #expect(person.age == 36)
    #expect(try main.fetch(Person.all) == [person])
    boss.name = "too late"
    #expect(errorKind { try main.save() } == .objectDeleted)
    main.rollback()
    try await main.save()
  }

  @Test(arguments: Place.usual)
  func `a failed save keeps the changes`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    try await test.store.addPerson(2, "Eve")
    let main = test.store.main
    let person = try #require(try main.object(id))
    person.name = "Bob"
    person.uid = 2
    let note = try main.insert(Note.self)
    note.person = person
    for _ in 0..<2 {
      #expect(await asyncErrorKind { try await main.save() } == .uniqueViolation)
      #expect(errorKind { try main.save() } == .uniqueViolation)
    }
    #expect(person.hasChanges)
    #expect(note.isInserted)
    #expect(person.name == "Bob")
    #expect(try main.fetch(Note.self) == [note])
    #expect(try await test.store.read { try $0.count(Note.all) } == 0)
    person.uid = 1
    try await main.save()
    #expect(try await test.store.read { try $0.object(id)?.name } == "Bob")
    #expect(try main.fetch(Note.self) == [note])
  }

  @Test(arguments: Place.usual)
  func `edits made during a save stay unsaved`(_ place: Place) async throws {
    let test = try TestStore(place, busyTimeout: .ample)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.name = "first"
    person.age = 1
    let block = Blocker(test.store)
    await block.begin()
    let save = await test.store.beginSave(of: person)
    person.name = "second"
    #expect(person.hasChanges)
    // The rows of a save under way are seen by queries.
    #expect(try main.fetch(Person.where { $0.age == 1 && $0.name == "second" }) == [person])
    block.end()
    try await save.value
    #expect(person.hasChanges)
    #expect(main.hasChanges)
    #expect(!person.isInserted)
    let id = person.entityID
    #expect(try await test.store.read { try $0.object(id)?.name } == "first")
    #expect(person.name == "second")
    try await main.save()
    #expect(try await test.store.read { try $0.object(id)?.name } == "second")
    #expect(!person.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `rollback during a save keeps the changes being saved`(_ place: Place) async throws {
    let test = try TestStore(place, busyTimeout: .ample)
    let id = try await test.store.addPerson(1, "zero")
    let main = test.store.main
    let person = try #require(try main.object(id))
    let new = try main.insert(Person.self)
    person.name = "first"
    new.name = "new"
    let block = Blocker(test.store)
    await block.begin()
    let save = await test.store.beginSave(of: person)
    person.name = "second"
    person.age = 7
    // Not in the save, and there is no row yet that has it.
    new.age = 7
    new.boss = person
    main.rollback()
    #expect(person.name == "first")
    #expect(person.age == 0)
    #expect(!new.isDeleted)
    #expect(new.age == 0)
    #expect(new.boss == nil)
    #expect(person.reports.isEmpty)
    #expect(try main.count(Person.where { $0.name == "first" || $0.name == "new" }) == 2)
    block.end()
    try await save.value
    #expect(person.name == "first")
    #expect(!main.hasChanges)
    #expect(try await test.store.read { try $0.object(id)?.name } == "first")
    #expect(try main.count(Person.all) == 2)
  }

  @Test(arguments: Place.usual)
  func `columns edited here are marked in the row`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let main = test.store.main
    let id = person.entityID
    #expect(person._$state.edited.isEmpty == false)
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      try rows.edits.acknowledge(model, pk: id.pk, model.all)
    }
    #expect(person.name == "Ada")
    try test.store.mergeMain()
    _ = person.name
    #expect(person._$state.edited.isEmpty)
    person.age = 5
    person.age = 0
    try await main.save()
    // Changed back before it was saved: nothing the server should hear of.
    #expect(person._$state.edited.isEmpty)
    person.age = 6
    try await main.save()
    #expect(person._$state.edited.contains(Person.columns.age.index))
    #expect(!person._$state.edited.contains(Person.columns.name.index))
  }

  @Test @MainActor func `a mistake that is made while a save waits for another save is thrown by it`() async throws {
    let test = try TestStore(.memory)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.uid = 1
    let block = Blocker(test.store)
    await block.begin()
    let first = await test.store.beginSave(of: person)
    let second = Task { @MainActor in try await main.save() }
    while main.saves.saveWaiters.isEmpty { await Task.yield() }
    let stranger = try TestStore(.memory)
    person.boss = try stranger.store.main.insert(Person.self)
    block.end()
    try await first.value
    await #expect(throws: StoreError.self) { try await second.value }
    #expect(person.boss == nil)
  }
}

/// Holds the writer until it is told to let go.
final class Blocker: Sendable {
  private let store: EntityStore
  private let gate = DispatchSemaphore(value: 0)

  init(_ store: EntityStore) { self.store = store }

  /// Returns when the writer is held.
  func begin() async {
    let gate = gate
    let store = store
    await withCheckedContinuation { continuation in
      Task.detached {
        try? await store.core.unit { _ in
          continuation.resume()
          gate.wait()
        }
      }
    }
  }

  func end() { gate.signal() }
}
