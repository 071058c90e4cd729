import EntityClient
import EntityStore
import Foundation
import TestSupport
import Testing

/// Local edits, deletions and saves by each policy, while answers come late, in another order, twice or not at all: no edit
/// is lost before the server has it, nothing that was deleted comes back before, and in the end both have the same.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
@MainActor struct RandomizedSyncTests {
  @Test(arguments: [true, false]) func `the store and the server come to the same`(isInMemory: Bool) async throws {
    await Seeds.each(isInMemory ? 16 : 4, sanitized: 2, isInMemory ? "memory" : "file") { seed, steps in
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let run = try SyncRun(isInMemory ? .inMemory : .file(folder.appendingPathComponent("store.sqlite")), seed)
      defer { steps = run.log.joined(separator: "\n") }
      try await Client.withClient(run.client) { @MainActor in
        for _ in 0..<6 { try await run.round() }
      }
    }
  }
}
