import EntityClient
import EntityTesting
import Testing

@Entity final class Marina: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Mooring.marina) var moorings: [Mooring]

  static var basePath: String { "marinas" }
}

@Entity final class Mooring: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var marina: Marina?

  static var basePath: String { "moorings" }
}

@Entity final class HandMarina: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \HandMooring.marina) var moorings: [HandMooring]

  static var basePath: String { "handmarinas" }

  func update(with response: ResponseObject) throws { try response.assign("moorings", to: &moorings) }
}

@Entity final class HandMooring: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var marina: HandMarina?

  static var basePath: String { "handmoorings" }

  func update(with response: ResponseObject) throws { try response.assign("name", to: &name) }
}

/// A list that overwrites local edits takes an object that was made here out, and the server does not know the object.
@Suite struct OverwrittenInsertTests {
  @Test(arguments: [true, false]) func `an unsent object that a list lets go is still to be sent`(_ isByHand: Bool)
    async throws
  {
    let store = try EntityStore(
      .inMemory, entities: [Marina.self, Mooring.self, HandMarina.self, HandMooring.self], busyTimeout: .seconds(60))
    let body: JSONValue = ["id": 1, "moorings": [["id": 5]]]
    _ = try await store.receive(Marina.self, body)
    _ = try await store.receive(HandMarina.self, body)
    try await store.background { context in
      if isByHand {
        let mooring = try context.insert(HandMooring.self)
        mooring.name = "new"
        mooring.marina = try context.fetch(HandMarina.self, uid: 1)
      } else {
        let mooring = try context.insert(Mooring.self)
        mooring.name = "new"
        mooring.marina = try context.fetch(Marina.self, uid: 1)
      }
    }
    if isByHand {
      _ = try await store.receive(HandMarina.self, body) { $0.localEdits = .overwrite }
    } else {
      _ = try await store.receive(Marina.self, body) { $0.localEdits = .overwrite }
    }
    try await store.read { context in
      let pending = try #require(context.pendingChanges().first)
      #expect(try context.pendingChanges().count == 1)
      #expect(pending.kind == .insert)
      if isByHand {
        #expect(try context.fetch(HandMarina.self, uid: 1)?.moorings.map(\.uid) == [5])
        let mooring = try #require(try context.fetch(HandMooring.where { $0.name == "new" }).first)
        #expect(mooring.marina == nil)
        #expect(pending.id == mooring.entityID.untyped)
      } else {
        #expect(try context.fetch(Marina.self, uid: 1)?.moorings.map(\.uid) == [5])
        let mooring = try #require(try context.fetch(Mooring.where { $0.name == "new" }).first)
        #expect(mooring.marina == nil)
        #expect(pending.id == mooring.entityID.untyped)
      }
    }
  }

  /// The response has the object: it is the server's, and none that is to be sent.
  @Test(arguments: [true, false]) func `an object that the response has is to be sent no more`(_ isByHand: Bool)
    async throws
  {
    let store = try EntityStore(
      .inMemory, entities: [Marina.self, Mooring.self, HandMarina.self, HandMooring.self], busyTimeout: .seconds(60))
    try await store.background { context in
      if isByHand {
        let mooring = try context.insert(HandMooring.self)
        mooring.uid = 5
        mooring.name = "new"
      } else {
        let mooring = try context.insert(Mooring.self)
        mooring.uid = 5
        mooring.name = "new"
      }
    }
    let body: JSONValue = ["id": 1, "moorings": [["id": 5, "name": "server"]]]
    if isByHand {
      _ = try await store.receive(HandMarina.self, body) { $0.localEdits = .overwrite }
    } else {
      _ = try await store.receive(Marina.self, body) { $0.localEdits = .overwrite }
    }
    let names = try await store.read { context in
      if isByHand {
        try context.fetch(HandMooring.self).map(\.name)
      } else {
        try context.fetch(Mooring.self).map(\.name)
      }
    }
    #expect(names == ["server"])
    #expect(try await store.read { try $0.pendingChanges().count } == 0)
  }
}
