import CSQLite
import Foundation
import TestSchema
import Testing

@testable import EntityStore

struct SchemaTests {
  static let invalid: [(String, [any ManagedEntity.Type])] = [
    ("''", [Nameless.self]), ("'_pk'", [Reserved.self]), ("'a,b'", [Comma.self]), ("'name'", [Twice.self]),
    ("'TwoUIDs'", [TwoUIDs.self]), ("129", [TooWide.self]), ("'NotANumber.x'", [NotANumber.self]),
    ("not unique", [PlainUID.self]), ("an integer, a String or a UUID", [MeasuredUID.self]),
    ("an integer, a String or a UUID", [LinkUID.self]), ("'gone'", [LostUID.self]), ("index", [Shuffled.self]),
    ("'sqlite_things'", [SQLiteNamed.self]), ("'PERSON'", TestStore.people + [PersonAgain.self]),
    ("listed twice", [Part.self, Part.self]), ("'Team'", [Person.self, Note.self]),
    ("'WrongInverse.one'", [WrongInverse.self, Inverted.self]), ("inverse of two", [TwoInverses.self, Doubled.self]),
    ("'Descendant' has a superclass", [Descendant.self]), ("'Undeclared.y' has a column", [Undeclared.self]),
    ("'Crossed.x' has a column", [Crossed.self]),
  ]

