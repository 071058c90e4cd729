import Foundation
import Testing

@testable import EntityStore

/// Saves of the main context are taken back, and made again.
@MainActor struct UndoTests {
  @Test(arguments: Place.allCases)
  func anUndoneSaveIsAsIfItHadNotBeen(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let (main, ada, ben) = (desk.main, desk.ada, desk.ben)
    let first = try await desk.content()
    ada.name = "Ada L."
    ada.team = nil
    ben.boss = ada
    let note = try main.insert(Note.self)
    note.person = ada
    note.text = "new one"
    try main.delete(desk.cy)
    try main.saveAtOnce()
    let second = try await desk.content()
    #expect(second != first)
    #expect(desk.cy.isDeleted && desk.cysNote.isDeleted)
    #expect(main.undoManager.canUndo && !main.undoManager.canRedo)

    #expect(try main.undoManager.undoAtOnce())
    #expect(try await desk.content() == first)
    #expect(ada.name == "Ada" && ada.team === desk.team && ben.boss == nil)
    #expect(note.isDeleted)
    // The objects are those that they were.
    #expect(!desk.cy.isDeleted && !desk.cysNote.isDeleted)
    #expect(desk.cy.name == "Cy" && desk.cy.notes == [desk.cysNote])
    #expect(try main.fetch(Person.self, uid: 3) === desk.cy)
    #expect(!main.hasChanges)
    #expect(!main.undoManager.canUndo && main.undoManager.canRedo)

    #expect(try await main.undoManager.redo())
    #expect(try await desk.content() == second)
    #expect(ada.name == "Ada L." && ben.boss === ada && desk.cy.isDeleted)
    #expect(!note.isDeleted && note.text == "new one" && ada.notes == [note])
    #expect(try await main.undoManager.undo())
    #expect(try await desk.content() == first)
    #expect(try !main.undoManager.undoAtOnce())
    #expect(try await desk.store.check().isEmpty)
  }

  @Test(arguments: Place.allCases)
  func observersAndQueriesHearOfIt(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let people = LiveQuery(Person.all.sorted(by: \.uid), in: desk.store)
    #expect(people.objects.count == 3)
    desk.ada.name = "changed"
    try desk.main.delete(desk.cy)
    try desk.main.saveAtOnce()
    #expect(people.objects.count == 2)
    let (name, gone) = (Watcher { _ = desk.ada.name }, Watcher { _ = desk.cy.isDeleted })
    let (undo, redo) = (Watcher { _ = desk.main.undoManager.canUndo }, Watcher { _ = desk.main.undoManager.canRedo })
    var commits = desk.store.commits.makeAsyncIterator()
    try await desk.main.undoManager.undo()
    #expect(name.fired && gone.fired && undo.fired && redo.fired)
    #expect(people.objects == [desk.ada, desk.ben, desk.cy])
    let commit = try #require(await commits.next())
    #expect(commit.changes(of: Person.self).inserted == [desk.cy.entityID])
    #expect(commit.changes(of: Person.self).updated.map(\.columns.names) == [["name"]])
    #expect(!undo.fired)
  }

  @Test(arguments: Place.allCases)
  func nothingIsKeptUntilThereIsALimit(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.limit = .off
    desk.ada.age = 1
    try await desk.main.save()
    #expect(!desk.main.undoManager.canUndo)
    #expect(try await !desk.main.undoManager.undo())
    desk.main.undoManager.limit = .saves(2)
    for age in 2...5 {
      desk.ada.age = age
      try await desk.main.save()
    }
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(try !desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.age == 3)
    // A new save is another way on.
    desk.ada.age = 9
    try await desk.main.save()
    #expect(!desk.main.undoManager.canRedo && desk.main.undoManager.canUndo)
    desk.main.undoManager.removeAll()
    #expect(!desk.main.undoManager.canUndo)
    #expect(desk.ada.age == 9)
  }

