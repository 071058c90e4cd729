import EntityClient
import EntityTesting
import Foundation
import Testing

/// The archive of OEGFlamingJune's repository (case 37, F10), and its defects.
@Suite(.notes) @MainActor struct ArchiveCases {
  private var store: EntityStore { get throws { try Client.current.store } }

  @Test func `Case 37: an archive of 20 notes and 19 authors: saved, cleaned, loaded`() async throws {
    try await Note.upsert(from: FlamingJuneCases.timeline)
    let archive = try await store.archive()
    try await store.reset()
    #expect(try await store.objectCount() == 0)
    try await store.restore(from: archive)
    #expect(try await store.objectCount() == 39)
  }

  @Test func `Case 37: an archive of nothing can be saved and loaded`() async throws {
    try await store.restore(from: store.archive())
    #expect(try await store.objectCount() == 0)
  }

  @Test func `D19: an archive keeps ids, identity and objects that lead back to each other`() async throws {
    try await Author.upsert(from: [
      "id": 7, "name": "Ada", "notes": [["id": 1, "tags": [["name": "a"]]], ["id": 2]],
    ])
    let other = try EntityStore(.inMemory, entities: entities)
    try await other.restore(from: store.archive())
    let notes = try other.main.fetch(Note.all.sorted(by: \.uid))
    let author = try #require(notes.first?.author)
    #expect(notes.map(\.uid) == [1, 2])
    #expect(notes.allSatisfy { $0.author === author })
    #expect(author.notes.count == 2)
    #expect(notes.first?.tags.map(\.name) == ["a"])
  }

  @Test func `D19: an archive of an empty store empties a store, so that no old objects return`() async throws {
    let empty = try await store.archive()
    try await Contact.upsert(from: contacts(0...5))
    try await store.restore(from: empty)
    #expect(try await store.objectCount() == 0)
  }

  @Test func `D19: an archive that was cut off is refused, and the store stays as it was`() async throws {
    try await Contact.upsert(from: contacts(0...5))
    let archive = try await store.archive()
    for bytes in [archive.prefix(archive.count / 2), Data(), Data("{}".utf8)] {
      let store = try store
      await #expect(throws: StoreError.self) { try await store.restore(from: Data(bytes)) }
    }
    #expect(try await store.contactUIDs() == [0, 1, 2, 3, 4, 5])
  }
}
