import TestSchema
import Testing

@testable import EntityStore

/// Saves of the main context are taken back, and made again.
@MainActor struct UndoTests {
  @Test(arguments: Place.usual)
  func `an undone save is as if it had not been`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `observers and queries hear of an undo`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `unsaved changes stand in the way of an undo`(_ place: Place) async throws {
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
    let block = Blocker(desk.store)
    await block.begin()
    let save = await desk.store.beginSave(of: desk.ben)
    // The save can't end before the undo waits for it: this test has the main actor.
    block.end()
    try await desk.main.undoManager.undo()
    try await save.value
    #expect(desk.ben.name == "Ben" && desk.ada.name == "saved")
  }

  @Test(arguments: Place.usual)
  func `only saves of the main context are undone`(_ place: Place) async throws {
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

  /// More rows than a summary names.
  @Test(arguments: Place.usual)
  func `many objects come back at once`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `a draft sees its object come back`(_ place: Place) async throws {
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
  @Test(arguments: Place.usual)
  func `columns of another version come back`(_ place: Place) async throws {
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
  func `another store sees objects come back`(_ hasHistory: Bool) async throws {
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

  @Test(arguments: Place.usual)
  func `an undo runs no hooks`(_ place: Place) async throws {
    let test = try TestStore(place, [Leaflet.self, Ledger.self])
    let main = test.store.main
    let leaflet = try main.insert(Leaflet.self)
    leaflet.text = "first"
    try await main.save()
    main.undoManager.limit = .saves(9)
    leaflet.text = "second"
    try await main.save()
    #expect(leaflet.saves == 2)
    try await main.undoManager.undo()
    #expect(leaflet.text == "first" && leaflet.saves == 1)
    try await main.undoManager.redo()
    #expect(leaflet.text == "second" && leaflet.saves == 2)
  }

  @Test(arguments: Place.usual)
  func `a save that made two rows one cannot be undone`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let main = shop.main
    main.undoManager.limit = .saves(9)
    let tag = try main.insert(Tag.self)
    tag.name = "without a uid"
    try await main.save()
    #expect(main.undoManager.canUndo)
    tag.uid = "a"
    try await main.save()
    #expect(!main.undoManager.canUndo)
    #expect(try await !main.undoManager.undo())
  }

  /// A unit deletes an object anew while the undo that brought it back ends.
  @Test(arguments: Place.usual)
  func `an object that a later unit deletes stays deleted`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.note)
    try await desk.main.save()
    // The undo can't end before this test has seen that it began.
    let block = Blocker(desk.store)
    await block.begin()
    let undo = Task { @MainActor in try await desk.main.undoManager.undo() }
    while !desk.main.saves.isSaving { await Task.yield() }
    block.end()
    let key = RowKey(entity: desk.note._$state.model.number, pk: desk.note.entityID.pk)
    // The undo ends on the main actor, which is taken until the row came back and went.
    while try desk.store.core.blockingUnit(from: desk.main.lineage.id, { try $0.deletion.delete([key]) }) == 0 {}
    #expect(try await undo.value)
    #expect(desk.note.isDeleted)
    #expect(try desk.main.fetch(Note.all) == [desk.cysNote])
  }

  /// A sequence that is behind has several commits as one.
  @Test func `a deletion that a later commit took back is not reported as a deletion`() {
    func summary(_ generation: Int64, _ kind: CommitSummary.RowChange.Kind) -> CommitSummary {
      var summary = CommitSummary(first: generation, last: generation, origin: nil)
      summary.note(0, 7, kind, ColumnMask(1), isDirect: false)
      return summary
    }
    func merged(_ kinds: CommitSummary.RowChange.Kind...) -> CommitSummary.RowChange.Kind? {
      var all = summary(1, kinds[0])
      for (place, kind) in kinds.enumerated().dropFirst() { all.append(summary(Int64(place + 1), kind)) }
      guard case .rows(let rows) = all.entities[0] else { return nil }
      return rows[7]?.kind
    }
    #expect(merged(.deleted, .inserted) == .inserted)
    #expect(merged(.deleted, .inserted, .updated) == .inserted)
    #expect(merged(.deleted, .inserted, .deleted) == .deleted)
    #expect(merged(.inserted, .updated) == .inserted && merged(.updated, .inserted) == .inserted)
  }

  /// The context has no changes, so nothing stands in the way.
  @Test(arguments: Place.usual)
  func `objects that came and went do not stand in the way`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "saved"
    try await desk.main.save()
    try desk.main.delete(try desk.main.insert(Person.self))
    #expect(!desk.main.hasChanges)
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.name == "Ada")
    try desk.main.delete(try desk.main.insert(Person.self))
    #expect(try await desk.main.undoManager.redo())
    #expect(desk.ada.name == "saved")
  }

  /// An object becomes a placeholder again: queries lose it.
  @Test(arguments: Place.usual)
  func `a filled placeholder becomes a placeholder again`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let main = desk.main
    try await desk.store.core.unit { rows in _ = try rows.row(rows.schema.model(Person.self), uid: .integer(9)) }
    let live = LiveQuery(Person.all.sorted(by: \.uid), in: desk.store)
    #expect(live.objects.count == 3)
    let person = try main.upsert(Person.self, uid: 9)
    person.email = "e"
    try await main.save()
    #expect(live.objects.map(\.uid) == [1, 2, 3, 9])
    try await main.undoManager.undo()
    #expect(try main.fetch(Person.all.sorted(by: \.uid)).map(\.uid) == [1, 2, 3])
    #expect(live.objects.map(\.uid) == [1, 2, 3])
    try await main.undoManager.redo()
    #expect(live.objects.map(\.uid) == [1, 2, 3, 9])
  }
}
