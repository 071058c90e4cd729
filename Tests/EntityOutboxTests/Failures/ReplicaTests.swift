import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import EntityOutbox
@testable import EntityStore

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

  /// The name of the one customer in a file.
  private static func name(in file: URL) throws -> String {
    let connection = try Connection(.file(file), opening: .reading, busyTimeout: .seconds(5), log: nil)
    return try connection.rows("SELECT name FROM \"Customer\"") { $0.text(0) ?? "" }.first ?? ""
  }

  @Test func `a value that the server normalises changes once, and never back`() async throws {
    let folder = try TestFolder()
    let file = folder.file("a.sqlite")
    let scene = try OutboxScene(store: EntityStore(.file(file), entities: shopEntities))
    scene.server.set("customers", 1, ["name": "Bea"])
    let id = try await Client.withClient(scene.client) { try #require(try await Customer.get("1").ids.first) }
    // The names that a screen shows, commit by commit.
    let shown = Mutex<[String]>([])
    scene.store.core.follow(
      SummaryLog(committed: {
        let name = (try? Self.name(in: file)) ?? "?"
        shown.withLock { if $0.last != name { $0.append(name) } }
      }))
    let gate = StubGate()
    scene.server.hold("PATCH customers/1", at: gate)
    scene.server.answer("PATCH customers/1", 200, ["id": 1, "name": "Ada"])
    try await scene.edit { try $0.known(id).name = " Ada " }
    async let pass = scene.outbox.send()
    await gate.arrival()
    // A list that has the old value yet.
    _ = try await Client.withClient(scene.client) { try await Customer.get() }
    gate.open()
    _ = try await pass
    scene.server.set("customers", 1, ["name": "Ada"])
    _ = try await Client.withClient(scene.client) { try await Customer.get() }
    #expect(shown.withLock(\.self) == [" Ada ", "Ada"])
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
