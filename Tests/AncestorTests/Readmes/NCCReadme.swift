import EntityClient
import EntityTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// NCCCoreDataClient's README, sample by sample: a user with an address, whose class has its own requests.

enum People {
  @Entity final class User {
    @UID var uid: Int  // its own name for it…
    var email: String?
    var firstName: String?
    var lastName: String?
    @Relationship(onDelete: .cascade) var address: Address?
  }

  /// Without uid: it lives in its user.
  @Entity final class Address {
    var street: String?
    var city: String?
    var state: String?
    var zip: String?
  }

  @Entity final class Shop: RemoteEntity {
    @UID @Key("id") var uid: String
    var city: String?

    static var basePath: String { "shops/" }
  }

  static let entities: [any ManagedEntity.Type] = [User.self, Address.self, Shop.self]

  /// "Passing the request to an HTTP client and adding session headers": an adapter around any other one.
  struct Session: RequestAdapter {
    let transport: any RequestAdapter
    let token: String?

    struct LoggedOut: Error {}

    func send(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> HTTPResponse {
      guard let token else { throw LoggedOut() }
      var request = request
      try request.setHeaders(["Authorization": "Bearer \(token)", "X-Device-ID": "7"])
      return try await transport.send(request, body: body, progress: progress)
    }
  }
}

// "Set base path and object id keys".
extension People.User: RemoteEntity {
  static var basePath: String { "https://api.example.com/user/" }
  static var responseUIDKey: String? { "id" }  // …and the server's
  static var trailingSlash: TrailingSlash? { .never }  // as there: user/ is the collection, and user/7 an object

  // "updateWithDictionary": the address stands in the user's own fields.
  func update(with response: ResponseObject) throws {
    try response.assign("email", to: &email)
    try response.assign("first", to: &firstName)
    try response.assign("last", to: &lastName)
    if response.contains("city") {
      try response.picking(["address": "street", "city": "city", "state": "state", "zip": "zip"]).assign(to: &address)
    }
  }
}

// "GET request", "POST request", "PUT request", "DELETE request": helpers of the class.
extension People.User {
  static func user(uid: Int) async throws -> EntityID<People.User>? { try await get("\(uid)").ids.first }

  @MainActor func create() async throws {
    try await post { request in
      try request.setJSON(
        jsonObject(nils: .leftOut) {
          [
            "email": $0.email, "first": $0.firstName, "last": $0.lastName, "address": $0.address.street,
            "city": $0.address.city, "state": $0.address.state, "zip": $0.address.zip,
          ]
        })
    }
  }

  @MainActor func saveEmail() async throws { try await put { try $0.setJSON(jsonObject(for: \.email)) } }

