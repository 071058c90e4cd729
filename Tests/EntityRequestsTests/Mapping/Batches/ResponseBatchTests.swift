import CSQLite
import EntityClient
import EntityJSON
import Foundation
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Objects of a list go to the file in batches, with the result that each has by itself.
@Suite struct ResponseBatchTests {
  private func store(_ statements: RunStatements? = nil, rowsInBatch: Int = 256) throws -> EntityStore {
    try EntityStore([Hiker.self, Hut.self, Pennant.self], rowsInBatch: rowsInBatch, telling: statements)
  }

  /// - Parameter guide: The guide of a hiker as JSON; `nil` for no such key.
  private func hikers(_ range: Range<Int>, _ guide: (Int) -> String? = { _ in nil }) throws -> JSONValue {
    let elements = range.map { number in
      let guide = guide(number).map { #","guide":\#($0)"# } ?? ""
      return
        #"{"id":\#(number),"name":"Hiker \#(number)","height":1.75,"hut":{"id":\#(1_000 + number),"name":"Hut"}\#(guide)}"#
    }
    return try JSONValue(parsing: Data("[\(elements.joined(separator: ","))]".utf8))
  }

  @Test func `a list takes a few statements for each batch`() async throws {
    let statements = RunStatements()
    let store = try store(statements)
    _ = try await store.receive(Hiker.self, try hikers(0..<2))
    _ = statements.take()
    let counts = try await store.receive(Hiker.self, try hikers(0..<1_000)).counts
    #expect(counts.inserted == 998)
    #expect(counts.unchanged == 2)
    #expect(statements.take().count < 30)
    #expect(try await store.receive(Hiker.self, try hikers(0..<1_000)).counts.rowsWritten == 0)
    #expect(statements.take().count < 15)
  }

  @Test func `objects of a batch refer to each other`() async throws {
    let store = try store()
    // To oneself, to one before, to one that comes later, and to one that never comes.
    let payload = try hikers(0..<40) { "\($0 % 4 == 0 ? $0 : $0 % 4 == 1 ? $0 - 1 : $0 % 4 == 2 ? 39 : 5_000)" }
    #expect(try await store.receive(Hiker.self, payload).counts.inserted == 40)
    let guides = try await store.read { context in
      try context.fetch(Hiker.all.sorted(by: \.uid)).map { $0.guide?.uid }
    }
    #expect(guides == (0..<40).map { $0 % 4 == 0 ? $0 : $0 % 4 == 1 ? $0 - 1 : $0 % 4 == 2 ? 39 : 5_000 })
    #expect(try await store.receive(Hiker.self, payload).counts.rowsWritten == 0)
  }

  @Test func `the last of two contradicting objects counts`() async throws {
    let store = try store()
    let payload: JSONValue = [
      ["id": 1, "name": "a"], ["id": 2, "name": "b", "guide": ["id": 1, "name": "c"]], ["id": 1, "name": "c"],
      ["id": 3, "name": "d", "guide": ["id": 3, "name": "e"]],
    ]
    let outcome = try await store.receive(Hiker.self, payload)
    #expect(outcome.counts.inserted == 3)
    #expect(outcome.ids.count == 3)
    let names = try await store.read { try $0.fetch(Hiker.all.sorted(by: \.uid)).map(\.name) }
    #expect(names == ["c", "b", "d"])
    #expect(try await store.receive(Hiker.self, payload).counts.rowsWritten == 0)
  }

  @Test func `an error names its object and nothing is written`() async throws {
    let store = try store()
    var elements = try #require(try hikers(0..<300).array).map { $0 }
    elements[290] = ["id": 290, "height": "tall"]
    let error = await #expect(throws: MappingError.self) { try await store.receive(Hiker.self, JSONValue(elements)) }
    #expect(error?.position == 290)
    #expect(error?.property == "height")
    #expect(try await store.read { try $0.count(Hiker.all) } == 0)
  }

  @Test func `values that are unique change places within a batch`() async throws {
    let store = try store()
    func pennants(_ codes: [String]) -> JSONValue {
      JSONValue(codes.enumerated().map { ["id": JSONValue($0.offset), "code": JSONValue($0.element)] as JSONValue })
    }
    _ = try await store.receive(Pennant.self, pennants(["a", "b", "c"]))
    #expect(try await store.receive(Pennant.self, pennants(["b", "c", "a"])).counts.updated == 3)
    let codes = try await store.read { try $0.fetch(Pennant.all.sorted(by: \.uid)).map(\.code) }
    #expect(codes == ["b", "c", "a"])
    let error = await #expect(throws: StoreError.self) {
      try await store.receive(Pennant.self, pennants(["x", "y", "x"]))
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.message.hasPrefix("Object 2 of the response") == true, "\(error?.message ?? "-")")
  }

