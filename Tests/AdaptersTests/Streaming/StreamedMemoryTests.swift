import Adapters
import EntityClient
import Foundation
import Testing

/// The memory of a streamed response, each in a process of its own.
@Suite(.untilItHangs, .enabled(if: Footprint.measuresMemory && Footprint.now.memory > 0))
struct StreamedMemoryTests {
  @Test func `groups take no more than a group`() async {
    await #expect(processExitsWith: .success) { try await takeLongList(.groups()) }
  }

  @Test func `an atomic response is in no memory`() async {
    await #expect(processExitsWith: .success) { try await takeLongList(.atomically) }
  }
}

/// 160 MB, of which the process may hold 48 MB: SQLite's cache is 16 MB of it.
private func takeLongList(_ streaming: Streaming) async throws {
  let (count, text) = (8_000, String(repeating: "x", count: 20_000))
  let server = try TestServer(keepsRequests: false) { connection in
    while let request = try connection.readRequest() {
      let count = request.target.contains("short") ? 10 : count
      try connection.send(TestConnection.chunked)
      for number in 0..<count {
        try connection.sendPart((number == 0 ? "[" : ",") + #"{"id": \#(number), "name": "\#(text)"}"#)
      }
      try connection.sendPart("]")
      try connection.end()
    }
  }
  let place = try StopPlace(server)
  defer { place.end() }
  try await Client.withClient(place.client) {
    _ = try await Stop.get("short", streaming: streaming)
    let before = Footprint.peakMemory
    let response = try await Stop.get(streaming: streaming)
    #expect(response.committed.elements == count)
    let growth = Footprint.peakMemory - before
    #expect(growth < 48 << 20, "\(growth >> 20) MB")
  }
}
