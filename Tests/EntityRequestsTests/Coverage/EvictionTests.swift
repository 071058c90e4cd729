import EntityClient
import EntityTesting
import Foundation
import Observation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

@Entity final class Brochure: RemoteEntity {
  @UID var id: Int
  var text: String?
  var stars: Int = 0
  var printer: Printer?
  @Relationship(inverse: \Crease.brochure) var creases: [Crease]
  var postmark: Postmark?
  @Relationship(inverse: \Flap.brochure, onDelete: .cascade) var flaps: [Flap]
  static var tracksCoverage: Bool { true }
  static var expires: Duration? { .seconds(1_000) }
  static var basePath: String { "brochures" }
}

@Entity final class Printer: RemoteEntity {
  @UID var id: Int
  var name: String?
  static var expires: Duration? { .seconds(1_000) }
  static var basePath: String { "printers" }
}

/// Is read by hand.
@Entity final class Crease: RemoteEntity {
  @UID var id: Int
  var angle: Int?
  var brochure: Brochure?
  static var expires: Duration? { .seconds(1_000) }
  static var basePath: String { "creases" }
  func update(with response: ResponseObject) throws {
    try response.assign("angle", to: &angle)
    try response.assign("brochure", to: &brochure)
  }
}

/// Lives in its brochure, in a list.
@Entity final class Flap {
  var size: Int?
  var brochure: Brochure?
}

/// Lives in its brochure.
@Entity final class Postmark {
  var color: String?
}

/// The age of rows, and the eviction of old ones.
@Suite struct EvictionTests {
  private let store: EntityStore
  private static let entities: [any ManagedEntity.Type] = [
    Brochure.self, Printer.self, Crease.self, Postmark.self, Flap.self,
  ]

  init() throws {
    var options = StoreOptions()
    options.history = .keepingAll
    store = try EntityStore(.inMemory, entities: Self.entities, busyTimeout: .seconds(60), options: options)
  }

  /// Makes the notes of all rows older.
  private func age(by seconds: Int) async throws {
    try await store.core.unit { rows in
      for name in ["Brochure", "Printer", "Crease"] {
        try rows.connection.execute("UPDATE \(name) SET _heard = _heard - \(seconds)")
      }
    }
  }

  /// How old the notes are, to 100 seconds; -1 for none.
  private func ages(_ name: String) async throws -> [Int64] {
    try await store.core.unit { rows in
      try rows.connection.rows("SELECT _heard FROM \(name) ORDER BY _pk") {
        $0.isNull(0) ? -1 : (rows.stamp.seconds - $0.int64(0)) / 100 * 100
      }
    }
  }

  private func problems() async throws -> [StoreCheck.Problem] { try await store.check(.full) }

  private static let brochures: JSONValue = [
    ["id": 1, "text": "a", "stars": 1, "printer": 9],
    ["id": 2, "text": "b", "stars": 2, "creases": [["id": 5, "angle": 3]]],
    ["id": 3, "text": "c", "stars": 3, "postmark": ["color": "red"], "flaps": [["size": 1], ["size": 2]]],
  ]

  // MARK: Age

  @Test func `a row is noted when it comes, and again only after a tenth of its time`() async throws {
    let list: JSONValue = [["id": 1, "name": "x"], ["id": 2, "name": "y"]]
    let creases: JSONValue = [["id": 1, "angle": 1], ["id": 2]]
    _ = try await store.receive(Printer.self, list)
    _ = try await store.receive(Crease.self, creases)
    _ = try await store.receive(Brochure.self, [["id": 1, "printer": 3]])
    #expect(try await ages("Printer") == [0, 0, -1])
    #expect(try await ages("Crease") == [0, 0])
    try await age(by: 50)
    #expect(try await store.receive(Printer.self, list).counts.rowsWritten == 0)
    #expect(try await store.receive(Crease.self, creases).counts.rowsWritten == 0)
    try await age(by: 400)
    #expect(try await ages("Printer") == [400, 400, -1])
    _ = try await store.receive(Printer.self, list)
    _ = try await store.receive(Crease.self, creases)
    // A mere reference says nothing of the object.
    _ = try await store.receive(Brochure.self, [["id": 1, "printer": 1]])
    #expect(try await ages("Printer") == [0, 0, -1])
    #expect(try await ages("Crease") == [0, 0])
    #expect(try await store.receive(Printer.self, list).counts.rowsWritten == 0)
    #expect(try await problems().isEmpty)
  }

