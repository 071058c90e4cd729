import EntityClient
import EntityTesting
import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import EntityRequests

/// Responses that have an object several times and contradict themselves. The second time they change nothing.
@Suite struct RepeatedObjectTests {
  /// Takes a text in twice, and checks that the second time writes nothing and makes no commit.
  private func checkTwice<E: RemoteEntity>(
    _ type: E.Type, _ value: JSONValue, in store: EntityStore, _ change: (inout ResponseUpsert<E>) -> Void = { _ in }
  ) async throws {
    do {
      _ = try await store.receive(E.self, value, change)
    } catch is StoreError {
      // Two objects are left with one unique value.
      return
    }
    let generation = try await store.generation()
    let counts = try await store.receive(E.self, value, change).counts
    #expect(counts.rowsWritten == 0, "\(E.self) \(value)")
    #expect(counts.updated == 0 && counts.inserted == 0, "\(E.self) \(value)")
    #expect(try await store.generation() == generation, "\(E.self) \(value)")
  }

  private func store() throws -> EntityStore {
    try EntityStore(
      .inMemory,
      entities: [Stated.self, StatedPart.self, Handed.self, HandedPart.self, Tangle.self, HandTangle.self])
  }

  @Test func `the occurrence that ends last counts`() async throws {
    let store = try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
    let list: JSONValue = [
      ["id": 1, "title": "a", "version": 1, "parent": ["id": 5, "title": "x", "note": "only here", "version": 1]],
      ["id": 2, "title": "b", "version": 1, "parent": ["id": 5, "title": "y", "version": 2]],
    ]
    for _ in 0..<2 {
      _ = try await store.receive(Ticket.self, list)
      _ = try await store.receive(HandTicket.self, list)
      let stated = try await store.read {
        try $0.fetch(Ticket.self, uid: 5).map { "\($0.title) \($0.note ?? "-") \($0.version)" }
      }
      #expect(stated == "y only here 2")
      let handed = try await store.read {
        try $0.fetch(HandTicket.self, uid: 5).map { "\($0.title) \($0.note ?? "-") \($0.version)" }
      }
      #expect(handed == "y only here 2")
    }
    #expect(try await store.receive(Ticket.self, list).counts.rowsWritten == 0)
    #expect(try await store.receive(HandTicket.self, list).counts.rowsWritten == 0)
    let selfNested: JSONValue = ["id": 9, "title": "outer", "parent": ["id": 9, "title": "inner"]]
    try await checkTwice(Ticket.self, selfNested, in: store)
    try await checkTwice(HandTicket.self, selfNested, in: store)
    #expect(try await store.read { try $0.fetch(Ticket.self, uid: 9)?.title } == "outer")
  }

  /// Objects that contradict each other in values, links, lists and parts without uid.
  @Test func `random texts change nothing the second time`() async throws {
    await Seeds.each(100, sanitized: 5, "texts") { seed, steps in
      var texts = Texts(random: SeededRandom(seed))
      steps = "[" + (0..<3).map { _ in texts.object(0) }.joined(separator: ",") + "]"
      let value = try JSONValue(parsing: Data(steps.utf8))
      let store = try store()
      try await checkTwice(Stated.self, value, in: store)
      try await checkTwice(Handed.self, value, in: store)
      try await checkTwice(Stated.self, value, in: try self.store()) { $0.options.givenMode = .replace }
    }
  }

  /// Objects that contradict each other in ordered lists on both sides, counterparts, unique values and deletions.
  @Test func `random tangles change nothing the second time`() async throws {
    await Seeds.each(100, sanitized: 5, "tangles") { seed, steps in
      var texts = Texts(random: SeededRandom(seed))
      steps = "[" + (0..<3).map { _ in texts.tangle(0) }.joined(separator: ",") + "]"
      let value = try JSONValue(parsing: Data(steps.utf8))
      let store = try store()
      try await checkTwice(Tangle.self, value, in: store)
      try await checkTwice(HandTangle.self, value, in: store)
      try await checkTwice(Tangle.self, value, in: try self.store()) { $0.options.givenMode = .replace }
    }
  }

  /// An object that a response has twice is as it was. The response changes another one.
  @Test(arguments: [true, false]) func `only the remaining changes are reported`(isInMemory: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = StoreOptions()
    options.history = .keepingAll
    let store = try EntityStore(
      isInMemory ? .inMemory : .file(folder.appendingPathComponent("store.sqlite")),
      entities: [Tangle.self, HandTangle.self], busyTimeout: .seconds(60), options: options)
    try await checkTold(Tangle.self, in: store)
    try await checkTold(HandTangle.self, in: store)
  }

