import Foundation
import Testing

@testable import EntityStore

/// A composite uid in a file: it is opened again, changed by the app, archived.
struct CompositeUIDFileTests {
  private func fill(_ folder: TemporaryFolder) async throws {
    let store = try EntityStore(.file(folder.file), entities: [Parcels.Original.self], busyTimeout: .ample)
    try await store.background { context in
      for (parcel, code) in [(5, "a"), (5, "b"), (6, "a")] {
        let crate = try context.upsert(Parcels.Original.self, uid: [parcel, code])
        crate.count = parcel
      }
    }
  }

  private func refusal(_ folder: TemporaryFolder, _ type: any ManagedEntity.Type) -> StoreError? {
    do {
      _ = try EntityStore(.file(folder.file), entities: [type], busyTimeout: .ample)
      return nil
    } catch { return error as? StoreError }
  }

  @Test func `a file is opened again with its uids`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let store = try EntityStore(.file(folder.file), entities: [Parcels.Original.self], busyTimeout: .ample)
    let count = try await store.read { try $0.fetch(Parcels.Original.self, uid: ["code": "a", "parcel": 6])?.count }
    #expect(count == 6)
  }

  @Test func `a part that was renamed keeps the uids`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    for _ in 0..<2 {
      let store = try EntityStore(.file(folder.file), entities: [Parcels.Renamed.self], busyTimeout: .ample)
      let count = try await store.read { try $0.fetch(Parcels.Renamed.self, uid: ["code": "a", "box": 6])?.count }
      #expect(count == 6)
    }
  }

  @Test func `other uid parts are refused, and the file stays as it is`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    for type: any ManagedEntity.Type in [Parcels.Swapped.self, Parcels.Single.self] {
      let error = try #require(refusal(folder, type))
      #expect(error.kind == .schemaMismatch)
      #expect(error.message.contains("'parcel', 'code' in the file"), "\(error.message)")
    }
    #expect(refusal(folder, Parcels.Original.self) == nil)
  }

  @Test func `a file with a uid of one property is refused for a uid of several`() async throws {
    let folder = try TemporaryFolder()
    do { _ = try EntityStore(.file(folder.file), entities: [Parcels.Single.self], busyTimeout: .ample) }
    let error = try #require(refusal(folder, Parcels.Original.self))
    #expect(error.kind == .schemaMismatch)
    #expect(error.message.contains("has the uid 'parcel', 'code' in the app, and the uid 'parcel' in the file"))
  }

  @Test func `a step that converts a part makes the uids anew`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let store = try EntityStore(
      .file(folder.file), entities: [Parcels.Converted.self],
      migrations: [
        Migration("parcels have names") { step in
          try step.convert("parcel", of: "ParcelCrate", to: String.self, sql: "'P' || parcel")
        }
      ], busyTimeout: .ample)
    let count = try await store.read { try $0.fetch(Parcels.Converted.self, uid: ["P6", "a"])?.count }
    #expect(count == 6)
  }

  @Test(arguments: [true, false])
  func `a step that converts a part converts it in the uids of deleted objects`(isSQL: Bool) async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    do {
      let store = try EntityStore(.file(folder.file), entities: [Parcels.Original.self], busyTimeout: .ample)
      try await store.pending.acknowledgeAll()
      try await store.background { context in
        for uid in [[5, "a"], [6, "a"]] as [CompositeUID] {
          try context.delete(#require(try context.fetch(Parcels.Original.self, uid: uid)))
        }
      }
    }
    let store = try EntityStore(
      .file(folder.file), entities: [Parcels.Converted.self],
      migrations: [
        Migration("parcels have names") { step in
          if isSQL {
            return try step.convert("parcel", of: "ParcelCrate", to: String.self, sql: "code || parcel")
          }
          try step.convert("parcel", of: "ParcelCrate", to: String.self) { "a\(Int(storedValue: $0) ?? 0)" }
        }
      ], busyTimeout: .ample)
    let uids = try await store.read { context in
      try context.connection.rows("SELECT uid FROM main._entity_deletions ORDER BY 1") { $0.text(0) }
    }
    #expect(uids == [#"["a5","a"]"#, #"["a6","a"]"#])
  }

  @Test func `a step that makes two uids equal fails`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    #expect(
      errorKind {
        _ = try EntityStore(
          .file(folder.file), entities: [Parcels.Converted.self],
          migrations: [
            Migration("one parcel") { step in
              try step.convert("parcel", of: "ParcelCrate", to: String.self, sql: "'P'")
            }
          ], busyTimeout: .ample)
      } == .migrationFailed)
    #expect(refusal(folder, Parcels.Original.self) == nil)
  }

  @Test(arguments: Place.usual)
  func `an archive keeps the uids and makes them from their parts`(_ place: Place) async throws {
    let folder = try TemporaryFolder()
    try await fill(folder)
    let store = try EntityStore(.file(folder.file), entities: [Parcels.Original.self], busyTimeout: .ample)
    let archive = try await store.archive()
    // Another order of the parts is another uid.
    for type: any ManagedEntity.Type in [Parcels.Original.self, Parcels.Swapped.self] {
      let other = try TestStore(place, [type])
      try await other.store.restore(from: archive)
      let uids = try await other.store.read { context in
        try context.connection.rows("SELECT _uid FROM main.ParcelCrate ORDER BY _pk") { $0.text(0) }
      }
      #expect(
        uids
          == (type == Parcels.Original.self
            ? [#"[5,"a"]"#, #"[5,"b"]"#, #"[6,"a"]"#] : [#"["a",5]"#, #"["b",5]"#, #"["a",6]"#]))
    }
  }

  @Test func `a schema with a uid key and several parts is refused`() throws {
    #expect(errorKind { _ = try EntityStore(.inMemory, entities: [TwoUIDs.self]) } == .invalidSchema)
  }
}
