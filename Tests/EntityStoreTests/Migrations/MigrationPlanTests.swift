import Foundation
import Testing

@testable import EntityStore

/// The changes that opening a store would make, without making them; and the copy of the file that is made before.
struct MigrationPlanTests {
  @Test(arguments: Place.allCases)
  func `a plan lists each change and makes none`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    func contents() throws -> [String] {
      try ["sqlite_schema", "_entity_store", "Guest", "\"Guest,perks\""].flatMap {
        try hotel.rows("SELECT * FROM main.\($0)")
      }
    }
    let (before, bytes) = (try contents(), try hotel.bytes())
    let migrations = [Migration("shout") { try $0.execute("UPDATE Guest SET fullName = upper(fullName)") }]
    let plan = try EntityStore.migrationPlan(
      for: hotel.location, entities: V3.all, removed: ["Perk"], migrations: migrations)
    #expect(try contents() == before)
    #expect(try hotel.bytes() == bytes)
    #expect(plan.error == nil)
    #expect(!plan.isNewFile && !plan.isEmpty)
    #expect(plan.steps == ["shout"])
    #expect(
      plan.changes.map(\.description) == [
        "step 'shout': SQL runs", "'Guest.nickname' is set aside with its values (2 rows)",
        "'Guest.code' is set aside with its values (2 rows)", "'Guest.age' is set aside with its values (3 rows)",
        "'Guest.room' is set aside with its values (3 rows)", "'Guest.perks' is set aside with its pairs (7 rows)",
        "'Perk' is set aside with its rows (3 rows)",
      ], "\(plan)")
    #expect(plan.changes[0].sql == ["UPDATE Guest SET fullName = upper(fullName)"])
    #expect(plan.changes[1].sql.first == #"ALTER TABLE main."Guest" RENAME COLUMN "nickname" TO "_removed,nickname""#)
    #expect((plan.backup == nil) == (place == .memory))
    #expect(try hotel.backups.isEmpty)
    // The same, once it is done.
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], migrations: migrations)
    #expect(try hotel.backups.first?.lastPathComponent == plan.backup?.lastPathComponent)
    let after = try EntityStore.migrationPlan(
      for: hotel.location, entities: V3.all, removed: ["Perk"], migrations: migrations)
    #expect(after.isEmpty)
    #expect(after.description == "There is nothing to change.")
  }

  @Test func `a plan has the error that the opening would throw`() async throws {
    let hotel = try await Hotel(.file)
    let bytes = try hotel.bytes()
    let plan = try EntityStore.migrationPlan(for: hotel.location, entities: V3.all)
    #expect(plan.error?.kind == .schemaMismatch)
    let failing = try EntityStore.migrationPlan(
      for: hotel.location, entities: V2.all,
      migrations: [Migration("good") { _ in }, Migration("bad") { try $0.drop("gone", of: "Guest") }])
    #expect(failing.error?.message.contains("The step 'bad' failed") == true)
    #expect(failing.steps == ["good"])
    #expect(failing.description.contains("step 'good': no change\n"))
    #expect(try hotel.bytes() == bytes)
    let foreign = try TemporaryFolder()
    try Data(repeating: 0x41, count: 5000).write(to: foreign.file)
    #expect(try EntityStore.migrationPlan(for: .file(foreign.file), entities: V1.all).error?.kind == .notAStore)
  }

  @Test func `a file that is not there is not made`() throws {
    let folder = try TemporaryFolder()
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: V1.all)
    #expect(plan.isNewFile)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    #expect(try EntityStore.migrationPlan(for: .inMemory, entities: V1.all).isNewFile)
  }

  // MARK: Copies

  @Test func `a migration that only adds makes no copy`() async throws {
    let folder = try TemporaryFolder()
    _ = try EntityStore(.file(folder.file), entities: [Thing1.self])
    _ = try EntityStore(.file(folder.file), entities: [Thing2.self, Part2.self])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.contains("backup") })
  }

  @Test func `a copy is a store of the version before`() async throws {
    let hotel = try await Hotel(.file)
    _ = try EntityStore(hotel.location, entities: V2.all)
    let copy = try #require(try hotel.backups.first)
    #expect(try hotel.backups.count == 1)
    #expect(
      copy.lastPathComponent
        == "store.sqlite.backup-\(StoredSchema(try SchemaModel(V1.all, keyStyle: .snakeCase)).fingerprint)")
    let store = try EntityStore(.file(copy), entities: V1.all)
    let ada = try await store.read { context in
      let ada = try #require(try context.fetch(V1.Guest.self, uid: 1))
      return "\(ada.fullName) \(ada.perks.count) \(ada.hasLocalEdit(of: V1.Guest.columns.age.index))"
    }
    #expect(ada == "Ada Lovelace 2 true")
  }

  @Test func `a copy has the read permissions of the file`() async throws {
    let hotel = try await Hotel(.file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: hotel.folder.file.path)
    _ = try EntityStore(hotel.location, entities: V2.all)
    let copy = try #require(try hotel.backups.first)
    let rights = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? NSNumber
    #expect(rights?.intValue == 0o600)
  }

  @Test func `there is one copy of a schema`() async throws {
    let hotel = try await Hotel(.file)
    let steps = ["one", "two"].map { name in Migration(name) { try $0.execute("UPDATE Guest SET age = age + 1") } }
    _ = try EntityStore(hotel.location, entities: V1.all, migrations: Array(steps.prefix(1)))
    let first = try #require(try hotel.backups.first)
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: first.path)
    _ = try EntityStore(hotel.location, entities: V1.all, migrations: steps)
    #expect(try hotel.backups == [first])
    let raw = try RawConnection(first.path, vfs: nil)
    #expect(try raw.rows("SELECT age FROM Guest WHERE uid = 1") == [["37"]])
  }

  @Test func `a copy is made where it is wanted`() async throws {
    let folder = try TemporaryFolder()
    let hotel = try await Hotel(.file)
    _ = try EntityStore(hotel.location, entities: V2.all, backup: .folder(folder.url))
    #expect(try hotel.backups.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
    let none = try await Hotel(.file)
    _ = try EntityStore(none.location, entities: V2.all, backup: .none)
    #expect(try none.backups.isEmpty)
  }

  @Test func `nothing is changed where no copy can be made`() async throws {
    let hotel = try await Hotel(.file)
    let before = try hotel.rows("SELECT sql FROM sqlite_schema ORDER BY 1")
    let nowhere = hotel.folder.url.appending(path: "no/such/folder")
    let error = #expect(throws: StoreError.self) {
      try EntityStore(hotel.location, entities: V2.all, backup: .folder(nowhere))
    }
    #expect(
      error?.message.contains("can't be made, so that the store was not changed") == true, "\(error?.message ?? "")")
    #expect(try hotel.rows("SELECT sql FROM sqlite_schema ORDER BY 1") == before)
    try hotel.check(V1.all)
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a full disk leaves the file as it was`() async throws {
    let disk = try Mount(tmpfs: "1m")
    let hotel = try await Hotel(.file)
    _ = try hotel.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    let error = #expect(throws: StoreError.self) {
      try disk.fill()
      _ = try EntityStore(hotel.location, entities: V2.all, backup: .folder(disk.url))
    }
    #expect(error?.kind == .diskFull, "\(error?.message ?? "")")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["filler"])
    try hotel.check(V1.all)
    try disk.empty()
    _ = try EntityStore(hotel.location, entities: V2.all, backup: .folder(disk.url))
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path).count == 1)
  }
}
