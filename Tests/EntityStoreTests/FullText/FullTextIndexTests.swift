import EntityMacros
import EntityStore
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// The index of a full-text search and the rows that it is of.
struct FullTextIndexTests {
  /// Whether the index has the words of the rows, and no others.
  private func check(_ test: TestStore, _ step: String) async throws { try await check(test.folder, step) }

  private func check(_ folder: TemporaryFolder, _ step: String) async throws {
    let raw = try RawConnection(folder.file.path, vfs: nil, busyTimeout: 60_000)
    #expect(throws: Never.self, "\(step)") {
      try raw.run("INSERT INTO \"_search,Memo\" (\"_search,Memo\", rank) VALUES ('integrity-check', 1)")
    }
  }

  private func uids(_ store: EntityStore, _ text: String) async throws -> [Int] {
    try await store.read { try $0.fetch(Memo.where { $0.matches(text) }).map(\.uid) }
  }

  private func fill(_ store: EntityStore, _ count: Int = 3) async throws {
    try await store.background { context in
      let folder = try context.insert(MemoFolder.self)
      folder.uid = 1
      for uid in 1...count {
        let memo = try context.insert(Memo.self)
        (memo.uid, memo.title, memo.body) = (uid, uid == 2 ? nil : "memo \(uid)", "text")
        memo.folder = folder
      }
    }
  }

  @Test func `the index follows every way of writing`() async throws {
    let test = try TestStore(.file, Memo.all)
    let store = test.store
    try await fill(store)
    try await check(test, "insert")
    #expect(try await uids(store, "memo") == [1, 3])
    try await store.background { context in
      try context.fetch(Memo.self, uid: 2)?.title = "memo two"
      try context.fetch(Memo.self, uid: 1)?.stars = 5
      // Within the unit, before its end.
      #expect(try context.fetch(Memo.where { $0.matches("two") }).map(\.uid) == [2])
    }
    #expect(try await uids(store, "memo") == [1, 2, 3])
    await #expect(throws: CancellationError.self) {
      try await store.background { context in
        try context.fetch(Memo.self, uid: 3)?.title = "gone"
        _ = try context.fetch(Memo.where { $0.matches("gone") })
        throw CancellationError()
      }
    }
    try await check(test, "a unit that failed")
    #expect(try await uids(store, "gone") == [])
    try await store.background { context in try context.delete(try #require(try context.fetch(Memo.self, uid: 3))) }
    #expect(try await uids(store, "memo") == [1, 2])
    // Uids change hands: one row makes way.
    try await store.background { context in
      let memo = try context.insert(Memo.self)
      (memo.title, memo.body) = ("taken over", "by another")
      try context.saving.flush()
      memo.uid = 1
    }
    try await check(test, "uids that collide")
    try await store.background { context in
      _ = try context.update(Memo.where { $0.stars == 5 }) { $0.set(\.body, to: "by query") }
    }
    #expect(try await uids(store, "query").count == 1)
    try await check(test, "an update by query")
    let archive = try await store.archive()
    let before = try await uids(store, "memo")
    try await store.background { context in
      try context.delete(try #require(try context.fetch(MemoFolder.self, uid: 1)))
    }
    #expect(try await uids(store, "memo") == [])
    try await check(test, "a cascade")
    try await store.restore(from: archive)
    #expect(try await uids(store, "memo") == before)
    #expect(try await uids(store, "query").count == 1)
    try await check(test, "an archive that is restored")
    let copy = try TemporaryFolder()
    try await store.backup(to: copy.file)
    let other = try EntityStore(.file(copy.file), entities: Memo.all)
    try await other.background { context in
      try context.delete(Memo.where { $0.matches("query") })
      try context.insert(Memo.self).title = "memo in the copy"
    }
    #expect(try await uids(other, "copy").count == 1)
    try await check(copy, "a backup")
    try await other.close()
    try await store.reset(discardsPending: true)
    try await check(test, "a reset")
    try await fill(store)
    #expect(try await uids(store, "memo") == [1, 3])
    try await check(test, "after a reset")
  }

  @Test func `another program keeps the index in step`() async throws {
    let test = try TestStore(.file, Memo.all)
    try await fill(test.store)
    let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
    try raw.run("UPDATE Memo SET title = 'by hand' WHERE uid = 1")
    try raw.run("DELETE FROM Memo WHERE uid = 3")
    #expect(try await uids(test.store, "hand") == [1])
    #expect(try await uids(test.store, "memo") == [])
    #expect(try raw.text("PRAGMA integrity_check") == "ok")
    try await check(test, "another program")
  }

  @Test func `an unchanged file is not written`() async throws {
    let test = try TestStore(.file, Memo.all)
    try await fill(test.store)
    let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
    let before = try raw.text("PRAGMA schema_version")
    let again = try EntityStore(.file(test.folder.file), entities: Memo.all)
    #expect(try raw.text("PRAGMA schema_version") == before)
    #expect(try await uids(again, "memo") == [1, 3])
  }

  @Test func `the index follows the schema`() async throws {
    let folder = try TemporaryFolder()
    let location = StoreLocation.file(folder.file)
    // A file without a search gets one with its rows.
    do {
      let plain = try EntityStore(location, entities: [UnsearchedMemo.Memo.self])
      try await plain.background { context in
        let memo = try context.insert(UnsearchedMemo.Memo.self)
        (memo.uid, memo.title, memo.body) = (1, "Café", "first text")
      }
      try await plain.close()
    }
    do {
      let store = try EntityStore(location, entities: Memo.all)
      #expect(try await uids(store, "first cafe") == [1])
      try await store.close()
    }
    // The title has another name, and the body is searched no more; accents count.
    do {
      let later = try EntityStore(location, entities: [LaterMemo.Memo.self], removed: ["MemoFolder"])
      func found(_ text: String) async throws -> Int {
        try await later.read { try $0.count(LaterMemo.Memo.where { $0.matches(text) }) }
      }
      #expect(try await found("café") == 1)
      #expect(try await found("cafe") == 0)
      #expect(try await found("first") == 0)
      try await later.background { context in
        try context.fetch(LaterMemo.Memo.self, uid: 1)?.heading = "Tee"
      }
      #expect(try await found("tee") == 1)
      try await later.close()
    }
    // Nothing is searched any more, and the title is set aside.
    let plain = try EntityStore(location, entities: [PlainMemo.Memo.self], removed: ["MemoFolder"])
    try await plain.background { context in try context.fetch(PlainMemo.Memo.self, uid: 1)?.body = "second" }
    let raw = try RawConnection(folder.file.path, vfs: nil, busyTimeout: 60_000)
    #expect(try raw.rows("SELECT name FROM sqlite_schema WHERE name LIKE '\\_search%' ESCAPE '\\'") == [])
    withExtendedLifetime(plain) {}
  }

  @Test func `a store that only reads says that the file lacks the index`() async throws {
    let folder = try TemporaryFolder()
    let plain = try EntityStore(.file(folder.file), entities: [UnsearchedMemo.Memo.self])
    try await plain.close()
    var options = StoreOptions()
    options.access = .readOnly
    let store = try EntityStore(.file(folder.file), entities: [SearchedMemo.Memo.self], options: options)
    let error = await #expect(throws: StoreError.self) {
      try await store.read { try $0.count(SearchedMemo.Memo.where { $0.matches("x") }) }
    }
    #expect(error?.kind == .invalidQuery)
    #expect(error?.message.contains("Open it once to write it") == true)
  }

  /// Its index has other words than the app asks for.
  @Test func `a store that only reads says that the file has another index`() async throws {
    let folder = try TemporaryFolder()
    let wide = try EntityStore(.file(folder.file), entities: [SearchedMemo.Memo.self])
    try await wide.close()
    var options = StoreOptions()
    options.access = .readOnly
    let same = try EntityStore(.file(folder.file), entities: [SearchedMemo.Memo.self], options: options)
    #expect(try await same.read { try $0.count(SearchedMemo.Memo.where { $0.matches("x") }) } == 0)
    try await same.close()
    let store = try EntityStore(.file(folder.file), entities: [AccentedMemo.Memo.self], options: options)
    let query = AccentedMemo.Memo.where { $0.matches("x") }
    let error = await #expect(throws: StoreError.self) { try await store.read { try $0.count(query) } }
    #expect(error?.kind == .invalidQuery)
    #expect(error?.message.contains("Open it once to write it") == true)
    await MainActor.run {
      let live = LiveQuery(query, in: store)
      #expect((live.error as? StoreError)?.kind == .invalidQuery)
    }
  }

  /// The words of the rows are in the rows: nothing is lost.
  @Test func `a damaged index is reported and made anew`() async throws {
    let test = try TestStore(.file, Memo.all)
    try await fill(test.store)
    let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
    try raw.run("DELETE FROM \"_search,Memo_data\" WHERE id > 10")
    let damaged = try EntityStore(.file(test.folder.file), entities: Memo.all)
    let error = await #expect(throws: StoreError.self) { _ = try await uids(damaged, "memo") }
    #expect(error?.kind == .corrupt)
    #expect(error?.message.contains("An index of full-text search") == true, "\(error?.message ?? "")")
    try await damaged.close()
    let mended = try EntityStore(
      .file(test.folder.file), entities: Memo.all, migrations: [Migration("index the texts anew") { _ in }])
    #expect(try await uids(mended, "memo") == [1, 3])
    try await check(test, "an empty step")
  }

  /// SQLite calls no trigger for the row that makes way.
  @Test func `a replacement by another program leaves the old words until the next step`() async throws {
    let test = try TestStore(.file, Memo.all)
    try await fill(test.store)
    let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
    let columns = "_pk, uid, title, body, stars"
    try raw.run(
      "REPLACE INTO Memo (\(columns)) SELECT _pk, uid, 'other', body, stars FROM Memo WHERE uid = 1")
    #expect(try await uids(test.store, "other") == [1])
    #expect(try await uids(test.store, "memo") == [1, 3])
    let mended = try EntityStore(
      .file(test.folder.file), entities: Memo.all, migrations: [Migration("index the texts anew") { _ in }])
    #expect(try await uids(mended, "memo") == [3])
    try await check(test, "an empty step")
  }

  @Test func `a default with an accented quotation mark is no SQL`() async throws {
    let test = try TestStore(.file, [Accented.self])
    try await test.store.background { context in try context.insert(Accented.self).uid = 1 }
    let text = try await test.store.read { try $0.fetch(Accented.self, uid: 1)?.text }
    #expect(text == "it'\u{301}s '; --")
    let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
    try raw.run("INSERT INTO Accented (uid) VALUES (2)")
    #expect(try raw.text("SELECT text FROM Accented WHERE uid = 2") == "it'\u{301}s '; --")
  }
}

enum UnsearchedMemo {
  @Entity final class Memo {
    @UID @Key("id") var uid: Int
    var title: String?
    var body: String
    var stars: Int
  }
}

enum AccentedMemo {
  @Entity final class Memo {
    @UID @Key("id") var uid: Int
    var title: String?
    var body: String
    var stars: Int

    static var fullTextSearch: FullTextSearch<AccentedMemo.Memo>? {
      FullTextSearch(\.title, tokenizer: .unicodeWithAccents)
    }
  }
}

enum SearchedMemo {
  @Entity final class Memo {
    @UID @Key("id") var uid: Int
    var title: String?
    var body: String
    var stars: Int

    static var fullTextSearch: FullTextSearch<SearchedMemo.Memo>? { FullTextSearch(\.title) }
  }
}

@Entity private final class Accented {
  @UID @Key("id") var uid: Int
  var text: String = "it'\u{301}s '; --"
}
