import Foundation
import Testing

@testable import EntityStore

/// Files that earlier versions of the store wrote, as `Fixtures` has them: they open for ever.
///
/// Each is a `Hotel`. The one of format 3 has taken a step, and the version before it removed what `V3` lacks.
@Suite struct FileFormatTests {
  private static let noted = Migration("noted") { _ in }

  private static func migrations(_ format: Int) -> [Migration] { format < 3 ? [] : [noted] }

  private func copy(_ format: Int) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let fixture = try #require(
      Bundle.module.url(forResource: "format-\(format)", withExtension: "sqlite", subdirectory: "Fixtures"))
    try FileManager.default.copyItem(at: fixture, to: folder.file)
    return folder
  }

  @Test(arguments: 1...3)
  func aFileOfEachFormatKeepsItsValuesAndEdits(_ format: Int) async throws {
    let folder = try copy(format)
    for _ in 0..<2 {
      let store = try EntityStore(
        .file(folder.file), entities: V1.all, migrations: Self.migrations(format), busyTimeout: .ample)
      let guests = try await store.read { context in
        try context.fetch(V1.Guest.all.sorted(by: \.uid)).map {
          "\($0.fullName) \($0.nickname ?? "-") \($0.code ?? "-") \($0.age) \($0.room?.label ?? "-") \($0.owned.count) "
            + $0.perks.map(\.name).sorted().joined(separator: "+")
        }
      }
      #expect(
        guests == [
          "Ada Lovelace ada c1 36 R1 1 gym+spa", "Guest No2 n2 - 22 R2 1 bar+gym", "Guest No3 - c3 23 R3 1 bar+gym+spa",
        ])
    }
    let store = try EntityStore(
      .file(folder.file), entities: V1.all, migrations: Self.migrations(format), busyTimeout: .ample)
    try await store.core.unit { rows in
      let context = EntityContext.ofResponse(store.core, rows)
      let ada = try #require(try context.fetch(V1.Guest.self, uid: 1))
      let bar = try #require(try context.fetch(V1.Perk.self, uid: "bar"))
      context.updating(ada, .keepingEdits, newer: ColumnMask()) {
        ada.fullName = "theirs"
        ada.nickname = "theirs"
        ada.age = 1
        ada.code = "theirs"
        ada.perks = [bar]
      }
      try context.throwMistakes()
      try context.flush()
    }
    let ada = try await store.read { context in
      let ada = try #require(try context.fetch(V1.Guest.self, uid: 1))
      return "\(ada.fullName) \(ada.nickname ?? "-") \(ada.age) \(ada.code ?? "-") \(ada.perks.map(\.name).sorted())"
    }
    // Format 1 does not say which pairs were edited.
    #expect(ada == "Ada Lovelace ada 36 theirs \(format == 1 ? ["gym", "spa"] : ["spa"])")
  }

  @Test(arguments: 1...3)
  func aFileOfEachFormatMigrates(_ format: Int) async throws {
    let folder = try copy(format)
    let plan = try EntityStore.migrationPlan(
      for: .file(folder.file), entities: V2.all, migrations: Self.migrations(format))
    #expect(plan.error == nil)
    let store = try EntityStore(
      .file(folder.file), entities: V2.all, migrations: Self.migrations(format), busyTimeout: .ample)
    let visitors = try await store.read { context in
      try context.fetch(V2.Visitor.all.sorted(by: \.uid)).map {
        "\($0.name) \($0.nickname ?? "-") \($0.badge ?? "-") \($0.age) \($0.place?.label ?? "-") \($0.owned.count) "
          + $0.extras.map(\.name).sorted().joined(separator: "+")
      }
    }
    #expect(
      visitors == [
        "Ada Lovelace ada c1 36 R1 1 gym+spa", "Guest No2 n2 - 22 R2 1 bar+gym", "Guest No3 - c3 23 R3 1 bar+gym+spa",
      ])
    let edited = try await store.read { context in
      let ada = try #require(try context.fetch(V2.Visitor.self, uid: 1))
      return try ["name", "nickname", "age", "extras", "badge"].map {
        ada.hasLocalEdit(of: try #require(ada._$state.model.index(of: $0)))
      }
    }
    #expect(edited == [true, true, true, true, false])
    try Hotel.check(.file(folder.file), V2.all, migrations: Self.migrations(format))
  }

  /// Makes the file of the present format: `ENTITYCLIENT_FIXTURE=Tests/EntityStoreTests/Fixtures/format-3.sqlite`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ENTITYCLIENT_FIXTURE"] != nil, "it writes a fixture"))
  func theFileOfThePresentFormatIsMade() async throws {
    let file = URL(filePath: ProcessInfo.processInfo.environment["ENTITYCLIENT_FIXTURE"] ?? "")
    #expect(file.lastPathComponent == "format-\(StoreSetup.format).sqlite")
    try await Hotel.fill(.file(file))
    _ = try EntityStore(
      .file(file), entities: V3.all, removed: ["Perk"], migrations: [Self.noted], backup: .none)
    while FileManager.default.fileExists(atPath: file.path + "-wal") { await Task.yield() }
  }
}
