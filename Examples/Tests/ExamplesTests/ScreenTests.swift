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
      let editing = try NoteEditing(draft: notes.store.main.draft(Note.self), store: notes.store) { _ in }
      editing.draft.object.title = "Salt"
      #expect(found.objects.isEmpty)
      try editing.draft.save()
      #expect(found.objects.map(\.title) == ["Salt"])
    }

    @Test func `a form whose save failed leaves nothing in the main context once it is closed`() async throws {
      let notes = try notesForPreviews()
      defer { Client.uninstall() }
      try await notes.newest.load()
      let (main, milk) = (notes.store.main, try #require(notes.newest.object))
      let new = try NoteEditing(draft: main.draft(Note.self), store: notes.store) { _ in }
      new.draft.object.uid = milk.uid
      #expect(await !new.save() && new.problem != nil)
      #expect(main.hasChanges, "it can be mended and saved again")
      new.close()
      let edited = try NoteEditing(draft: main.edit(milk), store: notes.store) { _ in }
      edited.draft.object.title = "Soy milk"
      #expect(await edited.save())
      #expect(milk.title == "Soy milk" && !main.hasChanges)
      #expect(try main.count(Note.all) == 2)
    }

    @Test
    func `a save that fails after its form was closed is told of, and leaves nothing in the main context`() async throws
    {
      let notes = try notesForPreviews()
      defer { Client.uninstall() }
      try await notes.newest.load()
      let main = notes.store.main
      var told: [String] = []
      let new = try NoteEditing(draft: main.draft(Note.self), store: notes.store) { told.append($0) }
      new.draft.object.uid = try #require(notes.newest.object).uid
      let save = Task { await new.save() }
      new.close()
      #expect(await !save.value)
      #expect(told.count == 1 && told.first?.isEmpty == false)
      #expect(!main.hasChanges)
    }

    @Test func `a list goes on behind a page that brings nothing new`() async throws {
      func page(_ uids: [Int], _ next: String?) -> StubAnswer {
        let items: [JSONValue] = uids.map { ["id": JSONValue($0), "title": "a"] }
        return .json(["items": JSONValue(items), "next": next.map { JSONValue($0) } ?? .null])
      }
      let stub = StubAdapter().on(
        .get, "/notes/newest", page([1, 2], "b"), page([1, 2], "c"), page([3], "d"), page([4], nil))
      let store = try EntityStore(.inMemory, entities: [Note.self])
      let notes = try Notes(Client(adapter: stub, store: store, baseURL: "https://api.example.com"))
      defer { Client.uninstall() }
      try await notes.newest.load()
      await NewestNotes(notes: notes.newest).loadMore()
      #expect(notes.newest.objects.count == 3 && notes.newest.hasMore)
      #expect(stub.requests.count == 3)
    }
  }
}
