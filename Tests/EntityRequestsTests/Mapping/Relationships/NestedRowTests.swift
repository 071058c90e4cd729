import EntityClient
import Foundation
import TestSupport
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Objects with the declared mapping that an update by hand nests: they go to their rows, and the update gets objects of those.
@Suite struct NestedRowTests {
  @Test func `the update reads what its rows have`() async throws {
    let store = try trays()
    let tray: JSONValue = [
      "id": 1, "do": "read", "lot": ["id": 2, "name": "a", "slip": ["text": "s"]], "lots": [3, ["id": 4]],
    ]
    _ = try await store.receive(Tray.self, tray)
    #expect(try await store.trayLines().first == "lot 2 a 0 0 0 0 0 s/0")
    #expect(try await store.trayLines().last == "tray 1 - a s [3, 4] 2 [3, 4] [] - [] [] 0")
    // An edit stays, and an older version is not taken.
    try await store.background { try #require(try $0.fetch(Lot.self, uid: 2)).name = "mine" }
    _ = try await store.receive(Tray.self, tray)
    #expect(try await store.trayLines().last == "tray 1 - mine s [3, 4] 2 [3, 4] [] - [] [] 0")
    _ = try await store.receive(Lot.self, ["id": 2, "revision": 5, "slip": ["text": "t"]])
    let older: JSONValue = ["id": 1, "do": "read", "lot": ["id": 2, "revision": 4, "slip": ["text": "u"]]]
    let skipped = try await store.receive(Tray.self, older).skipped
    #expect(skipped.map(\.reason) == [.olderVersion])
    #expect(try await store.trayLines().last == "tray 1 - mine t [3, 4] 2 [3, 4] [] - [] [] 0")
  }

  @Test func `no object is made for nested JSON`() async throws {
    let store = try trays()
    let tray: JSONValue = ["id": 1, "do": "count", "lot": ["id": 2], "lots": [["id": 3], 4], "marks": [["id": 5]]]
    _ = try await store.receive(Tray.self, tray)
    #expect(try await store.trayLines().last == "tray 1 - 0 of 3 2 [3, 4] [5] - [] [] 0")
    #expect(try await store.receive(Tray.self, tray).counts.rowsWritten == 0)
  }

  @Test func `objects that an update changed or made are the objects of the response`() async throws {
    let store = try trays()
    let list: JSONValue = [
      ["id": 1, "do": "rename", "lot": ["id": 2, "name": "a", "revision": 1]], ["id": 2, "do": "make"],
      ["id": 3, "lots": [["id": 2, "revision": 2], ["id": 7, "revision": 3]]],
      ["id": 4, "do": "rename", "lot": ["id": 7]], ["id": 5, "do": "read", "lot": ["id": 7, "name": "b"]],
    ]
    _ = try await store.receive(Tray.self, list)
    let lots = ["lot 2 renamed 2 3 0 0 0 -", "lot 7 b 3 3 0 0 0 -"]
    #expect(try await store.trayLines().prefix(2) == lots[...])
    #expect(try await store.trayLines().last == "tray 5 - b - [] 7 [] [] - [] [] 0")
    _ = try await store.receive(Tray.self, list)
    #expect(try await store.read { try $0.count(Lot.all) } == 2)
  }

  /// The error of an object that an update by hand passes over.
  @Test(arguments: [
    #"{"id": 1, "name": "a", "slip": {"text": "s", "copy": {"text": "t"}}, "small": 300}"#,
    #"{"id": 1, "slip": {"text": "s"}, "bolts": [{"id": 1, "text": []}]}"#,
    #"{"id": 1, "inner": {"id": 8, "slip": {"text": "s", "size": 300}}, "slip": {"text": "s"}}"#,
    #"{"id": 1, "slip": {"text": "s", "copy": {"size": 300}}}"#,
  ]) func `nothing is left of an object that fails`(_ lot: String) async throws {
    let store = try trays()
    let ignored = try JSONValue(parsing: Data(lot.utf8))
    let tray = JSONObject(fields: [("id", 1), ("do", "ignore"), ("name", "n"), ("ignored", ignored)]).value
    #expect(try await store.receive(Tray.self, tray).counts.inserted == 1)
    #expect(try await store.trayLines() == ["tray 1 n - 0 [] [] - [] [] 0"])
    #expect(try await store.read { try $0.count(Slip.all) } == 0)
    // One that is there keeps what it has.
    _ = try await store.receive(Lot.self, ["id": 1, "name": "old", "slip": ["text": "old"]])
    _ = try await store.receive(Tray.self, tray)
    #expect(try await store.looseSlips() == 0)
  }

  @Test func `a row that is not written fails the response`() async throws {
    let store = try trays()
    try await store.background {
      try $0.connection.execute(
        #"CREATE TEMP TRIGGER refuse BEFORE INSERT ON main."Lot" BEGIN SELECT RAISE(ABORT, 'refused'); END"#)
    }
    let list: JSONValue = [["id": 1], ["id": 2, "do": "ignore", "ignored": ["id": 1]]]
    let error = await #expect(throws: StoreError.self) { try await store.receive(Tray.self, list) }
    #expect(error?.message.contains("refused") == true, "\(error?.message ?? "-")")
    #expect(try await store.trayLines().isEmpty)
  }

  @Test func `an object gets from its outer occurrence the link that it requires`() async throws {
    let store = try trays()
    let bolt: JSONValue = [
      "id": 1, "text": "b", "lot": ["id": 3, "bolts": [["id": 1, "text": "inner"], ["id": 2, "tray": 1]]],
    ]
    _ = try await store.receive(Tray.self, JSONObject(fields: [("id", 1), ("bolts", JSONValue([bolt]))]).value)
    #expect(try await store.trayLines().prefix(2) == ["bolt 1 b 1 3", "bolt 2 - 1 3"])
    // The outer occurrence lacks it, too.
    let lacks: JSONValue = [
      ["id": 3, "lot": ["id": 4, "bolts": [["id": 5, "lot": ["id": 4, "bolts": [["id": 5]]]]]]]
    ]
    let error = await #expect(throws: MappingError.self) { try await store.receive(Tray.self, lacks) }
    #expect(error?.description.contains("'Bolt.tray'") == true, "\(String(describing: error))")
    #expect(try await store.trayLines().count == 4)
  }

  /// The tray that a bin requires was deleted by a newer answer.
  @Test func `the objects of a refused object lose their link`() async throws {
    let store = try trays()
    _ = try await store.receive(Tray.self, ["id": 1])
    let older = store.core.requests.begin()
    _ = try await store.receive(Tray.self, ["id": 1, "deleted": true])
    let bins: JSONValue = [["id": 1, "lots": [["id": 2, "name": "a"], 3], "tray": 1]]
    let outcome = try await store.upsert(ResponseUpsert<Bin>(bins, sequence: older))
    store.core.requests.end(older)
    #expect(outcome.counts.inserted == 0)
    #expect(try await store.trayLines() == ["lot 2 a 0 0 0 0 0 -", "lot 3? - 0 0 0 0 0 -"])
  }

  @Test func `a part that the update does not assign is deleted with its own parts`() async throws {
    let store = try trays()
    let slip: JSONValue = ["text": "a", "copy": ["text": "b", "copy": ["text": "c"]]]
    for _ in 0..<2 {
      _ = try await store.receive(Tray.self, JSONObject(fields: [("id", 1), ("do", "loose"), ("slip", slip)]).value)
      #expect(try await store.trayLines() == ["tray 1 - - 0 [] [] a/0 b/0 c/0 [] [] 0"])
      #expect(try await store.looseSlips() == 0)
    }
  }

  /// A member without uid of a list that is nested in itself.
  @Test func `the outer list lets go of the row that the inner list made`() async throws {
    let store = try trays()
    let inner: JSONValue = ["id": 1, "marks": [["name": "unnamed"]]]
    let list: JSONValue = ["id": 1, "marks": [JSONObject(fields: [("id", 2), ("tray", inner)]).value]]
    for _ in 0..<2 {
      _ = try await store.receive(Tray.self, list) { $0.options.givenUnnamed = .embed }
      #expect(try await store.trayLines() == ["lot 2 - 0 1 0 0 0 -", "tray 1 - - 0 [2] [2] - [] [] 0"])
    }
  }

  @Test func `deletions and newer answers count for what is nested`() async throws {
    let store = try trays()
    _ = try await store.receive(Tray.self, ["id": 1, "lots": [["id": 1], ["id": 2], ["id": 3], ["id": 4]]])
    _ = try await store.background { try $0.delete(Lot.self, uid: 3) }
    let older = store.core.requests.begin()
    _ = try await store.receive(Lot.self, [["id": 4, "name": "newer"]])
    let list: JSONValue = [
      [
        "id": 1,
        "lots": [
          ["id": 1, "deleted": true], ["id": 2, "name": "a"], ["id": 3, "name": "b"], ["id": 4, "name": "c"],
        ],
      ]
    ]
    let outcome = try await store.upsert(ResponseUpsert<Tray>(list, sequence: older))
    store.core.requests.end(older)
    #expect(Set(outcome.skipped.map { "\($0.reason) \($0.uid ?? "-")" }) == ["deletedHere 3", "newerAnswer 4"])
    #expect(
      try await store.trayLines() == [
        "lot 2 a 0 1 0 0 0 -", "lot 4 newer 0 1 0 0 0 -", "tray 1 - - 0 [2, 4] [] - [] [] 0",
      ])
  }

  @Test @MainActor func `an upsert in a context keeps objects`() async throws {
    let store = try trays()
    let tray = try store.main.upsert(
      Tray.self, from: ["id": 1, "do": "count", "lot": ["id": 2, "name": "a"], "lots": [["id": 3]]])
    #expect(tray.note == "2 of 2")
    #expect(store.main.changes.inserted.count == 3)
    #expect(try await store.trayLines().isEmpty)
  }

  /// Objects of both kinds that nest each other, and contradict each other: a second time they change nothing, and no part
  /// without uid is left alone.
  @Test func `random texts change nothing the second time`() async throws {
    await Seeds.each(150, sanitized: 5, "trays") { seed, steps in
      var texts = TrayTexts(random: SeededRandom(seed))
      let store = try trays()
      for _ in 0..<2 {
        steps = "[" + (0...texts.random.below(2)).map { _ in texts.tray(0) }.joined(separator: ",") + "]"
        let value = try JSONValue(parsing: Data(steps.utf8))
        do {
          _ = try await store.receive(Tray.self, value)
        } catch is MappingError {
          // A bolt lacks its tray.
          continue
        }
        let lines = try await store.trayLines()
        #expect(try await store.looseSlips() == 0, "\(seed) \(steps)")
        #expect(try await store.receive(Tray.self, value).counts.rowsWritten == 0, "\(seed) \(steps)")
        #expect(try await store.trayLines() == lines, "\(seed) \(steps)")
      }
    }
  }
}
