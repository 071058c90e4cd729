import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Pending changes in the file, and as JSON.
@MainActor struct PendingFileTests {
  @Test func `pending changes are of the file`() async throws {
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
  func `the changes are exported as JSON`(_ place: Place) async throws {
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
}
