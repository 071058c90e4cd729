import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that others wrote, by the variable that scripts/integration sets.
struct WebService: Sendable {
  static let nginx = WebService("ENTITYCLIENT_NGINX")
  static let secure = WebService("ENTITYCLIENT_NGINX_TLS")
  static let httpbin = WebService("ENTITYCLIENT_HTTPBIN")

  struct Missing: Error { let path: String }

  let base: String?

  private init(_ name: String) { base = Self.variable(name) }

  static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// A file of nginx's, of this run.
  static func nginxFile(_ name: String) throws -> URL {
    guard let folder = variable("ENTITYCLIENT_NGINX_FOLDER") else { throw Missing(path: name) }
    return URL(fileURLWithPath: folder).appendingPathComponent(name)
  }

  func request(_ path: String, _ method: String = "GET", _ fields: [String: String] = [:]) throws -> URLRequest {
    guard let url = URL(string: (base ?? "") + path), base != nil else { throw Missing(path: path) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}

extension RequestAdapter {
  func send(_ request: URLRequest, _ body: RequestBody = .none) async throws -> HTTPResponse {
    try await send(request, body: body, progress: nil)
  }
}
