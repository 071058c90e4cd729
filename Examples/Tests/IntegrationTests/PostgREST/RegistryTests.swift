import EntityClient
import EntityTesting
import Foundation
import Testing

/// Tables behind an API as PostgREST has it. Each test has a schema of its own.
@MainActor @Suite(.enabled(if: Registry.url != nil, "scripts/integration starts the service"))
struct RegistryTests {
  // MARK: Lists

  @Test(arguments: ["return=representation, count=exact", "return=representation"], [25, 20])
  func `rows are walked by ranges, with the total and without it`(prefer: String, count: Int) async throws {
    try await Registry.client { client in
      try await Registry.fill(client, count)
      let pages = Resident.pages(
        query: ["order": "id"], by: .ranges(size: 10), options: .deleteMissing(in: Resident.all),
        modify: { try $0.setHeaders(["Prefer": prefer]) })
      let all = try await pages.all()
      #expect(all.ids.count == count)
      // A total ends the walk with the last row. Without one the page behind it is empty.
      #expect(all.pages == (count + 9) / 10 + (prefer.contains("count") ? 0 : 1))
      #expect(try await pages.all().counts.rowsWritten == 0)
      try await Bystander(client: client).send(.delete, "residents?id=eq.7")
      let again = try await pages.all()
      #expect(again.counts.deleted == 1)
      #expect(again.counts.rowsWritten == 1)
    }
  }

  @Test func `rows are walked by offsets, to the total of Content-Range`() async throws {
    try await Registry.client { client in
      try await Registry.fill(client, 25)
      let pages = Resident.pages(query: ["order": "id"], by: .offsets(size: 10, total: .contentRange))
      #expect(try await pages.all().ids.count == 25)
      #expect(try await pages.all().counts.rowsWritten == 0)
    }
  }

  @Test func `a filter leads to its rows, in the order that was asked for`() async throws {
    try await Registry.client { client in
      try await Registry.fill(client, 5)
      let found = try await Resident.get(query: ["id": "in.(2,4,5)", "name": "not.eq.Name 4", "order": "id.desc"])
      #expect(try found.objects.map(\.uid) == [5, 2])
    }
  }

  // MARK: One row

  @Test func `a row is made, read, edited and deleted by its filter`() async throws {
    try await Registry.client { client in
      let resident = try client.store.main.insert(Resident.self)
      (resident.name, resident.email) = ("Ada", "ada@example.com")
      try await resident.post(\.name, \.email)
      #expect(resident.uid == 1)
      #expect(resident.version == 1)
      resident.name = "Ada L."
      resident.age = 36
      try await resident.patch(\.name, \.age)
      #expect(!resident.hasChanges)
      #expect(resident.version == 2)
      #expect(try await Resident.get(uid: 1).counts.rowsWritten == 0)
      let letter = try client.store.main.insert(Letter.self)
      (letter.number, letter.text, letter.author) = ("A/1 & co", "Dear", resident)
      try await letter.post(\.number, \.text, \.author)
      try await resident.get(\.letters)
      #expect(resident.letters.map(\.number) == ["A/1 & co"])
      // The letter's URL has its number.
      #expect(try await letter.get().counts.rowsWritten == 0)
      #expect(try await Letter.delete(Letter.resource(of: ["number": "A/1 & co"])).counts.deleted == 1)
      #expect(letter.isDeleted)
      try await resident.delete()
      #expect(resident.isDeleted)
      let error = try await #require(throws: RequestError.self) { try await Resident.get(uid: 1) }
      #expect(error.status == 404)
    }
  }

