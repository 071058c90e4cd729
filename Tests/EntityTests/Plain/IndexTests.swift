import EntityClient
import Testing

/// Indexes over several columns, as a user declares them in modules of each isolation.
struct IndexTests {
  @Test func `two objects alike are refused`() async throws {
    let store = try EntityStore(.inMemory, entities: [Lot.self])
    func add(_ number: Int) async throws {
      try await store.background { context in
        let lot = try context.insert(Lot.self)
        (lot.street, lot.number, lot.isSold) = ("a", number, number > 1)
      }
    }
    try await add(1)
    try await add(2)
    await #expect(throws: StoreError.self) { try await add(1) }
    #expect(try await store.read { try $0.count(Lot.all) } == 2)
  }
}

@Entity final class Lot {
  var street: String
  var number: Int
  var isSold: Bool

  nonisolated static var indexes: [EntityIndex<Lot>] {
    [.unique(\.street, \.number), .index(\.street, where: { $0.isSold })]
  }
}
