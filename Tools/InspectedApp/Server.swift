import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server without a network: it has people, refuses a change of the second one, and can't be reached with what is new.
struct Server: RequestAdapter {
  static let secret = "s3cret-of-the-app"

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    switch (request.httpMethod, request.url?.lastPathComponent) {
    case ("GET", "all"): return answer(200, Self.people(550))
    case ("GET", _): return answer(200, Self.people(40))
    case ("POST", _): throw TransportError(.offline, "The server can't be reached.", mayHaveBeenProcessed: false)
    case (_, "2"): return answer(400, #"{"errors":{"name":["is taken"]}}"#)
    default: return answer(204, "")
    }
  }

  private func answer(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
  }

  private static func people(_ count: Int) -> String {
    let people = (1...count).map { uid in
      #"{"id":\#(uid),"name":"Person \#(uid)","team":{"id":\#(uid % 3 + 1),"name":"Team <\#(uid % 3 + 1)>"},"#
        + #""url":"https://api.example.com/people?id=\#(uid)&full=true","email":"person\#(uid)@example.com","#
        + #""address":{"street":"Main Street \#(uid)","geo":{"lat":48.2,"lng":16.37}}}"#
    }
    return #"{"session":{"access_token":"\#(secret)","expires_in":60},"people":[\#(people.joined(separator: ","))]}"#
  }
}
