import EntityClient
import EntityTesting
import Foundation
import Testing

@Entity final class Account: RemoteEntity {
  @UID @Key("id") var uid: Int
  var email: String?
  var age: Int

  static var basePath: String { "accounts" }
  static var envelope: Envelope? { Envelope(list: "accounts", item: "account") }
  static var requestRootKey: String? { "account" }
}

/// Objects that are sent under a key.
@Suite(.client(entities: [Account.self])) @MainActor struct RootKeyTests {
  private func account() async throws -> Account {
    try #require(try await Account.upsert(from: ["account": ["id": 1, "email": "a@x", "age": 7]]).object)
  }

  private func sent() throws -> String? {
    try StubAdapter.current.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `verbs with properties send the object under the key`() async throws {
    let account = try await account()
    account.email = "b@x"
    account.age = 8
    try StubAdapter.current.on(.put, "/accounts/1", .json(["account": ["id": 1]]))
    try await account.put(\.email)
    #expect(try sent() == #"{"account":{"email":"b@x"}}"#)
    // Exactly the sent edit is acknowledged.
    #expect(account.pendingColumns.names == ["age"])
    try StubAdapter.current.on(.patch, "/accounts/1", .json(["account": ["id": 1]]))
    try await account.patchPending()
    #expect(try sent() == #"{"account":{"age":8}}"#)
    #expect(account.pendingColumns.names.isEmpty)
    // The object alone, for bodies that are made by hand.
    #expect(try account.jsonObject(for: \.age).value == ["age": 8])
  }

  @Test func `a new object is posted under the root key`() async throws {
    let account = try Client.current.store.main.insert(Account.self)
    account.email = "n@x"
    try StubAdapter.current.on(.post, "/accounts", .json(["account": ["id": 9, "email": "n@x"]], status: 201))
    try await account.post(\.email)
    #expect(try sent() == #"{"account":{"email":"n@x"}}"#)
    #expect(account.uid == 9)
    #expect(!account.hasChanges)
  }
}
