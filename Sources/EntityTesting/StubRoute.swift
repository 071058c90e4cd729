import EntityRedaction
import EntityRequests
import Foundation

/// A method, a pattern of paths, and parameters of the query.
struct StubRoute: Sendable, CustomStringConvertible {
  let method: HTTPMethod
  let description: String
  private let origin: URL?
  private let pattern: PathPattern
  private let fields: [(name: String, value: String)]

  /// - Parameter path: In the form that ``StubAdapter`` documents. A component without a wildcard is plain text.
  /// - Throws: `RequestError` of kind `invalidRoute`.
  init(_ method: HTTPMethod, _ path: String, _ query: QueryParameters?) throws {
    self.method = method
    var rest = path[...]
    var fields: [(name: String, value: String)] = []
    if let mark = rest.firstIndex(of: "?") {
      fields = Self.fields(of: rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let end = rest.range(of: "://") {
      let slash = rest[end.upperBound...].firstIndex(of: "/") ?? rest.endIndex
      origin = URL(string: String(rest[..<slash]))
      rest = rest[slash...]
    } else {
      origin = nil
    }
    fields += query?.pairs.map { ($0.name, $0.value) } ?? []
    self.fields = fields
    let components = rest.split(separator: "/").map { component in
      let isWildcard = ["*", "#", "**"].contains(component) || component.hasPrefix("{") && component.hasSuffix("}")
      return isWildcard ? String(component) : PercentEncoding.component(String(component))
    }
    pattern = try PathPattern(components.joined(separator: "/"))
    let given = query.map { (path.contains("?") ? "&" : "?") + $0.encoded } ?? ""
    description = "\(method) \(path)\(given)"
  }

  private static func fields(of query: Substring) -> [(name: String, value: String)] {
    query.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { String($0).removingPercentEncoding ?? String($0) }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  /// The values of the names in the pattern; `nil` when the request belongs to another route.
  func match(_ request: StubRequest) -> [String: String]? {
    guard miss(request) == nil else { return nil }
    return pattern.match(request.url.path(percentEncoded: true))?.named
  }

  /// The reason why a request belongs to another route, and its distance from this one; `nil` for a request that
  /// matches.
  func miss(_ request: StubRequest) -> (distance: Int, reason: String)? {
    var reasons: [String] = []
    var distance = 0
    if let origin, !request.url.hasSameOrigin(as: origin) {
      reasons.append("it is of another origin")
      distance += 1000
    }
    let path = RoutePath(request.url.path(percentEncoded: true))
    var comparisons = 0
    if let mismatch = pattern.mismatch(path, &comparisons) {
      reasons.append(pattern.text(of: mismatch, path))
      // A path is nearer the more of its components agree, from the left.
      distance += max(10, 100 - comparisons)
    }
    if request.method != method {
      reasons.append("the method is \(request.method)")
      distance += 5
    }
    var left = request.query
    for field in fields {
      if let index = left.firstIndex(where: { $0.name == field.name && $0.value == field.value }) {
        left.remove(at: index)
        continue
      }
      let isSecret = SecretNames().contain([field.name])
      let value = left.first { $0.name == field.name }.map { isSecret ? RedactionPass.mark : $0.value }
      reasons.append(
        value.map { "the parameter '\(field.name)' is '\($0)'" } ?? "there is no '\(field.name)' in the query")
      distance += 1
    }
    return reasons.isEmpty ? nil : (distance, reasons.joined(separator: ", "))
  }
}
