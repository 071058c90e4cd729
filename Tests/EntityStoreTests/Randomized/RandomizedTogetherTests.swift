import TestSupport
import Testing

@testable import EntityStore

/// Random moves of values that are unique together, with inserts, deletes, drafts and queries in between. A save succeeds
/// exactly when no two objects are alike, and then the rows are those of a plain array.
@MainActor
struct RandomizedTogetherTests {
  @Test(arguments: Place.usual, [true, false])
  func `rows agree with a plain array`(_ place: Place, _ isUnit: Bool) async throws {
    var (refused, rounds) = (0, 0)
    await Seeds.each(place == .memory ? 40 : 10, sanitized: 2, "\(place.rawValue), isUnit \(isUnit)") { seed, steps in
      let test = try TestStore(place, Hamper.all)
      var random = SeededRandom(seed)
      _ = try await test.store.background { context in try (1...2).map { try context.hamperDepot($0).uid } }
      var saved: [Int: Spot] = [:]
      for round in 0..<12 {
        rounds += 1
        let (before, generator) = (saved, random)
        let result: Moves
        if isUnit {
          result = try await test.store.background { context in
            var moves = Moves(spots: before, random: generator)
            try moves.go(context)
            let error = storeError { try context.save() }
            if let error, error.kind != .uniqueViolation || error.objects.count != 2 { throw error }
            moves.isRefused = error != nil
            if moves.isRefused { context.rollback() }
            return moves
          }
        } else {
          var moves = Moves(spots: before, random: generator)
          try moves.go(test.store.main)
          let error = storeError { try test.store.main.saveAtOnce() }
          if let error, error.kind != .uniqueViolation || error.objects.count != 2 { throw error }
          moves.isRefused = error != nil
          if moves.isRefused { test.store.main.rollback() }
          result = moves
        }
        random = result.random
        steps += "round \(round): \(result.log)\n"
        guard result.isRefused != result.isDistinct else {
          throw Mistake(description: result.isRefused ? "a save was refused" : "two alike were saved")
        }
        if result.isRefused { refused += 1 } else { saved = result.spots }
        let rows = try await test.store.read { context in
          Dictionary(uniqueKeysWithValues: try context.fetch(Hamper.self).map { ($0.uid, Spot($0)) })
        }
        guard rows == saved else { throw Mistake(description: "\(rows) in place of \(saved)") }
      }
      guard try await test.store.check() == [] else { throw Mistake(description: "the file has problems") }
    }
    guard Seeds.one == nil else { return }
    #expect(refused > 0)
    #expect(refused < rounds)
  }
}

private struct Mistake: Error, CustomStringConvertible {
  let description: String
}

/// Where a hamper stands.
private struct Spot: Hashable, Sendable {
  var depot: Int?
  var slot: Int?

  init(depot: Int?, slot: Int?) { (self.depot, self.slot) = (depot, slot) }

  init(_ hamper: Hamper) { self.init(depot: hamper.depot?.uid, slot: hamper.slot) }
}

private struct Moves: Sendable {
  var spots: [Int: Spot]
  var random: SeededRandom
  var log = ""
  var isRefused = false

  init(spots: [Int: Spot], random: SeededRandom) { (self.spots, self.random) = (spots, random) }

  var isDistinct: Bool {
    let whole = spots.values.filter { $0.depot != nil && $0.slot != nil }
    return Set(whole).count == whole.count
  }

  mutating func go(_ context: EntityContext) throws {
    let depots = try context.fetch(HamperDepot.all.sorted(by: \.uid))
    for _ in 0..<(1 + random.below(5)) {
      let hampers = try context.fetch(Hamper.all.sorted(by: \.uid))
      let spot = Spot(
        depot: random.chance(5) ? nil : 1 + random.below(2), slot: random.chance(6) ? nil : random.below(4))
      switch random.below(6) {
      case 0 where hampers.count < 7:
        let uid = (spots.keys.max() ?? 0) + 1
        _ = try context.hamper(uid, spot.depot.map { depots[$0 - 1] }, spot.slot)
        spots[uid] = spot
        log += "+\(uid) \(spot); "
      case 1:
        guard let hamper = random.element(hampers) else { continue }
        spots[hamper.uid] = nil
        log += "-\(hamper.uid); "
        try context.delete(hamper)
      case 2, 3:
        guard let one = random.element(hampers), let other = random.element(hampers) else { continue }
        let (first, second) = (Spot(one), Spot(other))
        set(one, second, depots)
        if random.chance(2) {
          // It goes between the two halves of a swap.
          let (uid, label) = (1 + random.below(7), "label \(random.below(1000))")
          try context.update(Hamper.where { $0.uid == uid }) { $0.set(\.label, to: label) }
          log += "label of \(uid); "
        }
        set(other, first, depots)
        (spots[one.uid], spots[other.uid]) = (Spot(one), Spot(other))
        log += "\(one.uid) <> \(other.uid); "
      default:
        guard let hamper = random.element(hampers) else { continue }
        set(hamper, spot, depots)
        spots[hamper.uid] = spot
        log += "\(hamper.uid) \(spot); "
      }
    }
  }

  private func set(_ hamper: Hamper, _ spot: Spot, _ depots: [HamperDepot]) {
    hamper.slot = spot.slot
    hamper.depot = spot.depot.map { depots[$0 - 1] }
  }
}
