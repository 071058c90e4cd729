import EntityMacros
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Random work on two entities that differ in one word: whatever is done, a lazy property reads as a plain one does.
@MainActor struct RandomizedLazyTests {
  private nonisolated static let count = 4

  @Test(arguments: Place.usual, 0..<12)
  func `a lazy property reads as a plain property`(_ place: Place, _ seed: UInt64) async throws {
    var random = SeededRandom(state: seed)
    let test = try TestStore(place, [LazyTwin.self, PlainTwin.self])
    let (store, main) = (test.store, test.store.main)
    let (lazies, plains) = try await store.background(as: .server) { context in
      (
        try (0..<Self.count).map { _ in try context.insert(LazyTwin.self).entityID },
        try (0..<Self.count).map { _ in try context.insert(PlainTwin.self).entityID }
      )
    }
    // They are held: what is read stays read.
    var held = try lazies.map { try main.object($0) }
    let plain = try plains.map { try main.object($0) }
    for step in 0..<150 {
      let number = Int.random(in: 0..<Self.count, using: &random)
      let text = Bool.random(using: &random) ? "text \(step)" : "text"
      let data = Bool.random(using: &random) ? nil : Data("\(step / 7)".utf8)
      let setsData = Bool.random(using: &random)
      @Sendable func change(_ lazy: LazyTwin?, _ plain: PlainTwin?) {
        // An equal value is an edit where nobody knows that it is equal.
        if setsData, plain?.data != data {
          lazy?.data = data
          plain?.data = data
        } else if !setsData, plain?.text != text {
          lazy?.text = text
          plain?.text = text
        }
        lazy?.count = step
        plain?.count = step
      }
      let (lazyID, plainID) = (lazies[number], plains[number])
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2: change(held[number], plain[number])
      case 3: try await main.save(conflicts: .mine)
      case 4: main.rollback()
      case 5, 6: try await store.background { change(try $0.object(lazyID), try $0.object(plainID)) }
      case 7:
        let child = try main.child()
        change(try child.object(lazyID), try child.object(plainID))
        #expect(try child.object(lazyID)?.text == child.object(plainID)?.text, "step \(step) of seed \(seed)")
        try await child.save(conflicts: .mine)
      case 8:
        if let object = held[number] { try main.refresh(object) }
        if let object = plain[number] { try main.refresh(object) }
      case 9: main.reset()
      case 10:
        held[number] = nil
        held[number] = try main.object(lazyID)
      default:
        let expected = try main.fetch(PlainTwin.where { $0.data == nil }).map(\.count)
        #expect(
          try main.fetch(LazyTwin.where { $0.data == nil }).map(\.count) == expected, "step \(step) of seed \(seed)")
        let (found, texts): ([String], [String]) = (
          try main.fetch(LazyTwin.all.select { $0.text }), try main.fetch(PlainTwin.all.select { $0.text })
        )
        #expect(found == texts, "step \(step) of seed \(seed)")
      }
      // Mostly nothing is read.
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      let other = Int.random(in: 0..<Self.count, using: &random)
      #expect(held[other]?.count == plain[other]?.count, "step \(step) of seed \(seed)")
      #expect(held[other]?.data == plain[other]?.data, "step \(step) of seed \(seed)")
      #expect(held[other]?.text == plain[other]?.text, "step \(step) of seed \(seed)")
    }
    try await main.save(conflicts: .mine)
    let (found, expected) = try await store.read { context in
      (
        try context.fetch(LazyTwin.all).map { [$0.text, $0.data.map { "\(Array($0))" }, "\($0.count)"] },
        try context.fetch(PlainTwin.all).map { [$0.text, $0.data.map { "\(Array($0))" }, "\($0.count)"] }
      )
    }
    #expect(found == expected, "seed \(seed)")
  }
}

@Entity final class LazyTwin {
  @Lazy var data: Data?
  @Lazy var text: String = "text"
  var count: Int
}

@Entity final class PlainTwin {
  var data: Data?
  var text: String = "text"
  var count: Int
}
