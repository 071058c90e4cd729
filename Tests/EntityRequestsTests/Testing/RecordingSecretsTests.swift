import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Which texts a recording keeps, and which it does not.
@Suite struct RecordingSecretsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")

  /// The entries of a file that is recorded.
  private func entries(
    _ stub: StubAdapter, _ redaction: RecordingRedaction = .standard, _ run: (Client) async throws -> Void
  ) async throws -> [JSONValue] {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Tests.swift").path
    try await RecordingAdapter.use("secrets", around: stub, mode: .record, redaction: redaction, file: file) {
      adapter in
      try await run(try Client(adapter: adapter, baseURL: "https://api.example.com/"))
    }
    let data = try Data(contentsOf: folder.appending(path: "Recordings/secrets.har"))
    return Array(try #require(try JSONValue(parsing: data)["log.entries"]?.array))
  }

  /// The response of a server, as the file has it.
  private func response(
    _ body: String, _ headers: HTTPHeaders = ["Content-Type": "application/json"],
    _ redaction: RecordingRedaction = .standard
  ) async throws -> (body: String, headers: [String]) {
    let stub = StubAdapter()
    stub.on(.get, "/a", .respond { _ in HTTPResponse(status: 200, headers: headers, body: Data(body.utf8)) })
    let found = try await entries(stub, redaction) { client in _ = try? await client.get("a") }
    let text = try #require(found.first?["response.content.text"]?.string)
    return (text, found.first?["response.headers"]?.array?.compactMap { $0["value"]?.string } ?? [])
  }

  @Test func `the attributes of a cookie are no secrets, and its value is a secret`() async throws {
    let found = try await response(
      #"{"createdAt":"2024-05-01T00:00:00Z","a":"HttpOnly","b":"see abcdefgh1234"}"#,
      [
        "Content-Type": "application/json",
        "Set-Cookie": #"s="abcdefgh1234"; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly"#,
      ])
    #expect(found.body == #"{"createdAt":"2024-05-01T00:00:00Z","a":"HttpOnly","b":"see REDACTED"}"#)
    #expect(found.headers == ["application/json", "REDACTED"])
  }

  @Test func `the values of sent cookies are secrets elsewhere`() async throws {
    let stub = StubAdapter().on(.get, "/**", .json(["a": "first-cookie", "b": "second-cookie"]))
    let found = try await entries(stub) { client in
      try await client.get("a") { try $0.setHeaders(["Cookie": "x=first-cookie; y=second-cookie"]) }
    }
    #expect(found.first?["response.content.text"]?.string == #"{"a":"REDACTED","b":"REDACTED"}"#)
  }

  @Test func `a link of several URLs stays whole`() async throws {
    let link = #"<https://x/u?page=2&access_token=abc>; rel="next", <https://u:p@x/u?token=d#e>; rel="last""#
    let found = try await response("{}", ["Content-Type": "application/json", "Link": link])
    #expect(
      found.headers.last
        == #"<https://x/u?page=2&access_token=REDACTED>; rel="next", <https://REDACTED@x/u?token=REDACTED#e>; rel="last""#
    )
  }

  @Test(arguments: [
    // All that is below a secret key.
    (#"{"tokens":["abc"],"n":1}"#, #"{"tokens":["REDACTED"],"n":1}"#),
    (#"{"credentials":{"value":"s3cr3t","pin":[12]}}"#, #"{"credentials":{"value":"REDACTED","pin":[0]}}"#),
    // Names in one word.
    (
      #"{"csrftoken":"a","phpsessid":"b","sig":"c","auth":"d"}"#,
      #"{"csrftoken":"REDACTED","phpsessid":"REDACTED","sig":"REDACTED","auth":"REDACTED"}"#
    ),
    // URLs that are signed.
    (#"{"url":"https:\/\/s3\/a?X-Amz-Signature=abc&x=1"}"#, #"{"url":"https://s3/a?X-Amz-Signature=REDACTED&x=1"}"#),
    (#"{"url":"https://x/cb#access_token=abc&x=1"}"#, #"{"url":"https://x/cb#access_token=REDACTED&x=1"}"#),
    // JSON that a parser refuses.
    ("\u{FEFF}{\"token\":\"abc\"}", "\u{FEFF}{\"token\":\"REDACTED\"}"),
    ("{\"token\":\"abc\"}\n{\"token\" : \"def\"}\n", "{\"token\":\"REDACTED\"}\n{\"token\" : \"REDACTED\"}\n"),
    (#"{"token":"abc","password":"de"#, #"{"token":"REDACTED","password":"REDACTED""#),
    // A secret that is written with escapes elsewhere.
    (
      #"{"token":"ab/cd+efgh","a":"x ab\/cd+efgh","b":"ab%2Fcd%2Befgh"}"#,
      #"{"token":"REDACTED","a":"x REDACTED","b":"REDACTED"}"#
    ),
  ])
  func `a secret of a body is not kept`(_ body: String, _ kept: String) async throws {
    #expect(try await response(body).body == kept)
  }

  @Test(arguments: [
    // A sign that begins no tag, a quote that no other one closes, and an end that is missing.
    ("<p>5 < 6 <password>abc</password></p>", "<p>5 < 6 <password>REDACTED</password></p>"),
    ("<p title=\"a>b</p><password>abc</password>", "<p title=\"a>b</p><password>REDACTED</password>"),
    ("<!-- <password>abc</password>", "<!-- <password>REDACTED</password>"),
    ("<p>\u{301}</p><password>\u{301}abc</password>", "<p>\u{301}</p><password>REDACTED</password>"),
    // An end without a beginning, and attributes without values.
    (
      "<a></b><input checked name='password' value='abc' x></a>",
      "<a></b><input checked name='password' value='REDACTED' x></a>"
    ),
  ])
  func `a secret of a broken text with tags is not kept`(_ body: String, _ kept: String) async throws {
    #expect(try await response(body, ["Content-Type": "text/html"]).body == kept)
  }

  @Test(arguments: [
    (
      #"{"code":"SplxlOBeZQQYbYS6WxSbIA1","key":"a1b2c3d4e5f6a7b8c9d0"}"#,
      #"{"code":"REDACTED","key":"a1b2c3d4e5f6a7b8c9d0"}"#
    ),
    (#"{"code":"invalid_grant"}"#, #"{"code":"invalid_grant"}"#),
    (#"{"next":"/a?key=a1b2c3d4e5f6a7b8c9d0"}"#, #"{"next":"/a?key=REDACTED"}"#),
    ("<code>http2.createSecureServer</code>", "<code>http2.createSecureServer</code>"),
  ])
  func `the value and the place of a name decide what it means`(_ body: String, _ kept: String) async throws {
    #expect(try await response(body).body == kept)
  }

  @Test func `a secret that is nested deep is not kept`() async throws {
    let (start, end) = (String(repeating: "[", count: 5000), String(repeating: "]", count: 5000))
    #expect(try await response(#"\#(start){"token":"abc"}\#(end)"#).body == #"\#(start){"token":"REDACTED"}\#(end)"#)
  }

  @Test(arguments: [
    #"{"token_type":"Bearer","usage":{"total_tokens":57,"max_tokens":[8]}}"#,
    #"{"session_expires_at":"2026-01-01","session_count":3,"nextPageToken":"abc","continuation_token":"d"}"#,
    #"{"hasPassword":true,"password":"","otp":null,"token":false,"hint":"a? b: x@y # z"}"#,
    #"{ "id" : 12345678901234567890.10, "a" : "\u00e9\/" , "big": 1E400 }"#, "12345678", #""text""#,
    #"see https://x.com, and write to ada@example.com"#, "",
  ])
  func `all other parts are kept as they were written`(_ body: String) async throws {
    #expect(try await response(body).body == body)
    #expect(try await response(body, ["Content-Type": "text/plain"]).body == body)
  }

  @Test func `a project names what is no secret`() async throws {
    let redaction = RecordingRedaction(except: ["Session", "user"])
    let found = try await response(
      #"{"session":{"id":7},"auth":{"user":"Ada","code":"x"}}"#, ["Content-Type": "a/json"], redaction)
    #expect(found.body == #"{"session":{"id":7},"auth":{"user":"Ada","code":"REDACTED"}}"#)
  }

  @Test func `a request keeps harmless header fields alone`() async throws {
    let stub = StubAdapter().on(.get, "/**", .json([]))
    let names = [
      "Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Master-Key", "DD-APPLICATION-KEY", "Fastly-Key", "X-Auth",
      "X-Whatever",
    ]
    let found = try await entries(stub) { client in
      try await client.get("a") { request in
        for name in names { try request.setHeaders([name: "hidden-\(name)"]) }
        try request.setHeaders(["Accept-Language": "nb"])
      }
    }
    let text = String(decoding: try #require(found.first?["request"]?.rawBytes), as: UTF8.self)
    #expect(!text.contains("hidden") && text.contains("X-Whatever") && text.contains("nb"))
  }

  @Test func `a recording keeps a server's challenge`() async throws {
    let challenge = #"Basic realm="example""#
    let found = try await response("{}", ["WWW-Authenticate": challenge, "Access-Control-Allow-Credentials": "true"])
    #expect(found.headers == [challenge, "true"])
  }

  @Test func `a secret of one interaction is a secret in all interactions`() async throws {
    let stub = StubAdapter()
    stub.on(.post, "/login", .json(["token": "abcdefgh1234"])).on(.get, "/**", .json([]))
    let found = try await entries(stub) { client in
      try await client.get("before/abcdefgh1234")
      try await client.post("login")
      try await client.get("after/abcdefgh1234")
    }
    #expect(
      found.compactMap { $0["request.url"]?.string?.split(separator: "/").suffix(2).joined(separator: "/") }
        == ["before/REDACTED", "api.example.com/login", "after/REDACTED"])
  }
}
