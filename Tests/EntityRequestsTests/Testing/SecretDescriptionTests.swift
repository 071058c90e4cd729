import EntityClient
import EntityTesting
import Foundation
import Testing

/// The values of a query, of a body and of header fields are in nothing that `print` or `dump` writes.
@Suite struct SecretDescriptionTests {
  private static let secret = "s3cret"
  private static let query: QueryParameters = ["token": "s3cret", "page": 1]

  private func expectNoSecret(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    var text = "\(value) \([value]) \(String(reflecting: value)) "
    debugPrint(value, to: &text)
    dump(value, to: &text)
    #expect(!text.contains(Self.secret), "\(text)", sourceLocation: sourceLocation)
    // The bytes of a body, one on each line.
    #expect(!text.contains("- 115\n"), "\(text)", sourceLocation: sourceLocation)
  }

  @Test func `the values of a query are not shown`() throws {
    expectNoSecret(Self.query)
    #expect("\(Self.query)" == "[token=…, page=…]")
    let url = try #require(URL(string: "https://h/a?token=s3cret"))
    expectNoSecret(PageToken(url: url))
    expectNoSecret(NextPage.query(Self.query))
    expectNoSecret(NextPage.url("https://h/a?token=s3cret"))
    expectNoSecret(
      ReceivedPage(
        url: url, response: HTTPResponse(status: 200, url: url), body: ["a": "s3cret"], objects: [["a": "s3cret"]]))
    expectNoSecret(MultipartPart.field("password", Self.secret))
  }

  @Test func `a response and its pages show no secret`() async throws {
    let stub = StubAdapter()
    let body: JSONValue = [["id": 1, "title": "s3cret"]]
    stub.on(
      .get, "/**", .json(body, headers: ["Link": "</books?token=s3cret&page=2>; rel=\"next\"", "X-Session": "s3cret"]))
    let store = try library()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      let pages = Book.pages(query: Self.query, by: .link, limit: 1)
      expectNoSecret(pages)
      var iterator = pages.makeAsyncIterator()
      let page = try #require(try await iterator.next())
      expectNoSecret(iterator)
      expectNoSecret(page)
      expectNoSecret(page.next as Any)
      expectNoSecret(try await pages.all())
      expectNoSecret(try await client.get("books", query: Self.query))
      expectNoSecret(try await client.get("books", query: Self.query, as: JSONValue.self))
    }
  }

  @Test func `a text of JSON is told apart from JSON`() async throws {
    let store = try library()
    let error = await #expect(throws: RequestError.self) {
      try await Book.upsert(from: "{\"id\": 1}" as JSONValue, in: store)
    }
    #expect(error?.message.contains("Data(text.utf8)") == true, "\(error as Any)")
  }
}
