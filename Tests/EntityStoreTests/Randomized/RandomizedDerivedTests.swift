import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random changes on each way to a row: the columns are what the bodies make of the row's attributes.
@MainActor struct RandomizedDerivedTests {
  @Test(arguments: Place.usual, 0..<12)
  func `each row has the values of its sources`(_ place: Place, _ seed: UInt64) async throws {
    var random = SeededRandom(state: seed)
    let rows = try UIDRows(place, DerivedTests.entities)
    let main = rows.main
    for step in 0..<80 {
      let label = Comment(rawValue: "step \(step) of seed \(seed)")
      let price = Int.random(in: -3...3, using: &random)
      let count = Int.random(in: 1...4, using: &random)
      let title = ["", "ash", "Birch", "élan"].randomElement(using: &random) ?? ""
      let code = [nil, "a", "bb", "ccc"].randomElement(using: &random) ?? nil
      let uid = Int64.random(in: 1...6, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        do { try await main.save() } catch { main.rollback() }
      case 1: main.rollback()
      case 2:
        let values: [Int: StoredValue] = [
          Bale.columns.uid.index: .integer(uid), Bale.columns.price.index: .integer(Int64(price)),
          Bale.columns.title.index: .text(title),
        ]
        _ = try await rows.respond(Bale.self, keepsEdits: count > 1, values)
      case 3:
        // A row without uid turns out to be another one.
        let made = try await rows.store.background { context in
          let bale = try context.insert(Bale.self)
          (bale.price, bale.title) = (price, title)
          return bale.entityID.pk
        }
        let values: [Int: StoredValue] = [
          Bale.columns.uid.index: .integer(uid), Bale.columns.count.index: .integer(Int64(count)),
        ]
        _ = try await rows.respond(Bale.self, pk: made, values)
      case 4:
        try await rows.store.background { context in
          _ = try context.update(Bale.where { $0.price < price }) { $0.set(\.count) { $0.count + 1 } }
        }
      case 5:
        _ = try? await rows.store.background { context in
          for (place, bale) in try context.fetch(Bale.all).enumerated() where place % 2 == 0 { bale.code = code }
          try context.save()
        }
      case 6:
        let child = try main.child()
        try child.fetch(Bale.all).randomElement(using: &random)?.price = price
        try child.saveAtOnce()
      case 7: try main.insert(Bale.self).title = title
      case 8:
        if let bale = try main.fetch(Bale.all).randomElement(using: &random) { try main.delete(bale) }
      default:
        guard let bale = try main.fetch(Bale.all).randomElement(using: &random) else { continue }
        (bale.price, bale.title) = (price, title)
        if count == 1 { bale.code = code }
      }
      try main.merging.merge()
      #expect(try BaleColumns.stored(main) == BaleColumns.computed(main), label)
      #expect(try main.fetch(Bale.all.select { $0.total }) == main.fetch(Bale.all).map(\.total), label)
      let isInStep = try await rows.store.read { try BaleColumns.stored($0) == BaleColumns.computed($0) }
      #expect(isInStep, label)
    }
  }
}
