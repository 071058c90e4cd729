@testable import EntityStore

extension WriterGate {
  /// Enters and waits.
  func acquire(within timeout: Duration) async throws { try await enter(within: timeout).admission() }
}
