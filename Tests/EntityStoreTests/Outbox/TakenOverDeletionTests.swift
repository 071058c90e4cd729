import TestSchema
import Testing

@testable import EntityStore

/// A second deletion of one uid: the answer to a create gives an object that was deleted here meanwhile the uid of another
/// one that was deleted here, too.
@MainActor struct TakenOverDeletionTests {
  /// An orchard that was deleted here, and that took a tree along.
  private struct Scene {
    let test: TestStore
    let (orchard, tree): (RowKey, RowKey)
    /// Another row, which is gone.
    let other: RowKey
    let command: Int64
    var store: EntityStore { test.store }

    /// - Parameter isEarlier: Whether the row id of the other row is the lower one.
    init(_ place: Place, isEarlier: Bool) async throws {
      let test = try TestStore(place, Orchard.world)
      self.test = test
      func spare() async throws -> RowKey {
        let id = try await test.store.background(as: .server) { try $0.upsert(Orchard.self, uid: 9).entityID }
        _ = try await test.store.background(as: .server) { try $0.delete(Orchard.self, uid: 9) }
        return try test.key(id)
      }
      let before = try await spare()
      let (orchard, tree) = try await test.store.background(as: .server) { context in
        let orchard = try context.upsert(Orchard.self, uid: 1)
        let tree = try context.upsert(OrchardTree.self, uid: 1)
        orchard.trees = [tree]
        return (orchard.entityID, tree.entityID)
      }
      (self.orchard, self.tree) = (try test.key(orchard), try test.key(tree))
      let after = try await spare()
      other = isEarlier ? before : after
      command = try await test.addEntry(of: orchard, .command, .waiting)
      try await test.store.core.unit { [key = self.orchard] in try $0.outbox.setVersion("\"3\"", of: key) }
      _ = try await test.store.background { try $0.delete(Orchard.self, uid: 1) }
    }

    /// The other row takes the deletion over.
    func takeOver(_ rows: RowWriter) throws {
      try rows.edits.leaveTombstone(try rows.schema.model(Orchard.self), other.pk, .integer(1))
    }

    /// Checks that a row has the deletion, and all that belongs to it.
    func checkOwner(_ owner: RowKey, _ location: SourceLocation = #_sourceLocation) async throws {
      try await store.core.unit { rows in
        let facts = try rows.outbox.facts()
        #expect(Set(facts.keys) == [owner, tree], sourceLocation: location)
        #expect(facts[owner]?.uid == "1" && facts[tree]?.cause == owner.pk, sourceLocation: location)
        for row in [orchard, other] {
          let isOwner = row == owner
          #expect(try rows.outbox.version(of: row) == (isOwner ? "\"3\"" : nil), sourceLocation: location)
          #expect(
            try rows.outbox.entries(of: row).map(\.number) == (isOwner ? [command] : []), sourceLocation: location)
        }
        #expect(try rows.outbox.commands(deletedWith: owner).map(\.number) == [command], sourceLocation: location)
      }
    }
  }

  @Test(arguments: Place.usual, [true, false])
  func `the deletion takes over the parts, the commands and the version`(_ place: Place, _ isEarlier: Bool) async throws
  {
    let scene = try await Scene(place, isEarlier: isEarlier)
    try await scene.checkOwner(scene.orchard)
    try await scene.store.core.unit { try scene.takeOver($0) }
    try await scene.checkOwner(scene.other)
    #expect(try await scene.store.check(.full) == [])
  }

  @Test(arguments: Place.usual, [true, false])
  func `an undo gives them back, and a redo takes them again`(_ place: Place, _ isEarlier: Bool) async throws {
    let scene = try await Scene(place, isEarlier: isEarlier)
    var box = SaveImageBox(bytes: 1_000_000)
    try await scene.store.core.unit { [box] rows in
      rows.record(into: box)
      try scene.takeOver(rows)
    }
    for owner in [scene.orchard, scene.other] {
      guard case .image(let image) = box.content else {
        Issue.record("There is no image.")
        return
      }
      box = SaveImageBox(bytes: 1_000_000)
      try await scene.store.core.unit { [box] rows in
        rows.record(into: box)
        var reversal = SaveReversal(rows, image, sending: [])
        try reversal.run()
      }
      try await scene.checkOwner(owner)
    }
    #expect(try await scene.store.check(.full) == [])
  }
}