  @MainActor private func checkTold<E: Tangling>(_ type: E.Type, in store: EntityStore) async throws {
    func list(_ name: String) -> JSONValue {
      [
        ["id": 1, "name": JSONValue(name), "likes": [2, 3], "owner": ["id": 5, "name": "a", "owned": []]],
        ["id": 2, "likes": [["id": 3, "likers": []]], "owner": ["id": 5, "name": "b", "owned": [2, 3]]],
        ["id": 1, "likes": [3, 2]],
      ]
    }
    _ = try await store.receive(E.self, list("x"))
    let objects = try store.main.fetch(E.self).sorted { $0.uid < $1.uid }
    let told = objects.map { object in
      let told = (name: Told(), lists: Told())
      withObservationTracking {
        _ = object.name
      } onChange: {
        told.name.note()
      }
      withObservationTracking {
        _ = (object.likes.count, object.owned.count, object.owner)
      } onChange: {
        told.lists.note()
      }
      return told
    }
    let token = try await store.history.token()
    let counts = try await E.upsert(from: list("y"), in: store).counts
    #expect(counts.rowsWritten == 1, "\(counts)")
    #expect(counts.updated == 1, "\(counts)")
    #expect(objects.map(\.uid) == [1, 2, 3, 5])
    #expect(told.map(\.name.isTold) == [true, false, false, false])
    #expect(told.map(\.lists.isTold) == [false, false, false, false])
    #expect(objects[0].name == "y" && objects[3].name == "b")
    #expect(objects[0].likes.map(\.uid) == [3, 2])
    let commits = try await store.history.commits(after: token)
    #expect(commits.map { $0.changes(of: E.self).updated.count } == [1])
    #expect(commits.allSatisfy { $0.changes(of: E.self).inserted.isEmpty && $0.changes(of: E.self).deleted.isEmpty })
  }

  /// The last value of the response is the base of an edit, and is it once.
  @Test func `the base of an edit is the last value`() async throws {
    let store = try store()
    let list: JSONValue = [["id": 1, "name": "a"], ["id": 1, "name": "b"]]
    _ = try await store.receive(Tangle.self, list)
    try await store.background { try #require(try $0.fetch(Tangle.self, uid: 1)).name = "mine" }
    try await checkTwice(Tangle.self, list, in: store)
    #expect(try await store.read { try $0.fetch(Tangle.self, uid: 1)?.name } == "mine")
  }

  private struct Texts {
    var random: SeededRandom

    mutating func object(_ depth: Int) -> String {
      var fields = ["\"data\":{\"id\":\(number(3) + 1)}"]
      func add(_ name: String, _ value: String) { fields.append("\"\(name)\":\(value)") }
      if number(2) == 0 { add("name", ["null", "\"a\"", "\"b\"", "\"c\""][number(4)]) }
      if number(2) == 0 { add("rating", "\(number(3))") }
      if number(2) == 0 { add("place", "{\"city\":\"\(number(2))\"}") }
      if number(3) == 0 { add("part", ["null", "{\"color\":\"red\"}", "{\"color\":\"blue\",\"size\":2}"][number(3)]) }
      if number(3) == 0 { add("parts", ["[]", "[{\"size\":1}]", "[{\"size\":2},{\"size\":1}]"][number(3)]) }
      if depth < 3, number(2) == 0 {
        add("parent", number(2) == 0 ? object(depth + 1) : "{\"data\":{\"id\":\(number(3) + 1)}}")
      }
      if depth < 3, number(3) == 0 {
        add("children", "[" + (0..<number(3)).map { _ in object(depth + 1) }.joined(separator: ",") + "]")
      }
      return "{" + fields.joined(separator: ",") + "}"
    }

    mutating func tangle(_ depth: Int) -> String {
      var fields = ["\"id\":\(number(3) + 1)"]
      func add(_ name: String, _ value: String) { fields.append("\"\(name)\":\(value)") }
      if number(12) == 0 { add("deleted", "true") }
      if number(2) == 0 { add("name", ["null", "\"a\"", "\"b\""][number(3)]) }
      if number(4) == 0 { add("code", ["null", "\"x\"", "\"y\""][number(3)]) }
      for link in ["owner", "next", "previous"] where number(5) == 0 {
        add(link, number(4) == 0 ? "null" : member(depth))
      }
      for list in ["owned", "likes", "likers"] where number(4) == 0 {
        add(list, "[" + (0..<number(4)).map { _ in member(depth) }.joined(separator: ",") + "]")
      }
      return "{" + fields.joined(separator: ",") + "}"
    }

    private mutating func member(_ depth: Int) -> String {
      depth < 3 && number(2) == 0 ? tangle(depth + 1) : "\(number(3) + 1)"
    }

    private mutating func number(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
  }
}

private final class Told: Sendable {
  private let flag = Mutex(false)

  var isTold: Bool { flag.withLock { $0 } }

  func note() { flag.withLock { $0 = true } }
}