  @Test func `members of lists move within a batch`() async throws {
    let store = try store()
    func huts(_ guests: [[JSONValue]]) -> JSONValue {
      JSONValue(guests.enumerated().map { ["id": JSONValue($0.offset), "guests": JSONValue($0.element)] as JSONValue })
    }
    func guests() async throws -> [[Int]] {
      try await store.read { try $0.fetch(Hut.all.sorted(by: \.uid)).map { $0.guests.map(\.uid).sorted() } }
    }
    let first = huts([[1, 2, ["id": 3, "name": "c"]], [], [["id": 4, "name": "d"]]])
    #expect(try await store.receive(Hut.self, first).counts.inserted == 3)
    #expect(try await guests() == [[1, 2, 3], [], [4]])
    #expect(try await store.receive(Hut.self, first).counts.rowsWritten == 0)
    let counts = try await store.receive(Hut.self, huts([[2], [3, 4], [1]])).counts
    #expect(counts.updated == 3)
    #expect(try await guests() == [[2], [3, 4], [1]])
    _ = try await store.receive(Hut.self, huts([[], [nil, 4]]))
    #expect(try await guests() == [[], [4], [1]])
    // The last one of two lists that have the same member has it, in one object too.
    let twice: JSONValue = [["id": 0, "guests": [1]], ["id": 1, "guests": [1]]]
    _ = try await store.receive(Hut.self, twice)
    #expect(try await guests() == [[], [1], []])
    #expect(try await store.receive(Hut.self, twice).counts.rowsWritten == 0)
  }

