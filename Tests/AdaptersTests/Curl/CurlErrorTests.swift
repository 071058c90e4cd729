import Adapters
import EntityRequests
import Foundation
import Testing

/// Faults for which libcurl has no words, or the wrong ones.
@Suite(.untilItHangs)
struct CurlErrorTests {
  private static let manyFields = String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 400)

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcdef\r\n", "chunk"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\nab\r\n", "chunk"),
    ("HTTP/1.1 200 OK\r\n\(manyFields)\r\n", "256 KiB of header or trailer fields"),
    (
      "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n",
      "longer than libcurl's limit of 100 KiB"
    ),
  ])
  func `a bad response says what is bad`(reply: String, words: String) async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(reply)
      connection.waitForClose()
    }
    let error = try #require(try await CurlAdapter().failure(request("GET", server.url())))
    #expect(error.kind == .badResponse)
    #expect(error.message.contains(words), "\(error.message)")
    #expect(error.mayHaveBeenProcessed)
  }

  @Test func `a request whose head is too large is not sent`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let headers = ["X-Long": String(repeating: "x", count: 1_100_000)]
    for method in ["GET", "POST"] {
      let error = try #require(try await CurlAdapter().failure(request(method, server.url(), headers)))
      #expect(error.kind == .invalidRequest)
      #expect(!error.mayHaveBeenProcessed)
      #expect(error.message.contains("the request's head is larger than libcurl's limit"), "\(error.message)")
      #expect(!error.message.contains("xxx"))
    }
    #expect(server.requests.isEmpty)
  }

  /// libcurl would send the request again, without being asked.
  @Test(arguments: ["POST", "PUT"], [false, true])
  func `a refused expectation is a response`(method: String, isStream: Bool) async throws {
    let server = try TestServer { connection in
      while let head = try connection.readHead() {
        _ = head
        try connection.send("HTTP/1.1 417 No\r\nX: y\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let body: RequestBody = isStream ? stream([pattern(10)], length: 10) : .data(pattern(10))
    let response = try await CurlAdapter().send(
      request(method, server.url(), ["Expect": "100-continue"]), body: body)
    #expect(response.status == 417)
    #expect(response.headers["X"] == "y")
  }
}
