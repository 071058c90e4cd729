import Testing

@testable import EntityStore

/// A version of an app that had the file open when a newer one added properties to it.
struct NewerVersionTests {
  private struct Versions {
    let folder: TemporaryFolder
    let old: EntityStore
    let new: EntityStore

    init() throws {
      folder = try TemporaryFolder()
      old = try EntityStore(.file(folder.file), entities: [Thing1.self], busyTimeout: .ample)
      new = try EntityStore(.file(folder.file), entities: [Thing2.self, Part2.self], busyTimeout: .ample)
    }

    /// A thing with a uid, as a list has it.
    func add(_ uid: Int) async throws -> Int64 {
      try await old.core.unit { rows in
        let model = try rows.schema.model(Thing1.self)
        var row = RowValues(count: model.properties.count)
        row[Thing1.columns.uid.index] = .integer(Int64(uid))
        row[Thing1.columns.name.index] = .text("list")
        return try rows.insert(model, pk: rows.newPrimaryKey(), row, .effect).pk
      }
    }

    func editInNew(_ pk: Int64, _ change: @Sendable (Thing2) -> Void) async throws {
      try await new.background { context in change(try #require(try context.object(EntityID<Thing2>(pk: pk)))) }
    }

    func editInOld(_ pk: Int64, _ change: @Sendable (Thing1) -> Void) async throws {
      try await old.background { context in change(try #require(try context.object(EntityID<Thing1>(pk: pk)))) }
    }

    func marks(_ pk: Int64) async throws -> [String] {
      try await old.core.unit { rows in
        let names = try rows.connection.rows("SELECT _edited FROM main.Thing WHERE _pk = ?", [.integer(pk)]) {
          $0.text(0) ?? ""
        }
        return names.joined().split(separator: ",").map(String.init).sorted()
      }
    }
  }

  @Test func `marks of a newer version outlast writes of an older version`() async throws {
    let versions = try Versions()
    let pk = try await versions.add(1)
    try await versions.editInNew(pk) {
      $0.age = 3
      $0.kind = "new"
      $0.name = "new"
    }
    #expect(try await versions.marks(pk) == ["age", "kind", "name"])
    try await versions.editInOld(pk) { $0.note = "old" }
    #expect(try await versions.marks(pk) == ["age", "kind", "name", "note"])
    try await versions.old.core.unit { rows in
      let model = try rows.schema.model(Thing1.self)
      try rows.edits.acknowledge(model, pk: pk, model.all)
    }
    #expect(try await versions.marks(pk) == ["age", "kind"])
    try await versions.editInOld(pk) { $0.note = "again" }
    #expect(try await versions.marks(pk) == ["age", "kind", "note"])
    // And the newer version reads them as its own.
    try await versions.new.background { context in
      let thing = try #require(try context.object(EntityID<Thing2>(pk: pk)))
      #expect(thing.hasLocalEdit(of: Thing2.columns.age.index))
      #expect(thing.hasLocalEdit(of: Thing2.columns.kind.index))
    }
  }

  @Test func `a row that only a newer version edited is edited`() async throws {
    let versions = try Versions()
    let pk = try await versions.add(1)
    try await versions.editInNew(pk) { $0.age = 3 }
    let (isEdited, missing) = try await versions.old.core.unit { rows in
      let model = try rows.schema.model(Thing1.self)
      let missing = try QueriedRows(rows).missing(model, in: Thing1.all, keeping: [Int64]())
      return (try rows.edits.areEdited(model, [pk]), missing.count)
    }
    #expect(isEdited)
    #expect(missing == 0)
    #expect(try await versions.old.read { try $0.object(EntityID<Thing1>(pk: pk))?.hasLocalEdits } == true)
  }

  @Test func `two rows that turn out to be one object keep edits of a newer version`() async throws {
    let versions = try Versions()
    let listed = try await versions.add(1)
    try await versions.editInNew(listed) {
      $0.age = 3
      $0.kind = "theirs"
      $0.code = "unique"
    }
    let made = try await versions.old.background { context in
      let thing = try context.insert(Thing1.self)
      thing.note = "made"
      return thing.entityID
    }
    try await versions.editInNew(made.pk) { $0.kind = "own" }
    try await versions.old.core.unit { rows in
      let model = try rows.schema.model(Thing1.self)
      var row = RowValues(count: model.properties.count)
      row[Thing1.columns.uid.index] = .integer(1)
      _ = try rows.write(model, pk: made.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    #expect(try await versions.marks(made.pk) == ["age", "code", "kind", "note"])
    let read = try await versions.new.read { context in
      try context.fetch(Thing2.all).map { "\($0.name) \($0.note ?? "-") \($0.age ?? 0) \($0.kind) \($0.code ?? "-")" }
    }
    #expect(read == ["list made 3 own unique"])
  }
}