  /// - Parameter ribbons: The ribbons of a rider as JSON.
  private func riders(_ range: Range<Int>, _ ribbons: (Int) -> String) throws -> JSONValue {
    let elements = range.map { #"{"id":\#($0),"ribbons":\#(ribbons($0)),"camps":\#(ribbons($0))}"# }
    return try JSONValue(parsing: Data("[\(elements.joined(separator: ","))]".utf8))
  }

  private func ribbons(_ store: EntityStore, _ uid: Int) async throws -> [[Int]] {
    try await store.read { context in
      let rider = try context.fetch(Rider.self, uid: uid)
      return [rider?.ribbons.map(\.uid) ?? [], rider?.camps.map(\.uid) ?? []]
    }
  }

  @Test func `lists of many to many take a few statements for each batch`() async throws {
    let statements = RunStatements()
    let store = try EntityStore([Rider.self, Ribbon.self], rowsInBatch: 256, telling: statements)
    let payload = try riders(0..<1_000) { #"[{"id":\#($0 % 7),"name":"b"},\#($0 % 5 + 10)]"# }
    #expect(try await store.receive(Rider.self, payload).counts.inserted == 1_000)
    #expect(try await ribbons(store, 3) == [[3, 13], [3, 13]])
    _ = statements.take()
    let counts = try await store.receive(Rider.self, payload).counts
    #expect(counts.unchanged == 1_000)
    #expect(counts.rowsWritten == 0)
    #expect(statements.take().count < 60)
  }

  @Test func `lazy and derived columns go by batch`() async throws {
    let statements = RunStatements()
    let store = try EntityStore([Polaroid.self], rowsInBatch: 256, telling: statements)
    func payload(_ keys: (Int) -> String) throws -> JSONValue {
      let elements = (0..<1_000).map { #"{"id":\#($0),\#(keys($0))}"# }
      return try JSONValue(parsing: Data("[\(elements.joined(separator: ","))]".utf8))
    }
    func polaroid(_ uid: Int) async throws -> [String] {
      try await store.read { context in
        let polaroid = try #require(try context.fetch(Polaroid.self, uid: uid))
        return [polaroid.title ?? "-", polaroid.shout, polaroid.body ?? "-"]
      }
    }
    let whole = try payload { #""title":"t\#($0)","body":"b\#($0)""# }
    #expect(try await store.receive(Polaroid.self, whole).counts.inserted == 1_000)
    #expect(try await polaroid(7) == ["t7", "T7", "b7"])
    _ = statements.take()
    #expect(try await store.receive(Polaroid.self, whole).counts.unchanged == 1_000)
    #expect(statements.take().count < 20)
    let bodies = try payload { #""body":"\#($0 == 7 ? "new" : "b\($0)")""# }
    #expect(try await store.receive(Polaroid.self, bodies).counts.updated == 1)
    // One row alone has the key: the others keep their values, and one loses its value.
    let one = try payload { $0 == 9 ? #""body":null"# : $0 == 10 ? #""body":"ten""# : #""title":"t\#($0)""# }
    #expect(try await store.receive(Polaroid.self, one).counts.updated == 2)
    #expect(try await store.receive(Polaroid.self, one).counts.updated == 0)
    #expect(try await polaroid(9)[2] == "-")
    #expect(try await polaroid(10)[2] == "ten")
    #expect(try await polaroid(11)[2] == "b11")
    let titles = try payload { #""title":"\#($0 == 8 ? "new" : "t\($0)")""# }
    #expect(try await store.receive(Polaroid.self, titles).counts.updated == 1)
    #expect(try await polaroid(7) == ["t7", "T7", "new"])
    #expect(try await polaroid(8) == ["new", "NEW", "b8"])
  }

  @Test(arguments: [0, 256]) func `members of lists of many to many come, go and change places`(_ size: Int)
    async throws
  {
    let store = try EntityStore([Rider.self, Ribbon.self], rowsInBatch: size, telling: nil)
    _ = try await store.receive(Rider.self, try riders(0..<20) { _ in "[1,2,3]" })
    let counts = try await store.receive(Rider.self, try riders(0..<20) { $0 < 10 ? "[1,2,3]" : "[4,3,1]" }).counts
    #expect(counts.unchanged == 10)
    #expect(counts.updated == 10)
    #expect(try await ribbons(store, 9) == [[1, 2, 3], [1, 2, 3]])
    #expect(try await ribbons(store, 10) == [[1, 3, 4], [4, 3, 1]])
    let moved = try riders(0..<20) { $0 < 10 ? "[1,2,3]" : "[1,3,4]" }
    #expect(try await store.receive(Rider.self, moved).counts.updated == 10)
    #expect(try await ribbons(store, 10) == [[1, 3, 4], [1, 3, 4]])
    #expect(try await store.receive(Rider.self, moved).counts.rowsWritten == 0)
  }

  @Test(arguments: [0, 256]) func `a member taken out here stays out of a list of many to many`(_ size: Int)
    async throws
  {
    let store = try EntityStore([Rider.self, Ribbon.self], rowsInBatch: size, telling: nil)
    let payload = try riders(0..<20) { _ in #"[{"id":1},2]"# }
    _ = try await store.receive(Rider.self, payload)
    try await store.background { context in
      let rider = try #require(try context.fetch(Rider.self, uid: 4))
      rider.ribbons.removeAll { $0.uid == 1 }
      rider.camps.append(try #require(try context.fetch(Ribbon.self, uid: 1)))
      try #require(try context.fetch(Rider.self, uid: 5)).ribbons.append(try context.insert(Ribbon.self))
    }
    let outcome = try await store.receive(Rider.self, payload)
    #expect(outcome.counts.unchanged == 20)
    #expect(outcome.skipped.count == 2)
    #expect(try await ribbons(store, 4)[0] == [2])
    #expect(try await store.read { try $0.fetch(Rider.self, uid: 5)?.ribbons.count } == 3)
  }

  @Test(arguments: [0, 256]) func `lists of both sides of many to many add up`(_ size: Int) async throws {
    let store = try EntityStore([Rider.self, Ribbon.self], rowsInBatch: size, telling: nil)
    let payload = try riders(0..<12) { #"[{"id":\#($0),"riders":[\#($0),100]},5]"# }
    _ = try await store.receive(Rider.self, payload)
    #expect(try await ribbons(store, 7)[0] == [5, 7])
    #expect(try await ribbons(store, 100)[0].sorted() == Array(0..<12))
    #expect(try await store.receive(Rider.self, payload).counts.updated == 0)
  }

  @Test func `the own key of a member counts for later lists too`() async throws {
    let store = try store()
    let payload: JSONValue = [["id": 0, "guests": [["id": 3, "hut": 5]]], ["id": 7, "guests": [3]]]
    _ = try await store.receive(Hut.self, payload)
    #expect(try await store.read { try $0.fetch(Hiker.self, uid: 3)?.hut?.uid } == 5)
  }

  @Test func `edits of an object stay in a batch`() async throws {
    let store = try store()
    _ = try await store.receive(Hiker.self, try hikers(0..<20))
    try await store.background { context in
      try #require(try context.fetch(Hiker.self, uid: 7)).name = "mine"
    }
    let changed = JSONValue((0..<20).map { ["id": JSONValue($0), "name": "theirs", "height": 2] as JSONValue })
    let outcome = try await store.receive(Hiker.self, changed)
    #expect(outcome.counts.updated == 20)
    #expect(outcome.skipped.count == 1)
    let names = try await store.read { try $0.fetch(Hiker.all.sorted(by: \.uid)).map(\.name) }
    #expect(names == (0..<20).map { $0 == 7 ? "mine" : "theirs" })
  }

  /// A batch gives the same as its objects one by one, whatever its rows have met before.
  @Test(arguments: [0, 256]) func `a member's own key is not forgotten where the object comes again`(_ size: Int)
    async throws
  {
    let store = try store(rowsInBatch: size)
    let payload = try JSONValue(
      parsing: Data(
        #"""
        [{"id": 1, "hut": {"id": 0, "guests": [{"id": 3, "hut": 5}]}}, {"id": 3, "name": "x"},
         {"id": 4, "hut": {"id": 7, "guests": [3]}}]
        """#.utf8))
    _ = try await store.receive(Hiker.self, payload)
    #expect(try await store.read { try $0.fetch(Hiker.self, uid: 3)?.hut?.uid } == 5)
  }

  @Test(arguments: [0, 256]) func `an object that comes twice has changed once`(_ size: Int) async throws {
    let store = try store(rowsInBatch: size)
    _ = try await store.receive(Hiker.self, [["id": 1], ["id": 5]])
    let nested: JSONValue = [["id": 1, "guide": ["id": 5, "name": "new"]], ["id": 5], ["id": 1]]
    let counts = try await store.receive(Hiker.self, nested).counts
    #expect(counts.updated == 1)
    #expect(counts.unchanged == 1)
  }

  @Test(arguments: [0, 256]) func `values unique together name the object that takes them`(_ size: Int) async throws {
    let store = try EntityStore([Bunk.self], rowsInBatch: size, telling: nil)
    _ = try await store.receive(
      Bunk.self,
      [["id": 1, "hut": 1, "number": 1], ["id": 2, "hut": 1, "number": 2], ["id": 3, "hut": 2, "number": 1]])
    let outcome = try await store.receive(Bunk.self, [["id": 2, "number": 1], ["id": 3, "number": 4]]) {
      $0.options.givenSkips = true
    }
    #expect(outcome.details.refused.map(\.position) == [0])
    #expect(try await store.read { try $0.fetch(Bunk.self, uid: 3)?.number } == 4)
  }

  @Test(arguments: [0, 256]) func `a list that gets an unknown member has changed`(_ size: Int) async throws {
    let store = try store(rowsInBatch: size)
    _ = try await store.receive(Hut.self, [["id": 1, "guests": []], ["id": 2, "guests": []]])
    let counts = try await store.receive(Hut.self, [["id": 1, "guests": [77]], ["id": 2, "guests": []]]).counts
    #expect(counts.updated == 1)
    #expect(counts.unchanged == 1)
  }

  @Test(arguments: [0, 256]) func `a list whose member stays elsewhere has not changed`(_ size: Int) async throws {
    let store = try store(rowsInBatch: size)
    _ = try await store.receive(Hut.self, [["id": 1], ["id": 2, "guests": [["id": 3, "name": "a"]]], ["id": 5]])
    try await store.background { context in
      try #require(try context.fetch(Hiker.self, uid: 3)).hut = try context.fetch(Hut.self, uid: 5)
    }
    let counts = try await store.receive(
      Hut.self, [["id": 1, "guests": [["id": 3, "name": "new"]]], ["id": 2]]
    ).counts
    #expect(counts.unchanged == 2)
    #expect(try await store.read { try $0.fetch(Hiker.self, uid: 3)?.name } == "new")
  }

  @Test(arguments: [0, 256]) func `the object that takes a unique value is named`(_ size: Int) async throws {
    let store = try store(rowsInBatch: size)
    _ = try await store.receive(
      Pennant.self, JSONValue((1...4).map { ["id": JSONValue($0), "code": JSONValue("c\($0)")] }))
    try await store.background { try #require(try $0.fetch(Pennant.self, uid: 1)).title = "mine" }
    let payload: JSONValue = [
      ["id": 1, "code": "c2"], ["id": 2, "code": "c2"], ["id": 3, "title": "t"], ["id": 4, "title": "t"],
    ]
    let outcome = try await store.receive(Pennant.self, payload) { $0.options.givenSkips = true }
    #expect(outcome.details.refused.map(\.position) == [0])
    #expect(try await store.read { try $0.fetch(Pennant.self, uid: 4)?.title } == "t")
  }

  @Test func `uids that lie far apart are known again`() async throws {
    let store = try store()
    let payload = JSONValue(
      [["id": 0, "guests": JSONValue((1...4_000).map { JSONValue($0 << 44) })], ["id": 1]] as [JSONValue])
    _ = try await store.receive(Hut.self, payload)
    #expect(try await store.read { try $0.fetch(Hut.self, uid: 0)?.guests.count } == 4_000)
  }

  @Test func `cells have the layout of the statements`() {
    #expect(MemoryLayout<JSONCell>.size == MemoryLayout<entity_cell>.size)
    #expect(MemoryLayout<JSONCell>.offset(of: \.kind) == MemoryLayout<entity_cell>.offset(of: \.kind))
    #expect(MemoryLayout<JSONCell>.offset(of: \.length) == MemoryLayout<entity_cell>.offset(of: \.length))
    #expect(MemoryLayout<JSONCell>.offset(of: \.bits) == MemoryLayout<entity_cell>.offset(of: \.bits))
    let kinds: [(JSONCell.Kind, Int32)] = [
      (.absent, ENTITY_CELL_ABSENT), (.null, ENTITY_CELL_NULL), (.integer, ENTITY_CELL_INTEGER),
      (.real, ENTITY_CELL_REAL), (.sourceText, ENTITY_CELL_SOURCE_TEXT), (.text, ENTITY_CELL_TEXT),
      (.blob, ENTITY_CELL_BLOB), (.open, ENTITY_CELL_OPEN),
    ]
    for (kind, number) in kinds { #expect(Int32(kind.rawValue) == number) }
    #expect(Int32(ColumnMask.mostInBatch) == ENTITY_BATCH_COLUMNS)
  }
}

@Entity final class Hiker: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var height: Double
  var guide: Hiker?
  var hut: Hut?

  static var basePath: String { "hikers" }
}

@Entity final class Hut: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Hiker.hut) var guests: [Hiker]

  static var basePath: String { "huts" }
}

@Entity final class Rider: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Ribbon.riders) var ribbons: [Ribbon]
  @Relationship(ordered: true) var camps: [Ribbon]

  static var basePath: String { "riders" }
}

@Entity final class Bunk: RemoteEntity {
  @UID @Key("id") var uid: Int
  var hut: Int
  var number: Int

  static var basePath: String { "bunks" }
  static var indexes: [EntityIndex<Bunk>] { [.unique(\.hut, \.number)] }
}

@Entity final class Polaroid: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Lazy var body: String?
  @Derived var shout: String { (title ?? "").uppercased() }

  static var basePath: String { "polaroids" }
}

@Entity final class Ribbon: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var riders: [Rider]

  static var basePath: String { "ribbons" }
}

@Entity final class Pennant: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Unique var code: String?
  var title: String?

  static var basePath: String { "pennants" }
}
