import EntityClient
import EntityTesting
import Testing

@testable import Screens

/// The tests that install a client, one after the other: there is one installed client in a process.
@Suite(.serialized) enum InstalledClientTests {}

extension InstalledClientTests {
  /// The state behind the screens of the article *Screens*. That their views compile is what the target shows.
  @MainActor @Suite struct ScreenTests {
    @Test func `a preview shows the objects of its response, without a network`() async throws {
      let notes = try notesForPreviews()
      defer { Client.uninstall() }
      try await notes.newest.load()
      #expect(notes.newest.objects.map(\.title) == ["Milk", "Bread"])
      #expect(!notes.newest.hasMore)
    }

    @Test func `a draft is in no list until it is saved`() throws {
      let notes = try notesForPreviews()
      defer { Client.uninstall() }
      let found = LiveQuery(Note.all.sorted(by: \.title), in: notes.store)
      let editing = try NoteEditing(draft: notes.store.main.draft(Note.self))
      editing.draft.object.title = "Salt"
      #expect(found.objects.isEmpty)
      try editing.draft.save()
      #expect(found.objects.map(\.title) == ["Salt"])
    }
  }
}
