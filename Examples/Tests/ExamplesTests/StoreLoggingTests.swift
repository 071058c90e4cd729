import EntityClient
import Foundation
import Logging
import SampleSchema
import SwiftLogSample
import Testing

/// The log of a store in a logger of swift-log.
@Suite struct StoreLoggingTests {
  @Test(arguments: [Logger.Level.trace, .info])
  func `slow statements are warnings and others are traced`(_ level: Logger.Level) async throws {
    let lines = StoreLines()
    var logger = Logger(label: "store") { _ in StoreLineHandler(lines: lines) }
    logger.logLevel = level
    var options = StoreOptions()
    options.log = StoreLog(to: logger, slowerThan: .zero)
    let slow = try EntityStore(.inMemory, entities: [Address.self], options: options)
    #expect(try await slow.read { try $0.count() } == 0)
    #expect(lines.taken().contains { $0.level == .warning && $0.text.contains("SELECT count(*)") })
    options.log = StoreLog(to: logger, slowerThan: .seconds(1_000_000))
    let fast = try EntityStore(.inMemory, entities: [Address.self], options: options)
    #expect(try await fast.read { try $0.count() } == 0)
    let levels = Set(lines.taken().map(\.level))
    #expect(levels == (level == .trace ? [.trace] : []))
  }
}

/// Not in a `Mutex`, which the thread sanitizer does not see on Linux. `@unchecked Sendable`: `lines` is private, and both
/// accesses are under the lock.
private final class StoreLines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [(level: Logger.Level, text: String)] = []

  func add(_ level: Logger.Level, _ text: String) { lock.withLock { lines.append((level, text)) } }

  /// The lines since the last call.
  func taken() -> [(level: Logger.Level, text: String)] {
    lock.withLock {
      defer { lines = [] }
      return lines
    }
  }
}

private struct StoreLineHandler: LogHandler {
  let lines: StoreLines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.add(event.level, "\(event.message)") }
}
