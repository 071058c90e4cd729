import EntityClient
import EntityTesting
import Foundation
import Testing

struct GuestID: RawRepresentable, UIDValue {
  let rawValue: Int
  static let neutralValue = GuestID(rawValue: 0)
}

@Entity final class Guest: RemoteEntity {
  @UID @Key("id") var uid: GuestID
  var name: String
  var host: Guest?

  nonisolated static var basePath: String { "guests" }
}

/// A uid with a type of its own is the raw value in responses, paths and bodies.
@Suite(.client(entities: [Guest.self])) @MainActor struct TypedUIDTests {
  @Test func `a uid is read and sent as its raw value`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "guests", .json([["id": 7, "name": "Ada", "host": ["id": "8", "name": "Ben"]], ["id": 9, "host": 7]]))
    let guests = try await Guest.get().objects
    #expect(guests.map(\.uid.rawValue) == [7, 9])
    #expect(guests[0].host?.uid == GuestID(rawValue: 8))
    #expect(guests[1].host === guests[0])
    let main = try Client.current.store.main
    #expect(try main.fetch(Guest.self, uid: GuestID(rawValue: 8))?.name == "Ben")
    guests[0].name = "Eve"
    try await main.save()
    stub.on(.put, "guests/7", .json(["id": 7, "name": "Eve"]))
    try await guests[0].put { try $0.setJSON(guests[0].jsonObject(for: \.uid, \.name, \.host)) }
    #expect(stub.requests.last?.json?["host"]?.int == 8)
    #expect(stub.requests.last?.json?["id"]?.int == 7)
    #expect(try await Guest.upsert(from: ["id": "10", "name": "Joe"]).object?.uid == GuestID(rawValue: 10))
  }

  @Test func `a new object gets its uid from the answer`() async throws {
    let guest = Guest()
    guest.name = "Ada"
    try Client.current.store.main.insert(guest)
    try await Client.current.store.main.save()
    try StubAdapter.current.on(.post, "guests", .json(["id": 3, "name": "Ada"], status: 201))
    try await guest.post { try $0.setJSON(guest.jsonObject()) }
    #expect(guest.uid == GuestID(rawValue: 3))
  }
}
