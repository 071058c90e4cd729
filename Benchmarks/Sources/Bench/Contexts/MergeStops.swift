import EntityClient
import Foundation
import Observation
import Synchronization

/// A commit of `count` rows, merged by a main context that has 100,000 observed objects, 100 edited ones and ten live
/// queries.
func mergeStops(_ name: String, _ count: Int, _ scale: Scale) -> Contest {
  let stops = MergeStops(changed: scale(count), live: scale(100_000))
  return Contest(
    name: name, size: scale(count), mostRounds: count >= 1_000_000 ? 3 : .max,
    ours: Contestant(name: "ours", prepare: stops.prepare, time: stops.time, digest: stops.digest),
    // A frame, at 120 a second.
    rivals: [.budget(seconds: 0.008) { stops.expected }])
}

private final class MergeStops {
  private let changed: Int
  private let live: Int
  private var turn = 0
  private var store: EntityStore?
  private var scratch: Scratch?
  private let held = onMain { Held() }

  @MainActor private final class Held {
    var users: [DeclaredUser] = []
    var queries: [LiveQuery<DeclaredUser>] = []
    var observed: Observed?
  }

  /// Counts the observers that were told.
  private final class Observed: Sendable {
    let told = Atomic(0)
  }

  private static let chunk = 10_000

  init(changed: Int, live: Int) {
    self.changed = changed
    self.live = live
  }

  private func opened() throws -> EntityStore {
    if let store { return store }
    let scratch = try Scratch()
    let store = try EntityStore(.file(scratch.file), entities: [DeclaredUser.self, DeclaredAddress.self])
    let count = max(changed, live)
    try wait {
      for start in stride(from: 1, through: count, by: Self.chunk) {
        try await store.background(as: .server) { context in
          for uid in start..<min(start + Self.chunk, count + 1) {
            let user = try context.insert(DeclaredUser.self)
            user.uid = uid
            user.age = uid % 100
          }
        }
      }
    }
    let (held, live) = (held, live)
    try onMain {
      held.users = try store.main.fetch(DeclaredUser.where { $0.uid <= live })
      held.queries = (1...10).map { uid in
        LiveQuery(DeclaredUser.where { $0.uid == uid && $0.score >= 0 }, in: store)
      }
    }
    (self.store, self.scratch) = (store, scratch)
    return store
  }

  func prepare() throws {
    let (store, held, live) = (try opened(), held, live)
    try onMain {
      store.main.rollback()
      // The objects that are out of date are read together.
      held.users = try store.main.fetch(DeclaredUser.where { $0.uid <= live })
      let observed = Observed()
      held.observed = observed
      for user in held.users {
        withObservationTracking {
          consume(user.score)
        } onChange: {
          observed.told.wrappingAdd(1, ordering: .relaxed)
        }
      }
      for query in held.queries { consume(query.objects.count) }
      for user in held.users.suffix(100) { user.bio = "edited" }
    }
    try drainMain()
  }

  func time() throws -> Cost {
    turn += 1
    return try time(Double(turn))
  }

  private func time(_ score: Double) throws -> Cost {
    let (store, held, changed) = (try opened(), held, changed)
    try wait {
      try await store.background(as: .server) { context in
        for start in stride(from: 1, through: changed, by: Self.chunk) {
          let end = min(start + Self.chunk, changed + 1)
          for user in try context.fetch(DeclaredUser.where { $0.uid >= start && $0.uid < end }) {
            user.score = score
            user.age = Int(score)
            user.active.toggle()
            user.firstName = "first"
            user.lastName = "\(score)"
          }
          try context.save()
        }
      }
    }
    let expected = min(changed, live)
    return try runMain {
      await longestTurn { held.observed.map { $0.told.load(ordering: .relaxed) >= expected } ?? true }
    }
  }

  private static let lastScore = 7_777.0

  /// The score of the first users that the commit changed, as their objects have it.
  func digest() throws -> UInt64 {
    try prepare()
    _ = try time(Self.lastScore)
    let (held, count) = (held, min(changed, live, 100))
    return onMain { Digest.array(held.users.prefix(count).map { Digest.double($0.score) }) }
  }

  var expected: UInt64 { Digest.array((0..<min(changed, live, 100)).map { _ in Digest.double(Self.lastScore) }) }
}
