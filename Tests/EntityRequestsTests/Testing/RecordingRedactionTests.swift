import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// The secrets of an exchange are in no recording.
@Suite struct RecordingRedactionTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "redaction-\(UUID().uuidString)")

  /// A file that is recorded, and then replayed with other secrets.
  private func recorded(
    _ redaction: RecordingRedaction, _ stub: StubAdapter,
    secrets: (String, String) = ("hidden-one", "hidden-two"),
    _ run: (Client, String) async throws -> Void
  ) async throws -> String {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Tests.swift").path
    for (mode, secret) in [(RecordingAdapter.Mode.record, secrets.0), (.replay, secrets.1)] {
      try await RecordingAdapter.use("secret", around: stub, mode: mode, redaction: redaction, file: file) { adapter in
        try await run(try Client(adapter: adapter, baseURL: "https://api.example.com/"), secret)
      }
    }
    return try String(contentsOf: folder.appending(path: "Recordings/secret.har"), encoding: .utf8)
  }

  @Test func `no secret of a request is written`() async throws {
    let stub = StubAdapter()
    stub.on(.post, "/**", .json(["ok": true, "author": "Ada"]))
    let text = try await recorded(.standard, stub) { client, secret in
      for name in [
        "Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "Proxy-Authorization", "X-Amz-Security-Token",
        "X-CSRF-Token", "X-Client-Secret",
      ] {
        try await client.post("a") { try $0.setHeaders([name: "Bearer \(secret)"]) }
      }
      for name in ["access_token", "apiKey", "client%5Fsecret", "password", "X-Amz-Signature", "session_id"] {
        try await client.post("a?x=1&\(name)=\(secret)&y=2#z")
      }
      try await client.post("a") { try $0.setForm(["name": "ada", "password": secret]) }
      try await client.post("a") { try $0.setJSON(["user": ["name": "ada", "passwords": [["newPassword": secret]]]]) }
      try await client.post("a") {
        try $0.setMultipart(["title": "Oslo", "refresh_token": secret], [.data("f", Data("x".utf8))])
      }
      try await client.post("a") { $0.url = URL(string: "https://ada:\(secret)@api.example.com/a") }
    }
    #expect(!text.contains("hidden"))
    #expect(text.contains("REDACTED") && text.contains("Ada") && text.contains("Oslo") && text.contains("x=1"))
  }

  @Test func `no secret of a response is written`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/**",
      .respond { request in
        let token = request.query.first { $0.name == "token" }?.value ?? ""
        let body =
          #"{"id":12345678901234567890.10,"token_type":1,"refreshToken":"other-\#(token)","next":"/a?q=\#(token)"}"#
        return HTTPResponse(
          status: 200,
          headers: [
            "Content-Type": "application/json", "Set-Cookie": "s=other-\(token)", "Location": "/b?code=\(token)",
          ],
          body: Data(body.utf8))
      })
    let text = try await recorded(.standard, stub) { client, secret in
      let response = try await client.get("a", query: ["token": secret])
      #expect(response.json?["id"]?.lexeme == "12345678901234567890.10")
      #expect(response.headers["Location"]?.hasPrefix("/b?code=") == true)
    }
    #expect(!text.contains("hidden"))
    #expect(text.contains(#"\"next\":\"/a?q=REDACTED\""#))
  }

  @Test func `a project names its own secrets`() async throws {
    let stub = StubAdapter()
    stub.on(.post, "/**", .json([]))
    let redaction = RecordingRedaction(names: ["PIN"]) { $0.headers["X-Trace"] = nil }
    let text = try await recorded(redaction, stub) { client, secret in
      try await client.post("a", query: ["pin": secret]) {
        try $0.setHeaders(["X-Trace": secret])
        try $0.setJSON(["Pin": 4711_4711])
      }
    }
    #expect(!text.contains("hidden") && !text.contains("4711"))
  }

  @Test func `names that only look secret stay`() async throws {
    let stub = StubAdapter()
    stub.on(
      .post, "/**",
      .json(["author": "visible-1", "key": "visible-2", "secretary": "visible-3", "token_type": "visible-4"]))
    let text = try await recorded(.standard, stub, secrets: ("visible-5", "visible-5")) { client, shown in
      try await client.post("a", query: ["monkey": shown, "tokenizer": "visible-6"])
    }
    for number in 1...6 { #expect(text.contains("visible-\(number)")) }
  }
}
