import EntityClient
import EntityTesting
import TestSchema
import TestSupport
import Testing

/// Values that are unique together, in responses.
@Suite(.client(entities: [Gardener.self, Berth.self, HandBerth.self])) struct TogetherResponseTests {
  private static let list: JSONValue = [
    ["id": 1, "owner": 1, "number": 1], ["id": 2, "owner": 1, "number": 2], ["id": 3, "owner": 2, "number": 1],
  ]

  @Test func `objects of a response swap their values`() async throws {
    try await swap(Berth.self)
    try await swap(HandBerth.self)
  }

  private func swap<E: AnyBerth>(_ type: E.Type) async throws {
    try await E.upsert(from: Self.list)
    let response = try await E.upsert(from: [["id": 1, "number": 2], ["id": 2, "number": 1], ["id": 3, "owner": 3]])
    #expect(response.counts.updated == 3)
    #expect(try await E.spots() == ["1: 1/2", "2: 1/1", "3: 3/1"])
  }

  @Test func `two objects alike are refused at the later object`() async throws {
    try await refuse(Berth.self)
    try await refuse(HandBerth.self)
  }

  private func refuse<E: AnyBerth>(_ type: E.Type) async throws {
    try await E.upsert(from: Self.list)
    let error = try await requestError {
      try await E.upsert(from: [["id": 3, "number": 4], ["id": 4, "owner": 9, "number": 3], ["id": 2, "number": 1]])
    }
    let underlying = try #require(error.underlying as? StoreError)
    #expect(underlying.kind == .uniqueViolation)
    #expect(
      error.description.contains(
        "Object 2 of the response can't be written: '\(E.entityName).owner', '\(E.entityName).number' are unique together"
      ),
      "\(error)")
    #expect(try await E.spots() == ["1: 1/1", "2: 1/2", "3: 2/1"])
    // Skipped, as any object that can't be taken in.
    let response = try await E.upsert(
      from: [["id": 3, "number": 4], ["id": 4, "owner": 9, "number": 3], ["id": 2, "number": 1]], options: .skipping)
    #expect(response.refused.map(\.position) == [2])
    #expect(try await E.spots() == ["1: 1/1", "2: 1/2", "3: 2/4", "4: 9/3"])
  }

  /// An owner is known by its uid alone before it comes: berths refer to it all the same.
  @Test func `placeholders are targets like any other`() async throws {
    try await Berth.upsert(from: Self.list)
    try await Gardener.upsert(from: [["id": 1, "name": "Ada"]])
    let error = try await requestError { try await Berth.upsert(from: ["id": 5, "owner": 1, "number": 2]) }
    #expect((error.underlying as? StoreError)?.kind == .uniqueViolation)
    try await Berth.upsert(from: [["id": 5, "owner": 1, "number": 2], ["id": 2, "number": nil]])
    #expect(try await Berth.spots() == ["1: 1/1", "2: 1/0", "3: 2/1", "5: 1/2"])
  }
}

protocol AnyBerth: RemoteEntity {
  var uid: Int { get }
  var number: Int? { get }
  var owner: Gardener? { get }
}

extension AnyBerth {
  static func spots() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Self.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid): \($0.owner?.uid ?? 0)/\($0.number ?? 0)"
      }
    }
  }
}

@Entity final class Berth: AnyBerth {
  @UID @Key("id") var uid: Int
  var number: Int?
  var owner: Gardener?

  static var basePath: String { "berths" }
  static var indexes: [EntityIndex<Berth>] { [.unique(\.owner, \.number)] }
}

@Entity final class HandBerth: AnyBerth {
  @UID @Key("id") var uid: Int
  var number: Int?
  var owner: Gardener?

  static var basePath: String { "berths" }
  static var indexes: [EntityIndex<HandBerth>] { [.unique(\.owner, \.number)] }

  func update(with response: ResponseObject) throws {
    try response.assign("number", to: &number)
    try response.assign("owner", to: &owner)
  }
}
