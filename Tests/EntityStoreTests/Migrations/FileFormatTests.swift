import Foundation
import Testing

@testable import EntityStore

/// Files that earlier versions of the store wrote, as `Fixtures` has them, one of each format: they open for ever.
///
/// Each is a `Hotel` that has taken a step, and that lacks what `V3` removed. It has a room that was made here, one that was
/// deleted here, the note of an answer, and a history.
@Suite struct FileFormatTests {
  private static let noted = Migration("noted") { _ in }
  private static let formats = 1...Int(StoreSetup.format)

  private func copy(_ format: Int) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let fixture = try #require(
      Bundle.module.url(forResource: "format-\(format)", withExtension: "sqlite", subdirectory: "Fixtures"))
    try FileManager.default.copyItem(at: fixture, to: folder.file)
    return folder
  }

  @Test(arguments: formats)
  func `a file of each format keeps its values and edits`(_ format: Int) async throws {
    let folder = try copy(format)
    for _ in 0..<2 {
      let store = try EntityStore(
        .file(folder.file), entities: V1.all, migrations: [Self.noted], busyTimeout: .ample)
      try await Self.checkGuests(store)
    }
    let store = try EntityStore(
      .file(folder.file), entities: V1.all, migrations: [Self.noted], busyTimeout: .ample)
    try await store.core.unit { rows in
      let context = ContextAnswers.ofResponse(store.core, rows)
      let ada = try #require(try context.fetch(V1.Guest.self, uid: 1))
      let bar = try #require(try context.fetch(V1.Perk.self, uid: "bar"))
      context.answers.updating(ada, .keepingEdits, newer: ColumnMask()) {
        ada.fullName = "theirs"
        ada.nickname = "theirs"
        ada.age = 1
        ada.code = "theirs"
        ada.perks = [bar]
      }
      try context.saving.throwMistakes()
      try context.saving.flush()
    }
    let ada = try await store.read { context in
      let ada = try #require(try context.fetch(V1.Guest.self, uid: 1))
      return "\(ada.fullName) \(ada.nickname ?? "-") \(ada.age) \(ada.code ?? "-") \(ada.perks.map(\.name).sorted())"
    }
    #expect(ada == #"Ada Lovelace ada 36 theirs ["spa"]"#)
  }

  private static func checkGuests(_ store: EntityStore) async throws {
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

  /// The changes that the server has not acknowledged, with the bases of their edits and the times of these.
  private static func pending(_ store: EntityStore) async throws -> [String] {
    try await store.pending.changes().map { change in
      let edits = change.edits.map { edit in "\(edit.property) \(edit.base.map { "\($0)" } ?? "-") \(edit.time as Any)"
      }
      return "\(change.entity) \(change.uid ?? "-") \(change.kind) \(edits)"
    }.sorted()
  }

  /// The archives of the file of format 1, as earlier versions wrote them, one of each format of archives.
  @Test(arguments: 1...Int(ArchiveHeader.format))
  func `an archive of each format is taken in as its file`(_ format: Int) async throws {
    let archive = try #require(
      Bundle.module.url(forResource: "archive-\(format)", withExtension: "jsonl", subdirectory: "Fixtures"))
    let store = try EntityStore(.inMemory, entities: V1.all, migrations: [Self.noted])
    try await store.restore(from: archive)
    try await Self.checkGuests(store)
    let folder = try copy(1)
    let file = try EntityStore(.file(folder.file), entities: V1.all, migrations: [Self.noted], busyTimeout: .ample)
    #expect(try await Self.pending(store) == Self.pending(file))
    #expect(try await store.pending.count() == 3)
    #expect(try await store.check(.full).isEmpty)
  }

  @Test(arguments: formats)
  func `a file of each format migrates`(_ format: Int) async throws {
    let folder = try copy(format)
    let plan = try EntityStore.migrationPlan(
      for: .file(folder.file), entities: V2.all, migrations: [Self.noted])
    #expect(plan.error == nil)
    let store = try EntityStore(
      .file(folder.file), entities: V2.all, migrations: [Self.noted], busyTimeout: .ample)
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
    try Hotel.check(.file(folder.file), V2.all, migrations: [Self.noted])
  }

  /// Makes the file of a new format, the one that the store writes, or the archive of one:
  /// `ENTITYCLIENT_FIXTURE=$PWD/Tests/EntityStoreTests/Fixtures/format-2.sqlite`, or `archive-2.jsonl`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ENTITYCLIENT_FIXTURE"] != nil, "it writes a fixture"))
  func `the file of the present format is made`() async throws {
    let file = URL(filePath: ProcessInfo.processInfo.environment["ENTITYCLIENT_FIXTURE"] ?? "")
    try #require(!FileManager.default.fileExists(atPath: file.path), "a fixture is never written again")
    if file.lastPathComponent == "archive-\(ArchiveHeader.format).jsonl" {
      let folder = try copy(1)
      let store = try EntityStore(.file(folder.file), entities: V1.all, migrations: [Self.noted], busyTimeout: .ample)
      try await store.archive(to: file)
      return
    }
    try #require(file.lastPathComponent == "format-\(StoreSetup.format).sqlite")
    try await Hotel.fill(.file(file))
    try await Self.addPending(to: try EntityStore(.file(file), entities: V1.all, busyTimeout: .ample))
    try await Self.keep(
      in: try EntityStore(
        .file(file), entities: V3.all, removed: ["Perk"], migrations: [Self.noted], backup: .none,
        options: .history(.keepingAll, author: "fixture")))
    while FileManager.default.fileExists(atPath: file.path + "-wal") { await Task.yield() }
  }

  private static func addPending(to store: EntityStore) async throws {
    try await store.background(as: .server) { try $0.insert(V1.Room.self).uid = 9 }
    try await store.background { try $0.delete(try #require(try $0.fetch(V1.Room.self, uid: 9))) }
    try await store.background { try $0.insert(V1.Room.self).label = "made here" }
  }

  private static let answer = AnswerKey("rooms")

  private static func keep(in store: EntityStore) async throws {
    let room = try await store.read { try $0.fetch(V3.Room.all.sorted(by: \.uid)).last?.entityID.pk ?? 0 }
    let note = AnswerNote(entity: "Room", pks: [room], parts: ["Guest": []], text: "{}", time: 1_000_000_000)
    let number = store.core.requests.begin()
    try await store.core.unit { try $0.answerNotes.keep(note, answer, number, hasOlder: false) }
    store.core.requests.end(number)
    try await store.background(as: .server) { try $0.insert(V3.Room.self).uid = 8 }
    try await store.background(as: .server) { try $0.delete(try #require(try $0.fetch(V3.Room.self, uid: 8))) }
  }

  @Test(arguments: formats)
  func `a file of each format keeps its history`(_ format: Int) async throws {
    let folder = try copy(format)
    let store = try EntityStore(
      .file(folder.file), entities: V3.all, removed: ["Perk"], migrations: [Self.noted], busyTimeout: .ample)
    let commits = try await store.history.commits()
    #expect(commits.map(\.author) == ["fixture", "fixture"])
    #expect(commits.map { $0.changes(of: V3.Room.self).text } == ["1 [] []", #"0 [] ["8"]"#])
  }

  /// A file of a format that this version does not know is refused by name, and stays as it is.
  @Test(arguments: [0, 2, 6, 99])
  func `a file of an unknown format is refused`(_ format: Int) throws {
    let folder = try copy(1)
    let raw = try RawConnection(folder.file.path, vfs: nil)
    try raw.run("UPDATE _entity_store SET value = \(format) WHERE key = 'format'")
    try raw.close()
    let before = try Data(contentsOf: folder.file)
    let error = #expect(throws: StoreError.self) {
      _ = try EntityStore(.file(folder.file), entities: V1.all, migrations: [Self.noted])
    }
    #expect(error?.kind == .schemaMismatch)
    #expect(error?.message.contains("has format \(format)") == true)
    #expect(error?.message.contains("reads format 1 alone") == true)
    #expect(try Data(contentsOf: folder.file) == before)
  }

  @Test(arguments: formats)
  func `a file of each format takes notes of answers`(_ format: Int) async throws {
    let folder = try copy(format)
    let store = try EntityStore(
      .file(folder.file), entities: V3.all, removed: ["Perk"], migrations: [Self.noted], busyTimeout: .ample)
    #expect(try await store.core.answer(Self.answer)?.pks.count == 1)
    let note = AnswerNote(entity: "Room", pks: [], text: "", time: 1)
    let number = store.core.requests.begin()
    try await store.core.unit { try $0.answerNotes.keep(note, Self.answer, number, hasOlder: false) }
    #expect(try await store.core.answer(Self.answer) == note)
    let formats = try await store.read {
      try $0.connection.rows("SELECT value FROM main._entity_store WHERE key = 'format'") { $0.int64(0) }
    }
    #expect(formats == [StoreSetup.format])
  }

  @Test(arguments: formats)
  func `a file of each format keeps its pending changes`(_ format: Int) async throws {
    let folder = try copy(format)
    let store = try EntityStore(
      .file(folder.file), entities: V2.all, migrations: [Self.noted], busyTimeout: .ample)
    let changes = try await store.pending.changes()
    #expect(
      changes.map { "\($0.entity) \($0.uid ?? "-") \($0.kind) \($0.edits.map(\.property))" }.sorted() == [
        "Room - insert [\"label\"]", "Room 9 deletion []",
        "Visitor 1 edit [\"name\", \"nickname\", \"age\", \"extras\"]",
      ])
    let edits = try #require(changes.first { $0.kind == .edit }).edits
    #expect(
      edits.dropLast().map(\.base) == [
        .attribute(.text("Guest No1")), .attribute(.text("n1")), .attribute(.integer(21)),
      ])
    #expect(edits.allSatisfy { $0.time != nil || $0.property == "extras" })
    // The marks of the pairs tell what a list was that was removed and came back.
    #expect(edits.last?.base != nil)
    try await store.pending.discardAll()
    let visitor = try await store.read { context in
      let visitor = try #require(try context.fetch(V2.Visitor.self, uid: 1))
      return "\(visitor.name) \(visitor.nickname ?? "-") \(visitor.age) \(visitor.extras.map(\.name).sorted())"
    }
    #expect(visitor == "Guest No1 n1 21 [\"bar\", \"gym\"]")
    #expect(try await store.read { try $0.fetch(V2.Room.all).map(\.label).sorted() } == ["R1", "R2", "R3"])
    #expect(try await store.pending.count() == 0)
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason), arguments: formats)
  func `a file of each format is read where it cannot be written`(_ format: Int) async throws {
    let folder = try copy(format)
    let medium = try Mount(readOnly: folder.url)
    let store = try EntityStore(
      .file(medium.file), entities: V3.all, removed: ["Perk"], migrations: [Self.noted])
    #expect(try await store.pending.changes().count == 3)
    #expect(try await store.pending.count() == 3)
    #expect(try await store.core.answer(Self.answer)?.pks.count == 1)
    let edited = try await store.read { context in
      try context.fetch(V3.Guest.where { $0.hasPendingChanges }).map { $0.pendingColumns.names.first }
    }
    #expect(edited == ["fullName"])
  }
}
