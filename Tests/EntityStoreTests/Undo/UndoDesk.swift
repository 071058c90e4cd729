import TestSchema
import Testing

@testable import EntityStore

/// Three people of the server, one with a note; saves of the main context can be undone.
@MainActor struct UndoDesk {
  let test: TestStore
  let main: EntityContext
  let (ada, ben, cy): (Person, Person, Person)
  let team: Team
  /// Nobody's, and Cy's.
  let (note, cysNote): (Note, Note)

  var store: EntityStore { test.store }

  init(_ place: Place) async throws {
    test = try TestStore(place, TestStore.people)
    try await test.store.background(as: .server) { context in
      let team = try context.insert(Team.self)
      team.uid = "core"
      for (uid, name) in [(1, "Ada"), (2, "Ben"), (3, "Cy")] {
        let person = try context.insert(Person.self)
        (person.uid, person.name, person.team) = (uid, name, team)
        if uid == 3 { try context.insert(Note.self).person = person }
      }
      _ = try context.insert(Note.self)
    }
    main = test.store.main
    let people = try main.fetch(Person.all.sorted(by: \.uid))
    (ada, ben, cy) = (people[0], people[1], people[2])
    team = try #require(try main.fetch(Team.self, uid: "core"))
    cysNote = try #require(cy.notes.first)
    note = try #require(try main.fetch(Note.all).first { $0.person == nil })
    main.undoManager.limit = .saves(50)
  }

  func other(_ person: Person, _ change: @escaping @Sendable (Person) throws -> Void) async throws {
    let id = person.entityID
    try await store.background { try change(try #require(try $0.object(id))) }
  }

  func content() async throws -> [String] { try await store.fileContent() }
}

extension EntityStore {
  /// All rows, marks and notes of the file; not what counts commits and keys, nor what follows from the rows. An undo is
  /// an edit of its own commit, so that the notes are without the numbers of commits.
  func fileContent() async throws -> [String] {
    try await read { try $0.connection.content() }.filter {
      !$0.hasPrefix("_entity_store: ") && !$0.hasPrefix("_entity_answers: ") && !$0.hasPrefix("_search,")
    }.map { line in
      let numbers = line.hasPrefix("_entity_edits: ") ? 2 : line.hasPrefix("_entity_deletions: ") ? 1 : 0
      return numbers == 0 ? line : line.split(separator: ", ").dropLast(numbers).joined(separator: ", ")
    }.sorted()
  }
}

extension SaveUndoManager {
  /// As ``undo()``, while the thread waits: an async test would take the other one.
  @discardableResult func undoAtOnce() throws -> Bool { try undo() }
  @discardableResult func redoAtOnce() throws -> Bool { try redo() }
}
