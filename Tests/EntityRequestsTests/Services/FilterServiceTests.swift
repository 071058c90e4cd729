import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: PostgREST: https://docs.postgrest.org/en/stable/references/api/tables_views.html

@Entity final class PostgRESTUser: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \PostgRESTPost.author) var posts: [PostgRESTPost]

  static var basePath: String { "users" }
  static var objectPath: String? { "users?id=eq.{uid}" }
  static var routes: [EntityRoute<PostgRESTUser>] { [.relationship(\.posts, at: "/posts?author_id=eq.{uid}")] }
  // An answer to a write has the object, and one to a list the total.
  static var headers: HTTPHeaders { ["Prefer": "return=representation, count=exact"] }

  static func walk(size: Int = 100) -> EntityPages<PostgRESTUser> {
    pages(query: ["order": "id"], by: .ranges(size: size), options: .deleteMissing(in: PostgRESTUser.all))
  }
}

@Entity final class PostgRESTPost: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("author_id") var author: PostgRESTUser?

  static var basePath: String { "posts" }
  static var objectPath: String? { "posts?id=eq.{uid}" }
}

@Suite(.client(entities: [PostgRESTUser.self, PostgRESTPost.self], baseURL: "https://db.example.com/"))
@MainActor struct PostgRESTServiceTests {
  @Test func `rows are walked by ranges, read, edited and deleted`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/users",
      .respond { request in
        let isFirst = request.headers["Range"] == "0-1"
        return HTTPResponse(
          status: 206,
          headers: ["Content-Range": isFirst ? "0-1/3" : "2-2/3", "Content-Type": "application/json; charset=utf-8"],
          url: request.url,
          body: Data((isFirst ? #"[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"}]"# : #"[{"id":3,"name":"Cy"}]"#).utf8))
      })
    let pages = PostgRESTUser.walk(size: 2)
    #expect(try await pages.all().ids.count == 3)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(.get, "/users?id=eq.1", answer(#"[{"id":1,"name":"Ada L."}]"#))
    let user = try #require(try await PostgRESTUser.get(uid: 1).object)
    #expect(user.name == "Ada L.")
    stub.on(.patch, "/users?id=eq.1", answer(#"[{"id":1,"name":"Ada K."}]"#))
    user.name = "Ada K."
    try await user.patch(\.name)
    #expect(stub.requests.last?.json == ["name": "Ada K."])
    #expect(!user.hasChanges)
    stub.on(.get, "/posts?author_id=eq.1", answer(#"[{"id":9,"author_id":1}]"#))
    try await user.get(\.posts)
    #expect(user.posts.map(\.uid) == [9])
    stub.on(.post, "/users", answer(#"[{"id":4,"name":"Di"}]"#, status: 201))
    let new = try Client.current.store.main.insert(PostgRESTUser.self)
    new.name = "Di"
    try await new.post(\.name)
    #expect(new.uid == 4)
    stub.on(.delete, "/users?id=eq.4", answer(#"[{"id":4,"name":"Di"}]"#))
    try await new.delete()
    #expect(new.isDeleted)
    stub.on(.get, "/users?id=eq.9", answer("[]"))
    #expect(try await requestError { try await PostgRESTUser.get(uid: 9) }.status == 404)
  }

  @Test func `a deletion that matched no row leaves the row`() async throws {
    let stub = try StubAdapter.current
    let user = try #require(try await PostgRESTUser.upsert(from: [["id": 1, "name": "Ada"]]).object)
    // Row security may forbid the deletion: the server then matches no row.
    stub.on(.delete, "/users?id=eq.1", answer("[]"))
    #expect(try await requestError { try await user.delete() }.status == 404)
    #expect(try await requestError { try await PostgRESTUser.delete("?id=eq.1") }.status == 404)
    #expect(try await requestError { try await PostgRESTUser.delete(uid: 1) }.status == 404)
    // Without rows in the answer, nothing says whether the further filter matched.
    stub.on(.delete, "/users?id=eq.1&name=eq.Bo", .status(204), .status(204), answer("[]"), answer(#"[{"id":1}]"#))
    try await user.delete(query: ["name": "eq.Bo"])
    try await PostgRESTUser.delete("?id=eq.1&name=eq.Bo")
    #expect(try await requestError { try await user.delete(query: ["name": "eq.Bo"]) }.status == 404)
    #expect(!user.isDeleted)
    try await user.delete(query: ["name": "eq.Bo"])
    #expect(user.isDeleted)
    try await PostgRESTUser.upsert(from: [["id": 1, "name": "Ada"]])
    try await PostgRESTUser.delete(uid: 1, deletesOn404: true)
    #expect(try Client.current.store.main.count(PostgRESTUser.all) == 0)
  }

  @Test(
    .client(
      entities: [PostgRESTUser.self, PostgRESTPost.self], baseURL: "https://db.example.com/",
      routes: [.entity(PostgRESTUser.self, at: "users"), .envelope("rows", at: "users", .delete)]))
  func `by a route, too, a deletion that matched no row leaves the row`() async throws {
    let stub = try StubAdapter.current
    let client = try Client.current
    let user = try #require(try await PostgRESTUser.upsert(from: [["id": 1, "name": "Ada"]]).object)
    stub.on(
      .delete, "/users?id=eq.1", answer(#"{"rows":[]}"#), answer("[]"), answer("[]"), answer(#"{"rows":[{"id":1}]}"#))
    #expect(try await requestError { try await client.delete("users?id=eq.1") }.status == 404)
    #expect(try await requestError { try await client.delete("users?id=eq.1") }.status == 404)
    stub.on(.delete, "/users?id=eq.1&name=eq.Bo", .status(204))
    _ = try await client.delete("users?id=eq.1&name=eq.Bo")
    let request = try client.request(.delete, "users?id=eq.1")
    let empty = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data("[]".utf8))
    #expect(try await requestError { try await client.read(empty, to: request) }.status == 404)
    #expect(!user.isDeleted)
    // The other verbs read an empty list so, too.
    stub.on(.patch, "/users?id=eq.1", answer("[]"))
    #expect(try await requestError { try await client.sending(.patch, "users?id=eq.1").send() }.status == 404)
    stub.on(.delete, "/users?id=eq.1", answer(#"{"rows":[{"id":1}]}"#))
    #expect(try await client.delete("users?id=eq.1").counts(of: PostgRESTUser.self).deleted == 1)
    #expect(user.isDeleted)
  }

  @Test(
    .client(
      entities: [PostgRESTUser.self, PostgRESTPost.self], baseURL: "https://db.example.com/",
      routes: [.envelope(at: "**") { _ in throw CancellationError() }]))
  func `an envelope that can't be chosen fails no deletion`() async throws {
    try StubAdapter.current.on(.delete, "/users?id=eq.1", answer(#"[{"id":1}]"#))
    let user = try #require(
      try await PostgRESTUser.upsert(from: [["id": 1, "name": "Ada"]], options: .envelope(.wholeBody)).object)
    try await user.delete()
    #expect(user.isDeleted)
  }

  @Test func `rows are walked by offsets, with the total of Content-Range`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/users?offset=0", answer(#"[{"id":1},{"id":2}]"#, status: 206, ["Content-Range": "0-1/3"]))
    stub.on(.get, "/users?offset=2", answer(#"[{"id":3}]"#, status: 206, ["Content-Range": "2-2/3"]))
    let pages = PostgRESTUser.pages(by: .offsets(size: 2, total: .contentRange))
    #expect(try await pages.all().ids.count == 3)
    #expect(try await pages.all().counts.rowsWritten == 0)
  }
}

// MARK: OData 4.01: https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html

@Entity final class ODataPerson: RemoteEntity {
  @UID @Key("UserName") var uid: String
  @Key("FirstName") var firstName: String?
  @Key(#"@odata\.etag"#) var etag: String?
  @Key("Trips") @Relationship(inverse: \ODataTrip.person) var trips: [ODataTrip]

  static var basePath: String { "People" }
  static var objectPath: String? { "People('{uid}')" }  // "Trips({uid})" for a number
  static var envelope: Envelope? { Envelope(list: "value") }
  // An answer to a write has the object, with its new tag.
  static var headers: HTTPHeaders { ["Prefer": "return=representation"] }
  // Elements of a delta: an object that was deleted, and one that only left the result.
  static var deletedElements: DeletedElements? {
    DeletedElements { element in
      guard let removed = element["@removed"] else { return nil }
      let object: DeletedElements.Object = element["@id"]?.string.map { .url($0) } ?? .itself
      return removed["reason"]?.string == "changed" ? .left(object) : object
    }
  }

  static func walk() -> EntityPages<ODataPerson> {
    pages(by: .body(#"@odata\.nextLink"#, mayBeAbsent: true), options: .deleteMissing(in: ODataPerson.all))
  }
}

@Entity final class ODataTrip: RemoteEntity {
  @UID @Key("TripId") var uid: Int
  var person: ODataPerson?

  static var basePath: String { "Trips" }
  static var objectPath: String? { "Trips({uid})" }
  static var envelope: Envelope? { Envelope(list: "value") }
}

@Suite(.client(entities: [ODataPerson.self, ODataTrip.self], baseURL: "https://odata.example.com/service/"))
@MainActor struct ODataServiceTests {
  @Test func `people are walked by next links, read, edited and deleted`() async throws {
    let stub = try StubAdapter.current
    let context = #""@odata.context":"https://odata.example.com/service/$metadata#People""#
    stub.on(
      .get, "/service/People",
      answer(
        #"{\#(context),"value":[{"UserName":"ada","FirstName":"Ada"}],"@odata.nextLink":"People?$skiptoken=2"}"#))
    stub.on(
      .get, "/service/People?$skiptoken=2", answer(#"{\#(context),"value":[{"UserName":"o'neil","FirstName":"O"}]}"#))
    let pages = ODataPerson.walk()
    #expect(try await pages.all().ids.count == 2)
    #expect(try await pages.all().counts.rowsWritten == 0)
    stub.on(.get, "/service/People('o''neil')", answer(#"{\#(context),"UserName":"o'neil","FirstName":"Oona"}"#))
    let person = try #require(try await ODataPerson.get(uid: "o'neil").object)
    #expect(person.firstName == "Oona")
    stub.on(.patch, "/service/People('o''neil')", .status(204))
    person.firstName = "Oonagh"
    try await person.patch(\.firstName)
    #expect(!person.hasChanges)
    stub.on(.get, "/service/People('o''neil')/Trips", answer(#"{"value":[{"TripId":5}]}"#))
    try await person.get(\.trips)
    #expect(person.trips.map(\.uid) == [5])
    stub.on(
      .post, "/service/People",
      .status(204, headers: ["Location": "https://odata.example.com/service/People('bo')"]))
    let new = try Client.current.store.main.insert(ODataPerson.self)
    new.firstName = "Bo"
    try await new.post(\.firstName)
    #expect(new.uid == "bo")
    stub.on(.delete, "/service/People('bo')", .status(204))
    try await new.delete()
    #expect(new.isDeleted)
  }

  @Test func `a delta deletes the objects that it names by a URL or by a key`() async throws {
    let stub = try StubAdapter.current
    let all = ["ada", "o'neil", "bo", "cy", "di"]
    try await ODataPerson.upsert(from: ["value": JSONValue(all.map { ["UserName": JSONValue($0)] as JSONValue })])
    let link = "https://odata.example.com/service/People?$deltatoken=7"
    stub.on(
      .get, "/service/People?$deltatoken=7",
      answer(
        #"""
        {"@context": "https://odata.example.com/service/$metadata#People/$delta", "value": [
          {"UserName": "ada", "FirstName": "Ada"},
          {"@removed": {"reason": "deleted"}, "@id": "People('o''neil')"},
          {"@removed": {}, "@id": "https://odata.example.com/service/People('bo')"},
          {"@removed": {"reason": "deleted"}, "UserName": "cy"},
          {"@removed": {"reason": "changed"}, "@id": "People('di')"},
          {"@removed": {"reason": "deleted"}, "@id": "People('nobody')"}
        ], "@deltaLink": "People?$deltatoken=8"}
        """#))
    let counts = try await ODataPerson.get(link).counts
    #expect(counts.deleted == 3)
    #expect(counts.updated == 1)
    let people = try Client.current.store.main.fetch(ODataPerson.all.sorted(by: \.uid))
    #expect(people.map { "\($0.uid) \($0.firstName ?? "-")" } == ["ada Ada", "di -"])
    #expect(try await ODataPerson.get(link).counts.rowsWritten == 0)
  }

  @Test func `an object that left the result of a delta leaves the list, and stays in the store`() async throws {
    let stub = try StubAdapter.current
    let list = StoredCollection<ODataPerson>(
      pages: .body(#"@odata\.nextLink"#, mayBeAbsent: true), changes: .link(from: .body(#"@odata\.deltaLink"#)))
    let all = #"{"UserName": "ada"}, {"UserName": "bo"}, {"UserName": "cy"}, {"UserName": "di"}"#
    stub.on(.get, "/service/People", answer(#"{"value": [\#(all)], "@odata.deltaLink": "People?$deltatoken=7"}"#))
    stub.on(
      .get, "/service/People?$deltatoken=7",
      answer(
        #"""
        {"value": [
          {"@removed": {"reason": "changed"}, "@id": "People('ada')"},
          {"@removed": {"reason": "changed"}, "UserName": "bo"},
          {"@removed": {"reason": "deleted"}, "UserName": "cy"},
          {"@removed": {"reason": "changed"}, "UserName": "nobody"}
        ], "@odata.deltaLink": "People?$deltatoken=8"}
        """#))
    for _ in 1...2 { try await list.load() }
    let main = try Client.current.store.main
    #expect(try main.fetch(ODataPerson.members(of: list)).map(\.uid) == ["di"])
    #expect(try main.fetch(ODataPerson.all.sorted(by: \.uid)).map(\.uid) == ["ada", "bo", "di"])
    #expect(try await list.status()?.isComplete == true)
  }

  @Test(arguments: ["Orders(7)", "https://other.example.com/service/People('ada')", "People", ""])
  func `a deleted object of another URL is an error that names its place, and nothing is deleted`(
    _ url: String
  ) async throws {
    try await ODataPerson.upsert(from: ["value": [["UserName": "ada"], ["UserName": "bo"]]])
    let removed: JSONValue = ["@removed": [:], "@id": JSONValue(url)]
    let body: JSONValue = ["value": [["@removed": [:], "UserName": "bo"], removed]]
    try StubAdapter.current.on(.get, "/service/People", .json(body))
    let error = try await requestError { try await ODataPerson.get() }
    #expect(error.description.contains("Object 1 of the response"), "\(error)")
    #expect(error.description.contains("the URL of a deleted object is that of no object of the entity"), "\(error)")
    #expect(try Client.current.store.main.count(ODataPerson.all) == 2)
    let skipped = try await ODataPerson.get(options: .skipping)
    #expect(skipped.refused.map(\.position) == [1])
    #expect(try Client.current.store.main.fetch(ODataPerson.all).map(\.uid) == ["ada"])
    // A skipped deletion may be of any object.
    let walk = try await requestError {
      try await ODataPerson.get(options: [.skipping, .deleteMissing(in: ODataPerson.all)])
    }
    #expect(walk.kind == .upsert)
  }
}
