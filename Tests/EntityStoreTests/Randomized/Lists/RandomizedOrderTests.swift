import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random changes of an ordered list in several contexts, against a plain array.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedOrderTests {
  @Test(arguments: Place.usual, MixList.allCases)
  func `lists agree with an array`(_ place: Place, _ list: MixList) async throws {
    await Seeds.each(place == .memory ? 20 : 5, sanitized: 2, "\(place.rawValue) \(list)") { seed, steps in
      var random = SeededRandom(seed)
      let shop = try await MixShop(place, list)
      var log: [String] = []
      defer { steps = log.joined(separator: "; ") }
      var model = [1, 2, 3, 4, 5]
      var next = 100

      func change() -> @Sendable (inout [Int]) -> Void {
        let (one, other) = (random.below(1000), random.below(1000))
        next += 1
        let new = next
        switch random.below(8) {
        case 0: return { $0.append(new) }
        case 1, 2: return { $0.insert(new, at: one % ($0.count + 1)) }
        case 3: return { if !$0.isEmpty { $0.remove(at: one % $0.count) } }
        case 4: return { if !$0.isEmpty { $0.swapAt(one % $0.count, other % $0.count) } }
        case 5: return { $0 = Array($0.dropFirst(one % 3)) + [one % 2 == 0 ? new : 91] }
        case 6: return { $0.reverse() }
        default:
          return {
            guard !$0.isEmpty else { return }
            let member = $0.remove(at: one % $0.count)
            $0.insert(member, at: other % ($0.count + 1))
          }
        }
      }
      func unique(_ numbers: [Int]) -> [Int] {
        var seen: Set<Int> = []
        return numbers.filter { seen.insert($0).inserted }
      }
      struct Difference: Error { let text: String }
      func check(_ read: [Int], _ text: String) throws {
        if read != model { throw Difference(text: "\(text): \(read), and \(model) was expected") }
      }

      for _ in 0..<30 {
        switch random.below(6) {
        case 0, 1:
          log.append("unsaved edits")
          let before = model
          for _ in 0...random.below(4) {
            let change = change()
            change(&model)
            model = unique(model)
            try list.edit(shop.mix, change)
            try check(shop.numbers, "unsaved")
          }
          if random.chance(3) {
            log.append("rollback")
            shop.main.rollback()
            model = before
          } else if random.chance(2) {
            try await shop.main.save()
          } else {
            try list.edit(shop.mix) { _ in }
            try shop.save()
          }
        case 2, 3:
          log.append("others")
          let change = change()
          change(&model)
          model = unique(model)
          try await shop.others { change(&$0) }
        case 4:
          log.append("a unit that throws")
          let (id, change) = (shop.id, change())
          try? await shop.test.store.background { context in
            try list.edit(try #require(try context.object(id)), change)
            _ = try context.fetch(Mix.self)
            throw CancellationError()
          }
        default:
          log.append("both at once")
          let (mine, theirs) = (change(), change())
          let own = Set(model)
          try list.edit(shop.mix, mine)
          try await shop.others { theirs(&$0) }
          try await shop.main.save()
          model = shop.numbers
          var (one, other) = (Array(own), Array(own))
          mine(&one)
          theirs(&other)
          if Set(model).count != model.count { throw Difference(text: "twice: \(model)") }
          for number in one + other where number > 100 && !own.contains(number) && !model.contains(number) {
            throw Difference(text: "\(number) is lost: \(model)")
          }
        }
        try check(shop.numbers, "in main")
        try check(try await shop.saved(), "saved")
      }
    }
  }
}
