import EntityClient
import EntityTesting
import Foundation
import Testing

/// An address without an id of its own lives in its user, as in *First steps*: each sync finds it there again.
@Suite(.client(entities: [Customer.self, Home.self])) struct EmbeddedAddressTests {
  private let response: JSONValue = [["id": 1, "email": "ada@example.com", "home": ["city": "London"]]]

  @Test func `the second sync leaves one address`() async throws {
    let store = try Client.current.store
    #expect(try await Customer.upsert(from: response).counts.inserted == 1)
    let first = try await store.read { try $0.fetch(Home.all).map(\.entityID) }
    #expect(try await Customer.upsert(from: response).counts.rowsWritten == 0)
    #expect(first.count == 1)
    #expect(try await store.read { try $0.fetch(Home.all).map(\.entityID) } == first)
    try await Customer.upsert(from: [["id": 1, "home": ["city": "Oslo"]]])
    #expect(try await store.read { try $0.fetch(Home.all).map(\.city) } == ["Oslo"])
    try await Customer.upsert(from: [["id": 1, "home": nil]])
    #expect(try await store.read { try $0.count(Home.all) } == 0)
  }
}

@Entity final class Customer {
  @UID @Key("id") var uid: Int
  var email: String?
  var home: Home?
}

@Entity final class Home {
  var city: String?
}

extension Customer: RemoteEntity {
  static var basePath: String { "customers/" }
  func update(with response: ResponseObject) throws {
    try response.assign("email", to: &email)
    try response.assign("home", to: &home)
  }
}
