import EntityClient
import Foundation

#if canImport(SwiftUI)
  import SwiftUI
#else
  import SwiftUIDeclarations
#endif

/// A list of the server: it loads when it appears, when it is pulled down, and page by page at its end.
struct NewestNotes: View {
  let notes: LiveResource<Note>

  var body: some View {
    List {
      ForEach(notes.objects) { NoteRow(note: $0) }
      if notes.hasMore {
        // The number of objects begins the task anew after each page, and not after a failure.
        ProgressView().task(id: notes.objects.count) { _ = try? await notes.loadMore() }
      }
      if let error = notes.error { Text("Not up to date: \(error)") }
    }
    .onAppear { notes.loadIfNeeded() }
    .refreshable { _ = try? await notes.load() }
  }
}

/// A view that reads a note is drawn again when a property that it reads has changed, and the list is not.
struct NoteRow: View {
  let note: Note

  var body: some View {
    HStack {
      Text(note.title)
      if case .refused(let item) = note.sendState { Text(item.problem ?? "refused") }
    }
  }
}

/// What a query finds. The view holds the store: a query does not.
struct NoteSearch: View {
  let store: EntityStore
  @State private var found: LiveQuery<Note>
  @State private var words = ""
  @State private var editing: NoteEditing?

  init(in store: EntityStore) {
    self.store = store
    _found = State(initialValue: LiveQuery(Note.all.sorted(by: \.title), in: store))
  }

  var body: some View {
    List(found.objects) { note in
      NoteRow(note: note).onTapGesture { editing = try? NoteEditing(draft: store.main.edit(note)) }
    }
    .searchable(text: $words)
    .onChange(of: words) {
      found.query = Note.where { $0.title.ignoringASCIICase.contains(words) }.sorted(by: \.title)
    }
    .sheet(item: $editing) { NoteForm(draft: $0.draft, store: store) }
  }
}

struct NoteEditing: Identifiable {
  let id = UUID()
  let draft: Draft<Note>  // of a new note: try store.main.draft(Note.self)
}

/// Nobody else sees the edits until they are saved. Closing the form before drops them.
struct NoteForm: View {
  let draft: Draft<Note>
  let store: EntityStore
  @State private var problem: String?
  @Environment(\.dismiss) private var dismiss

  var body: some View {
    @Bindable var note = draft.object
    Form {
      TextField("Title", text: $note.title)
      if let problem { Text(problem) }
      Button("Save") { Task { await save() } }.disabled(note.title.isEmpty)
    }
  }

  private func save() async {
    do {
      try draft.save()
      try await store.main.save()  // the outbox sends it
      dismiss()
    } catch {
      problem = "\(error)"
    }
  }
}
