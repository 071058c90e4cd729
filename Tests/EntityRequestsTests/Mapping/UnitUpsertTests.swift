import EntityClient
import EntityStore
import TestSchema
import Testing

/// Gives the object that it holds a uid, by hand.
@Entity final class Namer: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var other: Namer?

  static var basePath: String { "namers" }

  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    if let uid: Int = try response.value("gives"), let other { other.uid = uid }
  }
}

enum Habit: String, AttributeValue { case tidy, wild }

/// Reads into a variable first, and another key before the variable is set.
@Entity final class Plant: RemoteEntity {
  @UID @Key("id") var uid: Int
  var habit: Habit = Habit.tidy
  var height: Int?

  static var basePath: String { "plants" }

  func update(with response: ResponseObject) throws {
    var habit = self.habit
    try response.assign("habit", to: &habit)
    let height: Int? = try response.value("height")
    self.habit = habit
    self.height = height
  }
}

/// Upserts in a unit that has changes of its own, and the end of a unit.
@Suite struct UnitUpsertTests {
  private func tickets() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
  }

  @Test func `an unsaved object of the unit is found by its uid`() async throws {
    try await findUnsaved(Ticket.self)
    try await findUnsaved(HandTicket.self)
  }

  private func findUnsaved<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    try await store.background { context in
      let first = try context.upsert(type, uid: 42)
      let second = try context.upsert(type, from: ["id": 42, "title": "t"])
      #expect(first === second)
      #expect(first.title == "t")
    }
    #expect(try await store.read { try $0.fetch(type).map(\.uid) } == [42])
  }

  @Test func `an object that the unit deletes is made anew`() async throws {
    try await deleteFirst(Ticket.self)
    try await deleteFirst(HandTicket.self)
  }

  private func deleteFirst<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    _ = try await store.receive(type, ["id": 42, "title": "a"])
    try await store.background { context in
      let former = try #require(try context.fetch(type, uid: 42))
      try context.delete(former)
      let new = try context.upsert(type, from: ["id": 42, "title": "b"])
      #expect(former !== new)
    }
    #expect(try await store.read { try $0.fetch(type).map(\.title) } == ["b"])
  }

  @Test func `an object that has another uid by now is not found by its former uid`() async throws {
    try await moveFirst(Ticket.self)
    try await moveFirst(HandTicket.self)
  }

  private func moveFirst<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    _ = try await store.receive(type, ["id": 42, "title": "a"])
    try await store.background { context in
      let former = try #require(try context.fetch(type, uid: 42))
      former.uid = 43
      let new = try context.upsert(type, from: ["id": 42, "title": "b"])
      #expect(former !== new)
      #expect(former.title == "a")
    }
    #expect(try await store.read { try $0.fetch(type).map { "\($0.uid) \($0.title)" }.sorted() } == ["42 b", "43 a"])
  }

  @Test @MainActor func `a new object meets the row that gets its uid in the same response`() async throws {
    let store = try EntityStore(.inMemory, entities: [Namer.self], busyTimeout: .seconds(60))
    let nameless = try store.main.insert(Namer.self)
    let giver = try store.main.upsert(Namer.self, uid: 1)
    giver.other = nameless
    try await store.main.save()
    _ = try await store.receive(Namer.self, [["id": 5, "name": "made"], ["id": 1, "gives": 5]])
    #expect(try await store.read { try $0.fetch(Namer.self).map(\.uid).sorted() } == [1, 5])
  }

  @Test func `a value that is read meanwhile loses no unrecognized value`() async throws {
    let store = try EntityStore(.inMemory, entities: [Plant.self], busyTimeout: .seconds(60))
    _ = try await store.receive(Plant.self, ["id": 1, "habit": "creeping", "height": 3])
    _ = try await store.receive(Plant.self, ["id": 1, "height": 4])
    try await store.read { context in
      let plant = try #require(try context.fetch(Plant.self, uid: 1))
      #expect(plant.unrecognizedValue(of: \.habit) == "creeping")
      #expect(plant.height == 4)
    }
  }

  @Test func `a store is released after a response whose parts come late`() async throws {
    for isBroken in [false, true] {
      weak var core: StoreCore?
      do {
        let store = try EntityStore(
          .inMemory, entities: [HandParcel.self, Cover.self, Gardener.self], busyTimeout: .seconds(60))
        core = store.core
        // The parcel requires its sender, which comes with a later part, or never.
        let early: JSONValue = ["id": 7, "weight": 1]
        let late: JSONValue = ["id": 7, "sender": ["id": 1]]
        let body: JSONValue = ["parcels": isBroken ? [early] : [early, late]]
        let response = try? await EntityDocument.upsert(
          from: body, in: store, options: .parts([.list(HandParcel.self, at: "parcels")]))
        #expect((response == nil) == isBroken)
      }
      while core != nil { await Task.yield() }
    }
  }
}
