import EntityClient
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

/// The server numbers the versions of its rows.
@Entity final class Record: OutboxEntity {
  @UID @Key("id") var uid: Int
  var note: String?
  var version: Int = 0

  static var basePath: String { "records" }
  static var versionAttribute: PartialKeyPath<Record>? { \.version }
}

/// A read that a replica answers, which does not have the last writes yet.
@Suite struct ReplicaTests {
  private func scene() async throws -> (OutboxScene, EntityID<Record>) {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Record.self]))
    scene.server.state.withLock { $0.versions = ["records": .attribute] }
    scene.server.set("records", 1, ["note": "a"])
    let id = try await Client.withClient(scene.client) { try #require(try await Record.get("1").ids.first) }
    return (scene, id)
  }

  private func readOldReplica(_ scene: OutboxScene) async throws {
    scene.server.answer("GET records", 200, [["id": 1, "note": "a", "version": 1]])
    _ = try await Client.withClient(scene.client) { try await Record.get() }
  }

  @Test func `a replica without the sent edit does not bring the old value back`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).note = "b" }
    try await scene.outbox.send()
    try await readOldReplica(scene)
    #expect(try await scene.edit { try $0.known(id).note } == "b")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a replica without the sent edit is no base of a later edit`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).note = "b" }
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).note = "c" }
    try await readOldReplica(scene)
    try await scene.store.pending.discard(id)
    #expect(try await scene.edit { try $0.known(id).note } == "b")
  }
}
