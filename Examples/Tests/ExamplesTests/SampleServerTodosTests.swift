import Foundation
import SampleServer
import Testing

/// Todos, over Foundation's client.
@Suite("Sample server: todos") struct SampleServerTodosTests {
  @Test func `a change has the next version, and an older one is refused`() async throws {
    try await withServer { _, client in
      let all = try await client.send("GET", "todos").array
      #expect(all.count == 7)
      let last = try #require(all.compactMap { $0["version"] as? Int }.max())
      let changed = try await client.send("PATCH", "todos/1", body: #"{"title": "Buy oat milk", "id": 9}"#).object
      #expect(changed["id"] as? Int == 1)
      #expect(changed["title"] as? String == "Buy oat milk")
      #expect(changed["version"] as? Int == last + 1)
      #expect(
        try await client.send("PATCH", "todos/1", body: #"{"title": "Buy oat milk"}"#).object["version"] as? Int == last
          + 1)
      #expect(try await client.send("PATCH", "todos/99", body: "{}").status == 404)
      #expect(try await client.send("DELETE", "todos/1").status == 204)
      #expect(try await client.send("GET", "todos/1").status == 404)
      #expect(try await client.send("DELETE", "todos").headers["allow"] == "GET, HEAD, POST")
    }
  }

  @Test func `a title is there, and not too long`() async throws {
    try await withServer { _, client in
      for (body, message) in [
        (#"{"title": " "}"#, "A todo needs a title."), ("{}", "A todo needs a title."),
        (#"{"title": "\#(String(repeating: "x", count: 201))"}"#, "A title has at most 200 characters."),
      ] {
        let answer = try await client.send("POST", "todos", body: body)
        #expect(answer.status == 422)
        #expect((answer.object["error"] as? [String: Any])?["message"] as? String == message)
      }
      #expect(try await client.send("GET", "todos").array.count == 7)
    }
  }

  @Test func `a server that starts again has its todos, and leaves a file of another program alone`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "todos.json")
    let first = try SampleServer(todosIn: file)
    let client = APIClient(url: try await first.start())
    let id = try #require(try await client.send("POST", "todos", body: #"{"title": "Mend"}"#).object["id"] as? Int)
    await first.stop()
    let second = try SampleServer(todosIn: file)
    let again = APIClient(url: try await second.start())
    #expect(try await again.send("GET", "todos/\(id)").object["title"] as? String == "Mend")
    await second.stop()
    for text in [
      #"{"todos": {}, "deleted": {}, "created": {}, "version": 9223372036854775807, "lastID": 1}"#, "[]",
    ] {
      try Data(text.utf8).write(to: file)
      #expect { try SampleServer(todosIn: file) } throws: { "\($0)".contains("none that a sample server has written") }
    }
    #expect(try Data(contentsOf: file) == Data("[]".utf8))
  }
}
