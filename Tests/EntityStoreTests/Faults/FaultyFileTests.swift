import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Files that something else damaged: each is named at its opening or at the read that meets the damage, and none ends the
/// process.
///
/// Files of other applications, of newer formats and without a part of the store's own table are in `SchemaTests`, of newer
/// versions of the app in `MigrationTests`, without a record in `FileFormatTests`, and places that hold no file in
/// `StoreLocationTests`.
@Suite(.timeLimit(.minutes(Faults.minutes)))
struct FaultyFileTests {
  /// A store's file, in a copy that may be changed.
  private struct File {
    let folder: TemporaryFolder
    var bytes: Data

    init() async throws {
      folder = try TemporaryFolder()
      let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
      try await store.background { context in
        for uid in 0..<200 {
          let person = try context.insert(Person.self)
          person.uid = uid
          person.name = String(repeating: "name ", count: 40)
          person.age = uid
          let note = try context.insert(Note.self)
          note.rank = uid
          note.person = person
        }
      }
      try await store.core.unit { _ in }
      let connection = try Connection(.file(folder.file), busyTimeout: .ample)
      try connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
      bytes = try Data(contentsOf: folder.file)
    }

    /// A folder with the file, and with a log where there is one.
    func write(log: Data? = nil) throws -> TemporaryFolder {
      let copy = try TemporaryFolder()
      try bytes.write(to: copy.file)
      if let log { try log.write(to: URL(filePath: copy.file.path + "-wal")) }
      return copy
    }
  }

  private func kind(_ folder: TemporaryFolder) -> StoreError.Kind? {
    errorKind { _ = try EntityStore(.file(folder.file), entities: TestStore.people) }
  }

