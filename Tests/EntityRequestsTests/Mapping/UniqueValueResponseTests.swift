import EntityClient
import EntityTesting
import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

/// Unique values that a response moves from one object to another, whichever of them comes first.
@Suite(.client(entities: [Seat.self, HandSeat.self])) struct UniqueValueResponseTests {
  @Test func `two objects swap their values`() async throws {
    try await swap(Seat.self)
    try await swap(HandSeat.self)
  }

  private func swap<E: SeatEntity>(_ type: E.Type) async throws {
    try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"], ["id": 3, "code": "c"]])
    let swapped: JSONValue = [["id": 1, "code": "b"], ["id": 2, "code": "a"]]
    let response = try await E.upsert(from: swapped)
    #expect(response.counts.updated == 2)
    #expect(response.counts.unchanged == 0)
    #expect(try await E.codes() == [1: "b", 2: "a", 3: "c"])
    #expect(try await E.upsert(from: swapped).counts.updated == 0)
    // Handed over, the one that gets it first and last.
    try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": nil]])
    #expect(try await E.codes() == [1: "a", 2: nil, 3: "c"])
    try await E.upsert(from: [["id": 1, "code": nil], ["id": 3, "code": "a"]])
    #expect(try await E.codes() == [1: nil, 2: nil, 3: "a"])
  }

  @Test func `a new object has the value of an object that is deleted`() async throws {
    try await replace(Seat.self)
    try await replace(HandSeat.self)
  }

  private func replace<E: SeatEntity>(_ type: E.Type) async throws {
    try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"]])
    let said = try await E.upsert(from: [["id": 3, "code": "a"], ["id": 1, "deleted": true]])
    #expect(said.counts.inserted == 1)
    #expect(said.counts.deleted == 1)
    let lacked = try await E.upsert(from: [["id": 4, "code": "b"], ["id": 3]], options: .deleteMissing(in: E.all))
    #expect(lacked.counts.inserted == 1)
    #expect(lacked.counts.deleted == 1)
    #expect(try await E.codes() == [3: "a", 4: "b"])
  }

  @Test(arguments: [false, true])
  func `a deletion scope sees the value that moved`(isInMemory: Bool) async throws {
    try await scope(Seat.self, isInMemory)
    try await scope(HandSeat.self, isInMemory)
  }

  /// The scope is a condition on the value itself: the row that the value is taken from is within it all the same.
  private func scope<E: SeatEntity>(_ type: E.Type, _ isInMemory: Bool) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
    let store = try EntityStore(isInMemory ? .inMemory : .file(url), entities: [Seat.self, HandSeat.self])
    func codes() async throws -> [Int: String?] {
      try await store.read { context in
        Dictionary(uniqueKeysWithValues: try context.fetch(E.self).map { ($0.uid, $0.code) })
      }
    }
    let a = E.with("a")
    try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"]], in: store)
    let moved = try await E.upsert(from: [["id": 3, "code": "a"]], in: store, options: .deleteMissing(in: a))
    #expect(moved.counts.deleted == 1)
    #expect(try await codes() == [2: "b", 3: "a"])
    // The row that a value is handed over to is in the scope, and the one that has another value since is not.
    let handed = try await E.upsert(
      from: [["id": 2, "code": "a"], ["id": 3, "code": "b"]], in: store, options: .deleteMissing(in: a))
    #expect(handed.counts.deleted == 0)
    #expect(try await codes() == [2: "a", 3: "b"])
  }

  @Test func `two equal values at the end are refused at the later object`() async throws {
    try await refuse(Seat.self)
    try await refuse(HandSeat.self)
  }

  private func refuse<E: SeatEntity>(_ type: E.Type) async throws {
    try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"]])
    let error = try await requestError {
      try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "a"], ["id": 3, "code": "b"]])
    }
    let underlying = try #require(error.underlying as? StoreError)
    #expect(underlying.kind == .uniqueViolation)
    #expect(error.description.contains("Object 1 of the response can't be written: '\(E.entityName).code' is unique"))
    let rows = try await Client.current.store.read { context in
      try underlying.objects.compactMap { try EntityID<E>($0).flatMap { try context.object($0) }?.uid }
    }
    #expect(rows == [2, 1])
    #expect(try await E.codes() == [1: "a", 2: "b"])
  }

  @Test func `a page gives a value to an object, and its former holder comes with a later page`() async throws {
    try await giveByPages(Seat.self)
    try await giveByPages(HandSeat.self)
  }

  private func giveByPages<E: SeatEntity>(_ type: E.Type) async throws {
    try await E.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"]])
    let first = try await E.upsert(from: [["id": 2, "code": "a"], ["id": 3]])
    #expect(try await E.codes() == [1: nil, 2: "a", 3: nil])
    let change = try #require(first.skipped.first)
    #expect(first.skipped.total == 1)
    #expect(change.reason == .valueTaken)
    #expect(change.uid == "1")
    #expect(change.properties == ["code"])
    #expect(
      "\(change)" == "\(E.entityName) 1: code has no value any more, because the response gives it to another object")
    let second = try await E.upsert(from: [["id": 1, "code": "z"]])
    #expect(second.skipped.isEmpty)
    #expect(try await E.codes() == [1: "z", 2: "a", 3: nil])
    // Nobody comes with a later page where the object was deleted, and another one made in its place.
    try await E.upsert(from: [["id": 4, "code": "z"]])
    #expect(try await E.codes() == [1: nil, 2: "a", 3: nil, 4: "z"])
  }

  @Test func `observers hear of a value that is lost`() async throws {
    try await Seat.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"]])
    let store = try Client.current.store
    try await lose(store)
  }

  @MainActor private func lose(_ store: EntityStore) async throws {
    let seat = try #require(try store.main.fetch(Seat.self, uid: 1))
    let isTold = Told()
    withObservationTracking {
      _ = seat.code
    } onChange: {
      isTold.note()
    }
    try await Seat.upsert(from: [["id": 2, "code": "a"]])
    #expect(seat.code == nil)
    #expect(isTold.isTold)
    #expect(!seat.hasLocalEdits)
  }

  @Test func `an object keeps a value that it cannot be without`() async throws {
    let store = try EntityStore(.inMemory, entities: [Seat.self, NumberedSeat.self])
    try await NumberedSeat.upsert(from: [["id": 1, "number": 1], ["id": 2, "number": 2]], in: store)
    let needed = try await requestError { try await NumberedSeat.upsert(from: [["id": 2, "number": 1]], in: store) }
    #expect(needed.description.contains("declare it so, or upsert or delete the other object first"))
    let numbers = try await store.read { try $0.fetch(NumberedSeat.self).map(\.number) }
    #expect(numbers == [1, 2])
    // Nor does it lose one that was edited here.
    try await Seat.upsert(from: [["id": 1], ["id": 2]], in: store)
    try await store.background { try #require(try $0.fetch(Seat.self, uid: 1)).code = "mine" }
    let edited = try await requestError { try await Seat.upsert(from: [["id": 2, "code": "mine"]], in: store) }
    #expect(edited.description.contains("was edited here: give it another one, or drop the edit"))
    let codes = try await store.read { try $0.fetch(Seat.self).map(\.code) }
    #expect(codes == ["mine", nil])
  }

  @Test func `an edited column keeps its value`() async throws {
    try await Seat.upsert(from: [["id": 1, "code": "a"], ["id": 2, "code": "b"]])
    let store = try Client.current.store
    try await store.background { try #require(try $0.fetch(Seat.self, uid: 2)).code = "mine" }
    try await Seat.upsert(from: [["id": 1, "code": "b"], ["id": 2, "code": "a"]])
    #expect(try await Seat.codes() == [1: "b", 2: "mine"])
  }

  @Test func `responses agree with a dictionary`() async throws {
    try await randomized(Seat.self)
    try await randomized(HandSeat.self)
  }

  /// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
  private func randomized<E: SeatEntity>(_ type: E.Type) async throws {
    var (refused, taken) = (0, 0)
    await Seeds.each(10, sanitized: 10, E.entityName) { seed, _ in
      var random = SeededRandom(state: seed)
      var saved = try await E.codes()
      for _ in 0..<12 {
        var (response, model, answered, deletesMissing) = Self.response(&random, saved)
        let codes = answered.compactMap { model[$0] ?? nil }
        let isDistinct = Set(codes).count == codes.count
        // An object that the response does not speak of has no value that it gives to another one.
        for (uid, code) in model where !answered.contains(uid) && code.map(codes.contains) == true {
          model[uid] = .some(nil)
        }
        do {
          try await E.upsert(from: response, options: deletesMissing ? .deleteMissing(in: E.all) : [])
          #expect(isDistinct, "ENTITYCLIENT_SEED=\(seed): \(saved) \(response)")
          saved = model
          taken += 1
        } catch let error as RequestError {
          let kind = (error.underlying as? StoreError)?.kind
          #expect(kind == .uniqueViolation, "ENTITYCLIENT_SEED=\(seed): \(saved) \(response): \(error)")
          #expect(!isDistinct, "ENTITYCLIENT_SEED=\(seed): \(saved) \(response): \(error)")
          refused += 1
        }
        let rows = try await E.codes()
        try #require(rows == saved, "\(response)")
      }
    }
    // Both happen, but for a seed by itself.
    guard Seeds.one == nil else { return }
    #expect(refused > 0)
    #expect(taken > 0)
  }

  /// A response, and the rows after it was taken in.
  private static func response(
    _ random: inout SeededRandom, _ saved: [Int: String?]
  ) -> (response: JSONValue, model: [Int: String?], answered: Set<Int>, deletesMissing: Bool) {
    var model = saved
    let deletesMissing = Int.random(in: 0..<3, using: &random) == 0
    let known = saved.keys.sorted().filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    var codes = known.map { saved[$0] ?? nil }
    codes += ["a", "b", "c", "d", "e", "f", nil].shuffled(using: &random).prefix(2)
    codes.shuffle(using: &random)
    var objects: [JSONValue] = []
    var answered: Set<Int> = []
    let new = (0..<2).map { _ in Int.random(in: 1...12, using: &random) }.filter { !known.contains($0) }
    for (uid, code) in zip((known + Set(new).sorted()).shuffled(using: &random), codes) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        objects.append(["id": JSONValue(uid), "deleted": true])
        model[uid] = nil
      case 1:
        objects.append(["id": JSONValue(uid)])
        model[uid] = .some(saved[uid] ?? nil)
      default:
        objects.append(["id": JSONValue(uid), "code": code.map { JSONValue($0) } ?? .null])
        model[uid] = .some(code)
        answered.insert(uid)
      }
    }
    if deletesMissing {
      let named = Set(objects.compactMap { $0.object?["id"]?.int64.map { Int($0) } })
      model = model.filter { named.contains($0.key) }
    }
    return (JSONValue(objects), model, answered, deletesMissing)
  }
}

