import Foundation
import Testing

@testable import EntityStore

/// Changes of the schema that a store makes by itself when it opens the file of an earlier version.
struct MigrationTests {
  @Test(arguments: Place.usual)
  func `a change that loses nothing and leaves no choice is made`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let store = try EntityStore(hotel.location, entities: V4.all, busyTimeout: .ample)
    let guests = try await store.read { context in
      try context.fetch(V4.Guest.all.sorted(by: \.uid)).map {
        "\($0.uid) \($0.fullName ?? "-") \($0.nickname) \($0.code ?? "-") \($0.age) \($0.room?.label ?? "-") \($0.owned.count)"
      }
    }
    // The third has no nickname, and gets the declared default.
    #expect(
      guests == [
        "1 Ada Lovelace ada c1 36 R1 1", "2 Guest No2 n2 - 22 R2 1", "3 Guest No3 none c3 23 R3 1",
      ])
    #expect(try hotel.guests("uid, _edited") == ["1|fullName,nickname,age,perks", "2|-", "3|-"])
    try hotel.check(V4.all)
    // The rules are those of the new version.
    await #expect(throws: StoreError.self) {
      try await store.background { context in
        try context.insert(V4.Guest.self).fullName = "Guest No2"
      }
    }
    try await store.background { context in
      let guest = try context.insert(V4.Guest.self)
      guest.code = "c1"
      guest.fullName = nil
    }
  }

  @Test(arguments: Place.usual)
  func `the changes back to the earlier schema are made too`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    _ = try EntityStore(hotel.location, entities: V4.all, busyTimeout: .ample)
    // The names have values, the codes are unique; the age was an Int64, of which not each value is an Int32.
    let error = #expect(throws: StoreError.self) { try EntityStore(hotel.location, entities: V1.all) }
    #expect(error?.message.contains("'Guest.age' is Int64 in the file and Int32 in the entity") == true)
    try hotel.check(V4.all)
  }

  @Test func `an optional that becomes required needs a value or a declared default`() async throws {
    let hotel = try await Hotel(.file)
    _ = try EntityStore(hotel.location, entities: V4.all, busyTimeout: .ample)
    try hotel.connection.execute("UPDATE Guest SET fullName = NULL WHERE uid = 2")
    try hotel.connection.execute("UPDATE Guest SET age = 5")
    let before = try hotel.rows("SELECT sql FROM sqlite_schema")
    let error = #expect(throws: StoreError.self) {
      try EntityStore(hotel.location, entities: [V4Strict.Guest.self, V4Strict.Room.self, V4Strict.Perk.self])
    }
    #expect(error?.kind == .schemaMismatch)
    #expect(
      error?.message.contains(
        "'Guest.fullName' is optional in the file and required in the entity, and 1 row has no value. Declare a default"
      )
        == true, "\(error?.message ?? "")")
    #expect(try hotel.rows("SELECT sql FROM sqlite_schema") == before)
  }

  @Test func `a required link that rows lack is refused`() async throws {
    let hotel = try await Hotel(.file)
    try hotel.connection.execute("UPDATE Room SET owner = NULL WHERE uid = 2")
    let error = #expect(throws: StoreError.self) { try EntityStore(hotel.location, entities: V4.all) }
    #expect(error?.message.contains("'Room.owner' is optional in the file and required in the entity") == true)
  }

  @Test func `uniqueness is added where the values are unique`() async throws {
    let hotel = try await Hotel(.file)
    try hotel.connection.execute("UPDATE Guest SET fullName = 'same'")
    let error = #expect(throws: StoreError.self) { try EntityStore(hotel.location, entities: V4.all) }
    #expect(
      error?.message.contains(
        "'Guest.fullName' is unique in the entity, and in the file several rows have one value (1 such value)") == true,
      "\(error?.message ?? "")")
    #expect(try hotel.backups.isEmpty)
  }

  @Test func `an undeclared part is named with the three ways`() async throws {
    let hotel = try await Hotel(.file)
    let before = try hotel.bytes()
    func message(_ entities: [any ManagedEntity.Type], _ parts: [String]) {
      let error = #expect(throws: StoreError.self) { try EntityStore(hotel.location, entities: entities) }
      #expect(error?.kind == .schemaMismatch)
      for part in parts + ["update the app"] {
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
      }
    }
    message(V3.all, ["the entity 'Perk'", "@Entity @Renamed(from: \"Perk\")", "removed: [\"Perk\"]"])
    message(
      [BareGuest.self, BareRoom.self],
      ["'Guest.fullName'", "@Renamed(from: \"fullName\")", "@Entity(removed: \"fullName\")"])
    #expect(try hotel.bytes() == before)
  }

  @Test func `an older version of the app is told that it is older`() async throws {
    let hotel = try await Hotel(.file)
    _ = try EntityStore(hotel.location, entities: V2.all)
    let before = try hotel.rows("SELECT * FROM main._entity_migrations")
    let error = #expect(throws: StoreError.self) { try EntityStore(hotel.location, entities: V1.all) }
    #expect(
      error?.message.contains("A newer version of the app has changed the file") == true, "\(error?.message ?? "")")
    #expect(try hotel.rows("SELECT * FROM main._entity_migrations") == before)
    try hotel.check(V2.all)
  }

  // MARK: Several at once

  @Test(arguments: Place.usual)
  @MainActor func `a store that has the file open gets an error about other names`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let old = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    #expect(try old.main.count(V1.Guest.all) == 3)
    _ = try EntityStore(hotel.location, entities: V2.all, backup: .none, busyTimeout: .ample)
    let kinds = [
      errorKind { _ = try old.main.fetch(V1.Guest.all) },
      await asyncErrorKind { _ = try await old.read { try $0.fetch(V1.Guest.where { $0.code == "c1" }).count } },
      await asyncErrorKind { try await old.background { try $0.insert(V1.Guest.self).fullName = "x" } },
    ]
    #expect(kinds == [.schemaMismatch, .schemaMismatch, .schemaMismatch])
    try hotel.check(V2.all)
  }

  @Test(arguments: Place.usual)
  func `one of several stores that open a file migrates it`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let runs = CallCounter()
    let migrations = [Migration("count") { _ in runs.increment() }]
    let location = hotel.location
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try await onThread {
            _ = try EntityStore(location, entities: V2.all, migrations: migrations, busyTimeout: .ample)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(runs.value == 1)
    #expect(try hotel.rows("SELECT step FROM main._entity_migrations WHERE step IS NOT NULL") == ["count"])
    #expect(try hotel.rows("SELECT count(*) FROM main._entity_migrations WHERE schema IS NOT NULL") == ["2"])
    try hotel.check(V2.all, migrations: migrations)
  }

  /// A process that is killed leaves a log whose last transaction has no end.
  @Test func `a migration that was cut off is made again`() async throws {
    let hotel = try await Hotel(.file)
    let copy = try TemporaryFolder()
    let files = (hotel.folder.file.path, copy.file.path)
    let migrations = [
      Migration("cut") { step in
        try step.updateRows(of: "Guest") { $0["fullName", as: String.self] = String(repeating: "x", count: 100_000) }
        // As the file and its log are at this moment.
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: files.0 + suffix, toPath: files.1 + suffix)
        }
      }
    ]
    _ = try EntityStore(hotel.location, entities: V1.all, migrations: migrations)
    let store = try EntityStore(.file(copy.file), entities: V2.all)
    #expect(try await store.read { try $0.fetch(V2.Visitor.self, uid: 1)?.name } == "Ada Lovelace")
  }
}
