import Adapters
import EntityRequests
import Foundation
import SessionAdapter
import TestSupport
import Testing

/// Ten thousand requests leave nothing behind. In processes of their own, where nobody else has files, threads or memory.
@Suite(.untilItHangs) struct LeakTests {
  @Test func `libcurl's adapter leaves nothing behind`() async {
    await #expect(processExitsWith: .success) { try await leaveNothingBehind(CurlAdapter(), 4 << 20) }
  }

  @Test(.underURLSession) func `Foundation's adapter leaves nothing behind`() async {
    await #expect(processExitsWith: .success) { try await leaveNothingBehind(URLSessionAdapter(), 8 << 20) }
  }
}

/// - Parameters:
///   - adapter: Sends a third of the requests well, a third that are refused, and a third whose connection breaks.
///   - growth: The bytes that the process may grow by: 0.8 MB were seen with libcurl, 4 MB with Foundation's client.
private func leaveNothingBehind(_ adapter: some RequestAdapter, _ growth: Int) async throws {
  let server = try TestServer(keepsRequests: false) { connection in
    while let request = try connection.readRequest() {
      switch request.target {
      case "/lost": try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\nhalf")
      case "/refused": try connection.send("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno")
      default: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      if request.target == "/lost" { return }
    }
  }
  let paths = ["/kept", "/refused", "/lost"]
  func send(_ count: Int) async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<count / 4 {
            let sent = request("GET", server.url(paths[number % 3]))
            if number.isMultiple(of: 2) {
              _ = try? await adapter.send(sent)
            } else {
              let response = try await adapter.stream(sent, body: .none, progress: nil)
              do { while try await response.next() != nil {} } catch is TransportError {}
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
  // Threads, connections and the allocator's pools are there from now on.
  try await send(2_000)
  let before = Footprint.now
  let count = Seeds.isSanitized ? 1_000 : 10_000
  try await send(count)
  let deadline = ContinuousClock.now + .seconds(600)
  // Nothing tells when a connection is closed, or a thread of the system's ends.
  var after = Footprint.now
  while after.files > before.files + 8 || after.threads > before.threads + 4, ContinuousClock.now < deadline {
    await Task.yield()
    after = Footprint.now
  }
  #expect(after.files <= before.files + 8)
  #expect(after.threads <= before.threads + 4)
  #expect(server.requestCount >= count)
  if Footprint.measuresMemory { #expect(after.memory - before.memory < growth, "\(before) \(after)") }
}
