import EntityRequests
import Testing

@testable import Adapters

/// The places at the origins of an adapter.
@Suite(.untilItHangs) struct ConnectionPlacesTests {
  private func key(_ adapter: UInt64, _ host: String, _ port: Int = 443) -> ConnectionPlaces.Key {
    ConnectionPlaces.Key(adapter: adapter, origin: Origin(scheme: "https", host: host, port: port))
  }

  /// Keys with one hash are compared one after the other, on the thread that all transfers wait for.
  @Test func `many hosts have a hash each`() {
    let keys = (0..<1000).map { key(1, "host-\($0).example") }
    #expect(Set(keys.map(\.hashValue)).count == 1000)
  }

  @Test func `an origin is its scheme, host and port`() {
    #expect(key(1, "a.example") == key(1, "a.example"))
    #expect(key(1, "a.example").hashValue == key(1, "a.example").hashValue)
    let all = [
      key(1, "a.example"), key(2, "a.example"), key(1, "b.example"), key(1, "a.example", 80),
      ConnectionPlaces.Key(adapter: 1, origin: Origin(scheme: "http", host: "a.example", port: 443)),
    ]
    #expect(Set(all).count == all.count)
  }

  /// The only place at the first server is taken.
  @Test func `a server at another port has places of its own`() async throws {
    let (arrived, go) = (Event(), Event())
    let busy = try TestServer { connection in
      _ = try connection.readRequest()
      arrived.set()
      go.block()
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    defer { go.set() }
    let idle = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let adapter = CurlAdapter {
      $0.connectionsPerHost = 1
      $0.idleTimeout = .seconds(20)
    }
    async let first = adapter.send(request("GET", busy.url()))
    await arrived.wait()
    #expect(try await adapter.send(request("GET", idle.url())).status == 204)
    go.set()
    #expect(try await first.status == 204)
  }
}
