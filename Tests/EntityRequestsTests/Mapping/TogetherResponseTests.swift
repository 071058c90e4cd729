import EntityClient
import EntityTesting
import TestSupport
import Testing

/// Values that are unique together, in responses.
@Suite(.client(entities: [Pier.self, Berth.self, HandBerth.self])) struct TogetherResponseTests {
  private static let list: JSONValue = [
    ["id": 1, "pier": 1, "number": 1], ["id": 2, "pier": 1, "number": 2], ["id": 3, "pier": 2, "number": 1],
  ]

  @Test func `objects of a response swap their values`() async throws {
    try await swap(Berth.self)
    try await swap(HandBerth.self)
  }

  private func swap<E: AnyBerth>(_ type: E.Type) async throws {
    try await E.upsert(from: Self.list)
    let response = try await E.upsert(from: [["id": 1, "number": 2], ["id": 2, "number": 1], ["id": 3, "pier": 3]])
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
      try await E.upsert(from: [["id": 3, "number": 4], ["id": 4, "pier": 9, "number": 3], ["id": 2, "number": 1]])
    }
    let underlying = try #require(error.underlying as? StoreError)
    #expect(underlying.kind == .uniqueViolation)
    #expect(
      error.description.contains(
        "Object 2 of the response can't be written: '\(E.entityName).pier', '\(E.entityName).number' are unique together"
      ),
      "\(error)")
    #expect(try await E.spots() == ["1: 1/1", "2: 1/2", "3: 2/1"])
    // Skipped, as any object that can't be taken in.
    let response = try await E.upsert(
      from: [["id": 3, "number": 4], ["id": 4, "pier": 9, "number": 3], ["id": 2, "number": 1]], options: .skipping)
    #expect(response.refused.map(\.position) == [2])
    #expect(try await E.spots() == ["1: 1/1", "2: 1/2", "3: 2/4", "4: 9/3"])
  }

  /// A pier is known by its uid alone before it comes: berths refer to it all the same.
  @Test func `placeholders are targets like any other`() async throws {
    try await Berth.upsert(from: Self.list)
    try await Pier.upsert(from: [["id": 1, "name": "north"]])
    let error = try await requestError { try await Berth.upsert(from: ["id": 5, "pier": 1, "number": 2]) }
    #expect((error.underlying as? StoreError)?.kind == .uniqueViolation)
    try await Berth.upsert(from: [["id": 5, "pier": 1, "number": 2], ["id": 2, "number": nil]])
    #expect(try await Berth.spots() == ["1: 1/1", "2: 1/0", "3: 2/1", "5: 1/2"])
  }
}

@Entity final class Pier: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "piers" }
}

protocol AnyBerth: RemoteEntity {
  var uid: Int { get }
  var number: Int? { get }
  var pier: Pier? { get }
}

extension AnyBerth {
  static func spots() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Self.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid): \($0.pier?.uid ?? 0)/\($0.number ?? 0)"
      }
    }
  }
}

@Entity final class Berth: AnyBerth {
  @UID @Key("id") var uid: Int
  var number: Int?
  var pier: Pier?

  static var basePath: String { "berths" }
  static var indexes: [EntityIndex<Berth>] { [.unique(\.pier, \.number)] }
}

@Entity final class HandBerth: AnyBerth {
  @UID @Key("id") var uid: Int
  var number: Int?
  var pier: Pier?

  static var basePath: String { "berths" }
  static var indexes: [EntityIndex<HandBerth>] { [.unique(\.pier, \.number)] }

  func update(with response: ResponseObject) throws {
    try response.assign("number", to: &number)
    try response.assign("pier", to: &pier)
  }
}
