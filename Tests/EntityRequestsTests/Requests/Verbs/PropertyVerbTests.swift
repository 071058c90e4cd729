import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Verbs on an object that are told which of its properties to send.
@Suite(.client(entities: sampleEntities + [Priced.self])) @MainActor struct PropertyVerbTests {
  private func user() async throws -> User {
    try #require(try await User.upsert(from: [["id": 42, "email": "a@x", "age": 7]]).object)
  }

  /// Its `code` and `filled` have one key, and both are edited to "5".
  private func priced() async throws -> Priced {
    let priced = try #require(try await Priced.upsert(from: ["id": 1, "price": 0]).object)
    priced.code = "5"
    priced.filled = "5"
    try StubAdapter.current.on(.put, "/priced/1", .json(["id": 1]))
    return priced
  }

  @Test func `the body is the JSON of the properties`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42]))
    user.email = "new"
    let response = try await user.put(\.email, \.age)
    #expect(response.ids == [user.entityID])
    let request = try #require(try StubAdapter.current.requests.first)
    #expect(request.body == Data(#"{"age":7,"email":"new"}"#.utf8))
    #expect(request.headers["Content-Type"] == "application/json")
    #expect(!user.hasChanges)
  }

  @Test func `only the named properties are acknowledged`() async throws {
    let priced = try await priced()
    try await priced.put(\.code)
    try #require(priced.entityContext).rollback()
    #expect(priced.code == "5")
    #expect(priced.filled == nil)
  }

  @Test func `a body made by hand is read for its keys`() async throws {
    let priced = try await priced()
    try await priced.put { try $0.setJSON(["code": "5"] as JSONValue) }
    try #require(priced.entityContext).rollback()
    #expect(priced.code == "5")
    #expect(priced.filled == "5")
  }

  @Test func `a body that the closure replaces is read for its keys`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42", .json(["id": 42]))
    user.email = "new"
    user.firstName = "Ada"
    try await user.patch(\.email) { try $0.setJSON(user.jsonObject(for: \.firstName)) }
    try #require(user.entityContext).rollback()
    #expect(user.email == "a@x")
    #expect(user.firstName == "Ada")
  }

  @Test func `an edit that the closure makes is not acknowledged`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42, "email": "sent"]))
    user.email = "sent"
    try await user.put(\.email) { _ in user.email = "later" }
    #expect(user.email == "later")
    #expect(user.hasChanges)
  }

  @Test func `the closure of a verb may change the rest of the request`() async throws {
    let priced = try await priced()
    try await priced.put(\.code) { try $0.setHeaders(["X-Trial": "1"]) }
    try #require(priced.entityContext).rollback()
    #expect(try StubAdapter.current.requests.first?.headers["X-Trial"] == "1")
    #expect(priced.code == "5")
    #expect(priced.filled == nil)
  }

  @Test func `a new object gets its uid from the answer`() async throws {
    let context = try Client.current.store.main
    let user = try context.insert(User.self)
    user.email = "a@x"
    try StubAdapter.current.on(.post, "/users", .json(["id": 7, "age": 3], status: 201))
    try await user.post(\.email)
    #expect(user.uid == 7)
    #expect(user.age == 3)
    #expect(!context.hasChanges)
  }

  @Test func `a list of properties made at run time is sent to another resource`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42/contact", .json(["id": 42]))
    user.email = "new"
    user.firstName = "Ada"
    let properties: [PartialKeyPath<User>] = [\.email]
    try await user.patch(properties, to: "42/contact")
    #expect(try StubAdapter.current.requests.first?.body == Data(#"{"email":"new"}"#.utf8))
    try #require(user.entityContext).rollback()
    #expect(user.email == "new")
    #expect(user.firstName == nil)
  }

  @Test func `a property that cannot be sent sends nothing`() async throws {
    let user = try await user()
    #expect(try await requestError { try await user.put(\.posts) }.kind == .invalidRequest)
    #expect(try StubAdapter.current.requests.isEmpty)
  }
}
