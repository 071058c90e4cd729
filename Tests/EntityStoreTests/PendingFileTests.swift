import EntityStore
import Foundation
import Testing

@testable import EntityStore

/// Pending changes in the file, in files of earlier formats, and as JSON.
@MainActor struct PendingFileTests {
  @Test func pendingChangesAreOfTheFile() async throws {
    let folder = try TemporaryFolder()
    var kept: [PendingChange] = []
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
      let other = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
      try await store.background(as: .server) { context in
        for uid in 1...3 { try context.insert(Person.self).uid = uid }
      }
      try await store.background { context in
        let people = try context.fetch(Person.all.sorted(by: \.uid))
        people[0].name = "x"
        try context.delete(people[1])
      }
      try await other.background { context in
        try #require(try context.fetch(Person.self, uid: 3)).name = "y"
        try context.insert(Person.self).name = "z"
      }
      kept = try await store.pending.changes()
      #expect(kept.map(\.kind) == [.edit, .deletion, .edit, .insert])
      #expect(try await other.pending.changes() == kept)
      try await other.pending.discard(kept[0])
      #expect(try await store.pending.changes() == Array(kept.dropFirst()))
    }
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
    #expect(try await store.pending.changes() == Array(kept.dropFirst()))
  }

  @Test(arguments: Place.usual)
  func theChangesAreExportedAsJSON(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let (ada, bob) = (try test.person(1), try test.person(2))
    (ada.name, ada.email, ada.boss) = ("x", nil, bob)
    try await test.store.main.save()
    let text = String(decoding: try await test.store.pending.export(), as: UTF8.self)
    let seconds = /"time":[0-9.]+/
    #expect(
      text.replacing(seconds, with: "\"time\":0")
        == #"{"changes":[{"edits":[{"base":"Ada","property":"name","time":0,"value":"x"},"#
        + #"{"base":"Ada@example.com","property":"email","time":0,"value":null},"#
        + #"{"base":null,"property":"boss","time":0,"value":{"entity":"Person","row":\#(bob.entityID.pk)}}],"#
        + #""entity":"Person","kind":"edit","row":\#(ada.entityID.pk),"time":0,"uid":"1"}],"version":1}"#)
  }

  @Test(arguments: 1...3)
  func editsInAFileOfAnEarlierFormatHaveNoValueBefore(_ format: Int) async throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(
      Bundle.module.url(forResource: "format-\(format)", withExtension: "sqlite", subdirectory: "Fixtures"))
    try FileManager.default.copyItem(at: fixture, to: folder.file)
    let store = try EntityStore(
      .file(folder.file), entities: V1.all, migrations: format < 3 ? [] : [Migration("noted") { _ in }],
      busyTimeout: .ample)
    let change = try #require(try await store.pending.changes().first { $0.entity == "Guest" })
    #expect(change.kind == .edit)
    #expect(change.edits.map(\.property) == ["fullName", "nickname", "age", "perks"])
    #expect(change.edits.dropLast().allSatisfy { $0.base == nil })
    #expect(change.time == nil)
    // Without it the value stays, and the edit ends.
    try await store.pending.discard(change)
    let guest = try await store.read { context in
      let guest = try #require(try context.fetch(V1.Guest.self, uid: 1))
      return "\(guest.fullName) \(guest.age) \(guest.perks.map(\.name).sorted()) \(guest.pendingColumns.names)"
    }
    #expect(guest == "Ada Lovelace 36 \(format == 1 ? [] : ["bar", "gym"]) []")
  }
}
