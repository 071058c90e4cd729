import EntityClient
import EntityTesting
import TestSchema
import Testing

// A server that leaves out what is empty: an entity that is mapped by declaration, and one by hand.

@Entity final class Chore: RemoteEntity {
  @UID @Key("id") var uid: Int
  var subject: String
  @Key("due") var dueDate: String?
  var points: Int = 3
  var note: String?
  @Key("assigned_to") var worker: Gardener?
  var helpers: [Gardener]
  @Relationship(inverse: \Chore.parent) var steps: [Chore]
  var parent: Chore?
  var box: Cover?

  static var basePath: String { "chores" }
  static var absentKeys: AbsentKeys<Chore> {
    .clear(\.dueDate, \.points, \.worker, \.helpers, \.steps, \.box)
  }
}

@Entity final class HandChore: RemoteEntity {
  @UID @Key("id") var uid: Int
  var subject: String
  @Key("due") var dueDate: String?
  var points: Int = 3
  var note: String?
  @Key("assigned_to") var worker: Gardener?
  var helpers: [Gardener]
  @Relationship(inverse: \HandChore.parent) var steps: [HandChore]
  var parent: HandChore?
  var box: Cover?

  static var basePath: String { "handchores" }
  static var absentKeys: AbsentKeys<HandChore> { .clearAll(besides: \.note, \.parent) }

  func update(with response: ResponseObject) throws {
    try response.assign("subject", to: &subject)
    try response.assign("due", to: &dueDate)
    try response.assign("points", to: &points)
    try response.assign("note", to: &note)
    try response.assign("assigned_to", to: &worker)
    try response.assign("helpers", to: &helpers)
    try response.assign("steps", to: &steps)
    try response.assign("parent", to: &parent)
    try response.assign("box", to: &box)
  }
}

/// Misspells a key.
@Entity final class Misread: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("subjct") var subject: String?
  var note: String?

  static var basePath: String { "misread" }
}

private protocol AnyChore: RemoteEntity {
  var uid: Int { get }
  var subject: String { get set }
  var dueDate: String? { get set }
  var points: Int { get set }
  var note: String? { get }
  var worker: Gardener? { get set }
  var helpers: [Gardener] { get }
  var stepUIDs: [Int] { get }
  var box: Cover? { get }
}

extension Chore: AnyChore { var stepUIDs: [Int] { steps.map(\.uid).sorted() } }
extension HandChore: AnyChore { var stepUIDs: [Int] { steps.map(\.uid).sorted() } }

/// The meaning of a key that an object lacks.
@Suite(.client(entities: [Chore.self, HandChore.self, Gardener.self, Cover.self, Misread.self]))
struct AbsentKeyTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private static let full: JSONValue = [
    "id": 1, "subject": "a", "due": "today", "points": 8, "note": "n", "assigned_to": ["id": 5, "name": "Ada"],
    "helpers": [["id": 6, "name": "Ben"]], "steps": [["id": 2, "subject": "b", "due": "soon"]],
    "box": ["color": "red"],
  ]

  private func text<E: AnyChore>(_ type: E.Type, _ uid: Int = 1) async throws -> String {
    try await store.read { context in
      guard let chore = try context.fetch(E.self, uid: uid) else { return "none" }
      return "\(chore.subject) \(chore.dueDate ?? "-") \(chore.points) \(chore.note ?? "-") \(chore.worker?.uid ?? 0) "
        + "\(chore.helpers.map(\.uid)) \(chore.stepUIDs) \(chore.box?.color ?? "-")"
    }
  }

  private func checkClearing<E: AnyChore>(_ type: E.Type) async throws {
    try await E.upsert(from: Self.full, in: store)
    #expect(try await text(type) == "a today 8 n 5 [6] [2] red")
    // An object that says no more than its uid, or that another one cuts short, says nothing of the rest.
    try await E.upsert(from: ["id": 1], in: store)
    let named = try await text(type)
    #expect(named == "a today 8 n 5 [6] [2] red")
    try await E.upsert(
      from: ["id": 3, "subject": "c", "steps": [["id": 2, "subject": "bb"]], "parent": ["id": 1, "subject": "aa"]],
      in: store)
    let moved = try await text(type)
    #expect(moved == "aa today 8 n 5 [6] [3] red")
    #expect(try await text(type, 2) == "bb soon 3 - 0 [] [] -")
    try await E.upsert(from: [["id": 1, "subject": "a"]], in: store)
    #expect(try await text(type) == "a - 3 n 0 [] [] -")
    #expect(try await store.read { try $0.count(Cover.all) } == 0)
    #expect(try await store.read { try $0.count(Gardener.all) } == 2)
    #expect(try await E.upsert(from: [["id": 1, "subject": "a"]], in: store).counts.rowsWritten == 0)
    // Null and an absent key are the same.
    try await E.upsert(from: Self.full, in: store)
    try await E.upsert(from: [["id": 1, "subject": "a", "assigned_to": nil]], in: store)
    #expect(try await text(type) == "a - 3 n 0 [] [] -")
  }

  @Test func `an absent key clears where the entity says so`() async throws {
    try await checkClearing(Chore.self)
    try await checkClearing(HandChore.self)
  }

  private func checkEdits<E: AnyChore>(_ type: E.Type) async throws {
    try await E.upsert(from: Self.full, in: store)
    try await store.background { context in
      let chore = try context.fetch(E.self, uid: 1)
      chore?.dueDate = "mine"
      chore?.worker = try context.fetch(Gardener.self, uid: 6)
    }
    let response = try await E.upsert(from: ["id": 1, "subject": "b"], in: store)
    #expect(try await text(type) == "b mine 3 n 6 [] [] -")
    #expect(response.skipped.first?.reason == .locallyEdited)
    try await E.upsert(from: ["id": 1, "subject": "b"], in: store, options: .localEdits(.overwrite))
    #expect(try await text(type) == "b - 3 n 0 [] [] -")
  }

  @Test func `an edit stays although its key is absent`() async throws {
    try await checkEdits(Chore.self)
    try await checkEdits(HandChore.self)
  }

  @Test func `the keys that no object had are reported`() async throws {
    let response = try await Misread.upsert(
      from: [["id": 1, "subject": "a"], ["id": 2, "subject": "b", "note": "n"]], in: store)
    #expect(response.absentKeys == ["subjct"])
    #expect(try await Misread.upsert(from: [], in: store).absentKeys == [])
    #expect(try await Misread.upsert(from: [["id": 1, "subjct": "a", "note": nil]], in: store).absentKeys == [])
    #expect(try await Chore.upsert(from: [Self.full], in: store).absentKeys == ["parent"])
  }
}
