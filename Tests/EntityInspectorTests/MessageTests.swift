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
    let test = try InspectedClient(headers: ["Authorization": "Bearer \(Self.secret)"])
    test.stub.on(method, "/things", answer)
    // The client refuses an answer that is no JSON.
    switch method {
    case .post: _ = try? await test.client.post(url, modify: modify)
    default: _ = try? await test.client.get(url, modify: modify)
    }
    return (try test.browser.get("requests/1").body, try test.browser.json("requests/1.json"))
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
    // A shell goes by bytes: an accent behind an apostrophe makes no other sign of it.
    let hostile = try await self.page(.post, .json([:])) { try $0.setJSON(["name": "O'\u{301}; touch x; '\u{301}"]) }
    #expect(
      hostile.json["messages.curl"]?.string?.hasSuffix(
        #"--data-raw '{"name":"O'\''\#u{301}; touch x; '\''\#u{301}"}'"#) == true)
  }

  @Test func `a body over the limit is shown by its beginning, and its secrets are taken out, too`() async throws {
    let long = String(repeating: "x", count: 300_000)
    let page = try await page(.get, .text(#"{"token": "\#(Self.secret)", "text": "\#(long)"}"#))
    #expect(page.json["messages.response.body.isCut"]?.bool == true)
    #expect(try #require(page.json["messages.response.body.size"]?.int64) > 300_000)
    #expect(page.html.contains("This is the beginning of 3000") && !page.html.contains(Self.secret))
    #expect(page.html.utf8.count < 100_000)
  }

  /// The limit of a body, in bytes.
  private static let limit = 128 << 10

  /// A text that fills a body up to the limit.
  private static func filler(_ text: String, behind others: Int) -> String {
    String(repeating: text, count: (limit - others) / text.utf8.count)
  }

  @Test(arguments: ["é", "家", "😀"], 0..<4)
  func `a body that is cut within a character is read as a text`(_ character: String, _ shift: Int) async throws {
    let long = String(repeating: "x", count: shift) + String(repeating: character, count: Self.limit)
    let page = try await page(.get, .text(#"{"access_token": "\#(Self.secret)-2", "text": "\#(long)"}"#))
    #expect(!page.html.contains(Self.secret) && !page.json.description.contains(Self.secret))
    #expect(page.html.contains("REDACTED") && page.html.contains(character))
  }

  @Test(arguments: [
    (
      "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n", "\r\n",
      "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"
    ),
    ("application/xml", "<a>", "", "<password>"), ("application/xml", "<a>", "", "<password><![CDATA["),
    ("application/xml", "<a>", "", "<!-- <password>"), ("application/xml", "<a>", "", #"<user password="#),
    ("text/html", "<p>", "", #"<input name="password" value=""#),
    ("text/html", "<p>", "", "<input name='password' value='a>"),
    ("application/json", #"{"a": ""#, #"","#, #""password": ""#),
    ("application/json", #"{"a": ""#, #"","#, #""inner": "{\"a\": \"\ud83d\ude00\", \"password\": \""#),
    ("application/x-www-form-urlencoded", "a=", "&", "password="),
  ])
  func `a secret at the end of a body that is cut is taken out`(
    _ type: String, _ start: String, _ end: String, _ name: String
  ) async throws {
    let others = start.utf8.count + end.utf8.count + name.utf8.count + Self.secret.utf8.count - 3
    let body = start + Self.filler("y", behind: others) + end + name + Self.secret + Self.filler("z", behind: 0)
    let page = try await page(.get, .text(body, contentType: type))
    #expect(page.json["messages.response.body.isCut"]?.bool == true)
    let text = try #require(page.json["messages.response.body.text"]?.string)
    #expect(text.suffix(60).contains("REDACTED") && !text.contains("s3cret"), "\(text.suffix(200))")
  }

  @Test(arguments: ["<!--<a>", "<![CDATA[<a>", "<a x=\">\" <b '", "<a>", "</b>", "<a ", "<"])
  func `a body with any number of beginnings is shown within seconds`(_ beginning: String) async throws {
    let body = "<r>" + Self.filler("<a>", behind: Self.limit / 2) + Self.filler(beginning, behind: Self.limit / 2)
    let start = ContinuousClock.now
    let page = try await page(.get, .text(body, contentType: "application/xml"))
    #expect(page.html.contains("&lt;r&gt;"))
    // A search for each end from each beginning takes many minutes. The thread sanitizer takes one on a busy machine.
    #expect(start.duration(to: .now) < .seconds(180))
  }

  @Test func `a body that is no UTF-8 is no text`() async throws {
    let body = Data(#"{"access_token": "\#(Self.secret)-2", "text": ""#.utf8) + [0xC3]
    let page = try await page(.get, .data(body, contentType: "application/json"))
    #expect(!page.html.contains(Self.secret) && page.html.contains("that are no text: application/json"))
  }

  @Test func `a body in UTF-16 is no text`() async throws {
    let body = try #require(#"{"password": "\#(Self.secret)-2"}"#.data(using: .utf16LittleEndian))
    let page = try await page(.post, .data(body, contentType: "application/json")) {
      $0.httpBody = body
      $0.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    let shown = page.html.replacing("\0", with: "") + page.json.description.replacing("\\u0000", with: "")
    #expect(!shown.contains(Self.secret) && page.html.contains("that are no text: application/json"))
    #expect(page.json["messages.curl"]?.string?.contains("…\(body.count) bytes…") == true)
  }

  @Test func `a body from a file is named, and not kept`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID().uuidString).txt")
    try Data("content".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let page = try await page(.post, .status(204)) { try $0.setFile(file, contentType: "text/plain") }
    #expect(page.json["messages.request.body.note"]?.string == "the file \(file.lastPathComponent)")
    #expect(page.json["messages.curl"]?.string?.hasSuffix("--data-binary '@\(file.path)'") == true)
    #expect(!page.html.contains("content<"))
  }

  @Test func `the stream of a request ends with the request`() async throws {
    let test = try InspectedClient()
    test.stub.on(.post, "/things", .status(204))
    // The closure that writes it runs once, before `post` returns; the test reads it after that.
    nonisolated(unsafe) weak var stream: InputStream?
    _ = try await test.client.post("things") { request in
      let made = InputStream(data: Data("content".utf8))
      (stream, request.httpBodyStream) = (made, made)
    }
    #expect(stream == nil)
    let messages = try #require(try test.browser.json("requests/1.json")["messages"])
    #expect(messages["request.body.note"]?.string == "a stream")
    #expect(messages["curl"]?.string?.hasSuffix("--data-binary @-") == true)
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
    let test = try InspectedClient()
    test.stub.on(.get, "/visitors", answer)
    _ = try? await Client.withClient(test.client) { try await Visitor.get() }
    #expect(try test.browser.get("requests/1").body.contains(expected))
  }

  @Test func `the answer to a failed request is shown`() async throws {
    let test = try InspectedClient()
    test.stub.on(.get, "/visitors", .json(["errors": ["name": "is taken"]], status: 422))
    await #expect(throws: RequestError.self) { try await Client.withClient(test.client) { try await Visitor.get() } }
    #expect(try test.browser.get("requests/1").body.contains("is taken"))
  }

  @Test func `messages of later requests take the place of earlier ones`() async throws {
    let test = try InspectedClient()
    test.stub.on(.get, "/big", .data(Data(repeating: 0x20, count: 1 << 20), contentType: "text/plain"))
    // 128 KiB of each are kept, and 16 MiB of all.
    for _ in 0..<130 { _ = try? await test.client.get("big") }
    #expect(try test.browser.json("requests/1.json")["messages"] == nil)
    #expect(try test.browser.get("requests/2").body.contains("are not kept"))
    #expect(try test.browser.json("requests/3.json")["messages"] != nil)
    #expect(try test.browser.json("requests.json")["requests"]?.array?.count == 130)
  }
}
