import EntityClient
import TestSupport
import Testing

/// Edits that return to earlier values while several requests carry them: the last one is what the server and the store have
/// in the end, and what the user sees all the while.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor struct RandomizedEditTests {
  @Test func `the last edit of a declared entity counts`() async { await run(Ticket.self) }
  @Test func `the last edit of an entity that updates by hand counts`() async { await run(HandTicket.self) }

  private func run<E: AnyTicket>(_ type: E.Type) async {
    await Seeds.each(200, sanitized: 20, E.entityName) { seed, steps in
      let run = try await EditRun<E>(seed)
      defer { steps = run.log.joined(separator: "\n") }
      try await run.run()
    }
  }
}
