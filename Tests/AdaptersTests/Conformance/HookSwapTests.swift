import Adapters
import EntityClient
import EntityTesting
import Foundation
import Testing

/// The hook of a process, in one of its own.
@Suite(.untilItHangs) struct HookSwapTests {
  @Test func `a request that is under way keeps the client it began with`() async {
    await #expect(processExitsWith: .success) {
      let gate = StubGate()
      let (old, new) = (StubAdapter(), StubAdapter())
      old.on(.get, "/a", .json([1]).waiting(for: gate))
      new.on(.get, "/a", .json([2]))
      let base = "https://api.example.com/"
      try Client.install(Client(adapter: old, baseURL: base))
      let first = Task { try await Client.current.get("a", as: [Int].self).value }
      await gate.arrival()
      try Client.install(Client(adapter: new, baseURL: base), replacing: true)
      #expect(try await Client.current.get("a", as: [Int].self).value == [2])
      gate.open()
      #expect(try await first.value == [1])
    }
  }
}