private final class Told: Sendable {
  private let flag = Mutex(false)

  var isTold: Bool { flag.withLock { $0 } }

  func note() { flag.withLock { $0 = true } }
}

protocol SeatEntity: RemoteEntity {
  var uid: Int { get }
  var code: String? { get }
  static func with(_ code: String) -> EntityQuery<Self>
}

extension SeatEntity {
  static func codes() async throws -> [Int: String?] {
    try await Client.current.store.read { context in
      Dictionary(uniqueKeysWithValues: try context.fetch(Self.self).map { ($0.uid, $0.code) })
    }
  }
}

@Entity final class Seat: SeatEntity {
  @UID @Key("id") var uid: Int
  @Unique var code: String?

  static func with(_ code: String) -> EntityQuery<Seat> { Seat.where { $0.code == code } }

  static var basePath: String { "seats" }
  static var deletionKey: String? { "deleted" }
}

@Entity final class NumberedSeat: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Unique var number: Int

  static var basePath: String { "numbered-seats" }
}

@Entity final class HandSeat: SeatEntity {
  @UID @Key("id") var uid: Int
  @Unique var code: String?

  static func with(_ code: String) -> EntityQuery<HandSeat> { HandSeat.where { $0.code == code } }

  static var basePath: String { "hand-seats" }
  static var deletionKey: String? { "deleted" }

  func update(with response: ResponseObject) throws { try response.assign("code", to: &code) }
}
