import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Verbs on an object that are told which of its properties to send.
@Suite(.client(entities: sampleEntities + [Price.self])) @MainActor struct PropertyVerbTests {
  private func user() async throws -> User {
    try #require(try await User.upsert(from: [["id": 42, "email": "a@x", "age": 7]]).object)
  }

  private func price() async throws -> Price {
    let price = try #require(try await Price.upsert(from: ["id": 1, "value": "0"]).object)
    price.gross = "5"
    price.net = "5"
    return price
  }

  @Test func theBodyIsTheJSONOfTheProperties() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42]))
    user.email = "new"
    let response = try await user.put(\.email, \.age)
    #expect(response.ids == [user.entityID])
    let request = try #require(StubAdapter.current.requests.first)
    #expect(request.body == Data(#"{"age":7,"email":"new"}"#.utf8))
    #expect(request.headers["Content-Type"] == "application/json")
    #expect(!user.hasChanges)
  }

  @Test func onlyTheNamedPropertiesAreAcknowledged() async throws {
    let price = try await price()
    try StubAdapter.current.on(.put, "/prices/1", .json(["id": 1]))
    // Both have the key "value", and the value that is sent.
    try await price.put(\.gross)
    try #require(price.entityContext).rollback()
    #expect(price.gross == "5")
    #expect(price.net == "0")
  }

  @Test func aBodyMadeByHandIsReadForItsKeys() async throws {
    let price = try await price()
    try StubAdapter.current.on(.put, "/prices/1", .json(["id": 1]))
    try await price.put { try $0.setJSON(["value": "5"] as JSONValue) }
    try #require(price.entityContext).rollback()
    #expect(price.gross == "5")
    #expect(price.net == "5")
  }

  @Test func aBodyThatTheClosureReplacesIsReadForItsKeys() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42", .json(["id": 42]))
    user.email = "new"
    user.firstName = "Ada"
    try await user.patch(\.email) { try $0.setJSON(user.jsonObject(for: \.firstName)) }
    try #require(user.entityContext).rollback()
    #expect(user.email == "a@x")
    #expect(user.firstName == "Ada")
  }

  @Test func anEditThatTheClosureMakesIsNotAcknowledged() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42, "email": "sent"]))
    user.email = "sent"
    try await user.put(\.email) { _ in user.email = "later" }
    #expect(user.email == "later")
    #expect(user.hasChanges)
  }

  @Test func theClosureMayChangeTheRest() async throws {
    let price = try await price()
    try StubAdapter.current.on(.put, "/prices/1", .json(["id": 1]))
    try await price.put(\.gross) { try $0.setHeaders(["X-Trial": "1"]) }
    try #require(price.entityContext).rollback()
    #expect(StubAdapter.current.requests.first?.headers["X-Trial"] == "1")
    #expect(price.gross == "5")
    #expect(price.net == "0")
  }

  @Test func aNewObjectGetsItsUIDFromTheAnswer() async throws {
    let context = try Client.current.store.main
    let user = try context.insert(User.self)
    user.email = "a@x"
    try StubAdapter.current.on(.post, "/users", .json(["id": 7, "age": 3], status: 201))
    try await user.post(\.email)
    #expect(user.uid == 7)
    #expect(user.age == 3)
    #expect(!context.hasChanges)
  }

  @Test func aListMadeAtRunTimeIsSentToAnotherResource() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42/contact", .json(["id": 42]))
    user.email = "new"
    user.firstName = "Ada"
    let properties: [PartialKeyPath<User>] = [\.email]
    try await user.patch(properties, to: "42/contact")
    #expect(StubAdapter.current.requests.first?.body == Data(#"{"email":"new"}"#.utf8))
    try #require(user.entityContext).rollback()
    #expect(user.email == "new")
    #expect(user.firstName == nil)
  }

  @Test func aPropertyThatCannotBeSentSendsNothing() async throws {
    let user = try await user()
    #expect(try await requestError { try await user.put(\.posts) }.kind == .invalidRequest)
    #expect(StubAdapter.current.requests.isEmpty)
  }
}

@Entity final class Price {
  @UID @Key("id") var uid: Int
  @Key("value") var gross: String?
  @Key("value") var net: String?
}

extension Price: RemoteEntity {
  static var basePath: String { "prices" }
}
