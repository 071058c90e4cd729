import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Stores that can't be written: they can be read all the same.
@MainActor
struct UnwritableStoreTests {
  /// Makes a store of a few people and closes it.
  private func people(_ file: URL) async throws {
    try await fill(file)
    // The connections close with the store's last thread.
    while FileManager.default.fileExists(atPath: file.path + "-wal") { await Task.yield() }
  }

  private func fill(_ file: URL) async throws {
    let store = try EntityStore(.file(file), entities: TestStore.people)
    for uid in 0..<20 { try await store.addPerson(uid, "p\(uid)", age: uid) }
  }

  private func isRead(_ store: EntityStore) async throws {
    #expect(try store.main.fetch(Person.where { $0.age > 17 }).map(\.name) == ["p18", "p19"])
    #expect(try await store.background { try $0.fetch(Person.all).map(\.age).reduce(0, +) } == 190)
    #expect(try await store.read { try $0.count(Person.all) } == 20)
  }

  @discardableResult
  private func isRefused(_ kind: StoreError.Kind, _ place: URL, _ write: () async throws -> Void) async throws
    -> StoreError
  {
    do {
      try await write()
    } catch let error as StoreError {
      #expect(error.kind == kind, "\(error)")
      #expect(error.message.contains(place.path), "\(error)")
      return error
    }
    throw Mount.Failure(text: "nothing was refused")
  }

  /// Each way to write, and that the main context goes on after it.
  private func writesFail(_ store: EntityStore, _ kind: StoreError.Kind, _ place: URL) async throws {
    let main = store.main
    let person = try #require(try main.fetch(Person.self, uid: 3))
    person.name = "edited"
    // Too much for the room of the log.
    person.email = String(repeating: "x", count: 200_000)
    try await isRefused(kind, place) { try await main.save() }
    try await isRefused(kind, place) { try main.saveAtOnce() }
    #expect(person.hasChanges)
    #expect(person.name == "edited")
    #expect(try main.fetch(Person.where { $0.name == "edited" }) == [person])
    try await isRefused(kind, place) {
      try await store.background { context in
        for person in try context.fetch(Person.all) { person.email = String(repeating: "y", count: 20_000) }
      }
    }
    try await isRead(store)
  }

  /// A failure that may be over in a moment makes no store that follows nobody.
  @Test func `a file that cannot be opened once is not opened by itself`() async throws {
    let (folder, disk) = (try TemporaryFolder(), try FaultyDisk())
    try await people(folder.file)
    var kinds: [StoreError.Kind] = []
    for number in 1... {
      disk.fail([.open], number)
      let kind = errorKind {
        _ = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
      }
      guard disk.heal() else { break }
      kinds += kind.map { [$0] } ?? []
      #expect(kinds.count == number)
      await disk.closed()
    }
    #expect(kinds.count > 1)
    #expect(Set(kinds) == [.cannotOpen])
  }

