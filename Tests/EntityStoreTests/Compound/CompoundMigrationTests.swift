import Foundation
import Testing

@testable import EntityStore

/// Indexes over several columns, and over a part of the rows, through versions of an app.
struct CompoundMigrationTests {
  /// A file that outlasts the stores which have it open.
  private struct Depot {
    let folder: TemporaryFolder
    let location: StoreLocation
    let connection: Connection

    init(_ place: Place) throws {
      folder = try TemporaryFolder()
      location = place == .file ? .file(folder.file) : .inMemory
      try location.prepare()
      connection = try Connection(location, opening: .making, busyTimeout: .ample)
    }

    /// Opens the file in a version of the app, and checks that it is as the version declares it.
    func open(_ entities: ShapeEntity..., removed: [String] = [], migrations: [Migration] = []) throws {
      let version = ShapeVersion(entities: entities)
      connection.forgetStatements()
      try version.run {
        _ = try EntityStore(
          location, entities: version.types, removed: removed, migrations: migrations, backup: .none,
          busyTimeout: .ample)
        try Hotel.check(location, version.types, removed: removed, migrations: migrations)
      }
    }

    func plan(_ entity: ShapeEntity) throws -> Migration.Plan {
      let version = ShapeVersion(entities: [entity])
      return try version.run { try EntityStore.migrationPlan(for: location, entities: version.types) }
    }

    /// The indexes over several columns, or over a part of the rows.
    func indexes() throws -> [String] {
      try connection.rows(
        "SELECT substr(sql, instr(sql, ' ON ') + 4) FROM main.sqlite_schema WHERE instr(name, ',,') ORDER BY 1"
      ) { $0.text(0) ?? "" }
    }

    func run(_ sql: String) throws { try connection.execute(sql) }
  }

  private func entity(
    _ name: String = "Box", _ properties: [String] = ["a", "b", "c"], indexes: [ShapeIndex] = [],
    _ change: (inout ShapeEntity) -> Void = { _ in }
  ) -> ShapeEntity {
    var entity = ShapeEntity(
      slot: 0, name: name,
      properties: properties.map { ShapeProperty(name: $0, kind: .attribute(.integer(bits: 64, isSigned: true))) },
      indexes: indexes)
    change(&entity)
    return entity
  }

  private let both = ShapeIndex(columns: ["a", "b"])
  private let unique = ShapeIndex(columns: ["a", "b"], isUnique: true)
  private let partial = ShapeIndex(columns: ["c"], partial: "b", text: "\"b\"")

