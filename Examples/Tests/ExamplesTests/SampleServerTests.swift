import Foundation
import SampleServer
import Testing

@Suite("Sample server: users are created, read, changed and deleted")
struct SampleServerTests {
  @Test func `a user has all attributes and its address`() async throws {
    try await withServer { _, client in
      let answer = try await client.send("GET", "users/7")
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == "application/json")
      let user = answer.object
      #expect(user["id"] as? Int == 7)
      #expect(
        Set(user.keys) == [
          "id", "email", "first", "last", "age", "score", "active", "created_at", "bio", "address",
        ])
      let address = try #require(user["address"] as? [String: Any])
      #expect(Set(address.keys) == ["id", "street", "city", "state", "zip"])
      #expect((200...400).contains(answer.body.count))
    }
  }

  @Test func `all users come by ascending id, with or without the closing slash`() async throws {
    try await withServer { _, client in
      let all = try await client.send("GET", "users")
      #expect(all.ids == Array(1...25))
      #expect(all.headers["link"] == nil)
      #expect(all.headers["content-length"] == String(all.body.count))
      #expect(try await client.send("GET", "users/").body == all.body)
    }
  }

  @Test func `a created user gets the next id, a date and a location`() async throws {
    try await withServer { server, client in
      let body = #"{"id": 4, "email": "new@example.com", "last": "Zoë \"Z\" 😀", "address": {"city": "Bonn"}}"#
      let answer = try await client.send("POST", "users", body: body)
      #expect(answer.status == 201)
      #expect(answer.object["id"] as? Int == 26)
      #expect(answer.object["last"] as? String == "Zoë \"Z\" 😀")
      #expect((answer.object["created_at"] as? String)?.count == 20)
      #expect((answer.object["address"] as? [String: Any])?["id"] as? Int == 26)
      let location = try #require(answer.headers["location"])
      #expect(location == "\(client.url)users/26")
      #expect(try await client.send("GET", location).body == answer.body)
      #expect(try await client.send("GET", "users").ids == Array(1...26))
      #expect(server.userCount == 26)
    }
  }

  @Test func `PUT replaces the named fields, null clears, and the id stays`() async throws {
    try await withServer { _, client in
      let before = try await client.send("GET", "users/3").object
      let body = #"{"id": 99, "email": "a/b@example.com", "bio": null, "address": {"city": "Bonn"}}"#
      let answer = try await client.send("PUT", "users/3", body: body)
      #expect(answer.status == 200)
      #expect(answer.object["id"] as? Int == 3)
      #expect(answer.object["email"] as? String == "a/b@example.com")
      #expect(answer.object["bio"] is NSNull)
      #expect(answer.object["score"] as? Double == before["score"] as? Double)
      #expect((answer.object["address"] as? [String: Any])?.count == 1)
      #expect(try await client.send("GET", "users/3").body == answer.body)
      #expect(try await client.send("GET", "users").ids == Array(1...25))
    }
  }

  @Test func `PATCH merges the address too`() async throws {
    try await withServer { _, client in
      let before = try await client.send("GET", "users/3").object
      let body = #"{"age": null, "address": {"city": "Bonn"}}"#
      let answer = try await client.send("PATCH", "users/3", body: body, type: "application/merge-patch+json")
      #expect(answer.object["age"] is NSNull)
      #expect(answer.object["last"] as? String == before["last"] as? String)
      let address = try #require(answer.object["address"] as? [String: Any])
      #expect(address.count == 5)
      #expect(address["city"] as? String == "Bonn")
      #expect(address["zip"] as? String == (before["address"] as? [String: Any])?["zip"] as? String)
    }
  }

  @Test func `a deleted user is gone, and its id is not given again`() async throws {
    try await withServer(users: 3) { server, client in
      let answer = try await client.send("DELETE", "users/3")
      #expect(answer.status == 204)
      #expect(answer.body.isEmpty)
      #expect(try await client.send("GET", "users/3").status == 404)
      #expect(try await client.send("DELETE", "users/3").status == 404)
      #expect(try await client.send("PUT", "users/3", body: "{}").status == 404)
      #expect(try await client.send("POST", "users", body: "{}").object["id"] as? Int == 4)
      #expect(try await client.send("GET", "users").ids == [1, 2, 4])
      #expect(server.userCount == 3)
    }
  }

  @Test func `one id is one user, on every server and in every list`() async throws {
    try await withServer(users: 1_200) { _, large in
      try await withServer(users: 40) { _, small in
        let users = try await large.send("GET", "users").array
        for id in [1, 2, 17, 40] {
          let one = try await small.send("GET", "users/\(id)")
          #expect(try await large.send("GET", "users/\(id)").body == one.body)
          #expect(NSDictionary(dictionary: users[id - 1]) == NSDictionary(dictionary: one.object))
        }
        #expect(Set(users.compactMap { $0["email"] as? String }).count == 1_200)
        #expect(users.contains { ($0["last"] as? String) == "O\"Neil" })
      }
    }
  }

  @Test func `a stopped server starts again with its data`() async throws {
    let server = SampleServer(userCount: 2)
    let first = try await server.start()
    #expect(try await server.start() == first)
    _ = try await APIClient(url: first).send("DELETE", "users/1")
    await server.stop()
    await #expect(throws: (any Error).self) { try await APIClient(url: first).send("GET", "users") }
    let second = try await server.start()
    #expect(try await APIClient(url: second).send("GET", "users").ids == [2])
    await server.stop()
    await server.stop()
    #expect(try await server.start(on: UInt16(second.port ?? 0)) == second)
    #expect(try await APIClient(url: second).send("GET", "users").ids == [2])
    await server.stop()
  }

  @Test func `a request whose answer is held back is done`() async throws {
    try await withServer(users: 3) { server, client in
      let requests = server.holdAnswers()
      async let answer = client.send("DELETE", "users/2")
      for await request in requests.prefix(1) { #expect(request.path == "/users/2") }
      #expect(server.userCount == 2)
      server.releaseAnswers()
      let status = try await answer.status
      #expect(status == 204)
      #expect(try await client.send("GET", "users").ids == [1, 3])
    }
  }

  @Test func `a user is found by the whole e-mail address`() async throws {
    try await withServer { _, client in
      let email = try #require(try await client.send("GET", "users/3").object["email"] as? String)
      #expect(try await client.send("GET", "users?email=\(email)").ids == [3])
      #expect(try await client.send("GET", "users?email=\(email.dropFirst())").ids == [])
      #expect(try await client.send("GET", "users?email=").ids == [])
    }
  }
}