  /// The system says nothing of the space: a file can't be opened.
  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a disk without room for another file is full`() async throws {
    let disk = try Mount(tmpfs: "1m,nr_inodes=6")
    try await people(disk.file)
    var number = 0
    while FileManager.default.createFile(atPath: disk.url.appending(path: "\(number)").path, contents: nil) {
      number += 1
    }
    let store = try EntityStore(.file(disk.file), entities: TestStore.people)
    try await isRead(store)
    try await writesFail(store, .diskFull, disk.file)
  }

  // MARK: Full disks

  @Test(.enabled(if: Mount.isPossible, Mount.reason), arguments: [false, true])
  func `data on a full disk can be read`(isOpenElsewhere: Bool) async throws {
    let disk = try Mount(tmpfs: "1m")
    try await people(disk.file)
    // Another process that has the store open: then the files beside it are there.
    let other = try isOpenElsewhere ? EntityStore(.file(disk.file), entities: TestStore.people) : nil
    try disk.fill()
    do {
      let store = try EntityStore(.file(disk.file), entities: TestStore.people)
      try await isRead(store)
      try await writesFail(store, .diskFull, disk.file)
      try disk.empty()
      if isOpenElsewhere {
        try store.main.fetch(Person.self, uid: 3)?.email = nil
        try await store.main.save()
        #expect(try await store.read { try $0.fetch(Person.self, uid: 3)?.name } == "edited")
        try await store.addPerson(99)
      }
    }
    withExtendedLifetime(other) {}
    let store = try EntityStore(.file(disk.file), entities: TestStore.people)
    try await store.addPerson(100)
    #expect(try store.main.count(Person.all) == (isOpenElsewhere ? 22 : 21))
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a store is not made on a full disk`() async throws {
    let disk = try Mount(tmpfs: "1m")
    try disk.fill()
    try await isRefused(.diskFull, disk.file) { _ = try EntityStore(.file(disk.file), entities: TestStore.people) }
    try disk.empty()
    try await people(disk.file)
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a disk that becomes full loses no edit`() async throws {
    let disk = try Mount(tmpfs: "1m")
    try await fill(disk.file)
    let store = try EntityStore(.file(disk.file), entities: TestStore.people)
    let new = try store.main.insert(Person.self)
    new.uid = 50
    let id = new.entityID
    try disk.fill()
    try await writesFail(store, .diskFull, disk.file)
    try disk.empty()
    try await store.main.save()
    #expect(try await store.read { try $0.fetch(Person.self, uid: 3)?.name } == "edited")
    #expect(try await store.read { try $0.object(id)?.uid } == 50)
  }

  // MARK: Read-only media

  @Test(.enabled(if: Mount.isPossible, Mount.reason), arguments: [false, true])
  func `a read-only medium is read`(isOpenElsewhere: Bool) async throws {
    let folder = try TemporaryFolder()
    try await people(folder.file)
    // Its changes may stand in the log alone.
    let other = try isOpenElsewhere ? EntityStore(.file(folder.file), entities: TestStore.people) : nil
    try await other?.edit(try #require(try other?.main.fetch(Person.self, uid: 19)).entityID) { $0.score = 1 }
    let medium = try Mount(readOnly: folder.url)
    let store = try EntityStore(.file(medium.file), entities: TestStore.people)
    try await isRead(store)
    #expect(try store.main.fetch(Person.self, uid: 19)?.score == (isOpenElsewhere ? 1 : nil))
    try await writesFail(store, .readOnly, medium.file)
    try await isRefused(.readOnly, medium.file) { _ = try store.main.insert(Person.self) }
    try await isRefused(.readOnly, medium.file) { try await store.addPerson(1000) }
    withExtendedLifetime(other) {}
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a read-only medium that lacks an entity is named`() async throws {
    let folder = try TemporaryFolder()
    try await people(folder.file)
    let medium = try Mount(readOnly: folder.url)
    let error = try await isRefused(.readOnly, medium.file) {
      _ = try EntityStore(.file(medium.file), entities: TestStore.people + [Bare.self])
    }
    #expect(error.message.contains("lacks"))
    #expect(
      errorKind { _ = try EntityStore(.file(medium.file), entities: [Person.self, Team.self]) } == .invalidSchema
        || errorKind { _ = try EntityStore(.file(medium.file), entities: [Bare.self]) } == .schemaMismatch)
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a log that cannot be read is named`() async throws {
    let folder = try TemporaryFolder()
    try await people(folder.file)
    let copy = try TemporaryFolder()
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people)
      try await store.addPerson(50)
      // The index is left behind, as by a copy of the file and its log.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: folder.file.path + suffix, toPath: copy.file.path + suffix)
      }
    }
    let medium = try Mount(readOnly: copy.url)
    do {
      _ = try EntityStore(.file(medium.file), entities: TestStore.people)
      Issue.record("it opened")
    } catch let error as StoreError {
      #expect(error.message.contains("-wal"))
    }
  }

  @Test(.enabled(if: geteuid() != 0, "permissions are nothing to root"), arguments: [false, true])
  func `permissions to read are enough`(isFolder: Bool) async throws {
    let folder = try TemporaryFolder()
    try await people(folder.file)
    func permit(_ mode: Int) throws {
      if isFolder {
        try FileManager.default.setAttributes([.posixPermissions: mode | 0o111], ofItemAtPath: folder.url.path)
      }
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file.path)
    }
    try permit(0o400)
    defer { try? permit(0o600) }
    let store = try EntityStore(.file(folder.file), entities: TestStore.people)
    try await isRead(store)
    try await writesFail(store, .readOnly, folder.file)
  }

  // MARK: Others who write

  private func isRefusedAsChanged(_ store: EntityStore) async throws {
    #expect(errorKind { _ = try store.main.count(Person.all) } == .fileChanged)
    #expect(await asyncErrorKind { _ = try await store.read { try $0.count(Person.all) } } == .fileChanged)
    #expect(await asyncErrorKind { _ = try await store.background { try $0.count(Person.all) } } == .fileChanged)
    #expect(await asyncErrorKind { _ = try await store.check() } == .fileChanged)
    let folder = try TemporaryFolder()
    #expect(await asyncErrorKind { try await store.backup(to: folder.url.appending(path: "copy")) } == .fileChanged)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason), arguments: [false, true])
  func `a store on a read-only medium that others wrote to must be opened again`(isCheckpointed: Bool) async throws {
    let folder = try TemporaryFolder()
    try await people(folder.file)
    let medium = try Mount(readOnly: folder.url)
    let store = try EntityStore(.file(medium.file), entities: TestStore.people)
    try await isRead(store)
    // The same file, where it can be written.
    let other = try EntityStore(.file(folder.file), entities: TestStore.people)
    try await isRead(store)
    try await other.addPerson(50)
    if isCheckpointed { #expect(try await other.checkpoint()) }
    try await isRefusedAsChanged(store)
    try await store.close()
    let again = try EntityStore(.file(medium.file), entities: TestStore.people)
    #expect(try again.main.count(Person.all) == 21)
    withExtendedLifetime(other) {}
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a read amid which somebody writes fails`() async throws {
    let folder = try TemporaryFolder()
    try await people(folder.file)
    let medium = try Mount(readOnly: folder.url)
    let store = try EntityStore(.file(medium.file), entities: TestStore.people)
    @Sendable func read(_ context: EntityContext) throws -> Int {
      // The file grows: the clock of its time may stand still between an opening and this.
      try RawConnection(folder.file.path, vfs: nil).run(
        "UPDATE Person SET email = coalesce(email, '') || hex(zeroblob(5000))")
      return try context.count(Person.all)
    }
    #expect(await asyncErrorKind { _ = try await store.read(read) } == .fileChanged)
    let second = try EntityStore(.file(medium.file), entities: TestStore.people)
    #expect(await asyncErrorKind { _ = try await second.background(read) } == .fileChanged)
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a store on a full disk that others wrote to must be opened again`() async throws {
    let disk = try Mount(tmpfs: "1m")
    try await people(disk.file)
    try disk.fill()
    let store = try EntityStore(.file(disk.file), entities: TestStore.people)
    try await isRead(store)
    try disk.empty()
    let other = try EntityStore(.file(disk.file), entities: TestStore.people)
    try await other.addPerson(50)
    try await isRefusedAsChanged(store)
    withExtendedLifetime(other) {}
  }

  // MARK: Row ids

  @Test(arguments: Place.usual)
  func `opening and reading writes nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    func key() async throws -> Int64? {
      try await test.store.read {
        try $0.connection.rows("SELECT value FROM _entity_store WHERE key = 'next_pk'") { $0.int64(0) }.first
      }
    }
    #expect(try test.store.main.count(Person.all) == 0)
    #expect(try await key() == 1)
    try await test.store.addPerson(1)
    #expect(try await key() ?? 0 > 65_536)
  }
}
