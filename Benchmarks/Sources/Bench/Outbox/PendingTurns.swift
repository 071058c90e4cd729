import Adapters
import EntityClient
import Foundation
import Observation

/// How the changes are linked with one another, as in the names of cases.
enum PendingLinks: String, Sendable, CaseIterable {
  case groups = ""
  case all = ".linked"
}

/// A file with pending changes, and the outbox of its store.
final class PendingTurns {
  /// The number of pending changes.
  let count: Int
  /// The number of edits that were added.
  private(set) var turn = 0
  private let links: PendingLinks
  private let scratch = Lazily { try Scratch() }
  private let filled: Lazily<EntityStore>
  private var shown: Shown?

  /// A screen of an outbox.
  @MainActor private final class Shown {
    let live: LiveOutbox

    init(_ store: EntityStore) throws {
      let url = URL(string: "http://127.0.0.1:9/") ?? URL(filePath: "/")
      live = LiveOutbox(try Outbox(try Client(adapter: CurlAdapter(), store: store, baseURL: url)))
    }

    /// Waits until so many changes are shown.
    func reaches(_ count: Int) async {
      while live.count != count {
        await withCheckedContinuation { continuation in
          withObservationTracking {
            _ = live.count
          } onChange: {
            continuation.resume()
          }
        }
        await Task.yield()
      }
    }
  }

  init(_ links: PendingLinks, _ scale: Scale) {
    let (count, scratch) = (scale(1_000) * 10, scratch)
    (self.count, self.links) = (count, links)
    filled = Lazily {
      let store = try Self.open(scratch.value())
      // Half of the changes are edits, and some objects are left for later ones.
      let known = Body(
        .array(count: count / 2 + 1_000) { index, bytes in bytes.add("{\"id\":\(index + 1),\"number\":\"\(index)\"}") })
      try wait {
        _ = try await Purchase.upsert(from: known.data, in: store).counts
        try await store.background { try Self.fill($0, links, count) }
      }
      return store
    }
  }

  private static func open(_ scratch: Scratch) throws -> EntityStore {
    try EntityStore(.file(scratch.file), entities: [Shopper.self, Purchase.self])
  }

  private static func fill(_ context: EntityContext, _ links: PendingLinks, _ count: Int) throws {
    let shoppers = try (0..<(links == .all ? 1 : count / 10)).map { index in
      let shopper = try context.insert(Shopper.self)
      shopper.name = "shopper \(index)"
      return shopper
    }
    for index in 0..<count / 2 - shoppers.count {
      let purchase = try context.insert(Purchase.self)
      purchase.number = "new \(index)"
      purchase.shopper = shoppers[index % shoppers.count]
    }
    for (index, purchase) in try context.fetch(Purchase.where { $0.uid <= count / 2 }).enumerated() {
      purchase.number = "edited \(index)"
      if links == .all || index % 2 == 0 { purchase.shopper = shoppers[index / 2 % shoppers.count] }
    }
  }

  /// The digest after so many edits more.
  func expected(_ turns: Int) -> UInt64 { Digest.int(Int64(count + turns)) }

  /// The first plan of an outbox.
  func planning() -> Contestant {
    var store: EntityStore?
    let time = {
      guard let opened = store else { throw ContestError(description: "There is no store.") }
      let count = self.count
      let (shown, cost) = try runMain {
        let start = Cost.Start()
        let shown = try Shown(opened)
        await shown.reaches(count)
        return (shown, start.cost)
      }
      self.shown = shown
      return cost
    }
    // A store has one outbox.
    let prepare = {
      self.shown = nil
      _ = try self.filled.value()
      store = try Self.open(self.scratch.value())
      try drainMain()
    }
    return Contestant(name: "ours", prepare: prepare, time: time) {
      try prepare()
      _ = try time()
      return self.digest()
    }
  }

  /// The plan after one more edit.
  func replanning() -> Contestant {
    let prepare = {
      guard self.shown == nil else { return }
      let (store, count) = (try self.filled.value(), self.count)
      self.shown = try runMain {
        let shown = try Shown(store)
        await shown.reaches(count)
        return shown
      }
    }
    let time = {
      guard let shown = self.shown else { throw ContestError(description: "There is no outbox.") }
      self.turn += 1
      let (store, count, uid) = (try self.filled.value(), self.count + self.turn, self.count / 2 + self.turn)
      return try runMain {
        let start = Cost.Start()
        try await store.background { context in
          let purchase = try context.fetch(Purchase.self, uid: uid)
          purchase?.shopper = try context.fetch(Shopper.all.limited(to: 1)).first
        }
        await shown.reaches(count)
        return start.cost
      }
    }
    return Contestant(name: "ours", prepare: prepare, time: time) {
      try prepare()
      _ = try time()
      return self.digest()
    }
  }

  private func digest() -> UInt64 {
    let shown = shown
    return Digest.int(Int64(onMain { shown?.live.count ?? -1 }))
  }
}
