import EntityClient
import Foundation
import TestSupport
import Testing

/// Random tables and paths against a search that goes down component by component and back at dead ends; and paths that
/// are made, matched and made again.
@Suite struct RandomizedRouteTests {
  private struct Wrong: Error, CustomStringConvertible { let description: String }

  private static let texts = ["a", "b", "1", "42", "é", "a b", "x:y"]
  private static let methods: [HTTPMethod?] = [.get, .post, .put, nil]
  private static let statuses: [Int?] = [200, 201, 204, 404, 503, nil]

  // MARK: Tables

  @Test func `the most exact route is found`() async {
    await Seeds.each(40, sanitized: 10, "tables") { seed, steps in
      var random = SeededRandom(seed)
      let routes = Self.routes(&random)
      steps = routes.map(\.description).joined(separator: "\n")
      let table = try RouteTable(routes)
      let others = try RouteTable(routes.shuffled(using: &random))
      let size = routes.reduce(0) { $0 + RouteOracle.parts($1.pattern).count }
      for _ in 0..<60 {
        let path = Self.path(&random)
        let key = RouteKey(
          random.element(Self.methods) ?? nil, RoutePath(Self.written(path, &random)),
          status: random.element(Self.statuses) ?? nil)
        guard key.path.components == path else {
          throw Wrong(description: "\(path) was read as \(key.path.components)")
        }
        let expected = try RouteOracle.search(routes, path, key.method, key.status)
        let trace = table.explain(key)
        guard table.match(key)?.value == expected?.name, others.match(key)?.value == expected?.name,
          trace.match?.pattern.description == (try expected.map { try PathPattern($0.pattern).description })
        else { throw Wrong(description: "\(expected?.description ?? "none") is expected:\n\(trace)") }
        guard trace.comparisons <= size else { throw Wrong(description: "\(trace.comparisons) comparisons of \(size)") }
      }
    }
  }

  /// Routes of which none ties with another one; a route that is refused has the shape of one before it.
  private static func routes(_ random: inout SeededRandom) -> [NamedRoute] {
    var routes: [NamedRoute] = []
    for number in 0..<(1 + random.below(25)) {
      var route = NamedRoute(pattern(&random), name: "route \(number)")
      for method in methods.compactMap(\.self) where random.chance(3) { route.methods.insert(method) }
      route.status =
        random.element([.any, 200, 201, .success, .failure, .range(200...204), .range(203...207)]) ?? .any
      if (try? RouteTable(routes + [route])) != nil {
        routes.append(route)
      } else {
        let shapes = routes.map { RouteOracle.shape($0.pattern) }
        #expect(shapes.contains(RouteOracle.shape(route.pattern)), "\(route) is refused: \(routes)")
      }
    }
    return routes
  }

  private static func pattern(_ random: inout SeededRandom) -> String {
    var parts = (0..<random.below(5)).map { index in
      switch random.below(8) {
      case 0: "*"
      case 1: "#"
      case 2: "{p\(index)}"
      case 3: "{p\(index):#}"
      default: random.element(texts) ?? ""
      }
    }
    if random.chance(4) { parts.append("**") }
    return (random.chance(3) ? "/" : "") + parts.joined(separator: "/")
      + (random.chance(3) && !parts.isEmpty ? "/" : "")
  }

  private static func path(_ random: inout SeededRandom) -> [String] {
    var path = (0..<random.below(6)).map { _ in random.element(texts + ["7", "c", "a/b", "", ".."]) ?? "" }
    // Slashes at the ends mean nothing.
    while path.first == "" { path.removeFirst() }
    while path.last == "" { path.removeLast() }
    return path
  }

