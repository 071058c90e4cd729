import EntityClient
import EntityInspector
import EntityTesting
import Foundation
import HTTPFoundation
import Testing

/// The bodies and header fields of requests: without secrets, within limits, and as a command.
struct MessageTests {
  private static let secret = "s3cret-of-the-app"

  /// Sends one request, and returns its page as HTML and as JSON.
  private func page(
    _ method: HTTPMethod = .get, _ answer: StubAnswer, url: String = "things?page=1",
    _ modify: @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) async throws -> (html: String, json: JSONValue) {
    let store = try EntityStore(.inMemory, entities: [Visitor.self])
    let stub = StubAdapter()
    stub.on(method, "/things", answer)
    let client = try Client(
      adapter: stub, store: store, baseURL: "https://api.example.com/",
      headers: ["Authorization": "Bearer \(Self.secret)"])
    let inspector = try Inspector.start(client)
    defer { inspector.stop() }
    switch method {
    case .post: _ = try await client.post(url, modify: modify)
    default: _ = try await client.get(url, modify: modify)
    }
    let browser = try RawBrowser(inspector.url)
    return (try browser.get("requests/1").body, try browser.json("requests/1.json"))
  }

  @Test func `bodies are trees, and secrets are taken out of both sides`() async throws {
    let answer = #"""
      {"session": {"access_token": "\#(Self.secret)", "expires_in": 60}, "again": "it was \#(Self.secret)",
      "items": [{"name": "<b>Ann</b>", "none": null, "is": true, "size": 1.50}]}
      """#
    let page = try await page(.post, .text(answer, headers: ["Set-Cookie": "id=\(Self.secret)"])) {
      try $0.setJSON(["password": "another-secret", "name": "O'Brien"])
    }
    for text in [page.html, page.json.description] {
      #expect(!text.contains(Self.secret) && !text.contains("another-secret"))
      #expect(text.contains("REDACTED"))
    }
    #expect(page.html.contains("<summary><span class=\"key\">items</span> <small>[1]</small></summary>"))
    #expect(page.html.contains("&lt;b&gt;Ann&lt;/b&gt;") && !page.html.contains("<b>Ann"))
    #expect(page.html.contains(">1.50<") && page.html.contains(">null<") && page.html.contains(">true<"))
    let body = try #require(page.json["messages.request.body.text"]?.string)
    #expect(try JSONValue(parsing: Data(body.utf8)) == ["name": "O'Brien", "password": "REDACTED"])
  }

  @Test func `a command is for a shell, and has no secret`() async throws {
    let page = try await page(.post, .json([:]), url: "things?page=1&api_key=\(Self.secret)") {
      try $0.setJSON(["name": "O'Brien $(id) `id`"])
    }
    let command = try #require(page.json["messages.curl"]?.string)
    #expect(
      command.hasPrefix("curl -g --path-as-is -X 'POST' 'https://api.example.com/things?page=1&api_key=REDACTED'"))
    #expect(command.hasSuffix(#"--data-raw '{"name":"O'\''Brien $(id) `id`"}'"#))
    #expect(command.contains("-H 'Authorization: REDACTED'") && !command.contains(Self.secret))
    #expect(page.html.contains("<pre id=\"curl\">curl -g"))
  }

  @Test func `a body over the limit is shown by its beginning, and its secrets are taken out, too`() async throws {
    let long = String(repeating: "x", count: 300_000)
    let page = try await page(.get, .text(#"{"token": "\#(Self.secret)", "text": "\#(long)"}"#))
    #expect(page.json["messages.response.body.isCut"]?.bool == true)
    #expect(try #require(page.json["messages.response.body.size"]?.int64) > 300_000)
    #expect(page.html.contains("This is the beginning of 3000") && !page.html.contains(Self.secret))
    #expect(page.html.utf8.count < 100_000)
  }

  @Test func `a tree counts what is over its limits`() async throws {
    let wide = try await page(.get, .text("[\(Array(repeating: "0", count: 5_000).joined(separator: ","))]"))
    #expect(wide.html.contains("3001 more"))
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    #expect(try await page(.get, .text(deep)).html.contains(">[[[[[["))
    let long = try await page(.get, .text("[\"\(String(repeating: "y", count: 2_000))\"]"))
    #expect(long.html.contains("yyy…&quot;") && !long.html.contains(String(repeating: "y", count: 501)))
  }

  @Test(
    arguments: [
      (StubAnswer.data(Data([0xFF, 0xD8, 0, 1]), contentType: "image/jpeg"), "4 bytes that are no text: image/jpeg"),
      (.status(204), "no body"),
      (.text("<a>&amp;</a>", contentType: "application/xml"), "&lt;a&gt;&amp;amp;&lt;/a&gt;"),
      (.text("{\"a\": ", contentType: "application/json"), "{&quot;a&quot;: "),
    ])
  func `a body that is no JSON is a text or a sentence`(_ answer: StubAnswer, _ expected: String) async throws {
    let store = try EntityStore(.inMemory, entities: [Visitor.self])
    let stub = StubAdapter()
    stub.on(.get, "/visitors", answer)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    let inspector = try Inspector.start(client)
    defer { inspector.stop() }
    _ = try? await Client.withClient(client) { try await Visitor.get() }
    #expect(try RawBrowser(inspector.url).get("requests/1").body.contains(expected))
  }

  @Test func `the answer to a failed request is shown`() async throws {
    let store = try EntityStore(.inMemory, entities: [Visitor.self])
    let stub = StubAdapter()
    stub.on(.get, "/visitors", .json(["errors": ["name": "is taken"]], status: 422))
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    let inspector = try Inspector.start(client)
    defer { inspector.stop() }
    await #expect(throws: RequestError.self) { try await Client.withClient(client) { try await Visitor.get() } }
    #expect(try RawBrowser(inspector.url).get("requests/1").body.contains("is taken"))
  }

  @Test func `messages of later requests take the place of earlier ones`() async throws {
    let store = try EntityStore(.inMemory, entities: [Visitor.self])
    let stub = StubAdapter()
    stub.on(.get, "/big", .data(Data(repeating: 0x20, count: 1 << 20), contentType: "text/plain"))
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    let inspector = try Inspector.start(client)
    defer { inspector.stop() }
    // 128 KiB of each are kept, and 16 MiB of all.
    for _ in 0..<130 { _ = try? await client.get("big") }
    let browser = try RawBrowser(inspector.url)
    #expect(try browser.json("requests/1.json")["messages"] == nil)
    #expect(try browser.get("requests/2").body.contains("are not kept"))
    #expect(try browser.json("requests/3.json")["messages"] != nil)
    #expect(try browser.json("requests.json")["requests"]?.array?.count == 130)
  }
}
