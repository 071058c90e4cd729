import AdapterDecorators
import EntityRequests
import EntityTesting
import Foundation
import Logging
import SwiftLogSample
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The log of an adapter in a logger of swift-log.
@Suite struct SwiftLogTests {
  @Test func `each request is two lines without secrets`() async throws {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in CollectingHandler(lines: lines) }
    let stub = StubAdapter().on(.get, "/users", .text("ok"))
      .on(.get, "/lost", .error(TransportError(.connection, "It is gone.", mayHaveBeenProcessed: false)))
    let adapter = stub.logging(to: logger)
    for path in ["users", "lost"] {
      let url = try #require(URL(string: "https://api.example.com/\(path)?token=hidden"))
      var request = URLRequest(url: url)
      request.setValue("hidden", forHTTPHeaderField: "Authorization")
      _ = try? await adapter.send(request, body: .none, progress: nil)
    }
    #expect(lines.all.map(\.level) == [.debug, .debug, .debug, .warning])
    #expect(lines.all[1].text.contains("/users?token=…: 200, 2 bytes"))
    #expect(lines.all[3].text.contains("It is gone."))
    #expect(lines.all.allSatisfy { $0.text.contains("curl -g") })
    #expect(lines.all.allSatisfy { !$0.text.contains("hidden") })
  }
}

/// Not in a `Mutex`, which the thread sanitizer does not see on Linux. `@unchecked Sendable`: `lines` is private, and both
/// accesses are under the lock.
private final class Lines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [(level: Logger.Level, text: String)] = []

  var all: [(level: Logger.Level, text: String)] { lock.withLock { lines } }
  func add(_ level: Logger.Level, _ text: String) { lock.withLock { lines.append((level, text)) } }
}

private struct CollectingHandler: LogHandler {
  let lines: Lines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.add(event.level, "\(event.message) \(event.metadata ?? [:])")
  }
}