  @MainActor func setPicture(png: Data) async throws { try await put(to: "\(uid)/picture") { try $0.setPNG(png) } }
}

@Suite(.client(entities: People.entities)) @MainActor struct NCCReadme {
  private static let ada: JSONValue = [
    "id": 7, "email": "ada@example.com", "first": "Ada", "last": "King", "address": "12 St James's Square",
    "city": "London", "state": "", "zip": "SW1Y",
  ]
  private var stub: StubAdapter { get throws { try StubAdapter.current } }
  private var main: EntityContext { get throws { try Client.current.store.main } }

  private func user() async throws -> People.User { try #require(try await People.User.upsert(from: Self.ada).object) }

  @Test func `makeRequest: session headers, and no request without a session`() async throws {
    try stub.on(.get, "/user/7", .json(Self.ada))
    let (store, stub) = (try Client.current.store, try stub)
    func client(token: String?) throws -> Client {
      try Client(
        adapter: People.Session(transport: stub, token: token), store: store, baseURL: "https://api.example.com")
    }
    try await Client.withClient(client(token: "t1")) { _ = try await People.User.user(uid: 7) }
    #expect(stub.requests.first?.headers["Authorization"] == "Bearer t1")
    let error = try await requestError {
      try await Client.withClient(client(token: nil)) { _ = try await People.User.user(uid: 7) }
    }
    #expect(error.kind == .transport)
    #expect(error.underlying is People.Session.LoggedOut)
  }

  @Test func `makeRequest: any HTTP client sends the request, and what it got goes into the store`() async throws {
    let request = try People.User.request(.get, "7")
    let url = try #require(request.url)
    #expect(url.absoluteString == "https://api.example.com/user/7")
    let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
    let user = try #require(try await People.User.upsert(from: Self.ada.rawBytes, response: response).object)
    #expect(user.uid == 7)
  }

  @Test
  func `updateWithDictionary: the address is an object of its own, and the same one after an update`() async throws {
    let user = try await user()
    let address = try #require(user.address)
    #expect(user.firstName == "Ada")
    #expect(address.street == "12 St James's Square")
    try await People.User.upsert(from: ["id": 7, "city": "Marylebone"])
    #expect(user.address === address)
    #expect(address.city == "Marylebone")
    #expect(address.zip == "SW1Y")
    #expect(user.email == "ada@example.com")
  }

  @Test func `upsertObjectWithDictionary: an object with a uid that is given`() async throws {
    let main = try main
    let shop = try main.upsert(People.Shop.self, from: ["city": "Oslo"], uid: "a1")
    let again = try main.upsert(People.Shop.self, from: ["city": "Bergen"], uid: "a1")
    #expect(shop === again)
    #expect(shop.uid == "a1")
    #expect(shop.city == "Bergen")
    #expect(try main.count(People.Shop.all) == 1)
  }

  @Test func `GET request`() async throws {
    try stub.on(.get, "/user/7", .json(Self.ada))
    let id = try #require(try await People.User.user(uid: 7))
    #expect(try main.object(id)?.email == "ada@example.com")
  }

  @Test func `POST request: keys of the server, values by key path; the answer gives the uid`() async throws {
    try stub.on(.post, "/user", .json(Self.ada, status: 201))
    let user = try main.insert(People.User.self)
    (user.email, user.firstName, user.lastName) = ("ada@example.com", "Ada", "King")
    user.address = try main.insert(People.Address.self)
    user.address?.city = "London"
    try await user.create()
    #expect(
      try stub.requests.first?.json == [
        "email": "ada@example.com", "first": "Ada", "last": "King", "city": "London",
      ])
    #expect(user.uid == 7)
  }

  @Test func `PUT request: some values, and a picture`() async throws {
    let user = try await user()
    try stub.on(.put, "/user/7", .json(["id": 7, "email": "ada@king.example"])).on(
      .put, "/user/7/picture", .status(204))
    user.email = "ada@king.example"
    try await user.saveEmail()
    #expect(try stub.requests.first?.json == ["email": "ada@king.example"])
    #expect(!user.hasChanges)
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR…".utf8)
    try await user.setPicture(png: png)
    #expect(try stub.requests.last?.headers["Content-Type"] == "image/png")
    #expect(try stub.requests.last?.body == png)
    let urls = try stub.requests.map(\.url.absoluteString)
    #expect(urls == ["https://api.example.com/user/7", "https://api.example.com/user/7/picture"])
  }

  @Test func `The URL of an object ends as the base path does, and as there where trailingSlash is never`() async throws
  {
    let shop = try #require(try await People.Shop.upsert(from: ["id": "a1", "city": "Oslo"]).object)
    try stub.on(.put, "/shops/a1/", .status(204)).on(.put, "/user/7", .status(204)).on(.post, "/user/", .status(204))
    let user = try await user()
    try await shop.put(\.city)
    try await user.put(\.email)
    let new = try main.insert(People.User.self)
    try await new.create()
    let paths = try stub.requests.map { $0.url.path(percentEncoded: true) }
    #expect(paths == ["/shops/a1/", "/user/7", "/user/"])
  }

  @Test func `DELETE request: the row goes with the object, and so does its address`() async throws {
    let user = try await user()
    try stub.on(.delete, "/user/7", .status(204))
    try await user.delete()
    #expect(user.isDeleted)
    #expect(try main.count() == 0)
  }
}
