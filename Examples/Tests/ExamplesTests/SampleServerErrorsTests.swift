import Foundation
import SampleServer
import Testing

@Suite("Sample server: errors, authorization and the log")
struct SampleServerErrorsTests {
  @Test(arguments: [
    "users/26", "users/0", "users/-1", "users/007", "users/+7", "users/x", "users/1/posts", "posts/51",
    "posts/0/comments", "things", "/",
  ])
  func `an unknown path or id is 404`(path: String) async throws {
    try await withServer { _, client in
      let answer = try await client.send("GET", path)
      #expect(answer.status == 404)
      #expect(answer.errorCode == "not_found")
      #expect(answer.headers["content-type"] == "application/json")
    }
  }

  @Test(arguments: ["", "{", "{\"email\": }", "{\"email\": \"\\x\"}", "{} {}", "\u{FEFF}[", "nul"])
  func `a malformed body is refused and changes nothing`(body: String) async throws {
    try await withServer { server, client in
      for (method, path) in [("POST", "users"), ("PUT", "users/1"), ("PATCH", "users/1")] {
        let answer = try await client.send(method, path, body: body)
        #expect(answer.status == 400)
        #expect(answer.errorCode == "malformed_json")
      }
      #expect(server.userCount == 25)
    }
  }

  @Test func `a body of another shape or type is refused`() async throws {
    try await withServer { _, client in
      #expect(try await client.send("POST", "users", body: "[1]").errorCode == "invalid_body")
      #expect(try await client.send("POST", "users", body: "null").errorCode == "invalid_body")
      let deep = String(repeating: "[", count: 100_000)
      #expect(try await client.send("POST", "users", body: #"{"a":\#(deep)"#).status == 400)
      let plain = try await client.send("PUT", "users/1", body: "{}", type: "text/plain")
      #expect(plain.status == 415)
      #expect(plain.errorCode == "unsupported_media_type")
      #expect(
        try await client.send("PUT", "users/1", body: "{}", type: "application/json; charset=utf-8").status == 200)
    }
  }

  @Test func `an e-mail address without an @ is refused`() async throws {
    try await withServer { server, client in
      for (method, path) in [("POST", "users"), ("PUT", "users/1"), ("PATCH", "users/1")] {
        let answer = try await client.send(method, path, body: #"{"email": "ada.example.com"}"#)
        #expect(answer.status == 422)
        #expect(answer.errorCode == "invalid_email")
      }
      #expect(server.userCount == 25)
      #expect(try await client.send("PATCH", "users/1", body: #"{"email": null}"#).status == 200)
    }
  }

  @Test func `a body over the limit is refused, and the connection goes on`() async throws {
    try await withServer { _, client in
      let body = #"{"bio": "\#(String(repeating: "x", count: 9_000_000))"}"#
      let answer = try await client.send("POST", "users", body: body)
      #expect(answer.status == 413)
      #expect(try await client.send("GET", "users/1").status == 200)
    }
  }

  @Test func `a method that is not there names those that are`() async throws {
    try await withServer { _, client in
      for (method, path, allowed) in [
        ("DELETE", "users", "GET, HEAD, POST"), ("POST", "users/1", "GET, HEAD, PUT, PATCH, DELETE"),
        ("DELETE", "health", "GET, HEAD"),
      ] {
        let answer = try await client.send(method, path)
        #expect(answer.status == 405)
        #expect(answer.errorCode == "method_not_allowed")
        #expect(answer.headers["allow"] == allowed)
      }
    }
  }

  @Test func `HEAD answers the headers of GET alone`() async throws {
    try await withServer { _, client in
      let get = try await client.send("GET", "users/1")
      let head = try await client.send("HEAD", "users/1")
      #expect(head.status == 200)
      #expect(head.body.isEmpty)
      #expect(head.headers["content-length"] == String(get.body.count))
      #expect(try await client.send("HEAD", "users/99").status == 404)
    }
  }

  @Test func `a configured token is required, but for the health check`() async throws {
    try await withServer(token: "secret") { server, client in
      #expect(try await client.send("GET", "users/1").status == 200)
      for wrong in [nil, "", "secre", "secret2"] {
        let other = APIClient(url: client.url, token: wrong)
        let answer = try await other.send("DELETE", "users/1")
        #expect(answer.status == 401)
        #expect(answer.errorCode == "unauthorized")
        #expect(answer.headers["www-authenticate"] == "Bearer")
        #expect(try await other.send("GET", "health").object["status"] as? String == "ok")
      }
      #expect(server.userCount == 25)
    }
  }

  @Test func `the log counts requests and keeps the last one`() async throws {
    try await withServer(token: "secret") { server, client in
      _ = try await client.send("GET", "users?page=2")
      _ = try await client.send("GET", "users")
      _ = try await client.send("PUT", "users/5", body: #"{"age": 1}"#)
      #expect(server.log.count("GET", "/users") == 2)
      #expect(server.log.counts == ["GET /users": 2, "PUT /users/5": 1])
      #expect(server.log.total == 3)
      let last = try #require(server.log.last)
      #expect(last.path == "/users/5")
      #expect(last.headers["authorization"] == "Bearer secret")
      #expect(last.headers["content-type"] == "application/json")
      #expect(String(decoding: last.body, as: UTF8.self) == #"{"age": 1}"#)
      server.resetLog()
      #expect(server.log.total == 0)
      #expect(server.log.last == nil)
    }
  }

  @Test func `concurrent changes are all kept`() async throws {
    try await withServer(users: 0) { server, client in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<50 {
          group.addTask {
            let answer = try await client.send("POST", "users", body: #"{"age": \#(number)}"#)
            return answer.object["id"] as? Int ?? 0
          }
        }
        var ids: [Int] = []
        for try await id in group { ids.append(id) }
        #expect(ids.sorted() == Array(1...50))
      }
      #expect(server.userCount == 50)
    }
  }
}
