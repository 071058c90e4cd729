import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// Entities and properties that have another name than in the file.
struct RenameTests {
  @Test(arguments: Place.usual)
  func `values, links, pairs and edits follow a new name`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let pairs = try hotel.pairs("Guest,perks", "Guest")
    #expect(pairs == ["1gym|-", "1spa|owner", "2bar|-", "2gym|-", "3bar|-", "3gym|-", "3spa|-", "-1bar|owner"])
    try hotel.connection.execute("UPDATE Perk SET _edited = 'guests' WHERE name = 'spa'")
    let store = try EntityStore(hotel.location, entities: V2.all, busyTimeout: .ample)
    let visitors = try await store.read { context in
      try context.fetch(V2.Visitor.all.sorted(by: \.uid)).map {
        "\($0.name) \($0.badge ?? "-") \($0.age) \($0.place?.label ?? "-") \($0.owned.count) "
          + $0.extras.map(\.name).sorted().joined(separator: "+")
      }
    }
    #expect(
      visitors == [
        "Ada Lovelace c1 36 R1 1 gym+spa", "Guest No2 - 22 R2 1 bar+gym", "Guest No3 c3 23 R3 1 bar+gym+spa",
      ])
    #expect(try hotel.pairs("Visitor,extras", "Visitor") == pairs)
    #expect(try hotel.rows("SELECT _edited FROM Visitor ORDER BY uid") == ["name,nickname,age,extras", "-", "-"])
    #expect(try hotel.rows("SELECT _edited FROM Perk ORDER BY name") == ["-", "-", "visitors"])
    try hotel.check(V2.all)
    let names = try hotel.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%Guest%' OR sql LIKE '%Guest%'")
    #expect(names == [])
    // The edits hold against a response, under the new names.
    try await store.core.unit { rows in
      let context = ContextAnswers.ofResponse(store.core, rows)
      let ada = try #require(try context.fetch(V2.Visitor.self, uid: 1))
      let bar = try #require(try context.fetch(V2.Perk.self, uid: "bar"))
      context.answers.updating(ada, .keepingEdits, newer: ColumnMask()) {
        ada.name = "theirs"
        ada.badge = "theirs"
        ada.extras = [bar]
      }
      try context.saving.flush()
    }
    let after = try await store.read { context in
      let ada = try #require(try context.fetch(V2.Visitor.self, uid: 1))
      return "\(ada.name) \(ada.badge ?? "-") \(ada.extras.map(\.name))"
    }
    #expect(after == "Ada Lovelace theirs [\"spa\"]")
  }

  @Test(arguments: Place.usual)
  func `names change hands once`(_ place: Place) async throws {
    let hotel = try await Hotel(place, isEmpty: true)
    try await Self.fillSwap(hotel)
    for _ in 0..<3 {
      let store = try EntityStore(hotel.location, entities: Swap2.all)
      #expect(
        try await store.read { context in
          let right = try #require(try context.fetch(Swap2.Right.self, uid: 1))
          let left = try #require(try context.fetch(Swap2.Left.self, uid: 2))
          return [right.first, right.second] == ["2nd", "1st"] && left.left === right
        })
      #expect(try hotel.rows("SELECT _edited FROM main.\"Right\"") == ["second"])
    }
    try hotel.check(Swap2.all)
    // The version before does not know that they did.
    let error = #expect(throws: StoreError.self) { try EntityStore(hotel.location, entities: Swap1.all) }
    #expect(error?.message.contains("names changed hands") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: Place.usual)
  func `a new file has its names from the start`(_ place: Place) async throws {
    let test = try TestStore(place, Swap2.all)
    try await test.store.background { try $0.insert(Swap2.Right.self).first = "a" }
    let location = test.store.core.location
    let again = try EntityStore(location, entities: Swap2.all)
    #expect(try await again.read { try $0.fetch(Swap2.Right.all).map(\.first) } == ["a"])
  }

  @Test func `a former name may be used again`() async throws {
    let hotel = try await Hotel(.file, isEmpty: true)
    try await Self.fillSwap(hotel)
    for _ in 0..<2 {
      let store = try EntityStore(hotel.location, entities: [Reused2.self], removed: ["Right"])
      #expect(
        try await store.read { context in
          let left = try #require(try context.fetch(Reused2.self, uid: 1))
          return [left.former, left.first, left.second] == ["1st", nil, "2nd"]
        })
    }
  }

  @Test func `both names in the file are refused`() async throws {
    let hotel = try await Hotel(.file, isEmpty: true)
    try await Self.fillSwap(hotel)
    let before = try hotel.bytes()
    let error = #expect(throws: StoreError.self) {
      try EntityStore(hotel.location, entities: [BothNames.self], removed: ["Right"])
    }
    #expect(error?.message.contains("holds both 'Left.first' and 'Left.second'") == true)
    #expect(try hotel.bytes() == before)
  }

  @Test(
    arguments: [
      ("renamed from itself", [SelfRenamed.self]), ("both said to be renamed from 'x'", [TwoHeirs.self]),
      ("said to be removed, and is declared", [NotRemoved.self]), ("and to be 'y' now", [RemovedHeir.self]),
      ("'a,b'", [OddFormer.self]), ("both said to be renamed from 'Old'", [Heir1.self, Heir2.self]),
    ] as [(String, [any ManagedEntity.Type])])
  func `former names that make no sense are named`(_ text: String, _ entities: [any ManagedEntity.Type]) {
    let error = #expect(throws: StoreError.self) { try EntityStore(.inMemory, entities: entities) }
    #expect(error?.kind == .invalidSchema)
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
  }

  // MARK: The order of names

  @Test func `the moves of names`() throws {
    func moves(_ declared: [Renames.Name], _ there: [String], _ done: [String: String] = [:]) throws -> [String] {
      var file: [String: String?] = [:]
      for name in there { file[name] = .some(done[name]) }
      return try Renames.moves(declared, there: file).map { "\($0.from)>\($0.to)" }
    }
    #expect(try moves([("b", ["a"])], ["a"]) == ["a>b"])
    #expect(try moves([("b", ["a"])], ["b"]) == [])
    #expect(try moves([("c", ["a", "b"])], ["b"]) == ["b>c"])
    // A chain: each goes on by one.
    #expect(try moves([("b", ["a"]), ("c", ["b"])], ["a", "b"]) == ["a>b", "b>c"])
    // A former name that is used again.
    #expect(try moves([("a", []), ("b", ["a"])], ["a"]) == ["a>b"])
    #expect(try moves([("a", []), ("b", ["a"])], ["a", "b"]) == [])
    #expect(try moves([("a", []), ("c", ["a", "b"])], ["a", "b"]) == ["b>c"])
    // Circles.
    #expect(try moves([("a", ["b"]), ("b", ["a"])], ["a", "b"]) == ["b>a", "a>b"])
    #expect(try moves([("a", ["b"]), ("b", ["a"])], ["a", "b"], ["a": "b", "b": "a"]) == [])
    #expect(
      try moves([("a", ["c"]), ("b", ["a"]), ("c", ["b"])], ["a", "b", "c"]) == ["c>a", "a>b", "b>c"])
    // The time before the second one was there.
    #expect(try moves([("a", ["b"]), ("b", ["a"])], ["a"]) == ["a>b"])
    #expect(throws: Renames.Doubt.self) { try moves([("a", []), ("b", [])], ["a", "b"], ["a": "b", "b": "a"]) }
    #expect(
      Renames.inOrder([.init(from: "a", to: "b"), .init(from: "b", to: "a")], there: ["a", "b"]).map(\.to) == [
        "_new b", "_new a", "b", "a",
      ])
    #expect(Renames.inOrder([.init(from: "a", to: "A")], there: ["a"]).map(\.to) == ["_new A", "A"])
  }

  private static func fillSwap(_ hotel: Hotel) async throws {
    let store = try EntityStore(hotel.location, entities: Swap1.all)
    try await store.background { context in
      let left = try context.insert(Swap1.Left.self)
      left.uid = 1
      left.first = "1st"
      left.second = "2nd"
      let right = try context.insert(Swap1.Right.self)
      right.uid = 2
      right.left = left
    }
    try await store.core.unit { rows in
      try rows.connection.execute("UPDATE main.\"Left\" SET _edited = 'first'")
    }
  }

  /// SQLite would take a quoted name that no column has for a text.
  @Test(arguments: Place.usual)
  @MainActor func `a store that has the file open gets an error about other columns`(_ place: Place) async throws {
    let test = try TestStore(place, [Plate1.Plate.self])
    try await test.store.background { try $0.insert(Plate1.Plate.self).text = "a" }
    let old = test.store.main
    #expect(try old.fetch(Plate1.Plate.all).map(\.text) == ["a"])
    let again = try EntityStore(test.store.core.location, entities: [Plate2.Plate.self], backup: .none)
    #expect(errorKind { _ = try old.fetch(Plate1.Plate.all.sorted(by: \.text)) } == .schemaMismatch)
    #expect(
      await asyncErrorKind { _ = try await test.store.read { try $0.fetch(Plate1.Plate.all).map(\.text) } }
        == .schemaMismatch)
    #expect(try again.main.fetch(Plate2.Plate.all).map(\.words) == ["a"])
  }

  /// An empty array is a default that is declared.
  @Test func `rows without an array get an empty array`() async throws {
    let test = try TestStore(.file, [Plate1.Plate.self])
    try await test.store.background { _ = try $0.insert(Plate1.Plate.self) }
    try await test.store.close()
    let store = try EntityStore(.file(test.folder.file), entities: [Plate2.Plate.self])
    let arrays = try await store.read { try $0.fetch(Plate2.Plate.all).map { [$0.tags, $0.more, $0.rest] } }
    #expect(arrays == [[[], [], []]])
  }
}

private enum Plate1 {
  @Entity final class Plate {
    var text: String
    var tags: [String]?
    var more: [String]?
    var rest: [String]?
  }
}

private enum Plate2 {
  @Entity final class Plate {
    @Renamed(from: "text") var words: String
    var tags: [String] = []
    var more: [String] = .init()
    var rest: [String] = [String]()
  }
}
