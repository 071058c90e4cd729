public import EntityJSON
import EntityRedaction
public import EntityRequests
public import HTTPFoundation

/// A request as a ``StubAdapter`` got it.
public struct StubRequest: Sendable, CustomStringConvertible {
  /// The method.
  public let method: HTTPMethod
  /// The URL as it was sent.
  public let url: URL
  /// The header fields.
  public let headers: HTTPHeaders
  /// The body; empty when there was none.
  public let body: Data
  /// The values of the names in the route's pattern, percent-decoded.
  public internal(set) var parameters: [String: String] = [:]

  /// The path without percent-encoding.
  public var path: String { url.path(percentEncoded: false) }

  /// The parameters of the query in their order, percent-decoded.
  public var query: [(name: String, value: String)] {
    (URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
  }

  /// The body as JSON; `nil` when it is not JSON.
  public var json: JSONValue? { try? JSONValue(parsing: body) }

  /// Method and URL, without the values of parameters whose names are secret.
  public var description: String {
    var pass = RedactionPass()
    return "\(method) \(pass.text(url.absoluteString))"
  }

  init(_ request: URLRequest, _ body: RequestBody) async throws {
    try self.init(head: request, try await body.content())
  }

  /// - Parameter body: The body, if it matters.
  init(head request: URLRequest, _ body: Data = Data()) throws {
    guard let url = request.url, let method = HTTPMethod(rawValue: request.httpMethod ?? "GET") else {
      throw TransportError(.invalidRequest, "The request has no URL or no method.", mayHaveBeenProcessed: false)
    }
    self.url = url
    self.method = method
    headers = HTTPHeaders(request)
    self.body = body
  }
}

extension RequestBody {
  fileprivate func content() async throws -> Data {
    switch self {
    case .none: return Data()
    case .data(let data): return data
    case .file(let url): return try Data(contentsOf: url)
    case .stream(let stream):
      var data = Data()
      let next = try stream.open()
      while let piece = try await next() { data.append(piece) }
      // A real adapter reports the same error.
      if let length = stream.length, length != data.count {
        throw TransportError(
          .sending, "The request's body has \(data.count) bytes, and its stream announced \(length).",
          mayHaveBeenProcessed: false)
      }
      return data
    }
  }
}
