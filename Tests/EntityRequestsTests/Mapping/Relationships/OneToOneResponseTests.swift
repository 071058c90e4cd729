import EntityClient
import EntityTesting
import Testing

/// One-to-one relationships in responses and requests, by the side with the column and by the one without.
@Suite struct OneToOneResponseTests: GarageSuite {
  @Test func `the link of a response frees the former holder`() async throws {
    let store = try await garage()
    #expect(try await links(store) == [1, 0, 1, 0])
    _ = try await store.receive(Plate.self, ["id": 2, "owner": 1])
    #expect(try await links(store) == [2, 0, 0, 1])
    // Both in one response, the new holder first: the last word is that of the former one.
    _ = try await store.receive(Plate.self, [["id": 1, "owner": 1], ["id": 2, "owner": 2]])
    #expect(try await links(store) == [1, 2, 1, 2])
    _ = try await store.receive(Plate.self, [["id": 1, "owner": 2], ["id": 2, "owner": 1]])
    #expect(try await links(store) == [2, 1, 2, 1])
    #expect(try await store.receive(Plate.self, ["id": 1, "owner": 2]).counts.rowsWritten == 0)
    _ = try await store.receive(Plate.self, ["id": 1, "owner": nil])
    #expect(try await links(store) == [2, 0, 0, 1])
  }

  @Test func `the counterpart is an object, an id or nothing`() async throws {
    let store = try await garage()
    _ = try await store.receive(Owner.self, ["id": 1, "plate": ["id": 2, "text": "two"]])
    #expect(try await links(store) == [2, 0, 0, 1])
    #expect(try await store.read { try $0.fetch(Plate.self, uid: 2)?.text } == "two")
    _ = try await store.receive(Owner.self, ["id": 2, "plate": 2])
    #expect(try await links(store) == [0, 2, 0, 2])
    #expect(try await store.receive(Owner.self, ["id": 2, "plate": "2"]).counts.rowsWritten == 0)
    _ = try await store.receive(Owner.self, ["id": 2, "name": "no word of the plate"])
    #expect(try await links(store) == [0, 2, 0, 2])
    _ = try await store.receive(Owner.self, ["id": 2, "plate": nil])
    #expect(try await links(store) == [0, 0, 0, 0])
    // An id that is not known yet.
    _ = try await store.receive(Owner.self, ["id": 1, "plate": 7])
    _ = try await store.receive(Plate.self, ["id": 7, "text": "seven"])
    #expect(try await store.read { try $0.fetch(Owner.self, uid: 1)?.plate?.text } == "seven")
    let error = await #expect(throws: MappingError.self) {
      try await store.receive(Owner.self, ["id": 1, "plate": [["id": 2]]])
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("an object or an id was expected"))
  }

  @Test func `an update by hand sets a one-to-one link`() async throws {
    let store = try await garage()
    _ = try await store.receive(HandOwner.self, ["id": 1, "badge": ["id": 5]])
    _ = try await store.receive(HandOwner.self, ["id": 2, "badge": 5])
    let badges = try await store.read { try $0.fetch(HandOwner.all).map { $0.badge?.uid ?? 0 } }
    #expect(badges == [0, 5])
    _ = try await store.receive(HandOwner.self, ["id": 2, "badge": nil])
    #expect(try await store.read { try $0.fetch(Insignia.self, uid: 5)?.owner?.uid } == nil)
  }

  @Test func `a local edit stays`() async throws {
    let store = try await garage()
    try await store.background { context in
      try #require(try context.fetch(Owner.self, uid: 2)).plate = try context.fetch(Plate.self, uid: 1)
    }
    #expect(try await links(store) == [0, 1, 2, 0])
    let byOwner = try await store.receive(Owner.self, ["id": 1, "plate": 1]).skipped
    let byPlate = try await store.receive(Plate.self, ["id": 2, "owner": 2]).skipped
    #expect(try await links(store) == [0, 1, 2, 0])
    for (skipped, uid) in [(byOwner, "1"), (byPlate, "2")] {
      #expect(skipped.map(\.reason) == [.locallyEdited])
      #expect(skipped.map(\.uid) == [uid])
      #expect(skipped.map(\.properties) == [["owner"]])
    }
    _ = try await store.receive(Owner.self, ["id": 1, "plate": 1]) { $0.localEdits = .overwrite }
    #expect(try await links(store) == [1, 0, 1, 0])
  }

  @Test func `an object without uid stays the same row`() async throws {
    let store = try await garage()
    _ = try await store.receive(Owner.self, ["id": 1, "emblem": ["color": "red"]])
    let id = try await store.read { try $0.fetch(Owner.self, uid: 1)?.emblem?.entityID }
    _ = try await store.receive(Owner.self, ["id": 1, "emblem": ["color": "blue"]])
    let now = try await store.read { try $0.fetch(Owner.self, uid: 1)?.emblem.map { ($0.entityID, $0.color) } }
    #expect(now?.0 == id)
    #expect(now?.1 == "blue")
    _ = try await store.receive(Owner.self, ["id": 1, "emblem": nil])
    #expect(try await store.read { try $0.count(Emblem.all) } == 0)
  }

  @Test @MainActor func `a request can have the other side of the link`() async throws {
    let store = try await garage()
    let owner = try #require(try store.main.fetch(Owner.self, uid: 1))
    #expect(try owner.jsonObject(for: \.plate) == ["plate": 1])
    owner.plate = nil
    #expect(try owner.jsonObject(for: \.plate) == ["plate": nil])
    owner.emblem = try store.main.insert(Emblem.self)
    owner.emblem?.color = "red"
    #expect(try owner.jsonObject(for: \.emblem) == ["emblem": ["color": "red"]])
  }
}

@Entity final class Owner: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Plate.owner) var plate: Plate?
  @Relationship(inverse: \Emblem.owner, onDelete: .cascade) var emblem: Emblem?
  static var basePath: String { "owners/" }
}

@Entity final class Plate: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var owner: Owner?
  static var basePath: String { "plates/" }
}

@Entity final class Emblem {
  var color: String?
  var owner: Owner?
}

@Entity final class HandOwner: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Insignia.owner) var badge: Insignia?
  static var basePath: String { "hand-owners/" }

  func update(with response: ResponseObject) throws {
    badge = try response.upsert(Insignia.self, from: "badge")
  }
}

@Entity final class Insignia: RemoteEntity {
  @UID @Key("id") var uid: Int
  var owner: HandOwner?
  static var basePath: String { "badges/" }
}
