import EntityClient
import EntityTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service of OData 4.01, by odatapy. Each test has a service of its own.
@MainActor @Suite(.enabled(if: Shop.url != nil, "scripts/integration starts the service"))
struct ShopTests {
  // MARK: Lists

  @Test func `people are walked by next links, and a second walk writes nothing`() async throws {
    try await Shop.client { client in
      try await Shop.fill(client, 25)
      let pages = Person.pages(
        by: .body(#"@odata\.nextLink"#, mayBeAbsent: true), options: .deleteMissing(in: Person.all))
      let all = try await pages.all()
      #expect(all.ids.count == 25)
      #expect(all.pages == 3)
      #expect(try await pages.all().counts.rowsWritten == 0)
      try await Shop.delete(client, "p7")
      #expect(try await pages.all().counts.deleted == 1)
    }
  }

  @Test func `people are walked by $skip and $top, to $count`() async throws {
    try await Shop.client { client in
      try await Shop.fill(client, 25)
      let pages = Person.pages(
        query: ["$count": "true"], by: .offsets("$skip", size: 8, "$top", total: .body(#"@odata\.count"#)))
      #expect(try await pages.all().ids.count == 25)
      #expect(try await pages.all().counts.rowsWritten == 0)
    }
  }

  @Test func `a delta link brings what changed`() async throws {
    try await Shop.client { client in
      try await Shop.fill(client, 3)
      let first = try await Person.get { try $0.setHeaders(["Prefer": "odata.track-changes"]) }
      #expect(first.ids.count == 3)
      let link = try #require(first.value?[#"@odata\.deltaLink"#]?.string)
      try await Shop.fill(client, 1, from: 9)
      let changes = try await Person.get(link)
      #expect(changes.counts.inserted == 1)
      #expect(changes.counts.rowsWritten == 1)
      let next = try #require(changes.value?[#"@odata\.deltaLink"#]?.string)
      #expect(try await Person.get(next).counts.rowsWritten == 0)
    }
  }

  // MARK: One object

  @Test func `an object is made, read, edited and deleted under its key in brackets`() async throws {
    try await Shop.client { client in
      for uid in ["ada", "O'Neil", "a b/c"] {
        let person = try client.store.main.insert(Person.self)
        (person.uid, person.firstName) = (uid, "A")
        try await person.post(\.uid, \.firstName)
        #expect(person.etag == #"W/"1""#)
        #expect(try await Person.get(uid: uid).counts.rowsWritten == 0)
        person.firstName = "B"
        try await person.patch { request in
          try request.setJSON(person.jsonObject(for: \.firstName))
          try request.setHeaders(["If-Match": person.etag ?? ""])
        }
        #expect(!person.hasChanges)
        #expect(person.etag == #"W/"2""#)
        try await person.delete { try $0.setHeaders(["If-Match": person.etag ?? ""]) }
        #expect(person.isDeleted)
        let error = try await #require(throws: RequestError.self) { try await Person.get(uid: uid) }
        #expect(error.status == 404)
      }
      let order = try client.store.main.insert(Order.self)
      (order.number, order.total) = ("A-1", Decimal(string: "1.50"))
      try await order.post(\.number, \.total)
      #expect(order.uid == 1)
      #expect(try await Order.get(uid: 1).counts.rowsWritten == 0)
      #expect(try order.request(.get).url?.lastPathComponent == "Orders(1)")
    }
  }

  // MARK: Conflicts and mistakes

  @Test func `an edit of an older version is refused, and stays`() async throws {
    try await Shop.client { client in
      try await Shop.fill(client, 1)
      let person = try #require(try await Person.get(uid: "p1").object)
      try await Shop.rename(client, "p1", "theirs", #"W/"1""#)
      person.firstName = "mine"
      func patch() async throws {
        try await person.patch { request in
          try request.setJSON(person.jsonObject(for: \.firstName))
          try request.setHeaders(["If-Match": person.etag ?? ""])
        }
      }
      let error = try await #require(throws: RequestError.self) { try await patch() }
      #expect(error.status == 412)
      #expect(error.model(as: Shop.Fault.self)?.error.code == "412")
      #expect(person.hasChanges)
      try await person.get()
      #expect(person.firstName == "mine")
      #expect(person.etag == #"W/"2""#)
      try await patch()
      #expect(!person.hasChanges)
    }
  }

  @Test func `a filter that the service can't read is refused with its words, and the rows stay`() async throws {
    try await Shop.client { client in
      try await Shop.fill(client, 2)
      try await Person.get()
      let error = try await #require(throws: RequestError.self) {
        try await Person.get(query: ["$filter": "Nope eq 5"], options: .deleteMissing(in: Person.all))
      }
      #expect(error.status == 400)
      #expect(error.model(as: Shop.Fault.self)?.error.message.contains("Nope") == true)
      #expect(try client.store.main.count(Person.all) == 2)
    }
  }

  @Test func `a property of another type than was declared is named with its place, and the old rows stay`()
    async throws
  {
    try await Shop.client { client in
      let known: JSONValue = ["value": [["UserName": "p1", "FirstName": 5]]]
      try await Reader.upsert(from: known.rawBytes)
      try await Shop.fill(client, 2)
      let error = try await #require(throws: RequestError.self) { try await Reader.get() }
      #expect(error.description.contains("'Reader.name' can't be read from 'FirstName' of object 0"), "\(error)")
      #expect(try client.store.main.fetch(Reader.all).map(\.name) == [5])
    }
  }

  // MARK: Offline

  @Test func `edits of two devices are merged by the entity tag in the body`() async throws {
    let (first, second) = try Shop.devices()
    defer {
      first.remove()
      second.remove()
    }
    let mine = try await first.edit { context in
      try context.make(Person.self) { ($0.uid, $0.firstName, $0.age) = ("ada", "Ada", 1) }.entityID
    }
    #expect(try await first.outbox.send().text == "1 sent")
    try await second { try await Person.get(uid: "ada") }
    try await second.edit { try #require(try $0.fetch(Person.self, uid: "ada")).age = 2 }
    #expect(try await second.outbox.send().text == "1 sent")
    _ = first.log.take()
    try await first.edit { try $0.known(mine).firstName = "Eve" }
    #expect(try await first.outbox.send().left == 0)
    // The object is read after the refusal, and sent again for the version that came.
    let lines = first.log.take()
    #expect(lines.texts == ["PATCH 412", "GET 200", "PATCH 200"])
    #expect(lines.map { $0.headers["If-Match"] } == [#"W/"1""#, nil, #"W/"2""#])
    let person = try await Bystander(client: first.direct).get("People('ada')")
    #expect((person["FirstName"]?.string, person["Age"]?.int) == ("Eve", 2))
    // A deletion holds for the version that the object had here.
    try await second.edit { try $0.delete(#require(try $0.fetch(Person.self, uid: "ada"))) }
    #expect(try await second.sendAll())
    let deletions = second.log.take().filter { $0.method == "DELETE" }
    #expect(deletions.texts == ["DELETE 412", "DELETE 204"])
    #expect(deletions.map { $0.headers["If-Match"] } == [#"W/"2""#, #"W/"3""#])
  }

  @Test func `a create whose answer is lost is found by $filter, with the quotes of its value`() async throws {
    let device = try Shop.devices().0
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), .number(1))
    let id = try await device.edit { context in
      try context.make(Order.self) { ($0.number, $0.note) = ("O'Neil & 1", "n") }.entityID
    }
    try await device.outbox.send()
    #expect(try await device.sendLater().left == 0)
    #expect(device.log.take().texts == ["POST 201", "GET 200"])
    #expect(try await device.edit { try $0.known(id).uid } == 1)
    let found = try await Bystander(client: device.direct).get("Orders")["value"]?.list
    #expect(found?.count == 1)
  }
}

/// The service, where `scripts/integration` has started it.
private enum Shop {
  static let url = WebService.variable("ENTITYCLIENT_ODATA")
  static let entities: [any ManagedEntity.Type] = [Person.self, Order.self, Reader.self]

  /// An error of OData (Part 1, "Error Response Body").
  struct Fault: Decodable, Sendable {
    struct Content: Decodable, Sendable {
      let code: String
      let message: String
    }

    let error: Content
  }

  /// Two apps of one service of their own.
  static func devices() throws -> (OutboxDevice, OutboxDevice) {
    let base = try #require(url) + "s" + UUID().uuidString + "/"
    func device() throws -> OutboxDevice {
      try OutboxDevice(entities) { adapter, store in
        try Client(adapter: adapter, store: store, baseURL: base, errorModel: ErrorModel(Fault.self))
      }
    }
    return (try device(), try device())
  }

  /// Runs `body` with a client of a service of its own.
  @MainActor static func client(_ body: @MainActor (Client) async throws -> Void) async throws {
    let device = try devices().0
    defer { device.remove() }
    try await Client.withClient(device.direct) { try await body(device.direct) }
  }

  static func fill(_ client: Client, _ count: Int, from first: Int = 1) async throws {
    for number in first..<first + count {
      try await Bystander(client: client).send(
        .post, "People", ["UserName": JSONValue("p\(number)"), "FirstName": JSONValue("P\(number)")])
    }
  }

  static func delete(_ client: Client, _ uid: String) async throws {
    var request = try client.request(.delete, "People('\(uid)')")
    try request.setHeaders(["If-Match": "*"])
    try await client.send(request)
  }

  static func rename(_ client: Client, _ uid: String, _ name: String, _ etag: String) async throws {
    var request = try client.request(.patch, "People('\(uid)')")
    try request.setJSON(["FirstName": JSONValue(name)] as JSONValue)
    try request.setHeaders(["If-Match": etag])
    try await client.send(request)
  }
}

@Entity private final class Person: OutboxEntity {
  @UID @Key("UserName") var uid: String
  @Key("FirstName") var firstName: String?
  @Key("Age") var age: Int?
  @Key(#"@odata\.etag"#) var etag: String?

  static var basePath: String { "People" }
  static var objectPath: String? { "People('{uid}')" }
  static var envelope: Envelope? { Envelope(list: "value") }
  static var headers: HTTPHeaders { ["Prefer": "return=representation"] }
  static var outbox: OutboxRules<Person> { [.rest, .ifMatch(.attribute(\.etag))] }
}

@Entity private final class Order: OutboxEntity {
  @UID @Key("ID") var uid: Int
  @Key("Number") var number: String
  @Key("Note") var note: String?
  @Key("Total") var total: Decimal?

  static var basePath: String { "Orders" }
  static var objectPath: String? { "Orders({uid})" }
  static var envelope: Envelope? { Envelope(list: "value") }
  static var headers: HTTPHeaders { ["Prefer": "return=representation"] }
  static var outbox: OutboxRules<Order> {
    [.rest, .lookingUp(by: \.number, at: "Orders?$filter=Number eq '{number}'")]
  }
}

/// A person, declared wrongly.
@Entity private final class Reader: RemoteEntity {
  @UID @Key("UserName") var uid: String
  @Key("FirstName") var name: Int

  static var basePath: String { "People" }
  static var envelope: Envelope? { Envelope(list: "value") }
}
