import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

/// A request as an entry of the outbox has it, without its body. It has no header but the ones that belong to the body
/// and to the condition: credentials are made at each sending.
struct FrozenRequest: Codable, Sendable {
  var method: String
  var url: String
  var contentType: String?
  /// The condition of a create, which the object that an earlier try has made must not pass.
  var ifNoneMatch: String?

  init(_ request: URLRequest) {
    method = request.httpMethod ?? "GET"
    url = request.url?.absoluteString ?? ""
    contentType = request.value(forHTTPHeaderField: "Content-Type")
    ifNoneMatch = request.value(forHTTPHeaderField: "If-None-Match")
  }

  init?(_ entry: OutboxEntry) {
    guard let text = entry.request, let request = try? JSONValueDecoder().decode(Self.self, from: Data(text.utf8))
    else {
      return nil
    }
    self = request
  }

  var text: String {
    get throws { String(decoding: try JSONValueEncoder(format: .sorted).encode(self), as: UTF8.self) }
  }

  /// The request, with the headers that requests have now.
  func request<E: RemoteEntity>(_ type: E.Type, _ body: Data?, _ client: Client) throws -> URLRequest {
    guard let url = URL(string: url), let method = HTTPMethod(rawValue: method) else {
      throw RequestError(.invalidRequest, "The entry of the outbox has no request that can be read.")
    }
    var request = try E.request(method, url, client)
    request.httpBody = body
    if let contentType { try request.setHeaders(["Content-Type": contentType]) }
    if let ifNoneMatch { try request.setHeaders(["If-None-Match": ifNoneMatch]) }
    return request
  }
}
