/// Values by method, path and status. The most exact route that matches counts; the order in which routes were given
/// does not.
///
/// The table sorts its entries once, by the rules of `RouteCondition`. A route whose path matches, but whose method or
/// status does not, gives way to the next one.
///
/// A search compares each component of each pattern once at most, and never goes back. `RouteTrace.comparisons` counts
/// the comparisons.
package struct RouteTable<Value: Sendable>: Sendable {
  package typealias Entry = (condition: RouteCondition, value: Value)

  /// The conditions, in the order of a search. `values` has the same order.
  private let conditions: [RouteCondition]
  private let values: [Value]

  /// - Throws: ``RequestError`` of kind `invalidRoute` for two equally exact routes: they have one shape of paths, a
  ///   common method, and statuses that are equally exact and overlap. The message names both routes.
  package init(_ entries: [Entry]) throws {
    let entries = entries.sorted { $0.condition.precedes($1.condition) }
    conditions = entries.map(\.condition)
    values = entries.map(\.value)
    try checkNoneTie()
  }

  private func checkNoneTie() throws {
    var start = 0
    for index in conditions.indices {
      if !conditions[start].hasShape(of: conditions[index]) { start = index }
      guard let other = conditions[start..<index].first(where: { $0.ties(with: conditions[index]) }) else { continue }
      throw RequestError(
        .invalidRoute, "Nothing decides between the routes '\(other)' and '\(conditions[index])': they match the same.")
    }
  }

  package var isEmpty: Bool { conditions.isEmpty }

  /// All routes, in the order of a search.
  package var entries: [Entry] { Array(zip(conditions, values)).map { (condition: $0, value: $1) } }

  /// The values of all routes that match a request with one of the statuses, the most exact first.
  package func matching(
    _ method: HTTPMethod?, _ path: RoutePath, statuses: ClosedRange<Int>
  ) -> [(value: Value, parameters: PathParameters)] {
    guard path.obstacle == nil else { return [] }
    return zip(conditions, values).compactMap { condition, value in
      guard condition.matches(method, path), condition.status.bounds.overlaps(statuses) else { return nil }
      return (value, condition.pattern.parameters(of: path))
    }
  }

  /// Asks the routes that match, the most exact first, until one has a result.
  ///
  /// - Parameters:
  ///   - key: The request and its response.
  ///   - take: Gets the value of a route, and the parameters of the path. With `nil` the search goes on.
  /// - Returns: The result, `nil` without one, and the trace of the search.
  package func first<Result>(
    _ key: RouteKey, _ take: (Value, PathParameters) throws -> Result?
  ) rethrows -> (result: Result?, trace: RouteTrace) {
    var trace = RouteTrace(key: key, conditions: conditions)
    guard key.path.obstacle == nil else { return (nil, trace) }
    for (index, condition) in conditions.enumerated() {
      if let miss = condition.miss(key, &trace.comparisons) {
        trace.outcomes.append(miss)
      } else if let result = try take(values[index], condition.pattern.parameters(of: key.path)) {
        trace.outcomes.append(.matched)
        return (result, trace)
      } else {
        trace.outcomes.append(.declined)
      }
    }
    return (nil, trace)
  }

  /// The value of the most exact route that matches, and the parameters of the path.
  package func match(_ key: RouteKey) -> (value: Value, parameters: PathParameters)? {
    first(key) { ($0, $1) }.result
  }

  /// Why a route matches, or why none does.
  package func explain(_ key: RouteKey) -> RouteTrace { first(key) { value, _ in value }.trace }
}

extension RouteCondition {
  /// True when the route matches a request, whatever the response will be.
  fileprivate func matches(_ method: HTTPMethod?, _ path: RoutePath) -> Bool {
    var comparisons = 0
    return pattern.mismatch(path, &comparisons) == nil && (methods.isEmpty || method.map(methods.contains) == true)
  }

  /// Why the route does not match; `nil` when it does.
  fileprivate func miss(_ key: RouteKey, _ comparisons: inout Int) -> RouteTrace.Outcome? {
    if let mismatch = pattern.mismatch(key.path, &comparisons) { return .path(mismatch) }
    if !methods.isEmpty, key.method.map(methods.contains) != true { return .method }
    return status.matches(key.status) ? nil : .status
  }
}
