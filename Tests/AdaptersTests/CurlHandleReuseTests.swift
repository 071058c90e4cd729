import Adapters
import EntityRequests
import Foundation
import Testing

/// Requests that have a handle of libcurl after one another. In a process of its own, for all adapters of a process share
/// the handles.
@Suite(.untilItHangs)
struct CurlHandleReuseTests {
  @Test func aRequestHasNothingOfTheOneBeforeIt() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      let adapter = CurlAdapter()
      let bare = CurlAdapter {
        $0.userAgent = nil
        $0.acceptsCompression = false
      }
      let plains: [(CurlAdapter, [String], [String])] = [
        (adapter, ["EntityClient"], ["gzip, deflate"]), (bare, [], []),
      ]
      // Each leaves behind what the plain one after it must not have.
      let before: [(CurlAdapter, String, RequestBody, [String: String])] = [
        (adapter, "GET", .none, ["X-Secret": "s3cret", "Range": "bytes=0-1"]),
        (adapter, "HEAD", .none, ["X-Secret": "s3cret"]),
        (adapter, "DELETE", .none, [:]),
        (adapter, "POST", .data(pattern(10)), ["Content-Type": "text/plain"]),
        (adapter, "PUT", stream([pattern(10)], length: nil), [:]),
        (bare, "GET", .none, ["X-Secret": "s3cret"]),
      ]
      for (index, (other, method, body, headers)) in before.enumerated() {
        _ = try await other.send(
          request(method, server.url("/before/\(index)"), headers), body: body, progress: { _ in })
        for (plain, agent, codings) in plains {
          #expect(try await plain.send(request("GET", server.url("/plain/\(index)"))).status == 200)
          let sent = try #require(server.requests.last)
          #expect(sent.line == "GET /plain/\(index)")
          #expect(sent.body.isEmpty)
          #expect(sent.values("User-Agent") == agent)
          #expect(sent.values("Accept-Encoding") == codings)
          for name in ["X-Secret", "Range", "Content-Type", "Content-Length", "Transfer-Encoding", "Expect"] {
            #expect(sent.values(name) == [], "\(name) after \(method)")
          }
        }
      }
      #expect(server.requests.count == 18)
      #expect(server.connections == 1)
    }
  }
}
