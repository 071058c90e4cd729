import Foundation
package import Testing

/// The seeds of tests with random input.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many, from
/// `ENTITYCLIENT_FIRST_SEED` on, or from 0.
package enum Seeds {
  /// The one seed that the environment chooses.
  package static let one = number("ENTITYCLIENT_SEED")

  /// Whether the thread sanitizer runs the test.
  package static let isSanitized = ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] != nil

  /// Whether the environment asks for more seeds than usual, which may take hours.
  package static let isLong = number("ENTITYCLIENT_SEEDS") != nil

  /// Runs `body` with seed after seed, until it throws: that is a failure, which names the seed.
  ///
  /// - Parameters:
  ///   - usual: How many seeds it runs when the environment does not say.
  ///   - sanitized: The same under the thread sanitizer.
  ///   - share: Of so many seeds that the environment asks for, one runs: for what takes longer than other tests.
  ///   - test: Names the arguments of the test.
  ///   - body: Takes a seed, and a text that it may fill with its steps, for a failure.
  package nonisolated(nonsending) static func each(
    _ usual: Int, sanitized: Int, share: UInt64 = 1, _ test: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) (_ seed: UInt64, _ steps: inout String) async throws -> Void
  ) async {
    let count = number("ENTITYCLIENT_SEEDS").map { $0 / share } ?? UInt64(isSanitized ? sanitized : usual)
    let first = number("ENTITYCLIENT_FIRST_SEED") ?? 0
    for seed in one.map({ $0..<$0 + 1 }) ?? first..<first + count {
      // Other tests need the main actor too.
      await Task.yield()
      var steps = ""
      do {
        try await body(seed, &steps)
      } catch {
        Issue.record("ENTITYCLIENT_SEED=\(seed), \(test): \(error)\n\(steps)", sourceLocation: sourceLocation)
        return
      }
    }
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
