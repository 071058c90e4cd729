import EntityClient
import EntityTesting
import Foundation
import Testing

// The kinds of services that many frameworks make, each with the settings that it needs. The bodies have the shapes that the
// documentation of the frameworks gives.

// MARK: Django REST framework

@Entity final class Parish: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String

  // Slashes at the end; lists under "results", and single objects bare.
  static var basePath: String { "parishes/" }
  static var envelope: Envelope? { Envelope(list: "results") }
}

private struct Complaint: Decodable, Sendable { let detail: String }

@Suite(.client(entities: [Parish.self], errorModel: ErrorModel(Complaint.self))) @MainActor struct DjangoShapeTests {
  @Test func `lists, pages, objects and refusals of a Django server are read`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/parishes/",
      .json([
        "count": 3, "next": "https://api.example.com/parishes/?page=2", "previous": nil,
        "results": [["id": 1, "name": "A"]],
      ]),
      .json([
        "count": 3, "next": nil, "previous": "https://api.example.com/parishes/", "results": [["id": 2, "name": "B"]],
      ]))
    let all = try await Parish.pages(by: .body("next"), options: .deleteMissing(in: Parish.all)).all()
    #expect(all.ids.count == 2)
    stub.on(.get, "/parishes/1/", .json(["id": 1, "name": "A, renamed"]))
    let parish = try #require(try await Parish.get("1/").object)
    #expect(parish.name == "A, renamed")
    stub.on(.patch, "/parishes/1/", .json(["id": 1, "name": "C"]))
    parish.name = "C"
    try await parish.patch(\.name)
    #expect(stub.requests.last?.json == ["name": "C"])
    #expect(stub.requests.last?.url.path() == "/parishes/1/")
    #expect(!parish.hasChanges)
    stub.on(.get, "/parishes/9/", .json(["detail": "Not found."], status: 404))
    #expect(try await requestError { try await Parish.get("9/") }.model(as: Complaint.self)?.detail == "Not found.")
  }
}

// MARK: Rails

@Entity final class Voter: RemoteEntity {
  @UID @Key("id") var uid: Int
  var email: String

  // `{"voters": […]}`, `{"voter": {…}}`, and the same root in what is sent.
  static var basePath: String { "voters" }
  static var envelope: Envelope? { Envelope(list: "voters", item: "voter") }
  static var requestRootKey: String? { "voter" }
}

private struct Invalid: Decodable, Sendable { let errors: [String: [String]] }

@Suite(.client(entities: [Voter.self], errorModel: ErrorModel(Invalid.self))) @MainActor struct RailsShapeTests {
  @Test func `root keys, metadata and refusals of a Rails server are read`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/voters", .json(["voters": [["id": 1, "email": "a"]], "meta": ["total_pages": 1]]))
    let list = try await Voter.get()
    #expect(list.ids.count == 1)
    #expect(try list.meta(Int.self, at: "meta.total_pages") == 1)
    stub.on(.post, "/voters", .json(["voter": ["id": 2, "email": "b"]], status: 201))
    let voter = try Client.current.store.main.insert(Voter.self)
    voter.email = "b"
    try await voter.post(\.email)
    #expect(stub.requests.last?.json == ["voter": ["email": "b"]])
    #expect(voter.uid == 2)
    #expect(!voter.hasChanges)
    stub.on(.put, "/voters/2", .json(["errors": ["email": ["has already been taken"]]], status: 422))
    voter.email = "a"
    let error = try await requestError { try await voter.put(\.email) }
    #expect(error.model(as: Invalid.self)?.errors["email"] == ["has already been taken"])
    #expect(voter.email == "a", "the edit stays")
    stub.on(.delete, "/voters/2", .status(204))
    try await voter.delete()
    #expect(voter.isDeleted)
  }
}

// MARK: HAL

@Entity final class Branch: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  @Key("_links.self.href") var link: String?
  @Key("_embedded.leaves") @Relationship(inverse: \BranchLeaf.branch) var leaves: [BranchLeaf]

  // Lists under "_embedded", and single objects bare.
  static var basePath: String { "branches" }
  static var envelope: Envelope? { Envelope(list: "_embedded.branches") }
}

@Entity final class BranchLeaf {
  @UID @Key("id") var uid: Int
  var branch: Branch?
}

@Suite(.client(entities: [Branch.self, BranchLeaf.self])) @MainActor struct HALShapeTests {
  @Test func `embedded resources and links of a HAL server are read`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/branches",
      .json([
        "_links": ["self": ["href": "/branches"], "next": ["href": "/branches?page=2"]],
        "_embedded": ["branches": [["id": 1, "name": "A", "_links": ["self": ["href": "/branches/1"]]]]],
      ]),
      .json([
        "_links": ["self": ["href": "/branches?page=2"]], "_embedded": ["branches": [["id": 2, "name": "B"]]],
      ]))
    #expect(try await Branch.pages(by: .body("_links.next")).all().ids.count == 2)
    stub.on(
      .get, "/branches/1",
      .json([
        "id": 1, "name": "A", "_links": ["self": ["href": "/branches/1"]],
        "_embedded": ["leaves": [["id": 5], ["id": 6]]],
      ]))
    let branch = try #require(try await Branch.get("1").object)
    #expect(branch.link == "/branches/1")
    #expect(branch.leaves.map(\.uid).sorted() == [5, 6])
  }
}

// MARK: JSON:API

@Entity final class Ballot: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("attributes.title") var title: String

  static var basePath: String { "ballots" }
  static var envelope: Envelope? { "data" }
  static var headers: HTTPHeaders { .jsonAPI }
}

@Suite(.client(entities: [Ballot.self])) @MainActor struct JSONAPIShapeTests {
  @Test func `pages and writes of a JSON API server work`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/ballots",
      .json([
        "data": [["type": "ballots", "id": "1", "attributes": ["title": "a"]]],
        "links": ["next": "https://api.example.com/ballots?page%5Bnumber%5D=2"],
      ]),
      .json(["data": [["type": "ballots", "id": "2", "attributes": ["title": "b"]]], "links": ["next": nil]]))
    #expect(try await Ballot.pages(by: .body("links.next")).all().ids.count == 2)
    let ballot = try #require(try Client.current.store.main.fetch(Ballot.self, uid: "1"))
    ballot.title = "c"
    stub.on(.patch, "/ballots/1", .json(["data": ["type": "ballots", "id": "1", "attributes": ["title": "c"]]]))
    try await ballot.patch {
      let attributes = try ballot.jsonObject { ["title": $0.title] }
      try $0.setJSON(["data": ["type": "ballots", "id": ballot.uid, "attributes": attributes.value]])
    }
    #expect(stub.requests.last?.headers["Content-Type"] == "application/vnd.api+json")
    #expect(stub.requests.last?.json == ["data": ["type": "ballots", "id": "1", "attributes": ["title": "c"]]])
    #expect(!ballot.hasChanges)
  }
}
