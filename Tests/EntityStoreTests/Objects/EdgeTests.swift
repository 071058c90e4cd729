import EntityMacros
import Foundation
import Observation
import TestSchema
import Testing

@testable import EntityStore

/// Cases where two mechanisms meet.
@MainActor struct EdgeTests {
  private let store: EntityStore
  private var main: EntityContext { store.main }

  init() throws { store = try EntityStore(.inMemory, entities: TestStore.people, busyTimeout: .ample) }

  @Test func `another store's commit is seen among many of ours`() async throws {
    let folder = try TemporaryFolder()
    let ours = try EntityStore(.file(folder.file), entities: TestStore.people)
    let theirs = try EntityStore(.file(folder.file), entities: TestStore.people)
    let id = try await ours.addPerson(1, "Ada")
    let other = try await ours.addPerson(2, "Eve")
    let person = try #require(try ours.main.object(id))
    #expect(person.name == "Ada")
    func write(_ store: EntityStore, _ pk: Int64, _ column: Int, _ value: StoredValue) throws {
      try store.core.blockingUnit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[column] = value
        _ = try rows.write(model, pk: pk, row, .effect)
      }
    }
    try write(ours, other.pk, Person.columns.age.index, .integer(1))
    try write(theirs, id.pk, Person.columns.name.index, .text("theirs"))
    for number in 2..<100 { try write(ours, other.pk, Person.columns.age.index, .integer(Int64(number))) }
    try ours.main.merging.merge()
    #expect(person.name == "theirs")
  }

  @Test func `a new object with the uid of a deleted object takes nothing over`() async throws {
    let old = try main.insert(Person.self)
    old.uid = 5
    old.email = "old@x"
    let note = try main.insert(Note.self)
    note.person = old
    try await main.save()
    try main.delete(old)
    let new = try main.insert(Person.self)
    new.uid = 5
    try await main.save()
    #expect(new.email == nil)
    #expect(old.forwardedTo == nil)
    #expect(old.isDeleted)
    #expect(try main.count(Note.all) == 0)
    #expect(try main.count(Person.all) == 1)
  }

  @Test func `an edit of a deleted object can be dropped alone`() async throws {
    let ids = try await [store.addPerson(1, "a"), store.addPerson(2, "b"), store.addPerson(3, "c")]
    let people = try ids.map { try #require(try main.object($0)) }
    for person in people { person.name = "edited" }
    try await store.background { context in
      for id in ids.prefix(2) { if let person = try context.object(id) { try context.delete(person) } }
    }
    try main.merging.merge()
    await #expect(throws: StoreError.self) { try await main.save() }
    try main.rollback(people[0])
    try main.delete(people[1])
    try await main.save()
    #expect(people[2].name == "edited")
    #expect(!main.hasChanges)
    #expect(try await store.read { try $0.fetch(Person.self).map(\.name) } == ["edited"])
  }

  @Test func `one object is rolled back`() async throws {
    let id = try await store.addPerson(1, "stored")
    let person = try #require(try main.object(id))
    let new = try main.insert(Person.self)
    person.name = "edited"
    new.name = "new"
    try main.rollback(person)
    #expect(person.name == "stored")
    #expect(!person.hasChanges)
    #expect(new.hasChanges)
    try main.rollback(new)
    #expect(new.isDeleted)
    #expect(!main.hasChanges)
    #expect(try main.fetch(Person.self) == [person])
  }

  @Test func `an observer may delete an object that is being deleted`() async throws {
    let team = try main.insert(Team.self)
    team.uid = "t"
    try await main.save()
    let person = try main.insert(Person.self)
    person.team = team
    let id = person.entityID
    withObservationTracking {
      _ = team.members
    } onChange: { [store] in
      MainActor.assumeIsolated {
        if let person = try? store.main.object(id) { try? store.main.delete(person) }
      }
    }
    try main.delete(person)
    try await main.save()
    #expect(!main.hasChanges)
    #expect(team.members.isEmpty)
  }

  @Test func `an observer through a relationship hears of changes`() async throws {
    let id = try await store.background { context in
      let team = try context.insert(Team.self)
      team.title = "red"
      let person = try context.insert(Person.self)
      person.team = team
      return person.entityID
    }
    let person = try #require(try main.object(id))
    // Nobody holds the team.
    let watcher = Watcher { _ = person.team?.title }
    try await store.background { try $0.fetch(Team.self).first?.title = "blue" }
    try store.mergeMain()
    #expect(watcher.fired)
    #expect(!watcher.fired)
    person.team?.title = "green"
    #expect(watcher.fired)
  }

  @Test func `objects of another context are refused by relationships`() async throws {
    let other = try EntityStore(.inMemory, entities: TestStore.people)
    let foreign = try other.main.insert(Person.self)
    let team = try main.insert(Team.self)
    let person = try main.insert(Person.self)
    team.members = [person]
    team.members = [foreign]
    #expect(team.members == [person])
    // The next read is none of its business; the save is.
    #expect(try main.count(Team.all) == 1)
    #expect(errorKind { try main.saveAtOnce() } == .wrongContext)
    try await main.save()
    #expect(team.members == [person])
    #expect(try other.main.fetch(Person.self) == [foreign])
  }

  @Test func `a merge swallows no earlier error`() async throws {
    let id = try await store.addPerson(1, "a")
    let person = try #require(try main.object(id))
    main.unsaved.deferredError = StoreError(.corrupt, "A read of a property failed.")
    try await store.background { try $0.object(id)?.name = "b" }
    try store.mergeMain()
    #expect(person.name == "b")
    #expect(errorKind { _ = try main.fetch(Person.self) } == .corrupt)
    #expect(try main.fetch(Person.self) == [person])
  }

  @Test func `a save behind a cancelled insert inserts the object`() async throws {
    let store = try EntityStore(.inMemory, entities: TestStore.people, busyTimeout: .ample)
    let main = store.main
    let person = try main.insert(Person.self)
    person.uid = 1
    person.name = "a"
    let turn = try store.core.gate.acquireBlocking()
    let cancelled = await store.beginSave(of: person)
    person.age = 9
    cancelled.cancel()
    turn.release()
    try main.saveAtOnce()
    _ = await cancelled.result
    try await main.save()
    #expect(!person.hasChanges)
    #expect(!person.isInserted)
    #expect(try await store.read { try $0.fetch(Person.self, uid: 1).map { "\($0.name) \($0.age)" } } == "a 9")
  }

  @Test func `a unique property as uid is empty until it is set`() async throws {
    let store = try EntityStore(.inMemory, entities: [Keyed.self])
    let first = try store.main.insert(Keyed.self)
    let second = try store.main.insert(Keyed.self)
    try await store.main.save()
    #expect(!first.isDeleted)
    #expect(!second.isDeleted)
    #expect(try store.main.count(Keyed.all) == 2)
  }

  @Test func `a property that is not stored is named at opening`() {
    #expect(throws: StoreError.self) { try EntityStore(.inMemory, entities: [Forgetful.self]) }
  }

  @Test func `a file that is no database is named`() throws {
    let folder = try TemporaryFolder()
    try Data(repeating: 65, count: 5_000).write(to: folder.file)
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(folder.file), entities: TestStore.people) }
    #expect(error?.kind == .notAStore)
    #expect(error?.localizedDescription.contains(folder.file.path) == true)
    let missing = folder.url.appending(path: "none/x.sqlite")
    let other = #expect(throws: StoreError.self) { try EntityStore(.file(missing), entities: TestStore.people) }
    #expect(other?.message.contains("folder is not there") == true)
  }
}

/// A unique property, declared as no uid, is its uid key.
@Entity final class Keyed {
  @Unique var serverID: Int

  static var uidKey: String? { "serverID" }
}

/// Its `_$store` lacks its property.
nonisolated final class Forgetful: ManagedEntity {
  struct Columns: Sendable {
    let name = Column<Forgetful, String>(0, "name")
  }

  static let columns: Columns = Columns()
  static var properties: [PropertyDescriptor] { [.property(\Forgetful.name, columns.name)] }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$name = Slot<String>()

  var name: String {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }

  func _$load(_ row: RowReader) { _load(row, Self.columns.name) { _$$name = $0 } }
  func _$store(into row: inout RowValues) {}
}
