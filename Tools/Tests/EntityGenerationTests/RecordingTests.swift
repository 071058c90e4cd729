import Foundation
import Testing

@testable import EntityGeneration

@Suite struct RecordingTests {
  private func har(_ entries: String) throws -> Generation {
    let root = try DocumentFiles.node(Data("{\"log\": {\"entries\": [\(entries)]}}".utf8), of: "a.har")
    let recording = try Recording(har: root, file: "a.har")
    return try Generation(recording.document, file: "a.har", folder: documents)
  }

  private func entry(_ method: String, _ url: String, _ answer: String, status: Int = 200, headers: String = "")
    -> String
  {
    let text = answer.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return """
      {"request": {"method": "\(method)", "url": "\(url)"},
       "response": {"status": \(status), "headers": [\(headers)], "content": {"mimeType": "application/json", "text": "\(text)"}}}
      """
  }

  @Test func `answers to one request make an entity of what all of them have`() throws {
    let scratch = try Scratch()
    try scratch.write(#"[{"id": 1, "name": "Ada", "born": "1815-12-10", "score": 1}]"#, to: "1.json")
    try scratch.write(
      #"[{"id": 2, "name": null, "born": "1906-12-09", "score": 1.5, "tags": ["a"], "seen": "2026-01-02T03:04:05Z"}]"#,
      to: "2.json")
    var options = Project.Options()
    options.sources = ["1.json", "2.json"].map { scratch.url.appending(path: $0).path(percentEncoded: false) }
    options.at = "GET:/people"
    #expect(try Project(scratch.url).run(.generate, options).statistics.entities == 1)
    let text = try scratch.text("Schema/Person.swift")
    for line in [
      "@UID @Key(\"id\") var uid: Int", "var name: String?", "@Transformed(by: DateOnly.self) var born: Date?",
      "var score: Double", "var tags: [String]", "var seen: Date?",
    ] {
      #expect(text.contains("  \(line)\n"), "\(text)")
    }
    // The next run knows the request.
    #expect(try Project(scratch.url).run(.diff, Project.Options()).changes == [])
  }

  @Test func `a HAR file becomes paths with parameters`() throws {
    let generation = try har(
      [
        entry(
          "GET", "https://api.studio.example/v2/users?page=1&per_page=20", #"{"data": [{"id": 7, "name": "Ada"}]}"#),
        entry("GET", "https://api.studio.example/v2/users/7", #"{"data": {"id": 7, "name": "Ada", "team_id": 3}}"#),
        entry("GET", "https://api.studio.example/v2/teams", #"{"data": [{"id": 3}]}"#),
        entry("GET", "https://cdn.example.com/other", #"[{"id": 1}]"#),
        entry("GET", "https://api.studio.example/v2/failed", #"[{"id": 1}]"#, status: 500),
      ].joined(separator: ","))
    #expect(generation.model.entities.map(\.name) == ["Team", "User"])
    #expect(generation.model.baseURL == "https://api.studio.example")
    #expect(try generation.lines("User").contains("@Key(\"team_id\") var team: Team?"))
    let requests = try generation.requests("User")
    #expect(requests.basePath == "v2/users")
    #expect(requests.calls.map(\.operation) == ["GET /v2/users", "GET /v2/users/{user_id}"])
    #expect(requests.calls[0].pagination == ".numbers(\"page\", size: perPage, \"per_page\")")
  }

  @Test func `an object under the name of a resource is one of its objects`() throws {
    let generation = try har(
      [
        entry("GET", "https://api.example.com/users", #"[{"id": 7, "name": "Ada"}]"#),
        entry(
          "GET", "https://api.example.com/statuses", #"[{"id": 1, "user": {"id": 7, "bio": "x"}, "place": {"id": 3}}]"#),
      ].joined(separator: ","))
    #expect(generation.model.entities.map(\.name) == ["Status", "StatusPlace", "User"])
    #expect(try generation.lines("User").dropFirst() == ["var name: String?", "var bio: String?"])
    #expect(try generation.lines("Status").dropFirst() == ["var user: User?", "var place: StatusPlace?"])
  }

  @Test func `no recorded value gets into a file`() throws {
    let answer =
      #"[{"id": "id-secret-0001", "email": "ada@secret.example", "by": {"ada@secret.example": 1, "eve@secret.example": 2}}]"#
    let generation = try har(
      entry("GET", "https://api.example.com/users", answer, headers: #"{"name": "Link", "value": "<u>; rel=\"next\""}"#)
    )
    let files = generation.files(source: "a.har", layout: Layout(package: "Demo"))
    #expect(files.count > 4)
    for file in files { #expect(!file.text.contains("secret"), "\(file.path)") }
    #expect(try generation.requests("User").calls[0].pagination == ".link")
    let named = try har(
      [
        entry("GET", "https://api.example.com/users/ada-secret", #"{"id": 1, "login": "ada-secret"}"#),
        entry("GET", "https://api.example.com/users/ada-secret/posts", #"[{"id": 1, "title": "x"}]"#),
        entry("GET", "https://api.example.com/users/eve%40secret.example/posts", #"[{"id": 1, "title": "x"}]"#),
      ].joined(separator: ","))
    for file in named.files(source: "a.har", layout: Layout(package: "Demo")) {
      #expect(!file.text.contains("secret"), "\(file.text)")
    }
    #expect(try generation.lines("User").contains("var by: JSONObject"))
  }

  @Test func `a recording of nothing gets a sentence`() throws {
    #expect { try har("") } throws: { "\($0)" == "a.har: None of the 0 requests has a successful response in JSON." }
    #expect { try Recording(har: ["log": 5], file: "a.har") } throws: {
      "\($0)" == "a.har: A HAR file has its requests at log.entries, and there are none."
    }
    #expect { try Recording(files: [], at: "users") } throws: {
      "\($0)" == "--at: 'users' is no method with a path, as in GET:/users or GET:/users/{id}."
    }
  }

  @Test(arguments: [
    ("/users/7/posts", "/users/{user_id}/posts"), ("/users/me", "/users/me"), ("/7", "/7"),
    ("/files/6f9619ff-8b86-d011-b42d-00cf4fc964ff", "/files/{file_id}"), ("/a/0123456789abcdef0123", "/a/{a_id}"),
  ])
  func `a path of a recording has its parameters`(path: String, template: String) {
    #expect(HARReader.template(path) == template)
  }
}
