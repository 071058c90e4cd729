import EntityClient
import Foundation

/// A route of a test: its value is a name.
struct NamedRoute: Sendable, CustomStringConvertible {
  let pattern: String
  var methods: Set<HTTPMethod> = []
  var status: StatusPattern = .any
  var name: String

  init(_ pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .any, name: String? = nil) {
    self.pattern = pattern
    self.methods = Set(methods)
    self.status = status
    self.name = name ?? pattern
  }

  var description: String { "\(name): \(methods.map(\.rawValue).sorted()) \(pattern) \(status)" }
}

extension RouteTable<String> {
  init(_ routes: [NamedRoute]) throws {
    try self.init(
      routes.map {
        (try RouteCondition(PathPattern($0.pattern), methods: $0.methods, status: $0.status), $0.name)
      })
  }

  /// A table of patterns, for any method and status; each has itself as its value.
  init(patterns: [String]) throws { try self.init(patterns.map { NamedRoute($0) }) }

  /// The value for a path below the base.
  subscript(_ path: String, _ method: HTTPMethod? = .get, status status: Int? = 200) -> String? {
    match(RouteKey(method, RoutePath(path), status: status))?.value
  }

  /// The value for a URL.
  func value(_ url: String, base: String) throws -> String? {
    guard let url = URL(string: url), let base = URL(string: base) else { throw URLError(.badURL) }
    return match(RouteKey(.get, RoutePath(url, below: base), status: 200))?.value
  }
}

/// Every order of a list.
func permutations<T>(_ list: [T]) -> [[T]] {
  guard list.count > 1 else { return [list] }
  return list.indices.flatMap { index in
    var others = list
    let first = others.remove(at: index)
    return permutations(others).map { [first] + $0 }
  }
}
