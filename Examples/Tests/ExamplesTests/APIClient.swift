import Foundation
import SampleServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The few lines of HTTP that the server's tests need, over Foundation's own client: none of this package's code, so
/// that a fault in one does not hide a fault in the other.
struct APIClient: Sendable {
  let url: URL
  var token: String?

  struct Answer {
    let status: Int
    let headers: [String: String]
    let body: Data

    /// The body as a JSON object; empty when it is none.
    var object: [String: Any] {
      (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
    }

    /// The body as a JSON array of objects; empty when it is none.
    var array: [[String: Any]] {
      (try? JSONSerialization.jsonObject(with: body)) as? [[String: Any]] ?? []
    }

    var ids: [Int] { array.compactMap { $0["id"] as? Int } }

    var errorCode: String? { (object["error"] as? [String: Any])?["code"] as? String }
  }

  func send(
    _ method: String, _ path: String, body: String? = nil, type: String? = "application/json"
  ) async throws -> Answer {
    guard let target = URL(string: path, relativeTo: url) else { throw URLError(.badURL) }
    var request = URLRequest(url: target)
    request.httpMethod = method
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    if let body {
      request.httpBody = Data(body.utf8)
      request.setValue(type, forHTTPHeaderField: "Content-Type")
    }
    let (data, response) = try await URLSession.shared.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      headers["\(name)".lowercased()] = "\(value)"
    }
    return Answer(status: response.statusCode, headers: headers, body: data)
  }
}

/// Runs a test against a server of its own, which is stopped in any case.
func withServer(
  users: Int = 25, token: String? = nil, pageSize: Int = 10, _ body: (SampleServer, APIClient) async throws -> Void
) async throws {
  let server = SampleServer(userCount: users, token: token, pageSize: pageSize)
  let client = APIClient(url: try await server.start(), token: token)
  do {
    try await body(server, client)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}