  @Test(arguments: Place.allCases)
  func aSaveThatIsTooLargeLeavesNoWayBack(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.limit = .saves(10, bytes: 10_000)
    desk.ada.age = 1
    try await desk.main.save()
    desk.ada.name = String(repeating: "a", count: 20_000)
    try await desk.main.save()
    #expect(!desk.main.undoManager.canUndo)
    desk.ada.age = 2
    try await desk.main.save()
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.age == 1 && desk.ada.name.count == 20_000)
    #expect(!desk.main.undoManager.canUndo)
  }

  @Test(arguments: Place.allCases)
  func aGroupOfSavesIsOneStep(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let first = try await desk.content()
    let undo = desk.main.undoManager
    undo.beginGroup()
    desk.ada.name = "one"
    try await desk.main.save()
    undo.beginGroup()
    desk.ada.name = "two"
    try desk.main.delete(desk.ben)
    try await desk.main.save()
    undo.endGroup()
    #expect(!undo.canUndo)
    undo.endGroup()
    let second = try await desk.content()
    #expect(try undo.undoAtOnce())
    #expect(try await desk.content() == first)
    #expect(!undo.canUndo)
    #expect(try undo.redoAtOnce())
    #expect(try await desk.content() == second)
    undo.beginGroup()
    desk.ada.name = "three"
    try await desk.main.save()
    #expect(errorKind { try undo.undo() } == .wrongContext)
    undo.endGroup()
    #expect(desk.ada.name == "three")
  }

  @Test(arguments: Place.allCases)
  func unsavedChangesStandInTheWay(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "saved"
    try await desk.main.save()
    desk.ben.name = "unsaved"
    #expect(errorKind { try desk.main.undoManager.undo() } == .unsavedChanges)
    #expect(await asyncErrorKind { try await desk.main.undoManager.undo() } == .unsavedChanges)
    #expect(desk.ada.name == "saved" && desk.ben.name == "unsaved")
    desk.main.rollback()
    // A save under way is waited for.
    desk.ben.name = "last"
    let save = await desk.store.beginSave(of: desk.ben)
    try await desk.main.undoManager.undo()
    try await save.value
    #expect(desk.ben.name == "Ben" && desk.ada.name == "saved")
  }

  @Test(arguments: Place.allCases)
  func onlySavesOfTheMainContextAreUndone(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "mine"
    try await desk.main.save()
    try await desk.other(desk.ben) { $0.name = "theirs" }
    // A child's changes are the main context's once both are saved.
    let child = try desk.main.child()
    try #require(try child.object(desk.cy.entityID)).name = "child"
    try child.saveAtOnce()
    #expect(errorKind { try desk.main.undoManager.undo() } == .unsavedChanges)
    try await desk.main.save()
    #expect(!child.undoManager.canUndo)
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(desk.cy.name == "Cy" && desk.ben.name == "theirs" && desk.ada.name == "mine")
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.name == "Ada" && desk.ben.name == "theirs")
    #expect(!desk.main.undoManager.canUndo)
  }

  // MARK: Others

  @Test(arguments: Place.allCases)
  func aColumnThatOthersChangedIsAConflict(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "mine"
    desk.ben.name = "mine too"
    try await desk.main.save()
    // Another column is none.
    try await desk.other(desk.ben) { $0.age = 50 }
    try await desk.other(desk.ada) { $0.name = "theirs" }
    let before = try await desk.content()
    let error = storeError { try desk.main.undoManager.undo() }
    #expect(error?.kind == .conflict)
    #expect(error?.objects.map(\.pk) == [desk.ada.entityID.pk])
    #expect(try await desk.content() == before)
    #expect(desk.main.undoManager.canUndo)
    // Once they have taken it back, it can be undone.
    try await desk.other(desk.ada) { $0.name = "mine" }
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.name == "Ada" && desk.ben.name == "Ben" && desk.ben.age == 50)
  }

  @Test(arguments: Place.allCases)
  func whatOthersDeletedOrReferToIsAConflict(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let dora = try desk.main.insert(Person.self)
    dora.uid = 4
    try await desk.main.save()
    let id = dora.entityID
    try await desk.other(desk.ben) { $0.boss = try $0.entityContext?.object(id) }
    let error = storeError { try desk.main.undoManager.undo() }
    #expect(error?.kind == .conflict)
    #expect(Set(error?.objects.map(\.pk) ?? []) == [id.pk, desk.ben.entityID.pk])
    #expect(!dora.isDeleted)
    try await desk.other(desk.ben) { $0.boss = nil }
    desk.ada.boss = desk.ben
    try await desk.main.save()
    #expect(try desk.main.undoManager.undoAtOnce())
    desk.main.undoManager.removeAll()

    desk.ada.team = nil
    try await desk.main.save()
    try await desk.store.background { [id = desk.team.entityID] in try $0.delete(try #require(try $0.object(id))) }
    #expect(errorKind { try desk.main.undoManager.undo() } == .conflict)
    #expect(desk.ada.team == nil)
    try await desk.store.background { [id = desk.ada.entityID] in try $0.delete(try #require(try $0.object(id))) }
    #expect(errorKind { try desk.main.undoManager.undo() } == .conflict)
    #expect(desk.ada.isDeleted)
    #expect(try await desk.store.check().isEmpty)
  }

  @Test(arguments: Place.allCases)
  func uniqueValuesComeBackUnlessOthersHaveThem(_ place: Place) async throws {
    let test = try TestStore(place, [Locker.self, Hall.self])
    let main = test.store.main
    main.undoManager.limit = .saves(9)
    let lockers = try (1...2).map { number in
      let locker = try main.insert(Locker.self)
      (locker.uid, locker.number, locker.code, locker.seal) = (number, number, "\(number)", Data([UInt8(number)]))
      return locker
    }
    try await main.save()
    (lockers[0].number, lockers[1].number) = (2, 1)
    (lockers[0].code, lockers[1].code) = ("2", "1")
    try await main.save()
    #expect(try main.undoManager.undoAtOnce())
    #expect(lockers.map(\.number) == [1, 2] && lockers.map(\.code) == ["1", "2"])
    #expect(try main.undoManager.redoAtOnce())
    #expect(lockers.map(\.number) == [2, 1])
    #expect(try main.undoManager.undoAtOnce())
    lockers[0].code = "9"
    try await main.save()
    let other = try await test.store.background { context in
      let locker = try context.insert(Locker.self)
      (locker.uid, locker.number, locker.code, locker.seal) = (3, 3, "1", Data([3]))
      return locker.entityID
    }
    let error = storeError { try main.undoManager.undo() }
    #expect(error?.kind == .conflict)
    #expect(error?.objects.map(\.pk).contains(other.pk) == true)
    #expect(lockers[0].code == "9")
  }

  @Test(arguments: Place.allCases)
  func anEmptiedStoreHasNothingToUndo(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.note)
    try await desk.main.save()
    try await desk.store.reset(discardsPending: true)
    #expect(try !desk.main.undoManager.undoAtOnce())
    #expect(!desk.main.undoManager.canUndo)
    #expect(try desk.main.count(Note.all) == 0)
  }

  /// More rows than a summary names.
  @Test(arguments: Place.allCases)
  func manyObjectsComeBackAtOnce(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.limit = .saves(5, bytes: 100_000_000)
    let count = CommitSummary.namedRows + 1
    try await desk.store.background { context in
      for rank in 1...count { try context.insert(Note.self).rank = rank }
    }
    let notes = try desk.main.fetch(Note.where { $0.rank > 0 })
    try desk.main.delete(notes)
    try await desk.main.save()
    #expect(notes.filter(\.isDeleted).count == count)
    try await desk.main.undoManager.undo()
    #expect(notes.filter(\.isDeleted).isEmpty)
    #expect(try desk.main.count(Note.where { $0.rank > 0 }) == count)
    notes[0].text = "back"
    try await desk.main.save()
    #expect(try await desk.store.read { try $0.count(Note.where { $0.text == "back" }) } == 1)
  }

  @Test(arguments: Place.allCases)
  func aDraftSeesItsObjectComeBack(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let draft = try desk.main.edit(desk.cy)
    #expect(draft.object.name == "Cy")
    try desk.main.delete(desk.cy)
    try await desk.main.save()
    #expect(draft.object.isDeleted)
    try await desk.main.undoManager.undo()
    #expect(!draft.object.isDeleted && draft.object.name == "Cy")
    draft.object.name = "Cyd"
    try draft.save()
    try await desk.main.save()
    #expect(desk.cy.name == "Cyd")
  }

  /// A newer version of the app, with the same file open, has one more column.
  @Test(arguments: Place.allCases)
  func columnsOfAnotherVersionComeBack(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try await desk.store.core.unit { rows in
      try rows.connection.execute("ALTER TABLE Person ADD COLUMN later TEXT")
      try rows.connection.execute("UPDATE Person SET later = 'value', _edited = 'later' WHERE uid = 3")
    }
    let before = try await desk.content()
    try desk.main.delete(desk.cy)
    try await desk.main.save()
    try await desk.main.undoManager.undo()
    #expect(try await desk.content() == before)
  }

  /// Another store on the file, with objects that live through deletion and return.
  @Test(arguments: [true, false])
  func anotherStoreSeesObjectsComeBack(_ hasHistory: Bool) async throws {
    let test = try HistoryStore(.file, hasHistory ? .keepingAll : nil)
    let other = try test.another()
    let id = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      (person.uid, person.name) = (1, "Ada")
      return person.entityID
    }
    let main = test.store.main
    main.undoManager.limit = .saves(5)
    let (mine, theirs) = (try #require(try main.object(id)), try #require(try other.main.object(id)))
    try main.delete(mine)
    try await main.save()
    #expect(try other.main.fetch(Person.all).isEmpty)
    #expect(theirs.name == "Ada")
    #expect(theirs.isDeleted)
    try await main.undoManager.undo()
    #expect(try other.main.fetch(Person.all) == [theirs])
    #expect(!theirs.isDeleted)
    theirs.name = "other"
    try await other.main.save()
    #expect(mine.name == "other")
  }
}

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
  /// All rows, marks and notes of the file; not what counts commits and keys, nor what follows from the rows.
  func fileContent() async throws -> [String] {
    try await read { try $0.connection.content() }.filter {
      !$0.hasPrefix("_entity_store: ") && !$0.hasPrefix("_entity_answers: ") && !$0.hasPrefix("_search,")
    }.sorted()
  }
}

extension SaveUndoManager {
  /// As ``undo()``, while the thread waits: an async test would take the other one.
  @discardableResult func undoAtOnce() throws -> Bool { try undo() }
  @discardableResult func redoAtOnce() throws -> Bool { try redo() }
}
