import EntityRequests
import Foundation

/// A method, a pattern of paths, and parameters of the query.
struct StubRoute: Sendable, CustomStringConvertible {
  let method: HTTPMethod
  let query: QueryParameters?
  private let text: String
  private let pattern: PathPattern

  /// - Parameter path: As ``StubAdapter`` documents it: a component that is no wildcard is plain text.
  /// - Throws: `RequestError` of kind `invalidRoute`.
  init(_ method: HTTPMethod, _ path: String, _ query: QueryParameters?) throws {
    self.method = method
    self.query = query
    text = path
    let components = path.split(separator: "/").map { component in
      let isWildcard = ["*", "#", "**"].contains(component) || component.hasPrefix("{") && component.hasSuffix("}")
      return isWildcard ? String(component) : PercentEncoding.component(String(component))
    }
    pattern = try PathPattern(components.joined(separator: "/"))
  }

  var description: String { "\(method) \(text)\(query.map { "?\($0.encoded)" } ?? "")" }

  /// The values of the names in the pattern; `nil` when the request is for another route.
  func match(_ request: StubRequest) -> [String: String]? {
    guard request.method == method, let parameters = pattern.match(request.url.path(percentEncoded: true)) else {
      return nil
    }
    guard let query else { return parameters.named }
    var left = request.query.map { "\($0.name)=\($0.value)" }
    for item in query.pairs {
      guard let index = left.firstIndex(of: "\(item.name)=\(item.value)") else { return nil }
      left.remove(at: index)
    }
    return parameters.named
  }
}
