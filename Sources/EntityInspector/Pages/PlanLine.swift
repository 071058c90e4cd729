import EntityStore

/// A step of SQLite's plan for a query.
struct PlanLine: Encodable {
  let depth: Int
  let text: String
  /// Whether SQLite reads all rows of a table or an index.
  let isScan: Bool

  /// The lines with their depths: a step stands beneath the one that it belongs to.
  static func lines(_ plan: QueryPlanLines) -> [PlanLine] {
    var depths: [Int64: Int] = [:]
    return plan.lines.map { line in
      let depth = depths[line.parent].map { $0 + 1 } ?? 0
      depths[line.id] = depth
      return PlanLine(depth: depth, text: line.text, isScan: QueryPlan.isScan(line.text))
    }
  }

  var html: HTML {
    let scan: HTML = isScan ? " class=\"scan\"" : ""
    return "<div\(scan)>\(String(repeating: "\u{A0}\u{A0}", count: depth))\(text)</div>"
  }
}
