import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// An app before it had a derived property.
enum CrateBefore {
  @Entity final class Crate {
    @UID var uid: Int?
    var width: Int
    var depth: Int
    @Indexed var label: String?
  }
}

enum CrateDerived {
  @Entity final class Crate {
    @UID var uid: Int?
    var width: Int
    var depth: Int
    @Indexed var label: String?
    @Derived @Indexed var area: Int { width * depth }
  }
}

/// The body was edited, and the values of the property have another type.
enum CrateEdited {
  @Entity final class Crate {
    @UID var uid: Int?
    var width: Int
    var depth: Int
    @Indexed var label: String?
    @Derived @Indexed var area: Double? { width == 0 ? nil : Double(width * depth) }
  }
}

/// The body is the same, and a function that it calls another one; a second property is unique together with the uid.
enum CrateRaised {
  @Entity final class Crate {
    @UID var uid: Int?
    var width: Int
    var depth: Int
    @Indexed var label: String?
    // A comment and blanks are no other body.
    @Derived(version: 2) @Indexed var area: Int {
      width * depth
    }
    @Derived var outline: Int { 2 * (width + depth) }

    static var indexes: [EntityIndex<Crate>] { [.unique(\.outline, \.depth)] }
  }
}

/// The label is derived, which was an attribute.
enum CrateLabelled {
  @Entity final class Crate {
    @UID var uid: Int?
    var width: Int
    var depth: Int
    @Derived @Indexed var label: String? { width > depth ? "wide" : nil }
  }
}

struct DerivedMigrationTests {
  /// A file of the first version, with crates of the widths 1 to `count`.
  private func file(_ count: Int = 3) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let store = try EntityStore(.file(folder.file), entities: [CrateBefore.Crate.self])
    try await store.background(as: .server) { context in
      for number in 1...count {
        let crate = try context.insert(CrateBefore.Crate.self)
        (crate.uid, crate.width, crate.depth, crate.label) = (number, number, 10, "l\(number)")
      }
    }
    try await store.close()
    return folder
  }

  private func values(_ folder: TemporaryFolder, _ column: String = "area") throws -> [StoredValue] {
    let connection = try Connection(.file(folder.file), opening: .existing, busyTimeout: .ample)
    return try connection.rows("SELECT \(column) FROM main.Crate ORDER BY _pk") { $0.value(0) }
  }

  private func open(
    _ folder: TemporaryFolder, _ entity: any ManagedEntity.Type, migrations: [Migration] = []
  ) async throws {
    let store = try EntityStore(
      .file(folder.file), entities: [entity], migrations: migrations, busyTimeout: .ample)
    #expect(try await store.check().isEmpty)
    try await store.close()
  }

  @Test func `a new derived property is filled in all rows`() async throws {
    // More rows than are read at a time.
    let folder = try await file(2_500)
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: [CrateDerived.Crate.self])
    #expect(plan.changes.map(\.summary) == ["'Crate.area' is new"])
    try await open(folder, CrateDerived.Crate.self)
    #expect(try values(folder).elementsEqual((1...2_500).map { .integer($0 * 10) }, by: { $0.isIdentical(to: $1) }))
    // A second time nothing is to be done.
    let again = try EntityStore.migrationPlan(for: .file(folder.file), entities: [CrateDerived.Crate.self])
    #expect(again.changes.isEmpty)
  }

  @Test func `an edited body fills all rows anew`() async throws {
    let folder = try await file()
    try await open(folder, CrateDerived.Crate.self)
    try await open(folder, CrateEdited.Crate.self)
    #expect(try values(folder).map { "\($0)" } == ["real(10.0)", "real(20.0)", "real(30.0)"])
    // The version before is the older one now.
    #expect(
      errorKind { _ = try EntityStore(.file(folder.file), entities: [CrateDerived.Crate.self]) } == .schemaMismatch)
    #expect(try values(folder).map { "\($0)" } == ["real(10.0)", "real(20.0)", "real(30.0)"])
  }

  @Test func `a raised version fills all rows anew`() async throws {
    let folder = try await file()
    try await open(folder, CrateDerived.Crate.self)
    // As a function would have made them that the body calls.
    let connection = try Connection(.file(folder.file), opening: .existing, busyTimeout: .ample)
    try connection.execute("UPDATE main.Crate SET area = 7")
    try await open(folder, CrateDerived.Crate.self)
    #expect(
      try values(folder).map { "\($0)" } == ["integer(7)", "integer(7)", "integer(7)"], "nothing says that they are old"
    )
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: [CrateRaised.Crate.self])
    #expect(plan.changes.map(\.summary).first == "'Crate.area' is derived in another way")
    try await open(folder, CrateRaised.Crate.self)
    #expect(try values(folder).map { "\($0)" } == ["integer(10)", "integer(20)", "integer(30)"])
    #expect(try values(folder, "outline").map { "\($0)" } == ["integer(22)", "integer(24)", "integer(26)"])
  }

  @Test func `values that are unique together are compared after they are computed`() async throws {
    let folder = try await file()
    let connection = try Connection(.file(folder.file), opening: .existing, busyTimeout: .ample)
    try connection.execute("UPDATE main.Crate SET width = 1 WHERE _pk < (SELECT max(_pk) FROM main.Crate)")
    let error = #expect(throws: StoreError.self) {
      _ = try EntityStore(.file(folder.file), entities: [CrateRaised.Crate.self])
    }
    #expect(error?.kind == .schemaMismatch)
    #expect(try values(folder, "width").count == 3)
  }

  @Test func `a step that changes a source is followed`() async throws {
    let folder = try await file()
    try await open(folder, CrateDerived.Crate.self)
    let step = Migration("wider") { step in
      _ = try step.execute("UPDATE Crate SET width = 100")
    }
    try await open(folder, CrateDerived.Crate.self, migrations: [step])
    #expect(try values(folder).map { "\($0)" } == ["integer(1000)", "integer(1000)", "integer(1000)"])
  }

  @Test func `a derived property that is not declared any more is dropped`() async throws {
    let folder = try await file()
    try await open(folder, CrateDerived.Crate.self)
    // The version before is the older one, and says so.
    let error = #expect(throws: StoreError.self) {
      _ = try EntityStore(.file(folder.file), entities: [CrateBefore.Crate.self])
    }
    #expect(error?.message.contains("A newer version of the app") == true)
    try await open(folder, CrateLabelled.Crate.self)
    #expect(throws: StoreError.self) { try values(folder) }
  }

  @Test func `an attribute that becomes derived loses its local edits`() async throws {
    let folder = try await file()
    let store = try EntityStore(.file(folder.file), entities: [CrateBefore.Crate.self])
    try await store.background { context in
      for crate in try context.fetch(CrateBefore.Crate.all) { crate.label = "edited" }
      try context.fetch(CrateBefore.Crate.self, uid: 3)?.width = 30
    }
    try await store.close()
    let later = try EntityStore(.file(folder.file), entities: [CrateLabelled.Crate.self])
    let labels: [String?] = try await later.read { try $0.fetch(CrateLabelled.Crate.all.select { $0.label }) }
    #expect(labels == [nil, nil, "wide"])
    #expect(try await later.pending.changes().map { $0.edits.map(\.property) } == [["width"]])
    try await later.close()
  }
}
