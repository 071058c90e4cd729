import EntityClient
import EntityTesting
import Testing

@testable import EntityRequests

/// One-to-one relationships where answers come in another order than their requests, and where local edits are in the way.
@Suite struct OneToOneOrderTests: GarageSuite {
  /// The side whose object an answer has.
  enum Side: CaseIterable {
    case owner, plate
  }

  /// An answer by which owner 1 has a plate.
  private func give(
    _ plate: Int, _ side: Side, _ store: EntityStore, as number: RequestNumber
  ) async throws -> SkippedChanges {
    switch side {
    case .owner:
      try await store.receive(Owner.self, ["id": 1, "plate": .init(plate)]) { $0.sequence = number }.skipped
    case .plate:
      try await store.receive(Plate.self, ["id": .init(plate), "owner": 1]) { $0.sequence = number }.skipped
    }
  }

  @Test(arguments: Side.allCases, Side.allCases)
  func `an older answer takes no target back`(_ newer: Side, _ older: Side) async throws {
    for former in [1, 0] {
      let store = try await garage()
      if former == 0 { _ = try await store.receive(Plate.self, ["id": 1, "owner": nil]) }
      let requests = store.core.requests
      let (first, second) = (requests.begin(), requests.begin())
      _ = try await give(2, newer, store, as: second)
      #expect(try await links(store) == [2, 0, 0, 1])
      let skipped = try await give(1, older, store, as: first)
      #expect(try await links(store) == [2, 0, 0, 1], "\(former)")
      #expect(skipped.total(.newerAnswer) > 0)
      requests.end(first)
      requests.end(second)
    }
  }

  @Test(arguments: Side.allCases, Side.allCases)
  func `answers in the order of their requests are both taken`(_ newer: Side, _ older: Side) async throws {
    let store = try await garage()
    let requests = store.core.requests
    let (first, second) = (requests.begin(), requests.begin())
    for (plate, side, number) in [(1, older, first), (2, newer, second)] {
      #expect(try await give(plate, side, store, as: number).isEmpty)
    }
    #expect(try await links(store) == [2, 0, 0, 1])
    requests.end(first)
    requests.end(second)
  }

  /// The newer answer says that an owner has no plate; the older one gives the owner another plate.
  @Test func `an older answer fills no link that a newer answer cleared`() async throws {
    let store = try await garage()
    let requests = store.core.requests
    let (first, second) = (requests.begin(), requests.begin())
    _ = try await store.receive(Owner.self, ["id": 1, "plate": nil]) { $0.sequence = second }
    let skipped = try await give(2, .plate, store, as: first)
    #expect(try await links(store) == [0, 0, 0, 0])
    #expect(skipped.map(\.properties) == [["owner"]])
    requests.end(first)
    requests.end(second)
  }

  @Test func `an update by hand heeds newer answers too`() async throws {
    let store = try await garage()
    let requests = store.core.requests
    _ = try await store.receive(HandOwner.self, ["id": 1, "badge": 1])
    let (first, second) = (requests.begin(), requests.begin())
    _ = try await store.receive(Insignia.self, ["id": 2, "owner": 1]) { $0.sequence = second }
    _ = try await store.receive(HandOwner.self, ["id": 1, "badge": 1]) { $0.sequence = first }
    #expect(try await store.read { try $0.fetch(HandOwner.self, uid: 1)?.badge?.uid } == 2)
    requests.end(first)
    requests.end(second)
  }

  // MARK: Local edits

  /// Owner 2 was given plate 1 here.
  private func editedGarage() async throws -> EntityStore {
    let store = try await garage()
    try await store.background { context in
      try #require(try context.fetch(Owner.self, uid: 2)).plate = try context.fetch(Plate.self, uid: 1)
    }
    #expect(try await links(store) == [0, 1, 2, 0])
    return store
  }

  @Test func `a response overwrites an edit of the other holder`() async throws {
    let store = try await editedGarage()
    let response = try await Plate.upsert(
      from: ["id": 2, "owner": 2], in: store, options: .localEdits(.overwrite))
    #expect(try await links(store) == [0, 2, 0, 2])
    #expect(response.skipped.isEmpty)
    #expect(try await store.read { try $0.fetch(Plate.all).map(\.hasLocalEdits) } == [false, false])
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `an edit that stays is reported`() async throws {
    let store = try await editedGarage()
    let response = try await Plate.upsert(from: ["id": 2, "owner": 2], in: store)
    #expect(try await links(store) == [0, 1, 2, 0])
    let change = try #require(response.skipped.first)
    #expect(response.skipped.total == 1)
    #expect((change.entity, change.uid, change.properties) == ("Plate", "2", ["owner"]))
    #expect(change.reason == .locallyEdited)
    #expect(try await store.read { try $0.fetch(Plate.all).map(\.hasLocalEdits) } == [true, false])
  }
}
