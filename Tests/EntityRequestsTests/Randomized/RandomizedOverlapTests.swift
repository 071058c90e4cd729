import EntityClient
import EntityTesting
import Foundation
import Testing

/// Reads, writes and local edits that overlap in every order, against a server that works off one request after the other.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
@MainActor struct RandomizedOverlapTests {
  @Test func declaredMappingAgreesWithTheServer() async throws { try await run(Ticket.self) }
  @Test func updatesByHandAgreeWithTheServer() async throws { try await run(HandTicket.self) }

  /// Each seed is a store with some rounds, one after the other.
  private func run<E: AnyTicket>(_ type: E.Type) async throws {
    let environment = ProcessInfo.processInfo.environment
    let usual = environment["ENTITYCLIENT_TSAN"] == nil ? 200 : 8
    let count = environment["ENTITYCLIENT_SEEDS"].flatMap { Int($0) } ?? usual
    let one = environment["ENTITYCLIENT_SEED"].flatMap { UInt64($0) }
    for seed in one.map({ $0...$0 }) ?? 0...UInt64(max(0, count - 1)) {
      let run = try OverlapRun<E>(seed)
      do {
        try await Client.withClient(run.client) { @MainActor in
          for _ in 0..<26 { try await run.round() }
        }
      } catch {
        let log = run.log.joined(separator: "\n")
        Issue.record("ENTITYCLIENT_SEED=\(seed), \(E.entityName), round \(run.rounds): \(error)\n\(log)")
        return
      }
    }
  }
}