  @Test func `one row is asked for as an object, and 406 says that there is none`() async throws {
    try await Registry.client { client in
      try await Registry.fill(client, 1)
      let single: HTTPHeaders = ["Accept": "application/vnd.pgrst.object+json"]
      #expect(try await Resident.get(uid: 1, modify: { try $0.setHeaders(single) }).ids.count == 1)
      let error = try await #require(throws: RequestError.self) {
        try await Resident.get(uid: 2, modify: { try $0.setHeaders(single) })
      }
      #expect(error.status == 406)
      #expect(error.model(as: Registry.Refusal.self)?.code == "PGRST116")
    }
  }

  // MARK: Conflicts and mistakes

  @Test func `an edit of an older version matches no row, and stays`() async throws {
    try await Registry.client { client in
      try await Registry.fill(client, 1)
      let resident = try #require(try await Resident.get(uid: 1).object)
      try await Bystander(client: client).send(.patch, "residents?id=eq.1", ["age": 5])
      resident.name = "mine"
      let error = try await #require(throws: RequestError.self) {
        try await resident.patch(\.name, query: ["version": "eq.\(resident.version)"])
      }
      #expect(error.status == 404)
      #expect(resident.hasChanges)
      #expect(resident.name == "mine")
      try await resident.get()
      #expect((resident.name, resident.version) == ("mine", 2))
      try await resident.patch(\.name, query: ["version": "eq.\(resident.version)"])
      #expect(!resident.hasChanges)
    }
  }

  @Test func `a value that another row has is refused with the name of the rule, and the edit stays`() async throws {
    try await Registry.client { client in
      try await Registry.fill(client, 2)
      let resident = try #require(try await Resident.get(uid: 2).object)
      resident.email = "1@example.com"
      let error = try await #require(throws: RequestError.self) { try await resident.patch(\.email) }
      #expect(error.status == 409)
      #expect(error.model(as: Registry.Refusal.self)?.code == "23505")
      #expect(resident.hasChanges)
    }
  }

  @Test func `a filter that the server does not know names it, and the rows stay`() async throws {
    try await Registry.client { client in
      try await Registry.fill(client, 3)
      try await Resident.get()
      for (query, code) in [("zip", "42703"), ("order", "42703"), ("id", "22P02")] {
        let error = try await #require(throws: RequestError.self) {
          try await Resident.get(
            query: [query: query == "order" ? "zip" : "eq.x"], options: .deleteMissing(in: Resident.all))
        }
        #expect(error.status == 400)
        #expect(error.model(as: Registry.Refusal.self)?.code == code)
      }
      #expect(try client.store.main.count(Resident.all) == 3)
    }
  }

  @Test func `a column of another type than was declared is named with its row, and the old rows stay`() async throws {
    try await Registry.client { client in
      try await Tenant.upsert(from: JSONValue([["id": 1, "name": 5]]).rawBytes)
      try await Registry.fill(client, 2)
      let error = try await #require(throws: RequestError.self) {
        try await Tenant.get(query: ["order": "id"], options: .deleteMissing(in: Tenant.all))
      }
      #expect(error.description.contains("'Tenant.name' can't be read from 'name' of object 0"), "\(error)")
      #expect(try client.store.main.fetch(Tenant.all).map(\.name) == [5])
    }
  }

  // MARK: Offline

  @Test func `a create whose answer is lost is found by a filter, and is made once`() async throws {
    let device = try Registry.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), .number(1))
    let id = try await device.edit { context in
      try context.make(Letter.self) { ($0.number, $0.text) = ("A 1, b&c", "Dear") }.entityID
    }
    try await device.outbox.send()
    try await device.edit { try $0.known(id).text = "Dear Ada" }
    #expect(try await device.sendLater().left == 0)
    let lines = device.log.take()
    #expect(lines.texts == ["POST 201", "GET 200", "PATCH 200"])
    #expect(lines[1].url.hasSuffix("letters?number=eq.A%201%2C%20b%26c"), "\(lines[1].url)")
    let found = try await Bystander(client: device.direct).get("letters").list
    #expect(found.map { $0["text"]?.string } == ["Dear Ada"])
    #expect(try await device.edit { try $0.known(id).uid } == 1)
    #expect(try await device.pending.isEmpty)
  }

  @Test func `edits and deletions that were made offline go to the filters of their objects`() async throws {
    let device = try Registry.device()
    defer { device.remove() }
    let (kept, gone) = try await device.edit { context in
      let author = try context.make(Resident.self) { ($0.name, $0.email) = ("Ada", "a@example.com") }
      return (
        try context.make(Letter.self) { ($0.number, $0.author) = ("A-1", author) }.entityID,
        try context.make(Letter.self) { ($0.number, $0.author) = ("A-2", author) }.entityID
      )
    }
    #expect(try await device.outbox.send().text == "3 sent")
    _ = device.log.take()
    device.faults.inject(.unsent(.connection), .first(2))
    try await device.edit { context in
      try context.known(kept).text = "later"
      // The URL of a letter has its number, which goes with the row.
      try context.delete(context.known(gone))
    }
    #expect(try await device.outbox.send().text == "2 left, offline")
    await device.outbox.stop()
    let again = try device.again()
    #expect(try await again.sendAll())
    let lines = again.log.take()
    #expect(lines.texts.sorted() == ["DELETE 200", "PATCH 200"])
    #expect(
      lines.map { String($0.url.suffix(21)) }.sorted() == ["letters?number=eq.A-1", "letters?number=eq.A-2"])
    let left = try await Bystander(client: device.direct).get("letters").list
    #expect(left.map { $0["text"]?.string } == ["later"])
    #expect(try await again.pending.isEmpty)
  }
}

