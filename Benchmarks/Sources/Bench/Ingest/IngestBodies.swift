enum IngestWork: String, Sendable, CaseIterable {
  case cold, changed, unchanged, sparse, partial
}

/// The responses of a case.
struct IngestBodies: Sendable {
  /// Is there before, unless the case is cold.
  let base: Body
  /// Come by turns.
  let turns: [Body]

  var size: Int { turns.first?.data.count ?? 0 }
}

/// Which users responses have, and in which order, as in the names of cases.
enum UserChoice: String, Sendable {
  case all = ""
  case shuffled = ".shuffled"
  /// Every tenth of those in the store.
  case tenth = ".tenth"
  /// All, without addresses.
  case flat = ".flat"

  /// - Parameter count: How many users the store has.
  func ids(of count: Int) -> [Int] {
    switch self {
    case .all, .flat: return Array(1...count)
    case .tenth: return Array(stride(from: 1, through: count, by: 10))
    case .shuffled:
      var random = SplitMix(seed: 9)
      return (1...count).shuffled(using: &random)
    }
  }
}

/// Responses with users of the standard work.
struct UserBodies: Sendable {
  let work: IngestWork
  /// How many users a response has.
  let count: Int
  let bodies: IngestBodies

  init(_ work: IngestWork, _ users: UserChoice, _ scale: Scale) {
    let all = scale(100_000)
    let ids = users.ids(of: all)
    func body(older: (Int) -> Int) -> Body {
      Body(StandardUsers.json(ids: ids, hasAddresses: users != .flat, older: older))
    }
    let first = body { _ in 0 }
    let turns =
      switch work {
      case .cold, .unchanged: [first]
      case .changed: [body { _ in 1 }, first]
      case .sparse: [body { $0 % 100 == 0 ? 1 : 0 }, first]
      case .partial: [100, 101].map { Body(StandardUsers.partial(count: all, age: $0), isPartial: true) }
      }
    bodies = IngestBodies(base: users == .tenth ? Body(StandardUsers.json(count: all)) : first, turns: turns)
    self.work = work
    count = ids.count
  }
}
