import Testing

@testable import Adapters

/// The places at the origins of an adapter.
@Suite struct ConnectionSlotsTests {
  private func key(_ adapter: UInt64, _ host: String, _ port: Int = 443) -> ConnectionSlots.Key {
    ConnectionSlots.Key(adapter: adapter, origin: Origin(scheme: "https", host: host, port: port))
  }

  /// Keys with one hash are compared one after the other, on the thread that all transfers wait for.
  @Test func manyHostsHaveAHashEach() {
    let keys = (0..<1000).map { key(1, "host-\($0).example") }
    #expect(Set(keys.map(\.hashValue)).count == 1000)
  }

  @Test func anOriginIsItsSchemeHostAndPort() {
    #expect(key(1, "a.example") == key(1, "a.example"))
    #expect(key(1, "a.example").hashValue == key(1, "a.example").hashValue)
    let all = [
      key(1, "a.example"), key(2, "a.example"), key(1, "b.example"), key(1, "a.example", 80),
      ConnectionSlots.Key(adapter: 1, origin: Origin(scheme: "http", host: "a.example", port: 443)),
    ]
    #expect(Set(all).count == all.count)
  }
}
