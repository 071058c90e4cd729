import TestSupport
import Testing

/// Outboxes between persons who edit and a server that fails, by a seed: no edit is lost, nothing is doubled, and all
/// stores end as the server is.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `scripts/test --outbox` is the long form.
@Suite struct SimulationTests {
  @Test func `in memory, all edits come to the server once`() async {
    await Seeds.each(100, sanitized: 3, "in memory") { seed, steps in
      try await Self.run(try SimulationRun(seed, .memory), &steps)
    }
  }

  @Test func `on a file, kills at any moment lose and double nothing`() async {
    await Seeds.each(16, sanitized: 3, "on a file") { seed, steps in
      try await Self.run(try SimulationRun(seed, .files), &steps)
    }
  }

  @Test func `a power cut may take the last edits, and doubles nothing`() async {
    await Seeds.each(12, sanitized: 1, "power cuts") { seed, steps in
      try await Self.run(try SimulationRun(seed, .power), &steps)
    }
  }

  @Test func `a kill at any commit loses and doubles nothing`() async {
    await Seeds.each(2, sanitized: 1, share: 20, "commits") { seed, steps in
      let run = try SimulationRun(seed, .commits)
      try await Self.run(run, &steps)
      guard try await run.runMoments() > 0 else {
        throw SimulatedWorld.Fault(description: "no commit was kept")
      }
    }
  }

  private static func run(_ run: SimulationRun, _ steps: inout String) async throws {
    do {
      try await run.run()
    } catch {
      steps = run.history
      throw error
    }
  }
}
