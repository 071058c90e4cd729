import TestSupport
import Testing

@testable import EntityStore

/// The gate's rules against a model that is a list and nothing more.
struct GateLineTests {
  private struct Waiter: Equatable {
    let id: Int
    let isSave: Bool
    let arrival: GateLine.Moment
  }

  private struct Model {
    let capacity: Int
    let timeout: Duration
    var inside: [Int] = []
    var waiters: [Waiter] = []
    var lastMove: GateLine.Moment

    var next: Waiter? { waiters.first(where: \.isSave) ?? waiters.first }

    func deadline(_ waiter: Waiter) -> GateLine.Moment { max(waiter.arrival, lastMove).advanced(by: timeout) }
  }

  @Test(arguments: [1, 1, 1, 4])
  func `the waiting line follows its model`(_ capacity: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(state: seed)
    var now = SuspendingClock().now
    let timeout = Duration.milliseconds(50)
    var line = GateLine(capacity: capacity, timeout: timeout, now: now)
    var model = Model(capacity: capacity, timeout: timeout, lastMove: now)
    var ends: [Int: String] = [:]
    var lastID = 0

    func end(_ id: Int, _ way: String) {
      #expect(ends[id] == nil, "\(id) ended twice, seed \(seed)")
      ends[id] = way
    }
    func leave(_ index: Int, hasWorked: Bool) {
      model.inside.remove(at: index)
      if hasWorked { model.lastMove = now }
      let next = model.next
      #expect(line.leave(hasWorked: hasWorked, now: now) == next?.id, "seed \(seed)")
      guard let next else { return }
      model.waiters.removeAll { $0 == next }
      model.inside.append(next.id)
      end(next.id, "admitted")
    }

    for _ in 0..<5000 {
      now = now.advanced(by: .milliseconds(Int.random(in: 0...12, using: &random)))
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5:
        lastID += 1
        let waiter = Waiter(id: lastID, isSave: Int.random(in: 0..<5, using: &random) == 0, arrival: now)
        let isFree = model.inside.count < capacity
        #expect(line.enter(waiter.id, isSave: waiter.isSave, now: now) == isFree, "seed \(seed)")
        if isFree {
          model.inside.append(waiter.id)
          end(waiter.id, "admitted")
        } else {
          model.waiters.append(waiter)
        }
      case 5..<8:
        guard !model.inside.isEmpty else { continue }
        leave(Int.random(in: 0..<model.inside.count, using: &random), hasWorked: Bool.random(using: &random))
      case 8:
        guard !model.inside.isEmpty else { continue }
        model.lastMove = now
        line.turnBegan(now: now)
      case 9..<11:
        let id = Int.random(in: 1...max(1, lastID), using: &random)
        let stands = model.waiters.contains { $0.id == id }
        #expect(line.remove(id) == stands, "seed \(seed)")
        if stands {
          model.waiters.removeAll { $0.id == id }
          end(id, "cancelled")
        }
      default:
        let overdue = model.waiters.filter { model.deadline($0) <= now }
        #expect(line.removeOverdue(now: now) == (overdue.filter(\.isSave) + overdue.filter { !$0.isSave }).map(\.id))
        for waiter in overdue { end(waiter.id, "gave up") }
        model.waiters.removeAll { overdue.contains($0) }
      }
      #expect(line.count == model.waiters.count, "seed \(seed)")
      #expect(line.nextDeadline == model.waiters.map(model.deadline).min(), "seed \(seed)")
    }
    while !model.inside.isEmpty { leave(0, hasWorked: true) }
    // Nobody is lost.
    #expect(Set(ends.keys) == Set(1...lastID), "seed \(seed)")
    #expect(line.count == 0, "seed \(seed)")
    #expect(Set(ends.values) == ["admitted", "cancelled", "gave up"], "seed \(seed)")
  }
}