  @Test(arguments: 0..<invalid.count)
  func `entities that make no schema are named`(_ number: Int) throws {
    let (name, entities) = Self.invalid[number]
    let folder = try TemporaryFolder()
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(folder.file), entities: entities) }
    #expect(error?.kind == .invalidSchema)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    #expect(!FileManager.default.fileExists(atPath: folder.file.path))
  }

  @Test func `a unique property may be the uid`() async throws {
    let test = try TestStore(.memory, [UniqueUID.self])
    try await test.store.background { context in
      try context.insert(UniqueUID.self).x = 5
      #expect(try context.fetch(UniqueUID.self, uid: 5)?.x == 5)
    }
  }

  @Test(arguments: Place.usual)
  @MainActor func `odd names are names like any others`(_ place: Place) async throws {
    let test = try TestStore(place, [Odd.self, Bare.self, Wide.self])
    let main = test.store.main
    let odd = try main.insert(Odd.self)
    let group = try main.insert(Odd.self)
    odd.plain = 1
    odd.quoted = "q"
    odd.unicode = "名"
    odd.spaced = "s"
    odd.group = group
    let query = Odd.where { $0.plain == 1 && $0.quoted == "q" && $0.unicode == "名" && $0.spaced == "s" }
      .sorted(by: \.spaced).sorted(by: \.quoted, .descending)
    #expect(try main.fetch(query) == [odd])
    #expect(group.members == [odd])
    try await main.save()
    #expect(try main.fetch(query) == [odd])
    #expect(group.members == [odd])
    odd.plain = 2
    #expect(try main.count(query) == 0)
    try await main.save()
    #expect(odd._$state.edited.count == 5)
    let bare = try main.insert(Bare.self)
    #expect(try main.fetch(Bare.all) == [bare])
    try await main.save()
    #expect(try main.fetch(Bare.all) == [bare])
    try main.delete(bare)
    try await main.save()
    #expect(try main.count(Bare.all) == 0)
  }

  @Test(arguments: Place.usual)
  @MainActor func `an entity may have 128 properties`(_ place: Place) async throws {
    let test = try TestStore(place, [Wide.self])
    let main = test.store.main
    let wide = try main.insert(Wide.self)
    wide.p0 = 1
    wide.p127 = 127
    try await main.save()
    let id = wide.entityID
    let last = Watcher { _ = wide.p127 }
    let first = Watcher { _ = wide.p0 }
    try await test.store.background { context in
      let wide = try #require(try context.object(id))
      wide.p127 = 128
      wide.p64 = 64
    }
    try test.store.mergeMain()
    #expect(last.fired)
    #expect(!first.fired)
    #expect(wide.p127 == 128)
    #expect(wide.p64 == 64)
    #expect(wide.p0 == 1)
    #expect(try main.fetch(Wide.where { $0.p127 == 128 && $0.p63 == 0 }) == [wide])
  }

  // MARK: Opening again

  @Test func `a store opens again`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let before = try bytes(folder)
    for _ in 0..<2 {
      let store = try EntityStore(.file(folder.file), entities: [Thing1.self])
      #expect(try await store.read { try $0.fetch(Thing1.self, uid: 2)?.name } == "two")
    }
    #expect(!before.isEmpty)
  }

  @Test func `new parts of the schema are added`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let store = try EntityStore(.file(folder.file), entities: [Thing2.self, Part2.self])
    try await store.background { context in
      let things = try context.fetch(Thing2.all)
      #expect(things.map(\.name) == ["one", "two"])
      #expect(things.map(\.uid) == [1, 2])
      #expect(things.allSatisfy { $0.kind == "it's" })
      #expect(things.allSatisfy { $0.age == nil })
      #expect(things.allSatisfy { $0.limit == -.infinity })
      #expect(things.allSatisfy { $0.part == nil })
      let part = try context.insert(Part2.self)
      part.things = things
      things[0].code = "c"
    }
    #expect(try await store.read { try $0.fetch(Part2.all).first?.things.count } == 2)
    let again = try EntityStore(.file(folder.file), entities: [Part2.self, Thing2.self])
    #expect(try await again.read { try $0.count(Thing2.where { $0.kind == "it's" && $0.code == "c" }) } == 1)
    // The old declaration lacks properties that the file has.
    #expect(errorKind { _ = try EntityStore(.file(folder.file), entities: [Thing1.self]) } == .schemaMismatch)
  }

  @Test func `an index is added`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    _ = try EntityStore(.file(folder.file), entities: [ThingIndexed.self])
    let raw = try RawConnection(folder.file.path, vfs: nil)
    let plan = try raw.rows("EXPLAIN QUERY PLAN SELECT * FROM Thing WHERE name IS 'x'")
    #expect(plan.joined().contains { $0.contains("Thing,name") })
    let uid = try raw.rows("EXPLAIN QUERY PLAN SELECT * FROM Thing WHERE (uid IS 1 AND _placeholder = 0) ORDER BY _pk")
    #expect(uid.joined().contains { $0.contains("USING INDEX Thing,uid") })
  }

  static let refused: [(String, [any ManagedEntity.Type])] = [
    ("'Thing.note'", [ThingWithoutNote.self]), ("'Thing.name' is String", [ThingRetyped.self]),
    ("'Thing.name' is unique", [ThingUnique.self]),
    ("'Thing.uid' is", [ThingOtherUID.self]), ("entity 'Thing'", [Part.self]),
    ("'Thing.rank' is new and unique", [ThingNewUnique.self]),
  ]

  @Test(arguments: 0..<refused.count)
  func `any other difference is named and touches nothing`(_ number: Int) async throws {
    let (name, entities) = Self.refused[number]
    let folder = try TemporaryFolder()
    try await fill(folder)
    let raw = try RawConnection(folder.file.path, vfs: nil)
    // Two rows with one name, for who wants unique ones.
    try raw.run("INSERT INTO Thing (_pk, uid, name) VALUES (1000000, 3, 'one')")
    try raw.close()
    let before = try bytes(folder)
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(folder.file), entities: entities) }
    #expect(error?.kind == .schemaMismatch, "\(error?.message ?? "")")
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    #expect(try bytes(folder) == before)
  }

  @Test func `another target of a link is refused`() async throws {
    let other = try TemporaryFolder()
    _ = try EntityStore(.file(other.file), entities: [ThingLinked.self])
    let target = #expect(throws: StoreError.self) {
      try EntityStore(.file(other.file), entities: [ThingLinkedElsewhere.self, Part.self])
    }
    #expect(target?.message.contains("'Thing.other' is -> Thing") == true)
  }

  // MARK: Files of others

  @Test func `a database of another application is refused`() throws {
    let folder = try TemporaryFolder()
    let raw = try RawConnection(folder.file.path, vfs: nil)
    try raw.run("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
    try raw.close()
    let before = try bytes(folder)
    #expect(errorKind { _ = try EntityStore(.file(folder.file), entities: [Part.self]) } == .notAStore)
    #expect(try bytes(folder) == before)
  }

  @Test func `a file that is no database is refused`() throws {
    let folder = try TemporaryFolder()
    try Data(repeating: 0x41, count: 5000).write(to: folder.file)
    let before = try bytes(folder)
    #expect(errorKind { _ = try EntityStore(.file(folder.file), entities: [Part.self]) } == .notAStore)
    #expect(try bytes(folder) == before)
    let nowhere = folder.url.appendingPathComponent("no/such/folder/x.sqlite")
    #expect(errorKind { _ = try EntityStore(.file(nowhere), entities: [Part.self]) } == .cannotOpen)
  }

  @Test(arguments: [
    ("UPDATE _entity_store SET value = 'x' WHERE key = 'schema'", StoreError.Kind.corrupt),
    ("DELETE FROM _entity_store WHERE key = 'schema'", .corrupt),
    ("DELETE FROM _entity_store WHERE key = 'next_pk'", .corrupt),
    ("DELETE FROM _entity_store WHERE key = 'generation'", .corrupt),
    ("UPDATE _entity_store SET value = 9223372036854775807 WHERE key = 'generation'", .corrupt),
    ("UPDATE _entity_store SET value = 8589934591 WHERE key = 'generation'", .corrupt),
    ("UPDATE _entity_store SET value = 1e300 WHERE key = 'generation'", .corrupt),
    ("UPDATE _entity_store SET value = -1 WHERE key = 'generation'", .corrupt),
    ("UPDATE _entity_store SET value = 'x' WHERE key = 'generation'", .corrupt),
    ("UPDATE _entity_store SET value = 9223372036854775807 WHERE key = 'next_pk'", .corrupt),
    ("UPDATE _entity_store SET value = 1e300 WHERE key = 'next_pk'", .corrupt),
    ("UPDATE _entity_store SET value = 0 WHERE key = 'next_pk'", .corrupt),
    ("UPDATE _entity_store SET value = 'x' WHERE key = 'next_pk'", .corrupt),
    ("UPDATE _entity_store SET value = 99 WHERE key = 'format'", .schemaMismatch),
    ("DROP TABLE _entity_store", .notAStore),
  ])
  func `damaged metadata is named`(_ sql: String, _ kind: StoreError.Kind) async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let raw = try RawConnection(folder.file.path, vfs: nil)
    try raw.run(sql)
    try raw.close()
    #expect(errorKind { _ = try EntityStore(.file(folder.file), entities: [Thing1.self]) } == kind)
  }

  @Test func `the file is plain SQLite`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let raw = try RawConnection(folder.file.path, vfs: nil)
    #expect(try raw.text("PRAGMA integrity_check") == "ok")
    #expect(try raw.text("PRAGMA journal_mode") == "wal")
    #expect(
      try raw.rows("SELECT uid, name, note, _edited FROM Thing ORDER BY uid") == [
        ["1", "one", "NULL", "_new,uid,name"], ["2", "two", "NULL", "_new,uid,name"],
      ])
    #expect(try raw.rows("PRAGMA foreign_key_check").isEmpty)
    // The store sees the changes of other programs.
    let store = try EntityStore(.file(folder.file), entities: [Thing1.self])
    try raw.run("UPDATE Thing SET name = 'theirs' WHERE uid = 1")
    #expect(try await store.read { try $0.fetch(Thing1.self, uid: 1)?.name } == "theirs")
  }

  @Test func `keys follow the style`() {
    let style = KeyStyle.snakeCase.key
    #expect(
      ["createdAt", "imageURL", "URLString", "a", "firstName2", "HTTPServerID"].map(style) == [
        "created_at", "image_url", "url_string", "a", "first_name2", "http_server_id",
      ])
    #expect(
      [
        "userID", "htmlURL", "x2", "x2Y", "isA", "aB", "A", "ID", "_private", "__v", "snake_case", "snake_Case",
        "größeMax",
      ]
      .map(style) == [
        "user_id", "html_url", "x2", "x2_y", "is_a", "a_b", "a", "id", "_private", "__v", "snake_case", "snake_case",
        "größe_max",
      ])
    #expect(
      ["createdAt", "userID", "x2", "_private"].map(KeyStyle.asWritten.key) == [
        "createdAt", "userID", "x2", "_private",
      ])
    #expect(KeyStyle.custom { $0.uppercased() }.key("a") == "A")
  }

  private func fill(_ folder: TemporaryFolder) async throws {
    let store = try EntityStore(.file(folder.file), entities: [Thing1.self])
    try await store.background { context in
      for (uid, name) in [(1, "one"), (2, "two")] {
        let thing = try context.insert(Thing1.self)
        thing.uid = uid
        thing.name = name
      }
    }
  }

  private func bytes(_ folder: TemporaryFolder) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      files[name] = try Data(contentsOf: folder.url.appendingPathComponent(name))
    }
    return files
  }
}
