import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import EntityOutbox
@testable import EntityStore

/// The policy by which the later edit wins.
@MainActor @Suite struct NewestTests {
  private let scene: OutboxScene
  private let now = Date()

  init() throws { scene = try OutboxScene(store: EntityStore(.inMemory, entities: libraryEntities)) }

  /// The server's time, some seconds after the present moment.
  private func iso(_ seconds: Double) -> JSONValue { JSONValue((now + seconds).ISO8601Format()) }

  /// The server's clock is some seconds ahead of the one here.
  private func setClock(ahead seconds: Double, age: Int? = nil) {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let text = formatter.string(from: Date() + seconds - Double(age ?? 0))
    scene.server.state.withLock {
      $0.headers["Date"] = text
      $0.headers["Age"] = age.map(String.init)
    }
  }

  private func load<E: OutboxEntity>(_ type: E.Type) async throws -> E {
    let id = try await Client.withClient(scene.client) { try #require(try await E.get("1").ids.first) }
    return try #require(try scene.store.main.object(id))
  }

  /// A leaflet with a saved edit of its note, which another person changed at a time of the server.
  private func refresh(changed seconds: Double?) async throws -> (leaflet: Leaflet, skipped: SkippedChanges) {
    scene.server.set("leaflets", 1, ["text": "a", "note": "base", "updated_at": iso(-1_000_000)])
    let leaflet = try await load(Leaflet.self)
    leaflet.note = "mine"
    try await scene.store.main.save()
    scene.server.set("leaflets", 1, ["note": "theirs", "updated_at": seconds.map(iso) ?? .null])
    let skipped = try await Client.withClient(scene.client) { try await Leaflet.get("1").skipped }
    return (leaflet, skipped)
  }

  @Test func `the edit stays where the server's change is the earlier one`() async throws {
    let (leaflet, skipped) = try await refresh(changed: -60)
    #expect(leaflet.note == "mine")
    #expect(skipped.map(\.reason) == [.locallyEdited])
    try await scene.outbox.send()
    #expect(scene.server.object("leaflets", 1)?["note"]?.string == "mine")
  }

  @Test func `the edit ends where the server's change is the later one`() async throws {
    let (leaflet, skipped) = try await refresh(changed: 60)
    #expect(leaflet.note == "theirs")
    #expect(skipped.map(\.reason) == [.yielded])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `at equal times the server's value wins`() async throws {
    scene.server.set("leaflets", 1, ["text": "a", "note": "base", "updated_at": iso(-1_000_000)])
    let leaflet = try await load(Leaflet.self)
    leaflet.note = "mine"
    try await scene.store.main.save()
    let time = now.timeIntervalSince1970.rounded(.down)
    try await scene.store.core.unit { try $0.connection.execute("UPDATE main._entity_edits SET time = \(time)") }
    for (earlier, note) in [(1.0, "mine"), (0.0, "theirs")] {
      let changed = Date(timeIntervalSince1970: time - earlier).ISO8601Format()
      _ = try await Client.withClient(scene.client) {
        try await Leaflet.upsert(
          from: [["id": 1, "note": JSONValue("theirs at \(earlier)"), "updated_at": JSONValue(changed)]])
      }
      #expect(leaflet.note == (note == "mine" ? "mine" : "theirs at \(earlier)"))
    }
  }

  @Test func `without a time of the server the edit stays`() async throws {
    let (leaflet, _) = try await refresh(changed: nil)
    #expect(leaflet.note == "mine")
  }

  @Test(
    arguments: [
      (7_200, nil, "mine"), (-7_200, nil, "theirs"), (7_200, 100_000, "mine"), (0, nil, "theirs"),
    ] as [(Double, Int?, String)])
  func `the Date header corrects the clock`(_ ahead: Double, _ age: Int?, _ note: String) async throws {
    setClock(ahead: ahead, age: age)
    // An hour after the edit by the clock here.
    let (leaflet, _) = try await refresh(changed: ahead < 0 ? -3_600 : 3_600)
    #expect(leaflet.note == note)
  }

  @Test func `a property without the policy keeps its edit`() async throws {
    scene.server.set("leaflets", 1, ["text": "a", "updated_at": iso(-1_000_000)])
    let leaflet = try await load(Leaflet.self)
    leaflet.text = "mine"
    try await scene.store.main.save()
    scene.server.set("leaflets", 1, ["text": "theirs", "updated_at": iso(60)])
    _ = try await Client.withClient(scene.client) { try await Leaflet.get("1") }
    #expect(leaflet.text == "mine")
  }

  @Test(arguments: [(-60.0, "mine"), (60, "theirs")])
  func `a mapping by hand sets the time first`(_ changed: Double, _ text: String) async throws {
    scene.server.set("flyers", 1, ["text": "a", "updated_at": iso(-1_000_000)])
    let flyer = try await load(Flyer.self)
    flyer.text = "mine"
    try await scene.store.main.save()
    scene.server.set("flyers", 1, ["text": "theirs", "updated_at": iso(changed)])
    _ = try await Client.withClient(scene.client) { try await Flyer.get("1") }
    #expect(flyer.text == text)
  }

  @Test func `an edit of the time itself leaves the server's time to compare with`() async throws {
    scene.server.set("leaflets", 1, ["text": "a", "note": "base", "updated_at": iso(-1_000_000)])
    let leaflet = try await load(Leaflet.self)
    (leaflet.note, leaflet.updatedAt) = ("mine", now + 1_000)
    try await scene.store.main.save()
    scene.server.set("leaflets", 1, ["note": "theirs", "updated_at": iso(60)])
    _ = try await Client.withClient(scene.client) { try await Leaflet.get("1") }
    #expect(leaflet.note == "theirs")
    // The note of the server is the earlier one of the two by now.
    leaflet.note = "again"
    try await scene.store.main.save()
    scene.server.set("leaflets", 1, ["note": "theirs too", "updated_at": iso(-60)])
    _ = try await Client.withClient(scene.client) { try await Leaflet.get("1") }
    #expect(leaflet.note == "again")
  }

  @Test func `in a save the edit is the later one`() async throws {
    scene.server.set("leaflets", 1, ["text": "a", "note": "base", "updated_at": iso(-1_000_000)])
    let leaflet = try await load(Leaflet.self)
    leaflet.note = "mine"
    scene.server.set("leaflets", 1, ["note": "theirs", "updated_at": iso(60)])
    _ = try await Client.withClient(scene.client) { try await Leaflet.get("1") }
    try await scene.store.main.save(conflicts: .newest(by: \Leaflet.Columns.updatedAt))
    #expect(try await scene.edit { try $0.fetch(Leaflet.self).map(\.note) } == ["mine"])
  }
}
