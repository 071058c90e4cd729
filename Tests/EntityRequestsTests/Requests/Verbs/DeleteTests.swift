import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

@Suite(
  .sample { stub in
    stub.on(.get, "/users", .json([["id": 1], ["id": 2]]))
  })
@MainActor struct DeleteTests {
  private func users() async throws -> [User] { try await User.get().objects }

  private func count() async throws -> Int { try await Client.current.store.read { try $0.count(User.all) } }

  @Test(arguments: [200, 204, 410]) func `a DELETE deletes the object's row`(_ status: Int) async throws {
    let user = try await users()[0]
    try StubAdapter.current.on(.delete, "/users/1", .status(status))
    let response = try await user.delete()
    #expect(response.counts.deleted == 1)
    #expect(response.counts.rowsWritten == 1)
    #expect(response.status == status)
    #expect(user.isDeleted)
    #expect(user.uid == 1)
    #expect(try await count() == 1)
  }

  @Test(arguments: [404, 401, 500, 302]) func `a DELETE that fails leaves the object`(_ status: Int) async throws {
    let user = try await users()[0]
    try StubAdapter.current.on(.delete, "/users/1", .status(status))
    let error = try await requestError { try await user.delete() }
    #expect(error.kind == .status)
    #expect(error.status == status)
    #expect(!user.isDeleted)
    #expect(try await count() == 2)
  }

  @Test func `not found means gone by choice`() async throws {
    let user = try await users()[0]
    try StubAdapter.current.on(.delete, "/users/*", .status(404))
    #expect(try await user.delete(deletesOn404: true).counts.deleted == 1)
    #expect(try await User.delete("2", deletesOn404: true).counts.deleted == 1)
    #expect(try await count() == 0)
  }

  @Test func `the answer's body is handed on and not mapped`() async throws {
    let user = try await users()[0]
    try StubAdapter.current.on(
      .delete, "/users/*", .json(["id": 1, "email": "back"]), .text("gone", contentType: "text/plain"))
    let response = try await user.delete()
    #expect(response.value?["email"] == "back")
    #expect(response.ids.isEmpty)
    #expect(try await User.delete("2").value == nil)
    #expect(try await count() == 0)
  }

  @Test func `a request that its closure makes a DELETE deletes the row`() async throws {
    let user = try await users()[0]
    try StubAdapter.current.on(.delete, "/users/1", .status(204))
    try await User.post("1") { $0.httpMethod = "DELETE" }
    #expect(user.isDeleted)
    #expect(try await count() == 1)
    let other = try #require(try Client.current.store.main.fetch(User.all).first)
    try StubAdapter.current.on(.delete, "/users/2", .status(204))
    try await other.patch { $0.httpMethod = "DELETE" }
    #expect(other.isDeleted)
    #expect(try await count() == 0)
  }

  @Test func `a DELETE of another resource leaves the row`() async throws {
    let user = try await users()[0]
    let stub = try StubAdapter.current
    stub.on(.delete, "/users/1/avatar", .status(204)).on(.delete, "/users", .status(204)).on(
      .delete, "/1", .status(204))
    #expect(try await user.delete("1/avatar").counts.deleted == 0)
    #expect(try await User.delete("1/avatar").counts.deleted == 0)
    #expect(try await User.delete(allowing: .collection).counts.deleted == 0)
    #expect(try await User.delete("/1").counts.deleted == 0)
    #expect(
      try await user.delete { $0.url = URL(string: "https://api.example.com/users/1/avatar") }.counts.deleted == 0)
    #expect(try await count() == 2)
  }

  @Test func `a DELETE of a uid on the type deletes that object`() async throws {
    let users = try await users()
    let stub = try StubAdapter.current
    stub.on(.delete, "/users/*", .status(204))
    #expect(try await User.delete("2").counts.deleted == 1)
    #expect(users[1].isDeleted)
    #expect(!users[0].isDeleted)
    #expect(try await User.delete("99").counts.deleted == 0)
    #expect(try await User.delete("01").counts.deleted == 0)
    #expect(try await User.delete("export").counts.deleted == 0)
    #expect(try await User.delete("1?soft=true").counts.deleted == 1)
    #expect(try await count() == 0)
  }

  @Test func `uids of text are found too`() async throws {
    try await Specimen.upsert(from: [["id": "a/b c"], ["id": "é"]])
    try StubAdapter.current.on(.delete, "/specimens/*", .status(204))
    #expect(try await Specimen.delete("a%2Fb%20c").counts.deleted == 1)
    #expect(try await Specimen.delete("é").counts.deleted == 1)
  }

  @Test func `a DELETE deletes related objects by the delete rules`() async throws {
    let user = try await users()[0]
    try await Post.upsert(from: [["id": 1, "author": 1], ["id": 2, "author": 1]])
    try StubAdapter.current.on(.delete, "/users/1", .status(204))
    let response = try await user.delete()
    #expect(response.counts.deleted == 1)
    #expect(try await Client.current.store.read { try $0.count(Post.all) } == 0)
  }
}
