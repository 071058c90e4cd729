import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Slashes at the end of paths: they are sent as they are written, for many servers know one form only.
@Suite(.client(entities: slashed)) @MainActor struct TrailingSlashTests {
  private func sent() throws -> [String] { try StubAdapter.current.requests.map(\.url.absoluteString) }

  /// A server whose URLs all end with a slash, and which says so.
  private func strictServer() throws -> StubAdapter {
    let stub = try StubAdapter.current
    func strictly(_ answer: @escaping @Sendable (StubRequest) -> JSONValue) -> StubAnswer {
      .respond { request in
        guard request.path.hasSuffix("/") else {
          var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
          parts?.path += "/"
          return HTTPResponse(status: 301, headers: ["Location": parts?.string ?? ""], url: request.url)
        }
        let status = request.method == .delete ? 204 : 200
        let body = request.method == .delete ? Data() : Data(answer(request).description.utf8)
        return HTTPResponse(status: status, url: request.url, body: body)
      }
    }
    stub.on(.get, "/books", strictly { _ in [["id": 1, "title": "a"], ["id": 2, "title": "b"]] })
    stub.on(.post, "/books", strictly { _ in ["id": 3, "title": "c"] })
    for method in [HTTPMethod.get, .put, .patch, .delete] {
      stub.on(method, "/books/{id}", strictly { ["id": JSONValue($0.parameters["id"] ?? ""), "title": "new"] })
    }
    return stub
  }

  @Test func `every verb reaches a server that wants the slash`() async throws {
    _ = try strictServer()
    let books = try await Slashed.get(query: ["page": 1]).objects
    let book = try #require(books.first)
    book.title = "new"
    try await book.put { try $0.setJSON(book.jsonObject(for: \.title)) }
    #expect(!book.hasChanges)
    try await book.patch { try $0.setJSON(["title": "new"]) }
    try await book.get(query: ["full": true])
    try await Slashed.get("2/")
    let other = try #require(try book.entityContext?.insert(Slashed.self))
    other.title = "c"
    try await other.post { try $0.setJSON(other.jsonObject(for: \.title)) }
    #expect(other.uid == 3)
    try await other.delete()
    try await Slashed.delete("2/")
    #expect(other.isDeleted)
    #expect(books[1].isDeleted)
    #expect(
      try sent() == [
        "https://api.example.com/books/?page=1", "https://api.example.com/books/1/",
        "https://api.example.com/books/1/", "https://api.example.com/books/1/?full=true",
        "https://api.example.com/books/2/", "https://api.example.com/books/", "https://api.example.com/books/3/",
        "https://api.example.com/books/2/",
      ])
  }

  nonisolated static let forms: [(base: String, client: TrailingSlash, collection: String, object: String)] = [
    ("books", .asWritten, "books", "books/7"), ("books/", .asWritten, "books/", "books/7/"),
    ("books", .always, "books", "books/7/"), ("books/", .always, "books/", "books/7/"),
    ("books", .never, "books", "books/7"), ("books/", .never, "books/", "books/7"),
    ("books/?key=1", .asWritten, "books/?key=1", "books/7/?key=1"),
    ("books?key=1/", .asWritten, "books?key=1/", "books/7?key=1/"),
    ("", .asWritten, "", "7"), ("/", .asWritten, "", "7"), ("/", .always, "", "7/"),
  ]

  @Test(arguments: forms)
  func `an object's URL ends as that of its collection or as declared`(
    _ form: (base: String, client: TrailingSlash, collection: String, object: String)
  ) throws {
    let client = try Client(
      adapter: StubAdapter(), store: Client.current.store, baseURL: "https://h/", trailingSlash: form.client)
    try BasePath.$current.withValue(form.base) {
      try Client.withClient(client) {
        let object = try client.store.main.insert(Written.self)
        object.uid = 7
        #expect(try Written.request(.get).url?.absoluteString == "https://h/\(form.collection)")
        #expect(try object.request(.post).url?.absoluteString == "https://h/\(form.collection)")
        #expect(try object.request(.put).url?.absoluteString == "https://h/\(form.object)")
        // A resource is the caller's.
        for resource in ["8", "8/"] {
          let path = try #require(try Written.request(.get, resource).url?.path(percentEncoded: true))
          #expect(path.hasSuffix(resource))
          #expect(try object.request(.get, resource).url?.path(percentEncoded: true) == path)
        }
      }
    }
  }

  @Test func `the entity's slash setting comes before the client's`() throws {
    let client = try Client(
      adapter: StubAdapter(), store: Client.current.store, baseURL: "https://h", trailingSlash: .always)
    try Client.withClient(client) {
      let item = try client.store.main.insert(Mixed.self)
      item.uid = 7
      #expect(try Mixed.request(.get).url?.absoluteString == "https://h/items/")
      #expect(try item.request(.get).url?.absoluteString == "https://h/items/7")
    }
  }

  /// Whichever form a request names, a PUT to it has sent the uid, and a DELETE deletes the row.
  @Test(arguments: ["https://api.example.com/books/1", "https://api.example.com/books/1/"])
  func `both forms of the slash are the object's own URL`(_ url: String) async throws {
    let stub = try StubAdapter.current
    stub.on(.put, "/books/1", .status(204)).on(.delete, "/books/1", .status(204))
    let context = try Client.current.store.main
    let book = try context.insert(Slashed.self)
    book.uid = 1
    #expect(book.hasChanges)
    try await book.put(to: url)
    #expect(!book.hasChanges)
    #expect(try await Slashed.delete(url).counts.deleted == 1)
    #expect(book.isDeleted)
    #expect(try sent() == [url, url])
  }

  @Test(arguments: ["/books/?page=2", "/books?page=2", "?page=2", "https://api.example.com/books/p2/?a=%7e%2F;b//"])
  func `the next page is where the server says`(_ next: String) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/books", query: ["page": 2], .json(["results": [["id": 2]], "next": nil]))
    stub.on(.get, "/books/p2", .json(["results": [["id": 2]], "next": nil]))
    stub.on(.get, "/books", query: ["size": 1], .json(["results": [["id": 1]], "next": JSONValue(next)]))
    let all = try await Slashed.pages(query: ["size": 1], by: .body("next"), options: .envelope("results")).all()
    #expect(all.pages == 2)
    #expect(all.ids.count == 2)
    let expected =
      next.hasPrefix("https") ? next : "https://api.example.com" + (next.hasPrefix("?") ? "/books/" : "") + next
    #expect(try sent() == ["https://api.example.com/books/?size=1", expected])
  }

  // MARK: Redirects

  @Test func `a redirect that adds the slash says how to write it`() async throws {
    _ = try strictServer()
    let error = try await requestError { try await Slashed.get("2", query: ["token": "hidden"]) }
    #expect(error.kind == .status)
    #expect(error.status == 301)
    #expect(
      error.description
        == "GET https://api.example.com/books/2?token=… (status 301): The server refused the request: moved "
        + "permanently. Its Location is 'https://api.example.com/books/2/?token=…'. Only the slash at the end differs: "
        + "write base paths and resources as the server has them; for the URLs of objects there is 'trailingSlash' too."
    )
  }

  nonisolated static let locations: [(location: String, shown: String?)] = [
    ("/login?next=hidden", "https://api.example.com/login?next=…"),
    ("https://ada:hidden@sso.example:8443/x#hidden", "https://sso.example:8443/x"),
    ("1/", "https://api.example.com/books/1/"), ("//other.example/books/", "https://other.example/books/"),
    ("http://api.example.com/books/", "http://api.example.com/books/"), ("http://[::1", nil), ("", ""),
  ]

  @Test(arguments: locations, [300, 301, 302, 303, 307, 308])
  func `a redirect's error says where it points`(_ redirect: (location: String, shown: String?), _ status: Int)
    async throws
  {
    try StubAdapter.current.on(.get, "/books", .json([], status: status, headers: ["Location": redirect.location]))
    let error = try await requestError { try await Slashed.get() }
    let text = error.description
    #expect(error.status == status)
    #expect(!text.contains("hidden"))
    #expect(!text.contains("slash"))
    switch redirect.shown {
    case "": #expect(!text.contains("Location"))
    case let shown?: #expect(text.hasSuffix(". Its Location is '\(shown)'."))
    case nil: #expect(text.hasSuffix(". Its Location is no URL (RFC 3986)."))
    }
    // Requests about no entity take the same way.
    let client = try Client.current
    let other = try await requestError { try await client.send(client.request(.get, "books/")) }
    #expect(other.description == text)
  }

  /// A stub's routes don't tell them apart, so that they name the resource and not its form.
  @Test func `a stub's route serves both forms of a URL`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/books/", .json([])).on(.get, "/books/{id}/", .json(["id": 1]))
    for resource in ["/books", "/books/", "/books/1", "/books/1/"] { try await Slashed.get(resource) }
    #expect(stub.requests.map(\.path) == ["/books", "/books/", "/books/1", "/books/1/"])
    #expect(stub.requests(.get, "/books").count == 2)
    #expect(stub.requests(.get, "/books/*").count == 2)
  }
}

private let slashed: [any ManagedEntity.Type] = [Slashed.self, Mixed.self, Written.self]

@Entity private final class Slashed: RemoteEntity {
  @UID var uid: Int
  var title: String?
  static var basePath: String { "books/" }
}

/// As FastAPI's routers mostly have it: the collection with a slash, its objects without.
@Entity private final class Mixed: RemoteEntity {
  @UID var uid: Int
  static var basePath: String { "items/" }
  static var trailingSlash: TrailingSlash? { .never }
}

private enum BasePath {
  @TaskLocal static var current = ""
}

@Entity private final class Written: RemoteEntity {
  @UID var uid: Int
  static var basePath: String { BasePath.current }
}
