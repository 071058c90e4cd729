import TestSupport
import Testing

/// An outbox between a person who edits and a server that fails, by a seed: no edit is lost, nothing is doubled, and the
/// store ends as the server is.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` is the long form.
@Suite struct SimulationTests {
  @Test func `in memory, all edits come to the server once`() async {
    await Seeds.each(100, sanitized: 3, "in memory") { seed, steps in
      let run = try SimulationRun(seed, onFile: false)
      do {
        try await run.run()
      } catch {
        steps = await run.history
        throw error
      }
    }
  }

  @Test func `on a file, kills at any moment lose and double nothing`() async {
    await Seeds.each(24, sanitized: 3, "on a file") { seed, steps in
      let run = try SimulationRun(seed, onFile: true)
      do {
        try await run.run()
      } catch {
        steps = await run.history
        throw error
      }
    }
  }
}