  /// Reads all there is, on each path, and writes.
  ///
  /// - Returns: The error's kind; `nil` for none.
  @MainActor private func use(_ folder: TemporaryFolder) async throws -> StoreError.Kind? {
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
      let main = store.main
      for person in try main.fetch(Person.all) { _ = (person.name, person.team, person.notes.count) }
      _ = try main.fetch(Note.all.sorted(by: \.rank)).map { $0.person?.name }
      _ = try await store.read { try $0.fetch(Person.where { $0.uid > 100 }).map(\.age) }
      _ = try await store.pending.count()
      try await store.background { context in
        for person in try context.fetch(Person.all) { person.age += 1 }
        if let person = try context.fetch(Person.self, uid: 7) { try context.delete(person) }
      }
      _ = try main.fetch(Person.all)
      return nil
    } catch let error as StoreError {
      try #require(!error.message.isEmpty)
      return error.kind
    }
  }

  // MARK: Headers

  @Test func `a file that lacks its beginning is no store`() async throws {
    var file = try await File()
    file.bytes.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
    #expect(kind(try file.write()) == .notAStore)
    file = try await File()
    // The size of a page (https://sqlite.org/fileformat.html#the_database_header).
    file.bytes.replaceSubrange(16..<18, with: [0x00, 0x03])
    #expect(kind(try file.write()) == .notAStore)
    file = try await File()
    // The format of SQLite itself, of a version to come.
    file.bytes.replaceSubrange(18..<20, with: [9, 9])
    #expect(kind(try file.write()) == .notAStore)
  }

  @Test func `a file with another application's id is no store`() async throws {
    var file = try await File()
    file.bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
    let folder = try file.write()
    #expect(kind(folder) == .notAStore)
    #expect(try Data(contentsOf: folder.file) == file.bytes)
  }

  /// SQLite takes one byte for an empty file.
  @Test(arguments: [2, 50, 99])
  func `a file shorter than a header is no store`(_ count: Int) async throws {
    var file = try await File()
    file.bytes = file.bytes.prefix(count)
    let folder = try file.write()
    let found = kind(folder)
    #expect(found == .notAStore || found == .corrupt, "\(String(describing: found))")
    #expect(try Data(contentsOf: folder.file) == file.bytes)
  }

  @Test func `an empty file becomes a store`() async throws {
    var file = try await File()
    file.bytes = Data()
    let folder = try file.write()
    #expect(kind(folder) == nil)
    let store = try EntityStore(.file(folder.file), entities: TestStore.people)
    try await store.addPerson(1)
  }

  /// Another program may have made a file that is empty still.
  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `a file with texts in UTF-16 is no store`(_ encoding: String) async throws {
    let folder = try TemporaryFolder()
    try RawConnection(folder.file.path, vfs: nil)
      .run("PRAGMA encoding = '\(encoding)'; CREATE TABLE theirs (text); DROP TABLE theirs")
    let before = try Data(contentsOf: folder.file)
    let error = #expect(throws: StoreError.self) {
      try EntityStore(.file(folder.file), entities: TestStore.people)
    }
    #expect(error?.kind == .notAStore)
    #expect(error?.message.contains("UTF-16") == true)
    #expect(try Data(contentsOf: folder.file) == before)
  }

  // MARK: Pages

  /// The root page of a table.
  private func root(_ table: String, _ file: File) throws -> Int {
    try Int(
      Connection(.file(file.folder.file), busyTimeout: .ample).rows(
        "SELECT rootpage FROM main.sqlite_schema WHERE name = ?", [.text(table)]
      ) { $0.int64(0) }[0])
  }

  @Test @MainActor func `a damaged page is an error for the reader of that page`() async throws {
    var file = try await File()
    let page = try root("Person", file) - 1
    file.bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xEE, count: 4096))
    let folder = try file.write()
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
    #expect(errorKind { _ = try store.main.fetch(Person.all) } == .corrupt)
    #expect(await asyncErrorKind { _ = try await store.read { try $0.fetch(Person.all).count } } == .corrupt)
    #expect(await asyncErrorKind { try await store.addPerson(1000) } == .corrupt)
    // The rest is read and written.
    #expect(try store.main.count(Team.all) == 0)
    try await store.background { try $0.insert(Team.self).uid = "team" }
    #expect(try store.main.fetch(Team.all).map(\.uid) == ["team"])
  }

  @Test(arguments: [1, 2, 5, 20]) func `a file that lacks its end is named`(_ pages: Int) async throws {
    var file = try await File()
    file.bytes = file.bytes.prefix(pages * 4096 + 100)
    let kind = try await use(try file.write())
    #expect(kind == .corrupt || kind == .notAStore, "\(String(describing: kind))")
  }

  /// Never an end of the process, and never an error that is none of a store.
  @Test func `bytes that changed are read or named`() async throws {
    let whole = try await File()
    await Seeds.each(Faults.areAll ? 2000 : 60, sanitized: 10, "bytes") { seed, steps in
      var random = SeededRandom(seed)
      var file = whole
      for _ in 0..<(1 + random.below(8)) {
        let isInFront = random.chance(2)
        let place = random.below(isInFront ? min(16_384, file.bytes.count) : file.bytes.count)
        let byte = UInt8(truncatingIfNeeded: random.next())
        steps += "\(place): \(byte)\n"
        file.bytes[place] = byte
      }
      let kind = try await use(try file.write())
      steps += "\(kind.map { "\($0)" } ?? "-")\n"
    }
  }

  // MARK: Logs

  /// The bytes of a file and of its log, which has commits.
  private func logged(_ file: File) async throws -> Data {
    let folder = try file.write()
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
    for uid in 1000..<1010 { try await store.addPerson(uid) }
    defer { withExtendedLifetime(store) {} }
    return try Data(contentsOf: URL(filePath: folder.file.path + "-wal"))
  }

  private func newPeople(_ folder: TemporaryFolder) async throws -> [Int] {
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
    let uids = try await store.read { try $0.fetch(Person.where { $0.uid >= 1000 }.sorted(by: \.uid)).map(\.uid) }
    try await store.addPerson(2000)
    return uids
  }

  @Test func `a log that lacks its end has the commits before`() async throws {
    let file = try await File()
    let log = try await logged(file)
    var counts: Set<Int> = []
    for count in stride(from: 0, through: log.count, by: max(log.count / 40, 1)) {
      let uids = try await newPeople(try file.write(log: log.prefix(count)))
      #expect(uids == Array(1000..<1000 + uids.count))
      counts.insert(uids.count)
    }
    #expect(counts.count > 5)
  }

  @Test func `a log that is no log of the file is passed over`() async throws {
    let file = try await File()
    let log = try await logged(file)
    #expect(try await newPeople(try file.write(log: Data(repeating: 0x5A, count: 10_000))).isEmpty)
    var changed = log
    changed[40] ^= 0xFF
    #expect(try await newPeople(try file.write(log: changed)).isEmpty)
    #expect(try await newPeople(try file.write(log: log)).count == 10)
  }
}
