import Foundation
import SampleServer
import Testing

/// What the demonstration and the benchmarks lean on. The limits are far above what is usual, so that a busy machine
/// passes; what they catch is of another order.
@Suite("Sample server: speed", .serialized)
struct SampleServerSpeedTests {
  @Test func `a hundred thousand users come in one answer`() async throws {
    try await withServer(users: 100_000) { _, client in
      let clock = ContinuousClock()
      let start = clock.now
      let answer = try await client.send("GET", "users")
      #expect(clock.now - start < .seconds(60))
      #expect(answer.headers["content-length"] == String(answer.body.count))
      #expect((30_000_000...36_000_000).contains(answer.body.count))
      #expect(answer.body.last == UInt8(ascii: "]"))
    }
  }

  @Test func `small answers do not wait for delayed acknowledgements`() async throws {
    try await withServer { _, client in
      let clock = ContinuousClock()
      let start = clock.now
      for _ in 0..<200 {
        let answer = try await client.send("GET", "users/1")
        #expect(answer.status == 200)
      }
      // At 40 ms each they would take 8 seconds.
      #expect(clock.now - start < .seconds(6))
    }
  }
}
