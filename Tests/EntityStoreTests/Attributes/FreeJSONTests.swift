import EntityJSON
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Attributes of JSON of any shape.
@MainActor
final class FreeJSONTests {
  /// Held for as long as the test runs.
  private var store: EntityStore?

  private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Data(text.utf8)) }

  private func packet(_ place: Place, _ extra: JSONValue?) throws -> (
    test: TestStore, main: EntityContext, packet: Packet
  ) {
    let test = try TestStore(place, [Packet.self])
    store = test.store
    let packet = try test.store.main.insert(Packet.self)
    (packet.uid, packet.extra) = (1, extra)
    try test.store.main.saveAtOnce()
    return (test, test.store.main, packet)
  }

  private func text(_ test: TestStore, _ column: String = "extra") async throws -> String? {
    try await test.store.read { context in
      try context.connection.rows("SELECT \(column.quoted) FROM main.\"Packet\"") { $0.text(0) }.first ?? nil
    }
  }

  // MARK: Values

  @Test(arguments: Place.usual)
  func `the row has the JSON with sorted keys`(_ place: Place) async throws {
    let value = try json(
      #"{ "b": [1.50, 9223372036854775808, 1e400, -0], "a": {"n": null, "é": "\u00e9\/"} , "b2":[] }"#)
    let (test, main, packet) = try packet(place, value)
    let stored = #"{"a":{"n":null,"é":"é/"},"b":[1.50,9223372036854775808,1e400,-0],"b2":[]}"#
    #expect(try await text(test) == stored)
    #expect(packet.extra == value)
    #expect(packet.extra?["b"]?.array?.compactMap(\.lexeme) == ["1.50", "9223372036854775808", "1e400", "-0"])
    // The same in another order of keys is no change, and a number that is written in another way is one.
    packet.extra = try json(stored)
    #expect(!main.hasChanges)
    packet.extra = value
    #expect(!main.hasChanges)
    packet.extra = try json(stored.replacing("1.50", with: "1.5"))
    #expect(main.hasChanges)
    packet.extra = value
    #expect(!main.hasChanges)
    let read = try await test.store.read { try $0.fetch(Packet.self, uid: 1)?.extra }
    #expect(read == value)
  }

  @Test(arguments: Place.usual)
  func `the last of a key that stands twice counts`(_ place: Place) async throws {
    let (test, _, packet) = try packet(place, try json(#"{"a": 1, "b": 2, "a": {"c": 1, "c": 3}}"#))
    #expect(try await text(test) == #"{"a":{"c":3},"b":2}"#)
    #expect(packet.extra == ["a": ["c": 3], "b": 2])
  }

  @Test(arguments: Place.usual)
  func `neutral and declared values`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, nil)
    @Sendable nonisolated func check(_ packet: Packet) {
      #expect(packet.extra == nil)
      #expect(packet.info == ["v": 1])
      #expect(packet.object == [:])
      #expect(packet.array == [])
      #expect(packet.maybeObject == nil)
      #expect(packet.list == [])
    }
    check(packet)
    check(Packet())
    try await test.store.read { try check(#require(try $0.fetch(Packet.self, uid: 1))) }
    packet.object = ["b": 1, "a": [nil]]
    packet.array = [1, "x", nil]
    packet.maybeObject = [:]
    packet.list = [nil, 1.5, ["k": nil]]
    try await main.save()
    #expect(try await text(test, "object") == #"{"a":[null],"b":1}"#)
    #expect(try await text(test, "array") == #"[1,"x",null]"#)
    #expect(try await text(test, "maybeObject") == "{}")
    #expect(try await text(test, "list") == #"[null,1.5,{"k":null}]"#)
    let read = try await test.store.read { context in
      let packet = try #require(try context.fetch(Packet.self, uid: 1))
      return (packet.object, packet.array, packet.maybeObject, packet.list)
    }
    #expect(read.0 == ["a": [nil], "b": 1])
    #expect(read.1 == [1, "x", nil])
    #expect(read.2 == [:])
    #expect(read.3 == [nil, 1.5, ["k": nil]])
  }

  /// Null is no value.
  @Test(arguments: Place.usual)
  func `null is nil`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, .null)
    #expect(packet.extra == nil)
    #expect(try await text(test) == nil)
    packet.extra = JSONValue.null
    #expect(!main.hasChanges)
    packet.extra = [nil]
    try await main.save()
    #expect(try await text(test) == "[null]")
    packet.extra = .some(.null)
    #expect(main.hasChanges)
    #expect(packet.extra == nil)
    try await main.save()
    #expect(try await text(test) == nil)
    // Refused where the property is not optional, as by each attribute.
    packet.info = .null
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.kind == .invalidValue)
    #expect(error?.message.contains("'Packet.info'") == true)
    main.rollback()
    #expect(packet.info == ["v": 1])
  }

  @Test(arguments: Place.usual)
  func `nesting that nobody could read is refused`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, nil)
    func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce([]) { value, _ in [value] } }
    packet.extra = nested(512)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Packet.self, uid: 1)?.extra } == nested(512))
    packet.extra = nested(513)
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.kind == .invalidValue)
    #expect(error?.message.contains("512") == true, "\(error?.message ?? "")")
    #expect(packet.extra == nested(512))
    main.rollback()
    packet.list = [nested(512)]
    #expect(errorKind { try main.saveAtOnce() } == .invalidValue)
  }

  @Test(arguments: Place.usual)
  func `random values come back`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, nil)
    await Seeds.each(10, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      for _ in 0..<30 {
        let value = try JSONValue(parsing: Data(RandomJSON.text(&random).utf8))
        packet.extra = value
        try main.saveAtOnce()
        try #require(try await text(test) == (value.isNull ? nil : value.sortedText))
        main.rollback()
        try #require(packet.extra ?? .null == value)
        let query = Packet.where { $0.extra == value }
        try #require(try main.count(query) == 1)
        packet.extra = try JSONValue(parsing: value.data(format: .pretty))
        try #require(!main.hasChanges)
      }
    }
  }

  // MARK: Queries

  @Test(arguments: Place.usual, [false, true])
  func `queries compare the whole`(_ place: Place, isSaved: Bool) throws {
    let (test, main, first) = try packet(place, ["b": 1, "a": [nil]])
    defer { withExtendedLifetime(test) {} }
    let second = try main.insert(Packet.self)
    second.uid = 2
    if isSaved { try main.saveAtOnce() }
    func uids(_ query: EntityQuery<Packet>) throws -> [Int] { try main.fetch(query).map(\.uid) }
    #expect(try uids(Packet.where { $0.extra == ["a": [nil], "b": 1] }) == [1])
    #expect(try uids(Packet.where { $0.extra != ["a": [nil], "b": 1] }) == [2])
    #expect(try uids(Packet.where { $0.extra == ["a": [], "b": 1] }) == [])
    #expect(try uids(Packet.where { $0.extra == nil }) == [2])
    #expect(try uids(Packet.where { $0.extra == .null }) == [2])
    #expect(try uids(Packet.where { $0.extra != nil }) == [1])
    #expect(try uids(Packet.where { $0.info == ["v": 1] }) == [1, 2])
    #expect(try uids(Packet.where { $0.object == [:] && $0.array == [] }) == [1, 2])
    first.object = ["k": "v"]
    #expect(try uids(Packet.where { $0.object == ["k": "v"] }) == [1])
  }

  // MARK: Loose objects, drafts, conflicts, observers

  @Test(arguments: Place.usual)
  func `a loose object takes its free JSON along`(_ place: Place) async throws {
    let test = try TestStore(place, [Packet.self])
    let packet = Packet()
    (packet.uid, packet.extra, packet.object) = (1, ["a": [nil, 1.5]], ["k": 1])
    #expect(packet.extra == ["a": [nil, 1.5]])
    packet.extra = .null
    #expect(packet.extra == nil)
    packet.extra = ["a": 2]
    try test.store.main.insert(packet)
    try await test.store.main.save()
    #expect(try await text(test) == #"{"a":2}"#)
    #expect(try await text(test, "object") == #"{"k":1}"#)
  }

  @Test(arguments: Place.usual)
  func `a draft hands its free JSON over`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, ["a": 1])
    let draft = try main.edit(packet)
    #expect(draft.object.extra == ["a": 1])
    draft.object.extra = ["a": 2]
    draft.object.array = [1]
    #expect(packet.extra == ["a": 1])
    try draft.save()
    #expect(packet.extra == ["a": 2])
    #expect(packet.array == [1])
    try await main.save()
    #expect(try await text(test) == #"{"a":2}"#)
  }

  @Test(arguments: Place.usual)
  func `an edit of another context is a conflict`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, ["n": 1])
    let id = packet.entityID
    packet.extra = ["n": 2]
    try await test.store.background { try #require(try $0.object(id)).extra = ["n": 10] }
    #expect(errorKind { try main.saveAtOnce() } == .conflict)
    let policy = ConflictPolicy.byColumn(
      .merge(\Packet.Columns.extra) { base, mine, theirs in
        let (base, mine, theirs) = (base?["n"]?.int ?? 0, mine?["n"]?.int ?? 0, theirs?["n"]?.int ?? 0)
        return ["n": JSONValue(theirs + mine - base)]
      })
    try await main.save(conflicts: policy)
    #expect(packet.extra == ["n": 11])
    #expect(try await text(test) == #"{"n":11}"#)
    // The same from both is none.
    packet.extra = try json(#"{"x": 1, "y": 2}"#)
    try await test.store.background {
      try #require(try $0.object(id)).extra = try JSONValue(parsing: Data(#"{"y":2,"x":1}"#.utf8))
    }
    try main.saveAtOnce()
    #expect(packet.extra == ["x": 1, "y": 2])
  }

  @Test(arguments: Place.usual)
  func `observers of free JSON hear of its changes only`(_ place: Place) async throws {
    let (test, _, packet) = try packet(place, ["a": 1, "b": 2])
    let watcher = Watcher { _ = packet.extra }
    let id = packet.entityID
    packet.extra = try json(#"{"b": 2, "a": 1}"#)
    #expect(!watcher.fired)
    try await test.store.background { try #require(try $0.object(id)).extra = ["b": 2, "a": 1] }
    try test.store.mergeMain()
    #expect(!watcher.fired)
    try await test.store.background { try #require(try $0.object(id)).extra = ["b": 2] }
    try test.store.mergeMain()
    #expect(watcher.fired)
    #expect(packet.extra == ["b": 2])
  }

  @Test(arguments: Place.usual)
  func `an edit that is taken back has the value from before`(_ place: Place) async throws {
    let test = try TestStore(place, [Packet.self])
    try await test.store.background(as: .server) { context in
      let packet = try context.insert(Packet.self)
      (packet.uid, packet.extra) = (1, ["a": 1])
    }
    let packet = try #require(try test.store.main.fetch(Packet.self, uid: 1))
    packet.extra = nil
    try await test.store.main.save()
    #expect(try await test.store.pending.changes().first?.edits.first?.base == .attribute(.text(#"{"a":1}"#)))
    #expect(String(decoding: try await test.store.pending.export(), as: UTF8.self).contains(#""base":"{\"a\":1}""#))
    try await test.store.pending.discard(packet.entityID, \.extra)
    try test.store.mergeMain()
    #expect(packet.extra == ["a": 1])
  }

  // MARK: The file

  @Test func `a row whose text is no JSON reads as the default`() async throws {
    let (test, _, _) = try packet(.file, ["a": 1])
    let writer = try RawConnection(test.folder.file.path, vfs: nil)
    try writer.run("UPDATE \"Packet\" SET extra = '{', info = 'x', object = '[1]'")
    let read = try await test.store.read { context in
      let packet = try #require(try context.fetch(Packet.self, uid: 1))
      return (packet.extra, packet.info, packet.object)
    }
    #expect(read.0 == nil)
    #expect(read.1 == ["v": 1])
    #expect(read.2 == [:])
  }

  @Test func `free JSON is added to an earlier file, and no other type takes its place`() async throws {
    let folder = try TemporaryFolder()
    do {
      let store = try EntityStore(.file(folder.file), entities: [PacketBefore.self])
      try await store.background { try $0.insert(PacketBefore.self).uid = 1 }
    }
    do {
      let store = try EntityStore(.file(folder.file), entities: [Packet.self])
      let read = try await store.read { context in
        let packet = try #require(try context.fetch(Packet.self, uid: 1))
        return (packet.extra, packet.info, packet.array, packet.tags)
      }
      #expect(read.0 == nil)
      #expect(read.1 == ["v": 1])
      #expect(read.2 == [])
      #expect(read.3 == [])
    }
    let error = #expect(throws: StoreError.self) {
      try EntityStore(.file(folder.file), entities: [PacketRetyped.self])
    }
    #expect(error?.kind == .schemaMismatch)
    #expect(error?.message.contains("'Packet.extra'") == true, "\(error?.message ?? "")")
  }

  // MARK: Sets

  @Test(arguments: Place.usual)
  func `a set has one text`(_ place: Place) async throws {
    let (test, main, packet) = try packet(place, nil)
    packet.tags = ["b", "a", "é"]
    packet.codes = [10, 9]
    try await main.save()
    #expect(try await text(test, "tags") == #"["a","b","é"]"#)
    #expect(try await text(test, "codes") == "[9,10]")
    for capacity in 0..<10 {
      var tags = Set<String>(minimumCapacity: 1 << capacity)
      for tag in ["é", "a", "b"] { tags.insert(tag) }
      packet.tags = tags
      #expect(!main.hasChanges)
      #expect(try main.count(Packet.where { $0.tags == tags }) == 1)
    }
    #expect(try main.count(Packet.where { $0.codes == [9, 10] }) == 1)
    packet.tags.remove("a")
    #expect(main.hasChanges)
  }
}
