import EntityClient
import EntityTesting
import Foundation
import TestSupport
import Testing

/// Reads, writes and local edits that overlap in every order, against a server that works off one request after the other.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
@MainActor struct RandomizedOverlapTests {
  @Test func `declared mapping agrees with the server`() async throws { try await run(Ticket.self) }
  @Test func `updates by hand agree with the server`() async throws { try await run(HandTicket.self) }

  /// Each seed is a store with some rounds, one after the other.
  private func run<E: AnyTicket>(_ type: E.Type) async throws {
    await Seeds.each(50, sanitized: 8, E.entityName) { seed, steps in
      let run = try OverlapRun<E>(seed)
      defer { steps = "round \(run.rounds)\n" + run.log.joined(separator: "\n") }
      try await Client.withClient(run.client) { @MainActor in
        for _ in 0..<26 { try await run.round() }
      }
    }
  }
}