  /// A path as it may stand in a URL.
  private static func written(_ path: [String], _ random: inout SeededRandom) -> String {
    let texts = path.map { text in
      let isPlain = random.chance(2) && !text.contains("/")
      return isPlain ? text : text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
    return (random.chance(2) ? "/" : "") + texts.joined(separator: "/") + (random.chance(2) ? "/" : "")
  }

  // MARK: Round trips

  @Test func `a path that is made has its parameters`() async {
    await Seeds.each(500, sanitized: 50, "parameters") { seed, steps in
      var random = SeededRandom(seed)
      let pattern = try PathPattern(Self.pattern(&random))
      guard try PathPattern(pattern.description) == pattern else {
        throw Wrong(description: "\(pattern) is another one")
      }
      var parameters = PathParameters()
      for part in RouteOracle.parts(pattern.description) {
        switch part.first {
        case "#": parameters.unnamed.append(String(random.next()))
        case "*" where part == "**": parameters.rest = (0...random.below(3)).map { _ in Self.value(&random) }
        case "*": parameters.unnamed.append(Self.value(&random))
        case "{" where part.hasSuffix(":#}"): parameters[String(part.dropFirst().dropLast(3))] = String(random.next())
        case "{": parameters[String(part.dropFirst().dropLast())] = Self.value(&random)
        default: break
        }
      }
      let path = try pattern.path(parameters)
      steps = "\(pattern) \(parameters) \(path)"
      guard pattern.match(path) == parameters else {
        throw Wrong(description: "\(String(describing: pattern.match(path)))")
      }
      guard let url = URL(string: "https://h/v1" + (path.hasPrefix("/") ? "" : "/") + path),
        let base = URL(string: "https://h/v1")
      else {
        throw Wrong(description: "no URL")
      }
      let read = RoutePath(url, below: base)
      guard read == RoutePath(path) else { throw Wrong(description: "the URL has \(read)") }
    }
  }

  @Test func `a path that matches can be made again from its parameters`() async {
    await Seeds.each(500, sanitized: 50, "paths") { seed, steps in
      var random = SeededRandom(seed)
      let pattern = try PathPattern(Self.pattern(&random))
      for _ in 0..<30 {
        let written = Self.written(Self.path(&random), &random)
        steps = "\(pattern) \(written)"
        guard let parameters = pattern.match(written) else { continue }
        let isMade = !parameters.rest.contains { ["", ".", ".."].contains($0) }
        guard isMade else {
          #expect(throws: RequestError.self) { try pattern.path(parameters) }
          continue
        }
        let path = try pattern.path(parameters)
        guard RoutePath(path) == RoutePath(written) else { throw Wrong(description: path) }
      }
    }
  }

  private static func value(_ random: inout SeededRandom) -> String {
    let pieces = [
      "/", "%", "%2F", "?", "#", " ", "..", "é", "e\u{301}", "日", "🎉", "\u{0}", "\n", "a", "*", "{", ":", "+", "&",
    ]
    let text = (0...random.below(4)).map { _ in random.element(pieces) ?? "" }.joined()
    return text == ".." ? "..." : text
  }
}

/// The rules for routes in the words of a search through a tree, from the texts of the patterns alone.
enum RouteOracle {
  struct Undecided: Error { let routes: [NamedRoute] }

  static func parts(_ pattern: String) -> [String] { pattern.split(separator: "/").map(String.init) }

  /// The pattern without names and slashes at the ends.
  static func shape(_ pattern: String) -> [String] {
    parts(pattern).map { $0.hasPrefix("{") ? ($0.hasSuffix(":#}") ? "#" : "*") : $0.removingPercentEncoding ?? $0 }
  }

  static func search(
    _ routes: [NamedRoute], _ path: [String], _ method: HTTPMethod?, _ status: Int?
  ) throws -> NamedRoute? {
    try search(routes.map { ($0, shape($0.pattern)) }, path, 0, method, status)
  }

  private typealias Shaped = (route: NamedRoute, shape: [String])

  private static func search(
    _ routes: [Shaped], _ path: [String], _ depth: Int, _ method: HTTPMethod?, _ status: Int?
  ) throws -> NamedRoute? {
    let open = routes.filter { $0.shape.count > depth }
    if depth == path.count {
      if let found = try pick(routes.filter { $0.shape.count == depth }, method, status) { return found }
      return depth == 0 ? try pick(routes.filter { $0.shape == ["**"] }, method, status) : nil
    }
    let text = path[depth]
    let isNumber = text.wholeMatch(of: /[0-9]+/) != nil
    let branches: [(String, Bool)] = [(text, true), ("#", isNumber), ("*", !["", ".", ".."].contains(text))]
    for (branch, isOpen) in branches where isOpen {
      let below = open.filter { $0.shape[depth] == branch }
      if let found = try below.isEmpty ? nil : search(below, path, depth + 1, method, status) { return found }
    }
    return try pick(open.filter { $0.shape[depth] == "**" }, method, status)
  }

  private static func pick(_ routes: [Shaped], _ method: HTTPMethod?, _ status: Int?) throws -> NamedRoute? {
    let all = routes.map(\.route).filter { $0.methods.isEmpty || method.map($0.methods.contains) == true }
      .filter { breadth($0.status, status) != nil }
    let named = all.filter { !$0.methods.isEmpty }
    let left = named.isEmpty ? all : named
    let least = left.compactMap { breadth($0.status, status) }.min()
    let best = left.filter { breadth($0.status, status) == least }
    guard best.count < 2 else { throw Undecided(routes: best) }
    return best.first
  }

  /// How many statuses are meant; `nil` when this one is not.
  private static func breadth(_ pattern: StatusPattern, _ status: Int?) -> Int? {
    switch pattern {
    case .any: .max
    case .status(let one): one == status ? 1 : nil
    case .range(let range): status.map(range.contains) == true ? range.count : nil
    }
  }
}
