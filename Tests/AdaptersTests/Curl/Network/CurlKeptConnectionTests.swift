import Adapters
import EntityRequests
import Foundation
import Testing

/// Connections that a server has spoken on after its answer. In processes of their own, for all adapters of a process
/// share one pool.
@Suite(.untilItHangs)
struct CurlKeptConnectionTests {
  @Test func `a late answer is not taken for the answer to the next request`() async {
    await #expect(processExitsWith: .success) {
      for late in [
        "HTTP/1.1 408 Timeout\r\nContent-Length: 4\r\n\r\nlate", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate",
      ] {
        for (method, size, isStream) in [("GET", 0, false), ("POST", 10, false), ("POST", 10, true), ("PUT", 0, false)]
        {
          let isRead = Event()
          let isLate = Event()
          let server = try TestServer { connection in
            while let request = try connection.readRequest() {
              try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
              guard request.target == "/first" else { continue }
              isRead.block()
              try connection.send(late)
              isLate.set()
            }
          }
          let adapter = CurlAdapter()
          #expect(try await adapter.send(request("GET", server.url("/first"))).body == Data("good".utf8))
          isRead.set()
          await isLate.wait()
          let data = pattern(size)
          let body: RequestBody = isStream ? stream([data], length: nil) : size > 0 ? .data(data) : .none
          let response = try await adapter.send(request(method, server.url("/second")), body: body)
          #expect(response.status == 200)
          #expect(response.body == Data("good".utf8))
          #expect(server.requests.map(\.target) == ["/first", "/second"])
          #expect(server.requests.last?.body.count == size)
          #expect(server.connections == 2)
          // The new connection is kept.
          _ = try await adapter.send(request("GET", server.url("/third")))
          #expect(server.connections == 2)
        }
      }
    }
  }

  @Test func `a stream that was read says why it is not sent again`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try connection.readRequest()
      }
      let adapter = CurlAdapter()
      _ = try await adapter.send(request("GET", server.url()))
      let error = try #require(
        try await adapter.failure(request("PUT", server.url()), body: stream([pattern(10)], length: 10)))
      #expect(error.kind == .connection)
      #expect(error.message.contains("the body is a stream that can be read once, so it is not sent again"))
      #expect(error.mayHaveBeenProcessed)
    }
  }
}