/// The service, where `scripts/integration` has started it.
private enum Registry {
  static let url = WebService.variable("ENTITYCLIENT_POSTGREST")
  static let entities: [any ManagedEntity.Type] = [Resident.self, Letter.self, Tenant.self]

  /// An error of PostgREST.
  struct Refusal: Decodable, Sendable {
    let code: String
    let message: String
  }

  /// An app with a schema of its own.
  static func device() throws -> OutboxDevice {
    let (base, schema) = (try #require(url), UUID().uuidString)
    return try OutboxDevice(entities) { adapter, store in
      try Client(
        adapter: adapter, store: store, baseURL: base,
        headers: ["Accept-Profile": "\(schema)", "Content-Profile": "\(schema)"], errorModel: ErrorModel(Refusal.self))
    }
  }

  /// Runs `body` with a client of a schema of its own.
  @MainActor static func client(_ body: @MainActor (Client) async throws -> Void) async throws {
    let device = try device()
    defer { device.remove() }
    try await Client.withClient(device.direct) { try await body(device.direct) }
  }

  static func fill(_ client: Client, _ count: Int) async throws {
    let rows: [JSONValue] = (1...count).map {
      ["name": JSONValue("Name \($0)"), "email": JSONValue("\($0)@example.com")]
    }
    try await Bystander(client: client).send(.post, "residents", JSONValue(rows))
  }
}

@Entity private final class Resident: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var email: String?
  var age: Int?
  var version: Int
  @Relationship(inverse: \Letter.author) var letters: [Letter]

  static var basePath: String { "residents" }
  static var objectPath: String? { "residents?id=eq.{uid}" }
  static var routes: [EntityRoute<Resident>] { [.relationship(\.letters, at: "/letters?author_id=eq.{uid}")] }
  static var headers: HTTPHeaders { ["Prefer": "return=representation, count=exact"] }
}

/// A row whose URL has another column than the key.
@Entity private final class Letter: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String
  var text: String?
  @Key("author_id") var author: Resident?

  static var basePath: String { "letters" }
  static var objectPath: String? { "letters?number=eq.{number}" }
  static var headers: HTTPHeaders { ["Prefer": "return=representation, count=exact"] }
  static var outbox: OutboxRules<Letter> { [.rest, .lookingUp(by: \.number, at: "letters?number=eq.{number}")] }
}

/// A resident, declared wrongly.
@Entity private final class Tenant: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: Int

  static var basePath: String { "residents" }
}
