import EntityRequests
import EntityTesting
import Foundation
import SessionAdapter
import Testing

/// The adapter of Foundation's client measures by its own clock. `URLSession` on Linux measures nothing.
@Suite(.untilItHangs, .underURLSession) struct SessionMetricsTests {
  @Test func `times are those of the adapter's clock`() async throws {
    let clock = VirtualClock()
    let (arrived, go) = (Event(), Event())
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      arrived.set()
      go.block()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      connection.waitForClose()
    }
    let adapter = URLSessionAdapter(clock: clock)
    async let head = adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    await arrived.wait()
    clock.advance(by: .seconds(3))
    go.set()
    let response = try await head
    #expect(response.metrics == nil)
    clock.advance(by: .seconds(60))
    let error = await #expect(throws: TransportError.self) { while try await response.next() != nil {} }
    #expect(error?.kind == .timeout)
    let metrics = try #require(response.metrics)
    #expect(metrics == error?.metrics)
    #expect(metrics.waiting == .zero && metrics.firstByte == .seconds(3) && metrics.total == .seconds(63))
  }

  @Test func `a whole response has metrics`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let metrics = try #require(try await URLSessionAdapter().send(request("GET", server.url())).metrics)
    let (firstByte, total) = try #require((metrics.firstByte, metrics.total) as? (Duration, Duration))
    #expect(firstByte > .zero && total >= firstByte)
    #if canImport(FoundationNetworking)
      #expect(metrics.connection == nil && metrics.isConnectionReused == nil && metrics.bytesSent == nil)
      #expect(metrics.httpVersion == nil)
    #endif
  }
}
