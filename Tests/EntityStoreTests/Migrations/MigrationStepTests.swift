import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Steps that an app writes, for changes that a store can't make by itself.
struct MigrationStepTests {
  static let splitting = [
    Migration("split the name") { step in
      try step.add("firstName", String.self, to: "Guest")
      try step.add("lastName", String.self, to: "Guest", default: "?")
      try step.updateRows(of: "Guest") { row in
        let parts = row["fullName", as: String.self]?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        row["firstName", as: String.self] = parts.first
        row["lastName", as: String.self] = parts.last
        if row.edited.contains("fullName") { row.edited.formUnion(["firstName", "lastName"]) }
      }
      try step.drop("fullName", of: "Guest")
    },
    Migration("texts") { step in
      try step.convert("uid", of: "Guest", to: String.self, sql: "'g' || uid")
      try step.convert("age", of: "Guest", to: String.self) { value in
        guard case .integer(let age) = value else { return "" }
        return age > 30 ? "old" : "young"
      }
    },
  ]

  @Test(arguments: Place.usual)
  func `steps run once and in order`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    for _ in 0..<2 {
      let store = try EntityStore(hotel.location, entities: V5.all, migrations: Self.splitting, busyTimeout: .ample)
      let guests = try await store.read { context in
        try context.fetch(V5.Guest.all.sorted(by: \.uid)).map {
          "\($0.uid) \($0.firstName)/\($0.lastName) \($0.age) \($0.room?.label ?? "-") \($0.perks.count)"
        }
      }
      #expect(guests == ["g1 Ada/Lovelace old R1 2", "g2 Guest/No2 young R2 2", "g3 Guest/No3 young R3 3"])
      #expect(
        try hotel.rows("SELECT _edited FROM Guest ORDER BY uid") == ["age,firstName,lastName,nickname,perks", "-", "-"])
    }
    #expect(
      try hotel.rows("SELECT step FROM main._entity_migrations WHERE step IS NOT NULL") == ["split the name", "texts"])
    try hotel.check(V5.all, migrations: Self.splitting)
    let store = try EntityStore(hotel.location, entities: V5.all, migrations: Self.splitting)
    #expect(try await store.read { try $0.fetch(V5.Guest.self, uid: "g2")?.firstName } == "Guest")
  }

  /// The last step is committed, and the process dies before the schema is noted.
  @Test(arguments: Place.usual)
  func `the schema after the last step is noted by the next process`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    _ = try EntityStore(hotel.location, entities: V5.all, migrations: Self.splitting, busyTimeout: .ample)
    let record = try hotel.rows("SELECT * FROM main._entity_migrations")
    try hotel.connection.execute(
      "DELETE FROM main._entity_migrations WHERE number = (SELECT max(number) FROM main._entity_migrations)")
    for _ in 0..<2 {
      _ = try EntityStore(hotel.location, entities: V5.all, migrations: Self.splitting, busyTimeout: .ample)
      #expect(try hotel.rows("SELECT * FROM main._entity_migrations") == record)
    }
  }

  @Test(arguments: Place.usual)
  func `a new file runs no migration step`(_ place: Place) async throws {
    let runs = CallCounter()
    let migrations = Self.splitting + [Migration("more") { _ in runs.increment() }]
    let hotel = try await Hotel(place, isEmpty: true)
    for _ in 0..<2 { _ = try EntityStore(hotel.location, entities: V5.all, migrations: migrations) }
    #expect(runs.value == 0)
    #expect(try hotel.rows("SELECT count(step) FROM main._entity_migrations") == ["3"])
  }

  private struct Failure: Error {}

  @Test(arguments: Place.usual)
  func `a step that fails leaves the file as it was before`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let failing = [
      Self.splitting[0],
      Migration("fail") { step in
        try step.renameEntity("Guest", to: "Visitor")
        try step.execute("DELETE FROM Visitor")
        throw Failure()
      },
    ]
    let error = #expect(throws: StoreError.self) {
      try EntityStore(hotel.location, entities: V5.all, migrations: failing, busyTimeout: .ample)
    }
    #expect(error?.kind == .migrationFailed)
    #expect(error?.underlying is Failure)
    for part in ["The step 'fail' failed", "Earlier steps stay: 'split the name'"] {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    #expect(try hotel.guests("uid, firstName") == ["1|Ada", "2|Guest", "3|Guest"])
    // The next version has it right.
    let store = try EntityStore(hotel.location, entities: V5.all, migrations: Self.splitting, busyTimeout: .ample)
    #expect(try await store.read { try $0.count(V5.Guest.all) } == 3)
  }

  @Test func `files of newer and other versions are refused by name`() async throws {
    let hotel = try await Hotel(.file)
    let (a, b, c) = (Migration("a") { _ in }, Migration("b") { _ in }, Migration("c") { _ in })
    _ = try EntityStore(hotel.location, entities: V1.all, migrations: [a, b])
    let before = try hotel.rows("SELECT * FROM main._entity_store")
    func message(_ migrations: [Migration]) -> String {
      let error = #expect(throws: StoreError.self) {
        try EntityStore(hotel.location, entities: V1.all, migrations: migrations)
      }
      #expect(error?.kind == .schemaMismatch)
      return error?.message ?? ""
    }
    #expect(message([a]).contains("has taken the step 'b', which this version of the app does not have"))
    #expect(message([b, a]).contains("the step 'a' without 'b', which comes before it"))
    #expect(message([a, c, b]).contains("the step 'b' without 'c', which comes before it"))
    try hotel.connection.execute("UPDATE main._entity_store SET value = 7 WHERE key = 'format'")
    #expect(message([a, b]).contains("has format 7"))
    try hotel.connection.execute("UPDATE main._entity_store SET value = 1 WHERE key = 'format'")
    #expect(try hotel.rows("SELECT * FROM main._entity_store") == before)
    #expect(
      errorKind { _ = try EntityStore(hotel.location, entities: V1.all, migrations: [a, a]) } == .invalidSchema)
  }

  @Test(arguments: Place.usual)
  func `structure can be made and rows with it`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let migrations = [
      Migration("cards") { step in
        try step.addEntity("Card")
        try step.add("number", Int.self, to: "Card")
        try step.add("holder", String?.self, to: "Card")
        try step.setUID("number", of: "Card")
        try step.addLink("guest", to: "Guest", of: "Card")
        try step.addList("cards", of: "Card", to: "Room")
        for guest in try step.rows(of: "Guest") {
          let card = try step.insert(
            into: "Card",
            ["number": .integer(100 + guest.key), "holder": guest["fullName"], "guest": .integer(guest.key)])
          if case .integer(let room) = guest["room"] {
            try step.insert(into: "Room,cards", ["owner": .integer(room), "member": .integer(card)])
          }
        }
        #expect(try step.execute("UPDATE Card SET holder = ? WHERE holder LIKE ?", [.text("X"), .text("Ada%")]) == 1)
        let rows = try step.rows("SELECT holder AS h, count(*) AS n FROM Card GROUP BY 1 ORDER BY 1")
        #expect(rows.map { $0["h", as: String.self] } == ["Guest No2", "Guest No3", "X"])
        #expect(rows.map { $0["n", as: Int.self] } == [1, 1, 1])
      },
      Migration("renames") { step in
        try step.renameEntity("Card", to: "Ticket")
        try step.rename("number", of: "Ticket", to: "no")
        try step.rename("cards", of: "Room", to: "tickets")
        try step.rename("holder", of: "Ticket", to: "holderName")
      },
    ]
    let store = try EntityStore(
      hotel.location, entities: Ticketed.all, migrations: migrations, busyTimeout: .ample)
    #expect(
      try await store.read { context in
        try context.fetch(Ticketed.Room.all.sorted(by: \.uid)).map { $0.tickets.map { $0.holderName ?? "-" } }
      } == [["X"], ["Guest No2"], ["Guest No3"]])
    #expect(try await store.read { try $0.fetch(Ticketed.Ticket.all).allSatisfy { $0.guest?.owned.count == 1 } })
    try hotel.check(Ticketed.all, migrations: migrations)
    // Keys of rows that a step made are never used again.
    let keys = try await store.background { context in
      let ticket = try context.insert(Ticketed.Ticket.self)
      ticket.no = 5
      return ticket.entityID
    }
    #expect(try hotel.rows("SELECT count(*) FROM Ticket WHERE _pk >= \(keys.pk)") == ["1"])
  }

  static let mistakes: [(String, @Sendable (Migration.Step) throws -> Void)] = [
    ("the column 'Guest.nickname' is gone", { try $0.execute("ALTER TABLE Guest DROP COLUMN nickname") }),
    ("the column 'Guest.more' is none that the store knows", { try $0.execute("ALTER TABLE Guest ADD COLUMN more") }),
    ("the table 'Perk' is gone", { try $0.execute("ALTER TABLE Perk RENAME TO Extra") }),
    ("the index 'Guest,code' is gone", { try $0.execute("DROP INDEX \"Guest,code\"") }),
    ("ends no transaction", { try $0.execute("COMMIT") }), ("ends no transaction", { try $0.execute("SAVEPOINT x") }),
    ("attaches no file", { _ = try $0.rows("ATTACH ':memory:' AS x") }),
    ("A link leads to a row that is not there: row", { try $0.execute("DELETE FROM Room WHERE uid = 1") }),
    ("The file has no entity 'Nobody'", { try $0.renameEntity("Nobody", to: "Somebody") }),
    ("The file has no property 'Guest.nothing'", { try $0.drop("nothing", of: "Guest") }),
    ("The file has the property 'Guest.NICKNAME' already", { try $0.add("NICKNAME", String?.self, to: "Guest") }),
    ("The file has the entity 'room' already", { try $0.renameEntity("Guest", to: "room") }),
    ("can't be the name", { try $0.add("_pk", Int.self, to: "Guest") }),
    ("needs a default", { try $0.add("rank", Rank.self, to: "Guest") }),
    (
      "would have no value in 1 row", { try $0.convert("nickname", of: "Guest", to: Int.self, sql: "length(nickname)") }
    ),
    (
      "would have 2 values that are not stored as Int64 is",
      {
        try $0.convert("nickname", of: "Guest", to: Int?.self, sql: "nickname")
      }
    ),
    ("'Guest.room' is a relationship", { try $0.convert("room", of: "Guest", to: Int?.self, sql: "1") }),
    ("refers to 'Room': drop it before", { try $0.dropEntity("Room") }),
    (
      "several rows have one value",
      {
        try $0.convert("fullName", of: "Guest", to: String.self, sql: "'x'")
        try $0.setUID("fullName", of: "Guest")
      }
    ),
    ("The file has no property 'Guest.none'", { try $0.updateRows(of: "Guest") { $0["none"] = .null } }),
    ("Only one statement", { try $0.execute("SELECT ?; SELECT 2", [.null]) }),
    ("syntax error", { try $0.execute("SELEC") }),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake in a migration step is named, and the step is undone`(_ number: Int) async throws {
    let (text, body) = Self.mistakes[number]
    let hotel = try await Hotel(.file)
    let before = (try hotel.rows("SELECT sql FROM sqlite_schema ORDER BY 1"), try hotel.guests("*"))
    let error = #expect(throws: StoreError.self) {
      try EntityStore(hotel.location, entities: V1.all, migrations: [Migration("wrong", body)])
    }
    #expect(error?.kind == .migrationFailed)
    #expect(error?.message.contains("The step 'wrong' failed") == true)
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    #expect(try hotel.rows("SELECT sql FROM sqlite_schema ORDER BY 1") == before.0)
    #expect(try hotel.guests("*") == before.1)
    #expect(try hotel.backups.isEmpty)
    try hotel.check(V1.all)
  }

  @Test func `a migration step is over with its closure`() async throws {
    let hotel = try await Hotel(.file)
    // Written on the thread that opens the store, before the call that opens it returns to this one; read after that.
    nonisolated(unsafe) var kept: Migration.Step?
    _ = try EntityStore(hotel.location, entities: V1.all, migrations: [Migration("keep") { kept = $0 }])
    #expect(errorKind { try kept?.execute("SELECT 1") } == .migrationFailed)
    #expect(errorKind { _ = try kept?.rows(of: "Guest") } == .migrationFailed)
  }
}
