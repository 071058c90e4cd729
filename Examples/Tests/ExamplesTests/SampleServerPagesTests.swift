import Foundation
import SampleServer
import Testing

@Suite("Sample server: pages")
struct SampleServerPagesTests {
  @Test func `pages link to their neighbours`() async throws {
    try await withServer { _, client in
      let base = "\(client.url)users?page="
      let middle = try await client.send("GET", "users?page=2&per_page=10")
      #expect(middle.ids == Array(11...20))
      #expect(middle.headers["x-total-count"] == "25")
      #expect(
        middle.headers["link"]
          == #"<\#(base)1&per_page=10>; rel="first", <\#(base)3&per_page=10>; rel="last", "#
          + #"<\#(base)1&per_page=10>; rel="prev", <\#(base)3&per_page=10>; rel="next""#)
      let last = try await client.send("GET", "users?page=3")
      #expect(last.ids == Array(21...25))
      #expect(last.headers["link"]?.contains(#"rel="next""#) == false)
      let beyond = try await client.send("GET", "users?page=4")
      #expect(beyond.status == 200)
      #expect(beyond.ids == [])
      #expect(try await client.send("GET", "users?per_page=4").ids == [1, 2, 3, 4])
    }
  }

  @Test func `pages together are the whole list, also after deletions and creations`() async throws {
    try await withServer { _, client in
      for id in [1, 2, 10, 11, 24, 25] {
        _ = try await client.send("DELETE", "users/\(id)")
      }
      _ = try await client.send("POST", "users", body: "{}")
      let all = try await client.send("GET", "users").ids
      #expect(all == Array(3...9) + Array(12...23) + [26])
      for size in [1, 3, 7, 20, 100] {
        var ids: [Int] = []
        for page in 1...(20 / size + 1) {
          ids += try await client.send("GET", "users?page=\(page)&per_page=\(size)").ids
        }
        #expect(ids == all, "\(size) on a page")
      }
    }
  }

  @Test func `no users make one empty page`() async throws {
    try await withServer(users: 0) { _, client in
      let answer = try await client.send("GET", "users?page=1")
      #expect(answer.ids == [])
      #expect(answer.headers["link"]?.contains("page=1&per_page=10>; rel=\"last\"") == true)
      #expect(String(decoding: try await client.send("GET", "users").body, as: UTF8.self) == "[]")
    }
  }

  @Test(arguments: ["page=0", "page=-1", "page=x", "page=", "per_page=0", "page=99999999999999999999"])
  func `a page that cannot be is refused`(query: String) async throws {
    try await withServer { _, client in
      let answer = try await client.send("GET", "users?\(query)")
      #expect(answer.status == 400)
      #expect(answer.errorCode == "invalid_parameter")
    }
  }

  @Test func `numbers at the end of their range do no harm`() async throws {
    try await withServer { _, client in
      _ = try await client.send("DELETE", "users/1")
      let most = Int.max
      #expect(try await client.send("GET", "users?page=\(most)&per_page=\(most)").array.isEmpty)
      #expect(try await client.send("GET", "users?page=\(most)&per_page=1").status == 200)
      #expect(try await client.send("GET", "users?page=1&per_page=\(most)").ids == Array(2...25))
      #expect(try await client.send("GET", "users/\(most)").status == 404)
    }
  }
}
