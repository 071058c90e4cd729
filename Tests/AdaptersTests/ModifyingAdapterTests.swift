import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct ModifyingAdapterTests {
  private struct NoToken: Error {}

  @Test func `send and stream carry the change`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let adapter = CurlAdapter()
      .modifying { $0.setValue("inner", forHTTPHeaderField: "X-Who") }
      .modifying { request in
        await Task.yield()
        request.setValue("outer", forHTTPHeaderField: "X-Who")
        request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
      }
    let counts = Log<TransferProgress>()
    _ = try await adapter.send(request("POST", server.url()), body: .data(Data([1]))) { counts.add($0) }
    let response = try await adapter.stream(request("POST", server.url()), body: .data(Data([1])), progress: nil)
    #expect(try await response.next() == Data("ok".utf8))
    #expect(server.requests.map { $0.values("Authorization") } == [["Bearer t"], ["Bearer t"]])
    // The one nearest to the transport has the last word.
    #expect(server.requests.map { $0.values("X-Who") } == [["inner"], ["inner"]])
    #expect(server.requests.map(\.body) == [[1], [1]])
    #expect(!counts.all.isEmpty)
  }

  @Test func `streaming is not buffered`() async throws {
    let goOn = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      goOn.block()
      try connection.send("ok")
    }
    let adapter = CurlAdapter().modifying { _ in }
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    goOn.set()
    #expect(try await response.next() == Data("ok".utf8))
  }

  @Test func `an error ends the request before it is sent`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let adapter = CurlAdapter().modifying { _ in throw NoToken() }
    let error = try #require(try await adapter.failure(request("POST", server.url())))
    #expect(error.cause is NoToken)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message == "Changing the request failed: NoToken")
    let streamed = await #expect(throws: TransportError.self) {
      try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    }
    #expect(streamed?.cause is NoToken)
    #expect(server.connections == 0)
  }
}
