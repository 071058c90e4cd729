public import Foundation

/// The requests to a ``SampleServer``: tests look at them for the requests of a client.
public struct RequestLog: Sendable {
  /// One request as it arrived.
  public struct Request: Sendable {
    /// The method, in capitals.
    public var method: String
    /// The path as it was sent, percent-encoded, without the query.
    public var path: String
    /// The query as it was sent, percent-encoded; empty when there was none.
    public var query: String
    /// The headers, by name in lower case.
    public var headers: [String: String]
    /// The body; empty when there was none.
    public var body: Data
  }

  /// The number of requests by method and path: `["GET /users": 2]`. Refused requests count too.
  public private(set) var counts: [String: Int] = [:]
  /// The number of requests.
  public private(set) var total = 0
  /// The request that arrived last.
  public private(set) var last: Request?

  /// The number of requests with this method and path, as in `count("GET", "/users")`.
  public func count(_ method: String, _ path: String) -> Int {
    counts["\(method) \(path)"] ?? 0
  }

  mutating func record(_ request: Request) {
    counts["\(request.method) \(request.path)", default: 0] += 1
    total += 1
    last = request
  }
}
