import EntityClient
import Foundation

/// Ours, in units of work.
final class UnitFetches: FetchRows {
  private let entities: EntityRows<DeclaredUser>
  private let plan: FetchPlan
  var rows: any IngestedRows { entities }

  init(_ place: Place, _ plan: FetchPlan, keepsHistory: Bool = false) throws {
    entities = try EntityRows(place, keepsHistory: keepsHistory)
    self.plan = plan
  }

  func prepare(_ work: FetchWork) throws {}

  func time(_ work: FetchWork, turn: Int) throws -> Cost {
    let (store, plan) = (entities.store, plan)
    return try wait { try await Self.time(work, turn, store, plan) }
  }

  private static func time(
    _ work: FetchWork, _ turn: Int, _ store: EntityStore, _ plan: FetchPlan
  ) async throws -> Cost {
    let start = Cost.Start()
    switch work {
    case .first: consume(try await store.background { try scores($0.fetch(DeclaredUser.all)) })
    case .allColumns: consume(try await store.background { try checksum($0.fetch(DeclaredUser.all)) })
    case .warm:
      return try await store.background { context in
        let held = try context.fetch(DeclaredUser.all)
        let cost = try Cost.of { consume(scores(try context.fetch(DeclaredUser.all))) }
        return withExtendedLifetime(held) { cost }
      }
    case .uid: consume(try await store.background { try scores(find(plan.uids, $0)) })
    case .save:
      let begun = try await store.background { context in
        let users = try context.fetch(edited(plan))
        let begun = Cost.Start()
        for user in users { user.score = FetchPlan.score(Int64(user.uid), turn: turn) }
        return begun
      }
      return begun.cost
    }
    return start.cost
  }

  func checksum(_ work: FetchWork) throws -> Int {
    let (store, plan) = (entities.store, plan)
    return try wait { try await store.background { try Self.checksum(Self.found(work, plan, $0)) } }
  }

  static func found(_ work: FetchWork, _ plan: FetchPlan, _ context: EntityContext) throws -> [DeclaredUser] {
    work == .uid ? try find(plan.uids, context) : try context.fetch(DeclaredUser.all)
  }

  static func find(_ uids: [Int64], _ context: EntityContext) throws -> [DeclaredUser] {
    try uids.compactMap { try context.fetch(DeclaredUser.self, uid: Int($0)) }
  }

  static func edited(_ plan: FetchPlan) -> EntityQuery<DeclaredUser> {
    let count = plan.edited.count
    return DeclaredUser.where { $0.uid <= count }
  }

  /// One property of each.
  static func scores(_ users: [DeclaredUser]) -> Int {
    var sum = Checksum()
    for user in users { sum.add(user.score) }
    return sum.value
  }

  /// Every property of each.
  static func checksum(_ users: [DeclaredUser]) -> Int {
    var sum = Checksum()
    for user in users { user.add(to: &sum) }
    return sum.value
  }
}
