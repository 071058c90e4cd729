import EntityJSON
public import EntityRequests
public import HTTPFoundation

/// The batches of a Kinto server: `POST /v1/batch` (docs.kinto-storage.org, "Batch operations").
public struct KintoBatch: OutboxBatch {
  public let limit: Int

  /// - Parameter limit: The most changes of a request: the server's setting `batch_max_requests`.
  public init(limit: Int = 25) { self.limit = limit }

  public func request(for requests: [URLRequest]) throws -> URLRequest {
    let root = try requests.first.map { try Self.paths(of: $0).root } ?? ""
    var request = try Client.current.request(.post, "\(root)/batch", allowing: .aboveBasePath)
    let headers = request.allHTTPHeaderFields ?? [:]
    try request.setJSON(["requests": JSONValue(try requests.map { try Self.entry($0, without: headers) })] as JSONValue)
    return request
  }

  public func responses(to requests: [URLRequest], in response: HTTPResponse) throws -> [HTTPResponse?] {
    let answers = try JSONObject(parsing: response.body)["responses"]?.array ?? []
    return answers.map { answer in
      guard let status = answer["status"]?.int, 100...599 ~= status else { return nil }
      var headers: HTTPHeaders = [:]
      // The values are written as text in this response, whatever coding they had.
      for (name, value) in answer["headers"]?.object ?? JSONObject(fields: [])
      where !Self.ofTransfer.contains(name.lowercased()) {
        if let text = value.string { headers[name] = text }
      }
      return HTTPResponse(status: status, headers: headers, body: answer["body"]?.rawBytes ?? Data())
    }
  }

  private static let ofTransfer: Set<String> = ["content-length", "content-encoding", "transfer-encoding"]

  /// - Parameter headers: The headers of the batch, which the server takes for each request.
  private static func entry(_ request: URLRequest, without headers: [String: String]) throws -> JSONValue {
    let own = (request.allHTTPHeaderFields ?? [:]).filter { headers[$0.key] != $0.value }.sorted { $0.key < $1.key }
    var fields: [(String, JSONValue)] = [
      ("method", JSONValue(request.httpMethod ?? "GET")), ("path", JSONValue(try paths(of: request).path)),
      ("headers", JSONObject(fields: own.map { ($0.key, JSONValue($0.value)) }).value),
    ]
    if let body = request.httpBody { fields.append(("body", try JSONValue(parsing: body))) }
    return JSONObject(fields: fields).value
  }

  /// The path of the server's version, as `/v1`, and the path below it.
  private static func paths(of request: URLRequest) throws -> (root: String, path: String) {
    let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
    let path = components?.percentEncodedPath ?? ""
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    guard
      let place = segments.firstIndex(where: {
        $0.first == "v" && $0.count > 1 && $0.dropFirst().allSatisfy(\.isNumber)
      })
    else {
      throw RequestError(.invalidRequest, "The URL of a Kinto server has its version, as in 'https://example.com/v1'.")
    }
    let query = components?.percentEncodedQuery.map { "?\($0)" } ?? ""
    return (
      segments[...place].joined(separator: "/"), "/" + segments[(place + 1)...].joined(separator: "/") + query
    )
  }
}