  @Test(arguments: [false, true]) func `a 304 says that the objects are there`(isListed: Bool) async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    stub.on(
      .get, "/printers", .json([["id": 1, "name": "x"], ["id": 2, "name": "y"]], headers: ["ETag": "\"1\""]),
      .status(304), .status(304))
    let list = StoredCollection<Printer>()
    func load() async throws -> EntityResponse<Printer> {
      try await Client.withClient(client) {
        isListed ? try await list.load() : try await Printer.get(options: .cache(.networkOnly))
      }
    }
    _ = try await load()
    _ = try await store.receive(Printer.self, [["id": 3, "name": "z"]])
    try await age(by: 50)
    // A tenth of the lifetime has not passed: nothing is written.
    let before = try await store.core.unit { try $0.connection.rows("SELECT _heard FROM Printer") { $0.int64(0) } }
    #expect(try await load().status == 304)
    let after = try await store.core.unit { try $0.connection.rows("SELECT _heard FROM Printer") { $0.int64(0) } }
    #expect(before == after)
    try await age(by: 900)
    #expect(try await load().status == 304)
    #expect(try await ages("Printer") == [0, 0, 900])
    try await age(by: 200)
    #expect(try await store.evictExpired().objects == 1)
    #expect(try await store.read { try $0.fetch(Printer.all).map(\.id) } == [1, 2])
    #expect(try await problems().isEmpty)
  }

  @Test(arguments: [false, true])
  func `a 304 stays one where the age of the objects can't be written`(isListed: Bool) async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"]], headers: ["ETag": "\"1\""]), .status(304))
    let list = StoredCollection<Printer>()
    func load() async throws -> EntityResponse<Printer> {
      isListed ? try await list.load() : try await Printer.get(options: .cache(.networkOnly))
    }
    try await Client.withClient(client) {
      _ = try await AnswerClock.$now.withValue({ 1_000_000 }) { try await load() }
      try await age(by: 900)
      try await store.core.unit { try $0.connection.execute("PRAGMA query_only = ON") }
      let response = try await AnswerClock.$now.withValue({ 1_000_900 }) { try await load() }
      #expect(response.status == 304)
      #expect(response.ids.count == 1)
      let confirmed = Date(timeIntervalSince1970: 1_000_900)
      if isListed { #expect(try await list.status()?.lastLoaded == confirmed, "this process knows it") }
    }
  }

  @Test @MainActor
  func `a 304 stays one where the lifetime that it says can't be written`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    func fields(_ age: Int) -> HTTPHeaders { ["ETag": "\"1\"", "Cache-Control": "max-age=100", "Age": "\(age)"] }
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"]], headers: fields(0)), .status(304, headers: fields(95)))
    try await clock.run {
      try await Client.withClient(client) {
        let printers = try LiveResource<Printer>(staleAfter: nil)
        try await printers.load()
        try await store.core.unit { try $0.connection.execute("PRAGMA query_only = ON") }
        #expect(try await printers.load().status == 304)
        clock.advance(by: 4)
        #expect(!printers.isStale && printers.error == nil)
        clock.advance(by: 1)
        #expect(printers.isStale)
      }
    }
  }

  @Test func `a 304 does not give a placeholder an age`() async throws {
    _ = try await store.receive(Brochure.self, [["id": 1, "printer": 3]])
    try await store.core.confirmRows([
      "Printer": try await store.core.unit { try $0.connection.rows("SELECT _pk FROM Printer") { $0.int64(0) } }
    ])
    #expect(try await ages("Printer") == [-1])
  }

  // MARK: Check

  @Test(arguments: [
    ("UPDATE Brochure SET _missing = 'text,,stars'", "a name in its list is empty"),
    ("UPDATE Brochure SET _missing = 'text,stars,text'", "stands twice"),
    ("UPDATE Brochure SET _missing = x'61'", "is no text"),
    ("UPDATE Brochure SET _missing = 'id'", "'id', which each row has"),
    ("UPDATE Brochure SET _heard = 'soon'", "has no time"),
    ("UPDATE Brochure SET _heard = -1", "has no time"),
  ])
  func `a full check finds what is wrong in the store's own columns`(_ damage: (sql: String, words: String))
    async throws
  {
    _ = try await store.receive(Brochure.self, [["id": 1, "text": "a"]])
    try await store.core.unit { try $0.connection.execute(damage.sql) }
    #expect(try await store.check(.quick) == [])
    let found = try await problems()
    #expect(found.map(\.kind) == [.bookkeeping])
    #expect(found.first?.text.contains(damage.words) == true, "\(found)")
    #expect(found.first?.object?.entityName == "Brochure")
  }

  @Test func `a full check leaves names of other versions and times of other clocks alone`() async throws {
    _ = try await store.receive(Brochure.self, [["id": 1, "text": "a"]])
    try await store.core.unit {
      try $0.connection.execute("UPDATE Brochure SET _missing = 'stars,later', _heard = _heard + 9000")
    }
    #expect(try await problems() == [])
  }

  @Test func `an object that was made here has no age until a response has it`() async throws {
    let id = try await store.background { try $0.insert(Printer.self).entityID }
    #expect(try await ages("Printer") == [-1])
    #expect(try await store.evict(Printer.self, olderThan: .zero).objects == 0)
    #expect(try await store.read { try $0.object(id) != nil })
  }

  @Test func `an entity without expires has no age`() async throws {
    let tour = try Tour.store()
    await #expect(throws: StoreError.self) { try await tour.evict(TourSinger.self, olderThan: .zero) }
    #expect(try await tour.evictExpired() == StoreEviction())
  }

  // MARK: Evictions

  @Test func `an old object that nothing refers to leaves the file and comes again`() async throws {
    _ = try await store.receive(Printer.self, [["id": 1, "name": "x"], ["id": 2, "name": "y"]])
    #expect(try await store.evictExpired() == StoreEviction())
    try await age(by: 2_000)
    _ = try await store.receive(Printer.self, [["id": 2, "name": "y"]])
    #expect(try await store.evictExpired() == StoreEviction(objects: 1, rows: 1))
    #expect(try await store.read { try $0.fetch(Printer.all.including(.placeholders)).map(\.id) } == [2])
    // No line of the history says that an object is gone, and no deletion waits for the server.
    let commits = try await store.history.commits()
    #expect(commits.allSatisfy { $0.changes(of: Printer.self).deleted.isEmpty })
    #expect(try await store.receive(Printer.self, [["id": 1, "name": "x"]]).counts.inserted == 1)
    #expect(try await problems().isEmpty)
  }

  @Test func `links and lists keep their members as placeholders, and embedded objects go`() async throws {
    _ = try await store.receive(Brochure.self, Self.brochures)
    _ = try await store.receive(Printer.self, [["id": 9, "name": "p"]])
    let objects =
      try await store.evict(Printer.self, olderThan: .zero).objects
      + store.evict(Crease.self, olderThan: .zero).objects
    #expect(objects == 2)
    let shown = try await store.read { context in
      try context.fetch(Brochure.all).map { brochure in
        let printer = brochure.printer.map { "\($0.id) \($0.isPlaceholder) \($0.name ?? "-")" } ?? ""
        return printer + brochure.creases.map { "\($0.id) \($0.isPlaceholder) \($0.angle ?? 0)" }.joined()
      }
    }
    #expect(shown == ["9 true -", "5 true 0", ""])
    #expect(try await store.read { try $0.count(Postmark.all) + $0.count(Flap.all) } == 3)
    // The brochures go, and with them all that they alone kept.
    #expect(try await store.evict(Brochure.self, olderThan: .zero).objects == 3)
    #expect(try await store.read { try $0.count(Postmark.all) + $0.count(Flap.all) } == 0)
    #expect(try await problems().isEmpty)
    try await store.evictExpired()
    let left = try await store.read { context in
      try context.count(Brochure.all.including(.placeholders)) + context.count(Printer.all.including(.placeholders))
        + context.count(Crease.all.including(.placeholders))
    }
    #expect(left == 0)
    #expect(try await store.receive(Brochure.self, Self.brochures).counts.inserted == 3)
    #expect(try await store.missing(Brochure.self)[1] == ["creases", "postmark", "flaps"])
    #expect(try await problems().isEmpty)
  }

  @Test func `edits, and what edits link to, stay`() async throws {
    _ = try await store.receive(
      Printer.self, [["id": 1, "name": "x"], ["id": 2, "name": "y"], ["id": 3, "name": "z"]])
    _ = try await store.receive(Brochure.self, [["id": 1, "text": "a"]])
    try await store.background { context in
      try context.fetch(Printer.self, uid: 1)?.name = "mine"
      try context.fetch(Brochure.self, uid: 1)?.printer = try context.fetch(Printer.self, uid: 2)
    }
    try await age(by: 5_000)
    #expect(try await store.evictExpired().objects == 1)
    #expect(try await store.read { try $0.fetch(Printer.all).map(\.id) } == [1, 2])
    #expect(try await store.read { try $0.fetch(Brochure.all).map(\.text) } == ["a"])
  }

  @Test func `evictions of all entities keep the objects of queries`() async throws {
    func fill() async throws {
      _ = try await store.receive(Brochure.self, [["id": 1, "stars": 1], ["id": 2, "stars": 2]])
      _ = try await store.receive(
        Printer.self, [["id": 1, "name": "x"], ["id": 2, "name": "y"], ["id": 3, "name": "z"]])
    }
    func left() async throws -> [[Int]] {
      try await store.read { [try $0.fetch(Brochure.all).map(\.id), try $0.fetch(Printer.all).map(\.id)] }
    }
    try await fill()
    try await age(by: 2_000)
    let kept = Printer.where { $0.name == "y" }
    let eviction = try await store.evictExpired(
      keeping: Brochure.where { $0.stars == 2 }, kept, Printer.where { $0.name == "z" })
    #expect(eviction.objects == 2)
    #expect(try await left() == [[2], [2, 3]])
    #expect(try await store.evict(downTo: 1, keeping: kept).objects == 2)
    #expect(try await left() == [[], [2]])
    await #expect(throws: StoreError.self, "the store has no such entity") {
      try await store.evictExpired(keeping: User.all)
    }
  }

  @Test func `a list that nobody loads any more goes, and its objects stay`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"]]))
    func age(_ seconds: Int) async throws {
      try await store.core.unit { try $0.connection.execute("UPDATE _entity_collections SET time = time - \(seconds)") }
    }
    try await Client.withClient(client) {
      let old = StoredCollection<Printer>(query: ["q": "old"])
      let shown = StoredCollection<Printer>(query: ["q": "shown"])
      try await old.load()
      let resource = try await LiveResource(shown)
      try await resource.load()
      #expect(try await store.evictExpired() == StoreEviction())
      try await age(2_000)
      #expect(try await store.evictExpired() == StoreEviction(lists: 1))
      #expect(try await old.status() == nil)
      #expect(try await shown.status() != nil)
      withExtendedLifetime(resource) {}
      #expect(try await store.read { try $0.count(Printer.all) } == 1)
    }
    #expect(try await problems().isEmpty)
  }

  @Test func `a list that the server confirms stays, and so does one with an unsent object`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"]], headers: ["ETag": "\"1\""]), .status(304).times(2))
    stub.on(.get, "/creases", .json([["id": 1, "angle": 2]]))
    func times() async throws -> [Double] {
      try await store.core.unit {
        try $0.connection.rows("SELECT time FROM _entity_collections ORDER BY id") { $0.double(0) ?? 0 }
      }
    }
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>()
      let placed = StoredCollection<Crease>(pages: .link, placing: .first { $0.angle == 1 })
      try await AnswerClock.$now.withValue({ 1_000_000 }) {
        try await list.load()
        try await placed.load()
      }
      try await AnswerClock.$now.withValue({ 1_000_050 }) { _ = try await list.load() }
      #expect(try await times() == [1_000_000, 1_000_000], "a tenth of the lifetime has not passed")
      try await AnswerClock.$now.withValue({ 1_000_900 }) { _ = try await list.load() }
      #expect(try await times() == [1_000_900, 1_000_000])
      let new = try await store.background { context in
        let crease = try context.insert(Crease.self)
        crease.angle = 1
        return crease.entityID
      }
      #expect(try await store.evict(Crease.self, olderThan: .zero).lists == 0)
      #expect(try await store.read { try $0.fetch(Crease.members(of: placed)).contains { $0.entityID == new } })
    }
  }

  @Test func `a list that comes again unchanged stays`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    stub.on(.get, "/printers", .json([]))
    func time() async throws -> [Double] {
      try await store.core.unit { try $0.connection.rows("SELECT time FROM _entity_collections") { $0.double(0) ?? 0 } }
    }
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>()
      let times: [(Double, Double)] = [(1_000_000, 1_000_000), (1_000_050, 1_000_000), (1_000_900, 1_000_900)]
      for (now, written) in times {
        try await AnswerClock.$now.withValue({ now }) { _ = try await list.load() }
        #expect(try await time() == [written])
      }
    }
  }

  @Test @MainActor func `a list that a live query shows stays`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"]]))
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>()
      try await AnswerClock.$now.withValue({ 1_000_000 }) { _ = try await list.load() }
      var screen: LiveQuery<Printer>? = LiveQuery(Printer.where { $0.isMember(of: list) }, in: store)
      #expect(screen?.objects.map(\.id) == [1])
      #expect(try await store.evictExpired() == StoreEviction())
      #expect(try await list.status() != nil)
      screen = nil
      // The store is small enough, and the list is old all the same.
      #expect(try await store.evict(downTo: .max) == StoreEviction(lists: 1))
    }
  }

  @Test func `the list of an entity that the store no longer has goes`() async throws {
    try await store.core.unit {
      try $0.connection.execute(
        "INSERT INTO _entity_collections (key, entity, note, time) VALUES ('k', 'Leaflet', '{}', 9e9); "
          + "INSERT INTO _entity_members (collection, place, pk) SELECT id, 1, 7 FROM _entity_collections")
    }
    #expect(try await store.evictExpired() == StoreEviction(lists: 1))
    #expect(try await store.core.unit { try $0.connection.rows("SELECT 1 FROM _entity_members") { _ in 1 } }.isEmpty)
  }

  @Test func `objects that a condition keeps stay`() async throws {
    _ = try await store.receive(Printer.self, JSONValue((1...1_200).map { ["id": JSONValue($0), "name": "n"] }))
    let eviction = try await store.evict(Printer.self, olderThan: .zero) { $0.id <= 100 }
    #expect(eviction == StoreEviction(objects: 1_100, rows: 1_100))
    #expect(try await store.read { try $0.count(Printer.all.including(.placeholders)) } == 100)
  }

  @Test @MainActor func `what a screen holds, observes or lists stays`() async throws {
    _ = try await store.receive(Printer.self, JSONValue((1...4).map { ["id": JSONValue($0), "name": "n"] }))
    let held = try #require(try store.main.fetch(Printer.self, uid: 1))
    withObservationTracking {
      _ = try? store.main.fetch(Printer.self, uid: 2)?.name
    } onChange: {
    }
    let query = LiveQuery(Printer.where { $0.id == 3 }, in: store)
    #expect(query.objects.count == 1)
    #expect(try await store.evict(Printer.self, olderThan: .zero).objects == 1)
    try store.mergeMain()
    #expect(held.name == "n" && !held.isPlaceholder)
    #expect(try store.main.fetch(Printer.all).map(\.id) == [1, 2, 3])
    #expect(query.objects.map(\.name) == ["n"])
  }

  @Test func `a known answer with evicted objects is not fresh any more`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"], ["id": 2, "name": "y"]], headers: ["ETag": "\"1\""]))
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com")
    try await Client.withClient(client) {
      try await Printer.get(options: .cache(.cacheFirst(maxAge: .seconds(3_600))))
      #expect(try await Printer.get(options: .cache(.cacheFirst(maxAge: .seconds(3_600)))).ids.count == 2)
      #expect(stub.requests.count == 1)
      try await store.evict(Printer.self, olderThan: .zero) { $0.id == 1 }
      #expect(try await Printer.get(options: .cache(.cacheFirst(maxAge: .seconds(3_600)))).ids.count == 2)
      #expect(stub.requests.count == 2)
      #expect(stub.requests.last?.headers["If-None-Match"] == nil)
    }
    #expect(try await store.read { try $0.fetch(Printer.all).map(\.name) } == ["x", "y"])
  }

  @Test func `a store is brought down to a size, the oldest first`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("size-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EntityStore(.file(folder.appendingPathComponent("s")), entities: Self.entities)
    let text = String(repeating: "x", count: 2_000)
    for first in [1, 2_001] {
      _ = try await store.receive(
        Printer.self, JSONValue((first..<first + 2_000).map { ["id": JSONValue($0), "name": JSONValue(text)] }))
      try await store.core.unit { try $0.connection.execute("UPDATE Printer SET _heard = _heard - 100") }
    }
    let before = try await store.fileSizes()
    let eviction = try await store.evict(downTo: before.database / 2)
    let after = try await store.fileSizes()
    #expect(after.database <= before.database / 2)
    #expect(eviction.objects == eviction.rows && eviction.objects < 4_000)
    let ids = try await store.read { try $0.fetch(Printer.all.sorted(by: \.id)).map(\.id) }
    #expect(ids.count == 4_000 - eviction.objects && ids.last == 4_000)
    #expect(try await store.check(.full).isEmpty)
    // Objects that can't be evicted stay, and the call ends.
    try await store.background { _ = try $0.insert(Printer.self) }
    #expect(try await store.evict(downTo: 0).objects == ids.count)
    #expect(try await store.read { try $0.count(Printer.all) } == 1)
  }

  @Test func `the age begins where it is switched on, and ends where it is switched off`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("age-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let location = StoreLocation.file(folder.appendingPathComponent("s"))
    let off = try EntityStore(location, entities: [Ageless.Slip.self])
    _ = try await off.receive(Ageless.Slip.self, [["id": 1, "text": "t"]])
    try await off.close()
    let on = try EntityStore(location, entities: [Aged.Slip.self])
    #expect(try await on.evict(Aged.Slip.self, olderThan: .seconds(60)).objects == 0)
    #expect(try await on.evict(Aged.Slip.self, olderThan: .zero).objects == 1)
    _ = try await on.receive(Aged.Slip.self, [["id": 1, "text": "t"]])
    try await on.close()
    let again = try EntityStore(location, entities: [Ageless.Slip.self])
    #expect(try await again.read { try $0.fetch(Ageless.Slip.self, uid: 1)?.text } == "t")
    #expect(try await again.check(.full).isEmpty)
  }

  @Test @MainActor func `a list without its values begins anew, and one that a screen shows keeps them`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"], ["id": 2, "name": "y"]]))
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>()
      var screen: LiveResource<Printer>? = try LiveResource(list)
      try await screen?.load()
      try await age(by: 2_000)
      #expect(try await store.evictExpired().objects == 0)
      #expect(screen?.objects.map(\.id) == [1, 2])
      screen = nil
      // A screen leaves its list in a task of its own.
      await until { store.core.answers.followers.keys.isEmpty }
      #expect(try await store.evictExpired().objects == 2)
      #expect(try await list.status() == nil)
      #expect(try await problems().isEmpty)
      #expect(try await list.load().ids.count == 2)
      #expect(try store.main.fetch(Printer.members(of: list)).map(\.name) == ["x", "y"])
    }
  }

  @Test @MainActor func `an object that was made here stays in a list that begins anew`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"]]))
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>(pages: OnePage(), placing: .first { $0.name == "mine" })
      try await list.load()
      try await store.background { try $0.insert(Printer.self).name = "mine" }
      try await age(by: 2_000)
      #expect(try await store.evictExpired().objects == 1)
      let members = Printer.members(of: list)
      #expect(try await store.read { try $0.fetch(members).map(\.name) } == ["mine"])
      try await list.load()
      #expect(try await store.read { try $0.fetch(members).map(\.name) } == ["mine", "x"])
    }
  }

  @Test @MainActor func `a list whose end is evicted keeps its beginning`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"], ["id": 2, "name": "y"], ["id": 3, "name": "z"]]))
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>()
      try await list.load()
      let screen = LiveQuery(Printer.members(of: list).limited(to: 2), in: store)
      #expect(screen.objects.map(\.id) == [1, 2])
      try await age(by: 2_000)
      #expect(try await store.evictExpired().objects == 1)
      try store.mergeMain()
      #expect(screen.objects.map(\.id) == [1, 2])
      #expect(try await list.status() == nil)
      try await list.load()
      #expect(screen.objects.count == 2)
      #expect(try await list.status()?.isComplete == true)
      #expect(try store.main.fetch(Printer.members(of: list)).map(\.name) == ["x", "y", "z"])
    }
  }

  @Test func `a list whose end is evicted stays at the next eviction`() async throws {
    let stub = StubAdapter()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    stub.on(.get, "/printers", .json([["id": 1, "name": "x"], ["id": 2, "name": "y"], ["id": 3, "name": "z"]]))
    try await Client.withClient(client) {
      let list = StoredCollection<Printer>()
      try await list.load()
      try await age(by: 2_000)
      for objects in [1, 0] {
        let eviction = try await store.evictExpired(keeping: Printer.where { $0.id < 3 })
        #expect(eviction.objects == objects && eviction.lists == 0)
        let members = Printer.members(of: list)
        #expect(try await store.read { try $0.fetch(members).map(\.id) } == [1, 2])
      }
    }
  }

  @Test func `an object of which an older answer is under way stays`() async throws {
    _ = try await store.receive(Printer.self, [["id": 1, "name": "x"]])
    let older = store.core.requests.begin()
    let newer = store.core.requests.begin()
    store.core.requests.stamp(
      [.init(.init(entity: try store.core.schema.model(Printer.self).number, uid: .integer(1)), .all(2))], by: newer)
    store.core.requests.end(newer)
    try await age(by: 2_000)
    #expect(try await store.evictExpired().objects == 0)
    store.core.requests.end(older)
    #expect(try await store.evictExpired().objects == 1)
  }
}

private enum Ageless {
  @Entity final class Slip: RemoteEntity {
    @UID var id: Int
    var text: String?
    static var basePath: String { "slips" }
  }
}

private enum Aged {
  @Entity final class Slip: RemoteEntity {
    @UID var id: Int
    var text: String?
    static var basePath: String { "slips" }
    static var expires: Duration? { .seconds(1_000) }
  }
}

extension Brochure: TourEntity {}
