/// The floor, which reads every column in all cases.
final class FloorFetches: FetchRows {
  private let floor: FloorRows
  private let plan: FetchPlan
  private var keys: [Int64] = []
  var rows: any IngestedRows { floor }

  init(_ place: Place, _ plan: FetchPlan) throws {
    floor = try FloorRows(place)
    self.plan = plan
  }

  func prepare(_ work: FetchWork) throws {
    if work == .save, keys.isEmpty { keys = try plan.edited.map(floor.key) }
  }

  func time(_ work: FetchWork, turn: Int) throws -> Cost {
    try Cost.of {
      switch work {
      case .first, .allColumns, .warm: consume(try floor.fetch())
      case .uid: consume(try floor.find(plan.uids))
      case .save: try floor.save(keys, plan.edited.map { FetchPlan.score($0, turn: turn) })
      }
    }
  }

  func checksum(_ work: FetchWork) throws -> Int { work == .uid ? try floor.find(plan.uids) : try floor.fetch() }
}
