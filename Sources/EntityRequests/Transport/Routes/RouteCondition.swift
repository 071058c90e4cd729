/// Everything that a route is chosen by: the method and the path of a request, and the status of its response.
package struct RouteKey: Sendable, Hashable {
  /// `nil` when no request is known; only routes for any method match then.
  package let method: HTTPMethod?
  package let path: RoutePath
  /// `nil` when no status is known; only routes for any status match then.
  package let status: Int?

  package init(_ method: HTTPMethod?, _ path: RoutePath, status: Int?) {
    self.method = method
    self.path = path
    self.status = status
  }
}

/// When a route counts: a pattern of paths, methods, and a pattern of statuses.
package struct RouteCondition: Sendable, Hashable, CustomStringConvertible {
  package let pattern: PathPattern
  /// Empty for any method.
  package let methods: Set<HTTPMethod>
  package let status: StatusPattern

  /// - Throws: ``RequestError`` of kind `invalidRoute` for a status that no response has.
  package init(_ pattern: PathPattern, methods: Set<HTTPMethod> = [], status: StatusPattern = .any) throws {
    self.pattern = pattern
    self.methods = methods
    self.status = status
    let known = StatusPattern.known
    guard status == .any || known.contains(status.bounds.lowerBound) && known.contains(status.bounds.upperBound) else {
      throw RequestError(
        .invalidRoute, "The route '\(self)' can never match: statuses are numbers from 100 to 599 (RFC 9110 §15).")
    }
  }

  /// The methods, for people.
  var methodsText: String { methods.isEmpty ? "any" : methods.map(\.rawValue).sorted().joined(separator: ",") }

  package var description: String { "\(methodsText) \(pattern) \(status)" }
}

// MARK: Order

extension RouteCondition {
  /// Whether this condition is asked before another one. The order depends on the two conditions alone.
  ///
  /// Patterns are compared at the first component in which they differ: a text comes before one with parameters in
  /// it, that before `#`, `#` before `*`, and `*` before `**`. With equal patterns, a condition that names methods comes first; then the condition with the more
  /// exact status. In this order a search for the first match never goes back. It finds the same route as a search that
  /// descends component by component, the most exact first, and returns from each dead end.
  func precedes(_ other: RouteCondition) -> Bool {
    for (own, others) in zip(pattern.components, other.pattern.components) where !own.hasShape(of: others) {
      return own.precedes(others)
    }
    let (count, otherCount) = (pattern.components.count, other.pattern.components.count)
    if count != otherCount { return count < otherCount }
    if methods.isEmpty != other.methods.isEmpty { return other.methods.isEmpty }
    if status.breadth != other.status.breadth { return status.breadth < other.status.breadth }
    if status.bounds != other.status.bounds { return status.bounds.lowerBound < other.status.bounds.lowerBound }
    return methodsText < other.methodsText
  }

  /// Whether both patterns match the same paths: the names of parameters, and slashes at the ends, don't count.
  func hasShape(of other: RouteCondition) -> Bool {
    pattern.components.elementsEqual(other.pattern.components) { $0.hasShape(of: $1) }
  }

  /// True when both conditions, which have one shape, match some request and are equally exact.
  func ties(with other: RouteCondition) -> Bool {
    let share = methods.isEmpty ? other.methods.isEmpty : !methods.isDisjoint(with: other.methods)
    return share && status.ties(with: other.status)
  }
}

extension PathPattern.Component {
  private var rank: Int {
    switch self {
    case .literal: 0
    case .affixed: 1
    case .digits: 2
    case .any: 3
    case .rest: 4
    }
  }

  fileprivate func hasShape(of other: Self) -> Bool {
    if case .literal(let own, _) = self, case .literal(let others, _) = other {
      return own.utf8.elementsEqual(others.utf8)
    }
    if case .affixed(let own) = self, case .affixed(let others) = other { return own.hasShape(of: others) }
    return rank == other.rank
  }

  /// The alphabetical order of texts only makes the order complete: a component of a path equals one text at most.
  fileprivate func precedes(_ other: Self) -> Bool {
    if case .literal(let own, _) = self, case .literal(let others, _) = other { return own < others }
    if case .affixed(let own) = self, case .affixed(let others) = other {
      // More text is more exact.
      guard own.textCount == others.textCount else { return own.textCount > others.textCount }
      return own.unnamed.description < others.unnamed.description
    }
    return rank < other.rank
  }
}
