import Adapters
import EntityRequests
import Foundation
import Synchronization
import Testing

/// More connections at once than most apps have. In a process of its own, for all adapters of a process share one pool.
@Suite(.untilItHangs)
struct CurlManyConnectionsTests {
  @Test func `the connections of a wide adapter are kept`() async {
    await #expect(processExitsWith: .success) {
      let width = 100
      let areAllThere = [Event(), Event(), Event()]
      let counts = Mutex([0, 0, 0])
      let server = try TestServer { connection in
        while let request = try connection.readRequest() {
          let round = Int(request.target.dropFirst()) ?? 0
          let count = counts.withLock { counts in
            counts[round] += 1
            return counts[round]
          }
          // No answer before all requests are there: each has a connection of its own.
          if count == width { areAllThere[round].set() }
          areAllThere[round].block()
          try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
      }
      let adapter = CurlAdapter { $0.connectionsPerHost = width }
      for round in areAllThere.indices {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<width {
            group.addTask { _ = try await adapter.send(request("GET", server.url("/\(round)"))) }
          }
          try await group.waitForAll()
        }
      }
      #expect(server.requests.count == 3 * width)
      #expect(server.connections == width)
    }
  }
}
