import EntityClient
import TestSchema
import Testing

/// Requires a sender, and has a label without uid.
@Entity final class Parcel: RemoteEntity {
  @UID @Key("id") var uid: Int
  var label: Cover?
  var sender: Gardener
  var weight: Int

  static var basePath: String { "parcels" }
}

/// The same, updated by hand.
@Entity final class HandParcel: RemoteEntity {
  @UID @Key("id") var uid: Int
  var label: Cover?
  var sender: Gardener
  var weight: Int

  static var basePath: String { "handparcels" }

  func update(with response: ResponseObject) throws {
    try response.assign("label", to: &label)
    try response.assign("sender", to: &sender)
    try response.assign("weight", to: &weight)
  }
}

/// Rows without uid live in their parent.
@Suite struct EmbeddedRowTests {
  @Test func `an embedded object of a to-one link goes with its parent`() async throws {
    let store = try twins()
    _ = try await store.receive(
      Stated.self,
      [
        ["data": ["id": 1], "part": ["color": "red"], "parts": [["size": 1]]],
        ["data": ["id": 2], "part": ["color": "blue"]],
      ])
    try await store.background { context in
      if let first = try context.fetch(Stated.self, uid: 1) { try context.delete(first) }
    }
    let left = try await store.read { try $0.fetch(StatedPart.self).map { [$0.color, "\($0.size)"] } }
    // The list has the rule `.nullify`: its member stays, without an owner.
    #expect(left == [[nil, "1"], ["blue", "0"]])
  }

  @Test func `an embedded object that another row has stays`() async throws {
    let store = try twins()
    _ = try await store.receive(
      Stated.self,
      [
        ["data": ["id": 1], "part": ["color": "red"]], ["data": ["id": 2]],
        ["data": ["id": 3], "part": ["color": "blue"]],
      ])
    try await store.background { context in
      let first = try #require(try context.fetch(Stated.self, uid: 1))
      let second = try #require(try context.fetch(Stated.self, uid: 2))
      let third = try #require(try context.fetch(Stated.self, uid: 3))
      second.part = first.part
      second.parts = [try #require(third.part)]
      try context.delete(first)
      try context.delete(third)
    }
    #expect(try await store.read { try $0.fetch(StatedPart.self).map(\.color) } == ["red", "blue"])
    #expect(try await store.read { try $0.fetch(Stated.self, uid: 2)?.part?.color } == "red")
  }

  @Test @MainActor func `a response that leaves an embedded object out deletes it unless another row has it`()
    async throws
  {
    let store = try twins()
    let first = try store.main.upsert(Stated.self, from: ["data": ["id": 1], "part": ["color": "red"]])
    let second = try store.main.upsert(Stated.self, from: ["data": ["id": 2]])
    second.part = first.part
    try await store.main.save()
    try store.main.upsert(Stated.self, from: ["data": ["id": 1], "part": nil])
    #expect(first.part == nil)
    #expect(second.part?.color == "red")
    let third = try store.main.upsert(Stated.self, from: ["data": ["id": 3], "part": ["color": "blue"]])
    try store.main.upsert(Stated.self, from: ["data": ["id": 3], "part": nil])
    try await store.main.save()
    #expect(third.part == nil)
    #expect(try await store.read { try $0.fetch(StatedPart.self).map(\.color) } == ["red"])
  }

  @Test @MainActor func `embedded objects are deleted with their parent`() async throws {
    let store = try twins()
    _ = try await store.receive(Stated.self, ["data": ["id": 1], "part": ["color": "red"]])
    let object = try #require(try store.main.fetch(Stated.self, uid: 1))
    let part = try #require(object.part)
    #expect(part.color == "red")
    try store.main.delete(object)
    try await store.main.save()
    #expect(part.isDeleted)
    #expect(part.color == "red")
  }

  private static func parcels() throws -> EntityStore {
    try EntityStore(
      .inMemory, entities: [Parcel.self, HandParcel.self, Cover.self, Gardener.self], busyTimeout: .seconds(60))
  }

  @Test func `an object that is not made leaves no embedded object`() async throws {
    try await refuse(Parcel.self)
    try await refuse(HandParcel.self)
  }

  /// A response is overtaken by one that says that the sender, which its parcel requires, is gone.
  private func refuse<E: RemoteEntity>(_ type: E.Type) async throws {
    let store = try Self.parcels()
    _ = try await store.receive(Gardener.self, [["id": 1]])
    let requests = store.core.requests
    let numbers = (requests.begin(), requests.begin())
    defer { requests.end(numbers.0) }
    var newer = ResponseUpsert<Gardener>([], sequence: numbers.1)
    newer.missing = .deleteMissing(in: Gardener.all)
    _ = try await store.upsert(newer)
    requests.end(numbers.1)
    let older = ResponseUpsert<E>(["id": 7, "label": ["color": "a"], "sender": 1], sequence: numbers.0)
    #expect(try await store.upsert(older).counts.inserted == 0)
    #expect(try await store.read { try $0.count(Cover.all) } == 0)
  }

  @Test @MainActor func `an object that fails leaves no embedded object`() async throws {
    try await fail(Parcel.self)
    try await fail(HandParcel.self)
  }

  @MainActor private func fail<E: RemoteEntity>(_ type: E.Type) async throws {
    let store = try Self.parcels()
    let main = store.main
    let broken: JSONObject = ["id": 7, "label": ["color": "a"], "sender": ["id": 1], "weight": "heavy"]
    #expect(throws: MappingError.self) { try main.upsert(type, from: broken) }
    #expect(try main.count(Cover.all) == 0)
    try await store.background { context in
      #expect(throws: MappingError.self) { try context.upsert(type, from: broken) }
      let count = try context.count(Cover.all)
      #expect(count == 0)
    }
    try await main.save()
    #expect(try await store.read { try $0.count(Cover.all) } == 0)
  }

  @Test @MainActor func `a parent that was there keeps the embedded object that it was given before the failure`()
    throws
  {
    let store = try Self.parcels()
    let parcel = try store.main.upsert(HandParcel.self, from: ["id": 7, "sender": ["id": 1], "weight": 1])
    #expect(throws: MappingError.self) {
      try store.main.upsert(HandParcel.self, from: ["id": 7, "label": ["color": "a"], "weight": "heavy"])
    }
    #expect(parcel.label?.color == "a")
  }

