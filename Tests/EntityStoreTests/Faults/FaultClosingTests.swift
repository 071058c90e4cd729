import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// A store is closed while calls of the file system fail.
@Suite(.timeLimit(.minutes(Faults.minutes))) @MainActor struct FaultClosingTests {
  /// Nothing that a disk does keeps a store from closing, and no commit is lost by it.
  @Test(arguments: [false, true]) func `a store closes whatever call of the disk fails`(_ persists: Bool) async throws {
    var failed = 0
    for number in stride(from: 1, to: Int.max, by: Faults.step(3)) {
      let folder = try TemporaryFolder()
      let disk = try FaultyDisk()
      let store = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
      let id = try await store.addPerson(1, String(repeating: "Ada", count: 5_000))
      let person = try #require(try store.main.object(id))
      person.age = 36
      try await store.main.save()
      _ = try await store.read { try $0.count(Person.all) }
      person.age = 37

      disk.fail(number, persists: persists)
      try await store.close(discardsUnsaved: true)
      let hasFailed = disk.heal()
      #expect(errorKind { _ = try store.main.fetch(Person.all) } == .closed)
      #expect(disk.openFiles == 0, "call \(number): a file is still open")

      let other = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
      #expect(try await other.check(.full).isEmpty, "call \(number)")
      #expect(try await other.read { try $0.fetch(Person.all).map { "\($0.name.count) \($0.age)" } } == ["15000 36"])
      try await other.addPerson(2)
      try await other.close()
      guard hasFailed else { break }
      failed += 1
    }
    #expect(failed > 0, "no call failed")
  }
}
