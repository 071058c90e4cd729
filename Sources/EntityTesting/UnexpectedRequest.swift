/// A request for which a ``StubAdapter`` has no answer.
public struct UnexpectedRequest: Error, Sendable, CustomStringConvertible {
  /// The request.
  public let request: StubRequest
  /// The routes, the nearest first, each with the reason why it gives no answer.
  let routes: [(route: String, reason: String)]

  /// - Parameter routes: Each route, with the number of its answers. They are used up if the route matches.
  init(request: StubRequest, routes: [(route: StubRoute, answers: Int)]) {
    self.request = request
    self.routes =
      routes.map { entry in
        let miss = entry.route.miss(request)
        let reason =
          miss?.reason
          ?? "used up: \(entry.answers == 1 ? "its answer was" : "its \(entry.answers) answers were") given"
        return (entry.route.description, reason, miss?.distance ?? 0)
      }
      .sorted { $0.2 < $1.2 }
      .map { ($0.0, $0.1) }
  }

  public var description: String {
    guard !routes.isEmpty else { return "Unexpected request: \(request). No answer is declared." }
    let near = routes.prefix(5).map { "\($0.route) (\($0.reason))" }.joined(separator: "; ")
    let others = routes.count > 5 ? "; and \(routes.count - 5) more" : ""
    return "Unexpected request: \(request). Near are: \(near)\(others)."
  }
}
