import EntityRequests
import Foundation

/// A method and a pattern of paths.
struct StubRoute: Sendable, CustomStringConvertible {
  let method: HTTPMethod
  let pattern: String
  let query: QueryParameters?
  private let segments: [String]

  init(_ method: HTTPMethod, _ pattern: String, _ query: QueryParameters?) {
    self.method = method
    self.pattern = pattern
    self.query = query
    segments = pattern.split(separator: "/").map(String.init)
  }

  var description: String { "\(method) \(pattern)\(query.map { "?\($0.encoded)" } ?? "")" }

  /// The values of the names in the pattern; `nil` when the request is for another route.
  func match(_ request: StubRequest) -> [String: String]? {
    guard request.method == method else { return nil }
    let path = request.url.path(percentEncoded: true).split(separator: "/").map {
      String($0).removingPercentEncoding ?? String($0)
    }
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, text) in zip(segments, path) where segment != "*" {
      if segment.hasPrefix("{"), segment.hasSuffix("}") {
        parameters[String(segment.dropFirst().dropLast())] = text
      } else if segment != text {
        return nil
      }
    }
    guard let query else { return parameters }
    var left = request.query.map { "\($0.name)=\($0.value)" }
    for item in query.pairs {
      guard let index = left.firstIndex(of: "\(item.name)=\(item.value)") else { return nil }
      left.remove(at: index)
    }
    return parameters
  }
}
