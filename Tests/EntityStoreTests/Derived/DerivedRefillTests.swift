import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// Versions of an app whose derived property has the same type and other bodies.
enum VatPlain {
  @Entity final class Vat {
    @UID var uid: Int?
    var width: Int
    @Derived @Indexed var area: Int { width * 10 }
  }
}

enum VatEdited {
  @Entity final class Vat {
    @UID var uid: Int?
    var width: Int
    @Derived @Indexed var area: Int { width > 1 ? width * 20 : 10 }
  }
}

/// The property is a plain one now.
enum VatOwned {
  @Entity final class Vat {
    @UID var uid: Int?
    var width: Int
    @Indexed var area: Int
  }
}

/// The property is a plain one of another type.
enum VatNamed {
  @Entity final class Vat {
    @UID var uid: Int?
    var width: Int
    var area: String = "none"
  }
}

/// Files whose derived values are computed anew.
struct DerivedRefillTests {
  private func file() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let store = try open(folder, VatPlain.Vat.self)
    try await store.background(as: .server) { context in
      for number in 1...3 {
        let vat = try context.insert(VatPlain.Vat.self)
        (vat.uid, vat.width) = (number, number)
      }
    }
    try await store.close()
    return folder
  }

  private func open(_ folder: TemporaryFolder, _ entity: any ManagedEntity.Type) throws -> EntityStore {
    try EntityStore(
      .file(folder.file), entities: [entity], busyTimeout: .ample, options: .history(.keepingAll))
  }

  private func backups(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.contains(".backup-") }
  }

  @Test func `another body of a derived property makes no copy, keeps answers and is a commit`() async throws {
    let folder = try await file()
    let before = try open(folder, VatPlain.Vat.self)
    let token = try await before.history.token()
    try await before.close()
    let raw = try RawConnection(folder.file.path, vfs: nil)
    try raw.run(
      "INSERT INTO _entity_answers (key, entity, time, note, objects) VALUES ('k', 'Vat', 1, 'n', '[1]')")
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: [VatEdited.Vat.self])
    #expect(plan.changes.map(\.summary) == ["'Vat.area' is derived in another way"])
    #expect(plan.backup == nil)
    let store = try open(folder, VatEdited.Vat.self)
    #expect(try backups(folder) == [])
    #expect(try raw.rows("SELECT key FROM _entity_answers") == [["k"]])
    #expect(try await store.read { try $0.fetch(VatEdited.Vat.all.select { $0.area }) } == [10, 40, 60])
    // The history goes on, and has the rows that got other values: the first has the same one.
    let commits = try await store.history.commits(after: token)
    let updates = commits.flatMap { $0.changes(of: VatEdited.Vat.self).updated }
    let uids = try await store.read { context in try updates.map { try context.object($0.id)?.uid } }
    #expect(uids == [2, 3])
    #expect(updates.map { $0.columns.contains(\.area) } == [true, true])
    #expect(updates.map { $0.columns.contains(\.width) } == [false, false])
    #expect(try await store.check().isEmpty)
    // The next commit has lines of its own.
    let later = try await store.history.token()
    try await store.background { try $0.fetch(VatEdited.Vat.self, uid: 1)?.width = 7 }
    let last = try await store.history.commits(after: later).flatMap { $0.changes(of: VatEdited.Vat.self).updated }
    #expect(last.count == 1)
    try await store.close()
    // The version before computes its own again.
    let again = try open(folder, VatPlain.Vat.self)
    #expect(try await again.read { try $0.fetch(VatPlain.Vat.all.select { $0.area }) } == [70, 20, 30])
    try await again.close()
  }

  @Test func `a plain property of the same type keeps the values`() async throws {
    let folder = try await file()
    let store = try open(folder, VatOwned.Vat.self)
    #expect(try await store.read { try $0.fetch(VatOwned.Vat.all.select { $0.area }) } == [10, 20, 30])
    #expect(try await store.check().isEmpty)
    try await store.close()
  }

  @Test func `a plain property of another type begins with its default`() async throws {
    let folder = try await file()
    let store = try open(folder, VatNamed.Vat.self)
    #expect(try await store.read { try $0.fetch(VatNamed.Vat.all.select { $0.area }) } == ["none", "none", "none"])
    #expect(try await store.check().isEmpty)
    try await store.close()
  }
}
