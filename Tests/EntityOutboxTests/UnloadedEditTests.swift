import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox
@testable import EntityStore

/// Is replaced as a whole.
@Entity final class Profile: OutboxEntity {
  @UID var id: Int
  var name: String?
  var bio: String?
  var chief: Profile?
  static var basePath: String { "profiles" }
  static var tracksCoverage: Bool { true }
  static var expires: Duration? { .seconds(1_000) }
  static var outbox: OutboxRules<Profile> { [.updating(.put, carrying: .all)] }
}

@Entity final class Desk: RemoteEntity {
  @UID var id: Int
  var name: String?
  static var basePath: String { "desks" }
  static var expires: Duration? { .seconds(1_000) }
}

@Entity final class UnloadedTicket: OutboxEntity {
  @UID var id: Int
  var desk: Desk?
  static var basePath: String { "tickets" }
  static var outbox: OutboxRules<UnloadedTicket> { [.rest, .merging(.theirs)] }
}

/// Edits of objects of which the store does not have all.
@Suite struct UnloadedEditTests {
  private let stub = StubAdapter()
  private let store: EntityStore
  private let client: Client
  private let outbox: Outbox

  init() throws {
    store = try EntityStore(.inMemory, entities: [Profile.self, Desk.self, UnloadedTicket.self])
    client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    outbox = try Outbox(client)
  }

  private func receive<E: RemoteEntity>(_ type: E.Type, _ value: JSONValue) async throws {
    _ = try await Client.withClient(client) { try await E.upsert(from: value) }
  }

  private var bodies: [JSONValue?] { stub.requests.map(\.json) }

  @Test func `a PUT never replaces what was not loaded`() async throws {
    stub.on(.put, "/profiles/1", .status(204))
    try await receive(Profile.self, [["id": 1, "name": "Ada"]])
    try await store.background { try $0.fetch(Profile.self, uid: 1)?.name = "Ada L." }
    #expect(try await outbox.send().refused == 1)
    let item = try #require(try await outbox.items().first)
    #expect(item.reason?.contains("'bio', 'chief'") == true)
    #expect(stub.requests.isEmpty)
    try await receive(Profile.self, [["id": 1, "name": "Ada", "bio": "long", "chief": nil]])
    try await outbox.retry(item)
    try await outbox.send()
    #expect(bodies == [["bio": "long", "chief": nil, "name": "Ada L."]])
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `an evicted object that was edited is not replaced by its uid`() async throws {
    try await receive(Profile.self, [["id": 2, "chief": ["id": 3, "name": "Cy", "bio": "long", "chief": nil]]])
    try await store.core.unit { try $0.connection.execute("UPDATE Profile SET _heard = _heard - 5000 WHERE id = 3") }
    #expect(try await store.evictExpired().objects == 1)
    try await store.background { try $0.fetch(Profile.self, uid: 2)?.chief?.name = "Cyd" }
    #expect(try await outbox.send().refused == 1)
    #expect(stub.requests.isEmpty)
  }

  @Test @MainActor func `an export leaves out what was not loaded`() async throws {
    try await receive(Profile.self, [["id": 1, "name": "Ada"]])
    let ada = try #require(try store.main.fetch(Profile.self, uid: 1))
    #expect(try ada.jsonObject(depth: 0).value == ["id": 1, "name": "Ada"])
  }

  @Test @MainActor func `a discarded edit of what was not loaded is not loaded`() async throws {
    try await receive(Profile.self, [["id": 1, "name": "Ada"]])
    let ada = try #require(try store.main.fetch(Profile.self, uid: 1))
    ada.bio = "mine"
    try await store.main.save()
    #expect(ada.loaded.contains(\.bio))
    for change in try await store.pending.changes() { try await store.pending.discard(change) }
    try store.mergeMain()
    #expect(ada.bio == nil && ada.loaded.missingNames == ["bio", "chief"])
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `an edit of a link keeps the object that it led away from`() async throws {
    stub.on(.patch, "/tickets/1", .status(204))
    try await receive(UnloadedTicket.self, [["id": 1, "desk": ["id": 7, "name": "seven"]]])
    try await store.background { try $0.fetch(UnloadedTicket.self, uid: 1)?.desk = nil }
    try await store.core.unit { try $0.connection.execute("UPDATE Desk SET _heard = _heard - 5000") }
    #expect(try await store.evictExpired() == StoreEviction())
    // The server says again what it said before the edit: no other change meets it.
    try await receive(UnloadedTicket.self, [["id": 1, "desk": 7]])
    try await outbox.send()
    #expect(bodies == [["desk": nil]])
  }
}
