import EntityMacros
import EntityStore
import TestSchema
import Testing

@testable import EntityStore

@MainActor struct PendingParentTests {
  @Test func `an edit of an embedded object goes with its parent, not with a member of its own list`() async throws {
    let store = try TestStore(.memory, [Sticker.self, Stamp.self, Letter.self]).store
    try await store.background(as: .server) { context in
      let (letter, stamp, sticker) = (
        try context.insert(Letter.self), try context.insert(Stamp.self), try context.insert(Sticker.self)
      )
      (letter.uid, sticker.uid, stamp.text) = (1, 9, "old")
      stamp.stickers = [sticker]
      letter.stamp = stamp
    }
    let letter = try #require(try store.main.fetch(Letter.all).first)
    letter.stamp?.text = "new"
    try await store.main.save()
    let changes = try store.main.pendingChanges()
    #expect(changes.map(\.parent) == [letter.entityID.untyped])
  }
}

@Entity private final class Sticker {
  @UID var uid: Int
}

@Entity private final class Stamp {
  var text: String
  @Relationship(inverse: nil) var stickers: [Sticker]
}

@Entity private final class Letter {
  @UID var uid: Int
  var stamp: Stamp?
}
