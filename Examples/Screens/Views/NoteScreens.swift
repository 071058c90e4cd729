import EntityClient
import Foundation
import Observation

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
        ProgressView().task(id: notes.objects.count) { await loadMore() }
      }
      if let error = notes.error { Text("Not up to date: \(error)") }
    }
    .onAppear { notes.loadIfNeeded() }
    .refreshable { _ = try? await notes.load() }
  }

  /// A page may bring nothing but objects that the list has, and leave their number: then the next one is asked for.
  func loadMore() async {
    let count = notes.objects.count
    while notes.hasMore, notes.objects.count == count {
      guard (try? await notes.loadMore()) != nil else { return }
    }
  }
}

/// A view that reads a note is drawn again when a property that it reads has changed, and the list is not.
struct NoteRow: View {
  let note: Note

  var body: some View {
    HStack {
      Text(note.title)
      if case .refused(let item) = note.sendState { Text(item.reason ?? "refused") }
    }
  }
}

/// What a query finds. The view holds the store: a query does not.
struct NoteSearch: View {
  let store: EntityStore
  @State private var found: LiveQuery<Note>
  @State private var words = ""
  @State private var editing: NoteEditing?
  @State private var problem: String?

  init(in store: EntityStore) {
    self.store = store
    _found = State(initialValue: LiveQuery(Note.all.sorted(by: \.title), in: store))
  }

  var body: some View {
    List {
      if let problem { Text("Not saved: \(problem)") }
      ForEach(found.objects) { note in NoteRow(note: note).onTapGesture { edit(note) } }
    }
    .searchable(text: $words)
    .onChange(of: words) {
      found.query = Note.where { $0.title.ignoringASCIICase.contains(words) }.sorted(by: \.title)
    }
    .sheet(item: $editing) { NoteForm(editing: $0) }
  }

  private func edit(_ note: Note) {
    problem = nil
    editing = try? NoteEditing(draft: store.main.edit(note), store: store) { problem = $0 }
  }
}

/// An edit of a note. It outlives its form, which may be closed before its save has ended.
@MainActor @Observable final class NoteEditing: Identifiable {
  let draft: Draft<Note>  // of a new note: try store.main.draft(Note.self)
  private(set) var problem: String?
  private let store: EntityStore
  private let notSaved: (String) -> Void
  @ObservationIgnored private var isOpen = true

  /// - Parameter notSaved: Hears why the edits of a closed form are not saved.
  init(draft: Draft<Note>, store: EntityStore, notSaved: @escaping (String) -> Void) {
    (self.draft, self.store, self.notSaved) = (draft, store, notSaved)
  }

  /// - Returns: Whether the note is saved.
  func save() async -> Bool {
    problem = nil
    do {
      try draft.save()  // an unsaved change of the main context
      try await store.main.save()  // the outbox sends it
      return true
    } catch {
      problem = "\(error)"
      if !isOpen { close() }
      return false
    }
  }

  /// Takes back what a save that failed has left in the main context: each later save would fail, too.
  func close() {
    isOpen = false
    guard let problem else { return }
    if let note = try? store.main.object(draft.object.entityID) { try? store.main.rollback(note) }
    notSaved(problem)
  }
}

/// Nobody else sees the edits before they are saved. Closing the form drops them, also where a save fails later.
struct NoteForm: View {
  let editing: NoteEditing
  @Environment(\.dismiss) private var dismiss

  var body: some View {
    @Bindable var note = editing.draft.object
    Form {
      TextField("Title", text: $note.title)
      if let problem = editing.problem { Text(problem) }
      Button("Save") { Task { if await editing.save() { dismiss() } } }.disabled(note.title.isEmpty)
    }
    .onDisappear { editing.close() }
  }
}
