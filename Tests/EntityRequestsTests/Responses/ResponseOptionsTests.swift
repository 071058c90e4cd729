import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

extension ResponseOptions<User> {
  fileprivate static var wrapped: Self { [.envelope("data"), .parts([.list(Post.self, at: "posts")])] }
}

/// Options as values that are kept, joined and passed on.
@Suite(.sample) @MainActor struct ResponseOptionsTests {
  private let body: JSONValue = [
    "data": [["id": 1, "email": "server"]], "posts": [["id": 7]], "comments": [["id": 9, "post": 7]],
    "more": [["id": 2]],
  ]

  @Test func `response options that a project keeps are a value`() async throws {
    let response = try await User.upsert(from: body, options: .wrapped)
    #expect(response.ids.count == 1)
    #expect(response.ids(of: Post.self).count == 1)
  }

  @Test func `the later of two options of one kind counts, and parts add up`() async throws {
    let options: ResponseOptions<User> = [.wrapped, .envelope("more"), .parts([.list(Comment.self, at: "comments")])]
    let response = try await User.upsert(from: body, options: options)
    #expect(try response.objects.map(\.uid) == [2])
    #expect(response.ids(of: Post.self).count == 1)
    #expect(response.ids(of: Comment.self).count == 1)
  }

  @Test func `the rule for local edits is one of the options`() async throws {
    let user = try #require(try await User.upsert(from: ["id": 1, "email": "a"]).object)
    user.email = "mine"
    try await user.entityContext?.save()
    try await User.upsert(from: body, options: .wrapped)
    #expect(user.email == "mine")
    try await User.upsert(from: body, options: [.wrapped, .localEdits(.overwrite)])
    #expect(user.email == "server")
  }

  @Test func `missing objects are deleted only where an option says so`() async throws {
    try await User.upsert(from: [["id": 5]])
    #expect(try await User.upsert(from: body, options: .wrapped).counts.deleted == 0)
    #expect(try await User.upsert(from: body, options: [.wrapped, .deleteMissing(in: User.all)]).counts.deleted == 1)
  }

  @Test func `a body over a limit is refused`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([["id": 1, "address": ["id": 2]]]))
    let error = try await requestError { try await User.get(options: .limits(JSONLimits(depth: 2))) }
    #expect(error.kind == .parsing)
    #expect(try await User.get(options: .limits(JSONLimits(depth: 3))).ids.count == 1)
    #expect(try await User.get().ids.count == 1)
  }

  @Test func `a byte order mark is skipped by choice`() async throws {
    let data = Data("\u{FEFF}[{\"id\": 7}]".utf8)
    let error = try await requestError { try await User.upsert(from: data) }
    #expect(error.kind == .parsing)
    #expect(error.description.contains("byte order mark"))
    let response = try await User.upsert(from: data, options: .limits(JSONLimits(byteOrderMark: .skipped)))
    #expect(response.ids.count == 1)
  }

  @Test func `the depth is never more than the standard one`() async throws {
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    let data = Data(#"{"id": 1, "more": \#(deep)}"#.utf8)
    let error = try await requestError {
      try await User.upsert(from: data, options: .limits(JSONLimits(depth: .max)))
    }
    #expect(error.kind == .parsing)
  }
}
