/// The way of a search among routes: each route that was asked, in order, and why it did not match. Its description is a
/// table:
///
/// ```
/// GET users/42, status 404: no route
///   users/me  GET  2xx  '42' is not 'me'
///   users/#   GET  2xx  the status is 404
///   posts/**  any  any  'users' is not 'posts'
/// ```
public struct RouteTrace: Sendable, CustomStringConvertible {
  /// How a route answered.
  package enum Outcome: Sendable, Hashable {
    case matched
    /// The route matches, but gave no result.
    case declined
    case path(PathPattern.Mismatch)
    case method
    case status
  }

  package let key: RouteKey
  /// All routes of the table. The routes after the last outcome were not asked.
  let conditions: [RouteCondition]
  package internal(set) var outcomes: [Outcome] = []
  /// How many components of paths and patterns were compared.
  package internal(set) var comparisons = 0

  init(key: RouteKey, conditions: [RouteCondition]) {
    self.key = key
    self.conditions = conditions
  }

  /// The route that was taken.
  package var match: RouteCondition? { outcomes.last == .matched ? conditions[outcomes.count - 1] : nil }

  /// The pattern of the route that was taken; `nil` when there is none.
  public var pattern: PathPattern? { match?.pattern }

  /// A table: the request and the result, then a line for each route that was asked.
  public var description: String {
    let rows = zip(conditions, outcomes).map { condition, outcome in
      [condition.pattern.shown, condition.methodsText, condition.status.description, text(of: outcome, condition)]
    }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      "  " + zip(row, widths).map { $0.padded(to: $1) + "  " }.joined() + row[3]
    }
    return ([heading] + lines).joined(separator: "\n")
  }

  private var heading: String {
    let method = key.method?.rawValue ?? "no method"
    return "\(method) \(key.path.shown), \(key.status.map { "status \($0)" } ?? "no status"): \(result)"
  }

  private var result: String {
    switch key.path.obstacle {
    case .otherOrigin: "no route, for the URL is of another origin than the base URL"
    case .outsideBase: "no route, for the URL is not below the base URL"
    case .noURL: "no route, for no URL is known"
    case nil:
      match.map { "the route \($0.pattern.shown)" }
        ?? (conditions.isEmpty ? "no route, for there are none" : "no route")
    }
  }

  private func text(of outcome: Outcome, _ condition: RouteCondition) -> String {
    switch outcome {
    case .matched: "matches"
    case .declined: "matches, and had no result"
    case .path(let mismatch): condition.pattern.text(of: mismatch, key.path)
    case .method: key.method.map { "the method is \($0)" } ?? "no method is known"
    case .status: key.status.map { "the status is \($0)" } ?? "no status is known"
    }
  }
}

extension PathPattern {
  /// For people: the root has no text.
  fileprivate var shown: String { components.isEmpty ? "/" : description }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