  @Test(arguments: Place.usual)
  func `compound indexes come and go by themselves`(_ place: Place) throws {
    let depot = try Depot(place)
    try depot.open(entity())
    #expect(try depot.indexes() == [])
    let plan = try depot.plan(entity(indexes: [both, partial]))
    #expect(
      plan.changes.map(\.summary) == [
        "'Box.a', 'Box.b' have an index", "'Box.c' where \"b\" IS NOT '\"b\"' have an index",
      ])
    try depot.open(entity(indexes: [both, partial]))
    #expect(try depot.indexes() == [#""Box" ("a", "b")"#, #""Box" ("c") WHERE "b" IS NOT '"b"'"#])
    try depot.open(entity(indexes: [partial]))
    #expect(try depot.indexes() == [#""Box" ("c") WHERE "b" IS NOT '"b"'"#])
    try depot.open(entity())
    #expect(try depot.indexes() == [])
  }

  @Test(arguments: Place.usual)
  func `compound indexes follow new names and types`(_ place: Place) throws {
    let depot = try Depot(place)
    let former = entity(indexes: [both, partial])
    try depot.open(former)
    try depot.run("INSERT INTO Box (_pk, a, b, c) VALUES (1, 1, 1, 1), (2, 1, 1, 2)")
    let renamed = entity(
      "Chest", ["a", "bee", "c"],
      indexes: [.init(columns: ["a", "bee"]), .init(columns: ["c"], partial: "bee", text: "\"b\"")]
    ) {
      $0.formerNames = ["Box"]
      $0.properties[1].formerNames = ["b"]
    }
    #expect(
      try depot.plan(renamed).changes.map(\.summary) == ["'Box' becomes 'Chest'", "'Chest.b' becomes 'Chest.bee'"])
    try depot.open(renamed)
    #expect(try depot.indexes() == [#""Chest" ("a", "bee")"#, #""Chest" ("c") WHERE "bee" IS NOT '"b"'"#])
    var required = renamed
    for index in 0..<3 { required.properties[index].isOptional = false }
    try depot.open(required)
    #expect(try depot.indexes().count == 2)
    // A property that goes takes its indexes along, and brings back those that are declared again.
    var less = entity("Chest", ["a", "c"]) { $0.removed = ["bee"] }
    for index in 0..<2 { less.properties[index].isOptional = false }
    try depot.open(less)
    #expect(try depot.indexes() == [])
    try depot.open(required)
    #expect(try depot.indexes().count == 2)
    #expect(
      try depot.connection.rows("SELECT a, bee, c FROM Chest") { $0.int64(0) + $0.int64(1) + $0.int64(2) } == [3, 4])
  }

  @Test(arguments: Place.usual)
  func `compound indexes come back with their entity`(_ place: Place) throws {
    let depot = try Depot(place)
    let other = ShapeEntity(slot: 1, name: "Other")
    try depot.open(entity(indexes: [both, partial]), other)
    try depot.open(other, removed: ["Box"])
    #expect(try depot.indexes() == [])
    try depot.open(entity(indexes: [both, partial]), other)
    #expect(try depot.indexes().count == 2)
    let drop = Migration("drop") { try $0.dropEntity("Box") }
    try depot.open(other, migrations: [drop])
    #expect(try depot.indexes() == [])
  }

  @Test(arguments: Place.usual)
  func `rows that are alike refuse the rule`(_ place: Place) throws {
    let depot = try Depot(place)
    try depot.open(entity(indexes: [both]))
    try depot.run(
      "INSERT INTO Box (_pk, a, b) VALUES (1, 1, 1), (2, 1, 1), (3, 1, NULL), (4, 1, NULL), (5, 2, 2), (6, 2, 2)")
    let error = storeError { try depot.open(entity(indexes: [unique])) }
    #expect(error?.kind == .schemaMismatch)
    #expect(
      error?.message.contains(
        "'Box.a', 'Box.b' are unique together in the entity, and in the file several rows are alike in them "
          + "(2 such combinations)") == true, "\(error?.message ?? "-")")
    #expect(try depot.plan(entity(indexes: [unique])).error?.kind == .schemaMismatch)
    try depot.open(entity(indexes: [both]))
    // A step mends the rows.
    let mend = Migration("mend") { try $0.execute("UPDATE Box SET b = _pk WHERE _pk IN (2, 6)") }
    try depot.open(entity(indexes: [unique]), migrations: [mend])
    #expect(try depot.plan(entity(indexes: [unique])).changes.isEmpty)
    // The rule goes by itself.
    try depot.open(entity(indexes: [both]), migrations: [mend])
  }

  @Test(arguments: Place.usual)
  func `a step that leaves rows alike is not forgotten`(_ place: Place) throws {
    let depot = try Depot(place)
    try depot.open(entity(indexes: [unique]))
    try depot.run("INSERT INTO Box (_pk, a, b) VALUES (1, 1, 1), (2, 1, 2)")
    let spoil = Migration("spoil") { try $0.execute("UPDATE Box SET b = 1") }
    for _ in 0..<2 {
      // The step stays, and the file is refused each time.
      #expect(storeError { try depot.open(entity(indexes: [unique]), migrations: [spoil]) }?.kind == .schemaMismatch)
    }
    #expect(try depot.connection.rows("SELECT b FROM Box") { $0.int64(0) } == [1, 1])
    let mend = Migration("mend") { try $0.execute("UPDATE Box SET b = _pk") }
    try depot.open(entity(indexes: [unique]), migrations: [spoil, mend])
  }

  @Test(arguments: Place.usual)
  func `rows that get a default are compared`(_ place: Place) throws {
    let depot = try Depot(place)
    try depot.open(entity(indexes: [unique]))
    try depot.run("INSERT INTO Box (_pk, a, b) VALUES (1, 1, NULL), (2, 1, NULL)")
    let required = entity(indexes: [unique]) { $0.properties[1].isOptional = false }
    #expect(storeError { try depot.open(required) }?.kind == .schemaMismatch)
    try depot.open(entity(indexes: [unique]))
  }

  @Test(arguments: Place.usual)
  func `a step changes columns of an index`(_ place: Place) throws {
    let depot = try Depot(place)
    try depot.open(entity(indexes: [both, partial]))
    try depot.run("INSERT INTO Box (_pk, a, b, c) VALUES (1, 1, 1, 1), (2, 1, 2, 2)")
    let steps = [
      Migration("texts") { try $0.convert("b", of: "Box", to: String?.self, sql: "'t' || b") },
      Migration("names") { step in
        try step.rename("a", of: "Box", to: "first")
        try step.drop("c", of: "Box")
      },
      // An index that names a column which is gone would have its name as a text.
      Migration("look") { step in
        let left = try step.rows("SELECT name FROM sqlite_schema WHERE type = 'index' AND instr(sql, '\"c\"')")
        #expect(left.isEmpty)
      },
    ]
    let after = entity("Box", ["first", "b"], indexes: [.init(columns: ["first", "b"])]) {
      $0.properties[1].kind = .attribute(.string)
    }
    try depot.open(after, migrations: steps)
    #expect(try depot.indexes() == [#""Box" ("first", "b")"#])
    #expect(try depot.connection.rows("SELECT b FROM Box") { $0.text(0) } == ["t1", "t2"])
  }

  /// A schema without the indexes is that of a process that had the file open with a version of this package that knows none.
  /// The file keeps them.
  @Test(arguments: Place.usual)
  func `indexes that the schema has lost are made again`(_ place: Place) throws {
    let depot = try Depot(place)
    try depot.open(entity(indexes: [both, partial]))
    let key = "WHERE key = 'schema'"
    let text = try #require(
      try depot.connection.rows("SELECT value FROM _entity_store \(key)") { $0.text(0) }.first ?? nil)
    var schema = try StoredSchema.decode(text)
    schema.entities[0].indexes = nil
    try depot.connection.prepare("UPDATE _entity_store SET value = ? \(key)").run([.text(try schema.encoded())])
    try depot.open(entity("Box", ["a", "b"], indexes: [both]) { $0.removed = ["c"] })
    #expect(try depot.indexes() == [#""Box" ("a", "b")"#])
    try depot.open(entity(indexes: [both, partial]))
    #expect(try depot.indexes().count == 2)
  }

  /// A mark that follows a quote makes one character with it, and the quote is one all the same.
  @Test func `names that begin with a mark are found in conditions`() throws {
    let stored = #"{"columns":["a"],"condition":"\"\u0301b\" IS '\u0301 \"\u0301b\" it''s'"}"#
    var box = StoredEntity(name: "Box")
    box.indexes = [try JSONDecoder().decode(StoredIndex.self, from: Data(stored.utf8))]
    box.renameInIndexes("\u{301}b", to: "c")
    #expect(box.indexes?.first?.condition == "\"c\" IS '\u{301} \"\u{301}b\" it''s'")
    box.dropIndexes(of: "c")
    #expect(box.indexes == nil)
  }

  @Test(arguments: Place.usual)
  func `an index that is gone is found`(_ place: Place) async throws {
    let test = try TestStore(place, Hamper.all)
    let location = test.store.core.location
    let raw = try RawConnection(location.path, vfs: place == .file ? nil : location.vfs)
    try raw.run("DROP INDEX \"Hamper,,depot,slot\"")
    #expect(try await test.store.check().map(\.kind) == [.structure])
  }

  /// The files of apps that declare no such index are as they were.
  @Test func `a schema without compound indexes is written as before`() throws {
    let schema = StoredSchema(try SchemaModel([HamperDepot.self, Hamper.self], keyStyle: .snakeCase))
    var former = schema
    for index in former.entities.indices { former.entities[index].indexes = nil }
    #expect(schema.fingerprint != former.fingerprint)
    #expect(try former.encoded().contains("indexes") == false)
    #expect(try StoredSchema.decode(schema.encoded()) == schema)
  }
}