  @Test func `a failure writes nothing of a unit that saves later`() async throws {
    let store = try Self.parcels()
    try await store.background { context in
      let parcel = try context.upsert(HandParcel.self, from: ["id": 7, "sender": ["id": 1], "weight": 1])
      try context.save()
      #expect(throws: MappingError.self) {
        try context.upsert(HandParcel.self, from: ["id": 7, "label": ["color": "a"], "weight": "heavy"])
      }
      let changes = context.changes
      #expect(changes.properties(of: parcel) == ["label"])
      context.rollback()
    }
    #expect(try await store.read { try $0.count(Cover.all) } == 0)
  }

  /// The object stands in its own answer a second time, before its embedded object was linked.
  @Test func `an object that is nested in itself has one embedded object`() async throws {
    let store = try twins()
    for round in 0..<3 {
      for type in [Stated.self, Handed.self] as [any RemoteEntity.Type] {
        try await receiveNestedInItself(type, store)
      }
      let colors = try await store.read {
        (try $0.fetch(StatedPart.self).map(\.color), try $0.fetch(HandedPart.self).map(\.color))
      }
      #expect(colors.0 == ["outer"], "\(round)")
      #expect(colors.1 == ["outer"], "\(round)")
      _ = try await store.receive(Stated.self, ["data": ["id": 1], "part": nil])
      _ = try await store.receive(Handed.self, ["data": ["id": 1], "part": nil])
      #expect(try await store.read { try $0.count(StatedPart.all) + $0.count(HandedPart.all) } == 0)
    }
  }

  private func receiveNestedInItself<E: RemoteEntity>(_ type: E.Type, _ store: EntityStore) async throws {
    _ = try await store.receive(
      E.self,
      [
        "data": ["id": 1], "part": ["color": "outer"], "parent": ["data": ["id": 1], "part": ["color": "inner"]],
      ])
  }
}
