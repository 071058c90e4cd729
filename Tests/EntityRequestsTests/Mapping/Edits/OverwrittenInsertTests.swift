import EntityClient
import EntityTesting
import TestSchema
import Testing

/// A list that overwrites local edits takes an object that was made here out, and the server does not know the object.
@Suite struct OverwrittenInsertTests {
  @Test(arguments: [true, false]) func `an unsent object that a list lets go is still to be sent`(_ isByHand: Bool)
    async throws
  {
    let store = try EntityStore(
      .inMemory, entities: Orchard.world, busyTimeout: .seconds(60))
    let body: JSONValue = ["id": 1, "trees": [["id": 5]]]
    _ = try await store.receive(Orchard.self, body)
    _ = try await store.receive(HandOrchard.self, body)
    try await store.background { context in
      if isByHand {
        let tree = try context.insert(HandTree.self)
        tree.name = "new"
        tree.orchard = try context.fetch(HandOrchard.self, uid: 1)
      } else {
        let tree = try context.insert(OrchardTree.self)
        tree.name = "new"
        tree.orchard = try context.fetch(Orchard.self, uid: 1)
      }
    }
    if isByHand {
      _ = try await store.receive(HandOrchard.self, body) { $0.localEdits = .overwrite }
    } else {
      _ = try await store.receive(Orchard.self, body) { $0.localEdits = .overwrite }
    }
    try await store.read { context in
      let pending = try #require(context.pendingChanges().first)
      #expect(try context.pendingChanges().count == 1)
      #expect(pending.kind == .insert)
      if isByHand {
        #expect(try context.fetch(HandOrchard.self, uid: 1)?.trees.map(\.uid) == [5])
        let tree = try #require(try context.fetch(HandTree.where { $0.name == "new" }).first)
        #expect(tree.orchard == nil)
        #expect(pending.id == tree.entityID.untyped)
      } else {
        #expect(try context.fetch(Orchard.self, uid: 1)?.trees.map(\.uid) == [5])
        let tree = try #require(try context.fetch(OrchardTree.where { $0.name == "new" }).first)
        #expect(tree.orchard == nil)
        #expect(pending.id == tree.entityID.untyped)
      }
    }
  }

  /// The response has the object: it is the server's, and none that is to be sent.
  @Test(arguments: [true, false]) func `an object that the response has is to be sent no more`(_ isByHand: Bool)
    async throws
  {
    let store = try EntityStore(
      .inMemory, entities: Orchard.world, busyTimeout: .seconds(60))
    try await store.background { context in
      if isByHand {
        let tree = try context.insert(HandTree.self)
        tree.uid = 5
        tree.name = "new"
      } else {
        let tree = try context.insert(OrchardTree.self)
        tree.uid = 5
        tree.name = "new"
      }
    }
    let body: JSONValue = ["id": 1, "trees": [["id": 5, "name": "server"]]]
    if isByHand {
      _ = try await store.receive(HandOrchard.self, body) { $0.localEdits = .overwrite }
    } else {
      _ = try await store.receive(Orchard.self, body) { $0.localEdits = .overwrite }
    }
    let names = try await store.read { context in
      if isByHand {
        try context.fetch(HandTree.self).map(\.name)
      } else {
        try context.fetch(OrchardTree.self).map(\.name)
      }
    }
    #expect(names == ["server"])
    #expect(try await store.read { try $0.pendingChanges().count } == 0)
  }
}
