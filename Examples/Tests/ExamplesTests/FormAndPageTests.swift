import Adapters
import EntityClient
import Foundation
import SampleSchema
import SampleServer
import Testing

/// Forms and pages over libcurl and a real server.
@Suite struct FormAndPageTests {
  private func client(_ server: SampleServer) async throws -> Client {
    try Client(
      adapter: CurlAdapter(),
      store: EntityStore(.inMemory, entities: sampleEntities), baseURL: await server.start())
  }

  @Test @MainActor func `a form is sent and acknowledged`() async throws {
    let server = SampleServer(userCount: 3)
    let client = try await client(server)
    try await Client.withClient(client) {
      let user = try #require(try await User.get("2").object)
      user.email = "a+b&c=d ü@example.com"
      user.age = 33
      user.active.toggle()
      user.bio = nil
      let expected = user.active
      try await user.put { try $0.setForm(user.jsonObject(for: \.email, \.age, \.active, \.bio)) }
      #expect(!user.hasChanges)
      #expect(server.log.last?.headers["content-type"] == "application/x-www-form-urlencoded")
      // The server has the value with its type: nothing changes with a fresh answer.
      #expect(try await user.get(options: .localEdits(.overwrite)).counts.rowsWritten == 0)
      #expect(user.email == "a+b&c=d ü@example.com")
      #expect(user.age == 33)
      #expect(user.active == expected)
      #expect(user.bio == nil)
      try await User.patch("2") { try $0.setForm(["address": ["city": "Oslo"]] as [String: [String: String]]) }
      #expect(user.address?.city == "Oslo")
      #expect(user.address?.street != nil)
    }
    await server.stop()
  }

  @Test func `pages travel by their links`() async throws {
    let server = SampleServer(userCount: 1_050)
    let client = try await client(server)
    try await Client.withClient(client) {
      try await User.upsert(from: [["id": 5_000]])
      var sizes: [Int] = []
      for try await page in User.pages(
        query: ["page": 1, "per_page": 500], by: .link, options: .deleteMissing(in: User.all))
      {
        sizes.append(page.ids.count)
      }
      #expect(sizes == [500, 500, 50])
      #expect(try await client.store.read { try $0.count(User.all) } == 1_050)
      let again = try await User.pages(by: .numbers(size: 400, total: .header("X-Total-Count"))).all()
      #expect(again.pages == 3)
      #expect(again.ids.count == 1_050)
      #expect(again.counts.rowsWritten == 0)
    }
    await server.stop()
  }
}
