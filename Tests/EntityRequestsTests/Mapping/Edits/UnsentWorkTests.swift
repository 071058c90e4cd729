import EntityClient
import TestSchema
import Testing

@testable import EntityRequests

/// Deletions that a response says, and work that the server does not have.
@Suite struct UnsentWorkTests {
  /// The way in which a response says that orchard 1 is gone.
  enum Way: CaseIterable { case key, missing, missingInList }

  private func store() throws -> EntityStore {
    try EntityStore(
      .inMemory,
      entities: Orchard.world)
  }

  @discardableResult private func delete(
    _ way: Way = .key, in store: EntityStore, overwrites: Bool = false
  ) async throws -> ResponseOutcome<Orchard> {
    let value: JSONValue =
      switch way {
      case .key: [["id": 1, "deleted": true]]
      case .missing: []
      case .missingInList: [["id": 77]]
      }
    return try await store.receive(Orchard.self, value) {
      if way != .key { $0.missing = .deleteMissing(in: Orchard.all) }
      if overwrites { $0.localEdits = .overwrite }
    }
  }

  private func edit(_ store: EntityStore, _ change: @escaping @Sendable (EntityContext, Orchard) throws -> Void)
    async throws
  {
    try await store.background { context in
      try change(context, #require(try context.fetch(Orchard.self, uid: 1)))
    }
  }

  private func isThere(_ store: EntityStore) async throws -> Bool {
    try await store.read { try $0.fetch(Orchard.self, uid: 1) != nil }
  }

  @Test(arguments: Way.allCases) func `a child that was made here stays with its parent`(_ way: Way) async throws {
    let store = try store()
    _ = try await store.receive(Orchard.self, [["id": 1, "trees": [["id": 5]]], ["id": 2, "trees": [["id": 6]]]])
    try await edit(store) { context, orchard in
      let tree = try context.insert(OrchardTree.self)
      (tree.name, tree.orchard) = ("new", orchard)
    }
    let outcome = try await delete(way, in: store)
    #expect(try await store.read { try $0.fetch(OrchardTree.self).first { $0.name == "new" }?.orchard?.uid } == 1)
    #expect(outcome.counts.denied == 1)
    #expect(outcome.details.skipped.total(.deletedThere) == 1)
    #expect(outcome.details.skipped.total(.denied) == 1)
    #expect(try await store.pending.count() == 1)
    // Orchard 2 and its tree are not held.
    if way != .key { #expect(try await store.read { try $0.fetch(OrchardTree.self, uid: 6) == nil }) }
  }

  @Test(arguments: Way.allCases) func `an edited child stays with its parent until it was sent`(_ way: Way) async throws
  {
    let store = try store()
    _ = try await store.receive(Orchard.self, ["id": 1, "trees": [["id": 5]]])
    try await edit(store) { _, orchard in orchard.trees.first?.name = "mine" }
    let outcome = try await delete(way, in: store)
    #expect(try await store.read { try $0.fetch(OrchardTree.self, uid: 5)?.name } == "mine")
    #expect(try await isThere(store))
    let told = try #require(outcome.details.skipped.first { $0.reason == .deletedThere })
    #expect(told.entity == "OrchardTree" && told.uid == "5" && told.properties.isEmpty)
    try await store.pending.acknowledgeAll()
    #expect(try await delete(way, in: store).counts.deleted == 1)
    #expect(try await store.read { try $0.fetch(OrchardTree.self).isEmpty })
  }

  @Test func `an edit holds the row that the server deleted`() async throws {
    let store = try store()
    _ = try await store.receive(Orchard.self, ["id": 1, "name": "A"])
    try await edit(store) { _, orchard in orchard.name = "mine" }
    let outcome = try await delete(in: store)
    #expect(try await store.read { try $0.fetch(Orchard.self, uid: 1)?.name } == "mine")
    #expect(outcome.details.skipped.map(\.reason) == [.deletedThere])
    #expect(
      "\(outcome.details.skipped)"
        == "Orchard 1: the server deleted it, or an object that takes it along, and it stays for what the server does not have"
    )
  }

  @Test(arguments: Way.allCases) func `a link that was set here is reported when its target goes`(_ way: Way)
    async throws
  {
    let store = try store()
    _ = try await store.receive(Orchard.self, [["id": 1], ["id": 77, "visits": [["id": 3]]]])
    try await edit(store) { context, orchard in
      try context.fetch(OrchardVisit.self, uid: 3)?.orchard = orchard
      let visit = try context.insert(OrchardVisit.self)
      (visit.name, visit.orchard) = ("new", orchard)
    }
    let outcome = try await delete(way == .missing ? .missingInList : way, in: store)
    #expect(try await !isThere(store))
    let visits = try await store.read {
      try $0.fetch(OrchardVisit.all.sorted(by: \.name)).map { [$0.name ?? "", "\($0.orchard?.uid ?? 0)"] }
    }
    // The edited link is the server's again, and the new object has none.
    #expect(Set(visits) == [["", "77"], ["new", "0"]])
    #expect(outcome.details.skipped.map(\.reason) == [.deletedThere, .deletedThere])
    #expect(outcome.details.skipped.allSatisfy { $0.properties == ["orchard"] })
    #expect(try await store.pending.changes().map(\.kind) == [.insert])
  }

  @Test func `a pair that was made here is reported when its other end goes`() async throws {
    let store = try store()
    _ = try await store.receive(Orchard.self, ["id": 1, "tags": [["id": 8], ["id": 7]]])
    _ = try await store.receive(OrchardTag.self, ["id": 9])
    try await edit(store) { context, orchard in
      let tags = try context.fetch(OrchardTag.all.sorted(by: \.uid))
      orchard.tags = [tags[1], tags[2]]
    }
    let outcome = try await store.receive(OrchardTag.self, [["id": 9, "deleted": true], ["id": 7, "deleted": true]])
    #expect(outcome.counts.deleted == 2)
    let told = try #require(outcome.details.skipped.first)
    #expect(outcome.details.skipped.count == 1)
    #expect(told.reason == .deletedThere && told.entity == "Orchard" && told.properties == ["tags"])
    #expect(try await store.pending.count() == 0)
  }

  @Test(arguments: Way.allCases) func `an edit in an embedded object holds its parent`(_ way: Way) async throws {
    for isDeep in [false, true] {
      let store = try store()
      _ = try await store.receive(Orchard.self, ["id": 1, "shed": ["city": "Oslo", "door": ["color": "red"]]])
      try await edit(store) { _, orchard in
        if isDeep { orchard.shed?.door?.color = "mine" } else { orchard.shed?.city = "mine" }
      }
      let outcome = try await delete(way, in: store)
      #expect(try await isThere(store))
      #expect(outcome.details.skipped.total(.deletedThere) == 1)
      #expect(try await store.pending.count() == 1)
    }
  }

  @Test(arguments: [false, true]) func `an answer without an embedded object leaves an edited embedded object`(
    _ isDeep: Bool
  ) async throws {
    let store = try store()
    _ = try await store.receive(Orchard.self, ["id": 1, "shed": ["city": "Oslo", "door": ["color": "red"]]])
    try await edit(store) { _, orchard in
      if isDeep { orchard.shed?.door?.color = "mine" } else { orchard.shed?.city = "mine" }
    }
    let outcome = try await store.receive(Orchard.self, ["id": 1, "shed": nil])
    #expect(outcome.details.skipped.map(\.properties) == [["shed"]])
    let replaced = try await Orchard.upsert(from: ["id": 1], in: store, options: .upserting(.replace))
    #expect(replaced.skipped.map(\.reason) == [.locallyEdited])
    let left = try await store.read { try $0.fetch(Orchard.self, uid: 1)?.shed.map { [$0.city, $0.door?.color] } }
    #expect(left == (isDeep ? ["Oslo", "mine"] : ["mine", "red"]))
    _ = try await store.receive(Orchard.self, ["id": 1, "shed": nil]) { $0.localEdits = .overwrite }
    #expect(try await store.read { try $0.fetch(OrchardShed.self).isEmpty && $0.fetch(ShedDoor.self).isEmpty })
    #expect(try await store.pending.count() == 0)
  }

  @Test func `an update by hand leaves an edited embedded object`() async throws {
    let store = try store()
    _ = try await store.receive(HandOrchard.self, ["id": 1, "shed": ["city": "Oslo"]])
    try await store.background { try $0.fetch(HandOrchard.self, uid: 1)?.shed?.city = "mine" }
    let outcome = try await store.receive(HandOrchard.self, ["id": 1, "shed": nil])
    #expect(try await store.read { try $0.fetch(HandOrchard.self, uid: 1)?.shed?.city } == "mine")
    #expect(outcome.details.skipped.map(\.properties) == [["shed"]])
    #expect(try await store.pending.count() == 1)
  }

  @Test @MainActor func `a response in a context leaves unsent work too`() async throws {
    let store = try store()
    let orchard = try store.main.upsert(Orchard.self, from: ["id": 1, "shed": ["city": "Oslo"], "trees": [["id": 5]]])
    try await store.main.save()
    orchard.shed?.city = "mine"
    try store.main.upsert(Orchard.self, from: ["id": 1, "shed": nil])
    #expect(orchard.shed?.city == "mine")
    try await store.main.save()
    try store.main.upsert(Orchard.self, from: ["id": 1, "shed": nil])
    #expect(orchard.shed?.city == "mine")
    #expect(throws: MappingError.self) { try store.main.upsert(Orchard.self, from: ["id": 1, "deleted": true]) }
    try await store.main.save()
    #expect(!orchard.isDeleted && orchard.shed?.city == "mine")
  }

  @Test func `a response that overwrites edits says nothing of objects that were made here`() async throws {
    let store = try store()
    _ = try await store.receive(Orchard.self, ["id": 1, "shed": ["city": "Oslo"], "trees": [["id": 5]]])
    try await edit(store) { _, orchard in
      orchard.trees.first?.name = "mine"
      orchard.shed?.city = "mine"
    }
    #expect(try await delete(in: store, overwrites: true).counts.deleted == 1)
    #expect(try await store.pending.count() == 0)
    _ = try await store.receive(Orchard.self, ["id": 1])
    try await edit(store) { context, orchard in try context.insert(OrchardTree.self).orchard = orchard }
    let outcome = try await delete(in: store, overwrites: true)
    #expect(outcome.counts.denied == 1)
    #expect(outcome.details.skipped.total(.deletedThere) == 1)
    #expect(try await store.read { try $0.fetch(OrchardTree.self).map { $0.orchard?.uid } } == [1])
  }

  @Test @MainActor func `an embedded object of a response is none that was made here`() async throws {
    let store = try store()
    let orchard = try store.main.upsert(Orchard.self, from: ["id": 1, "shed": ["city": nil, "door": ["color": nil]]])
    try await store.main.save()
    #expect(try await store.pending.count() == 0)
    #expect(orchard.shed?.hasLocalEdits == false)
    _ = try await store.receive(Orchard.self, ["id": 1, "shed": ["city": "Oslo", "door": ["color": "red"]]])
    #expect(orchard.shed?.city == "Oslo" && orchard.shed?.door?.color == "red")
    _ = try await store.receive(Orchard.self, ["id": 1, "shed": nil])
    #expect(orchard.shed == nil)
  }

  @Test func `an object that is nested in itself is taken in by a unit`() async throws {
    try await takeInNested(Orchard.self)
    try await takeInNested(HandOrchard.self)
  }

  private func takeInNested<O: AnyOrchard>(_ type: O.Type) async throws {
    let store = try store()
    let value: JSONObject = [
      "id": 5, "name": "outer", "trees": [["id": 7, "orchard": ["id": 5, "trees": [7]]]],
    ]
    for _ in 0..<2 { try await store.background { _ = try $0.upsert(O.self, from: value) } }
    let trees = try await store.read { context in
      try context.fetch(O.Tree.self).map { [$0.serverUID, $0.orchard?.serverUID] }
    }
    #expect(trees == [[.integer(7), .integer(5)]])
    #expect(try await store.pending.count() == 0)
  }
}
