import TestSchema
import Testing

@testable import EntityStore

/// An app sends the order of a list itself, and acknowledges it once the order is another one.
@MainActor struct UndoOrderByHandTests {
  /// A list whose order was changed and read as a pending change, of a mix that the server has.
  private struct Sent {
    let shop: MixShop
    let change: PendingChange

    var undo: SaveUndoManager { shop.main.undoManager }
    var pending: [String] { shop.mix.pendingColumns.names }

    @MainActor init(_ place: Place, _ list: MixList) async throws {
      shop = try await MixShop(place, list)
      try await shop.test.store.pending.acknowledgeAll()
      shop.main.undoManager.limit = .saves(9)
      try list.set(shop.mix, [3, 1, 2, 5, 4])
      try await shop.main.save()
      change = try await Self.change(shop)
    }

    /// The only pending change.
    @MainActor static func change(_ shop: MixShop) async throws -> PendingChange {
      let changes = try await shop.test.store.pending.changes()
      try #require(changes.count == 1)
      return changes[0]
    }

    func acknowledge() async throws { try await shop.test.store.pending.acknowledge(change) }
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an order that was sent is the server's`(_ place: Place, _ list: MixList) async throws {
    let sent = try await Sent(place, list)
    #expect(sent.pending == [list.rawValue])
    try await sent.acknowledge()
    #expect(sent.pending.isEmpty && sent.shop.numbers == [3, 1, 2, 5, 4])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an order that was edited since stays an edit`(_ place: Place, _ list: MixList) async throws {
    let sent = try await Sent(place, list)
    try list.set(sent.shop.mix, [5, 4, 3, 2, 1])
    try await sent.shop.main.save()
    try await sent.acknowledge()
    #expect(sent.pending == [list.rawValue] && sent.shop.numbers == [5, 4, 3, 2, 1])
    try await sent.shop.test.store.pending.acknowledge(try await Sent.change(sent.shop))
    #expect(sent.pending.isEmpty)
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an order that was undone becomes an edit`(_ place: Place, _ list: MixList) async throws {
    let sent = try await Sent(place, list)
    try await sent.undo.undo()
    #expect(sent.pending.isEmpty)
    try await sent.acknowledge()
    #expect(sent.pending == [list.rawValue] && sent.shop.numbers == [1, 2, 3, 4, 5])
    try await sent.shop.test.store.pending.acknowledge(try await Sent.change(sent.shop))
    #expect(sent.pending.isEmpty && sent.shop.numbers == [1, 2, 3, 4, 5])
    #expect(try await sent.shop.test.store.check().isEmpty)
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an order that was redone is the server's`(_ place: Place, _ list: MixList) async throws {
    let sent = try await Sent(place, list)
    try await sent.undo.undo()
    try await sent.undo.redo()
    try await sent.acknowledge()
    #expect(sent.pending.isEmpty && sent.shop.numbers == [3, 1, 2, 5, 4])
  }

  /// The undo is followed by an answer, whose order is the server's.
  @Test(arguments: Place.usual, MixList.allCases)
  func `a later order of the server is no edit`(_ place: Place, _ list: MixList) async throws {
    let sent = try await Sent(place, list)
    try await sent.undo.undo()
    let id = sent.shop.id
    try await sent.shop.test.store.background(as: .server) { context in
      try list.set(try #require(try context.object(id)), [5, 2, 3, 4, 1])
    }
    #expect(sent.shop.numbers == [5, 2, 3, 4, 1])
    try await sent.acknowledge()
    #expect(sent.pending.isEmpty)
  }
}
