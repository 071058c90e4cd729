import TestSchema
import Testing

@testable import EntityStore

/// Saves of before the rows of the file were replaced can't be undone.
@MainActor struct UndoReplacedStoreTests {
  @Test(arguments: Place.usual)
  func `an emptied store has nothing to undo`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.note)
    try await desk.main.save()
    try await desk.store.reset(discardsPending: true)
    #expect(try !desk.main.undoManager.undoAtOnce())
    #expect(!desk.main.undoManager.canUndo)
    #expect(try desk.main.count(Note.all) == 0)
  }

  /// One that had no rows is another one afterwards, too.
  @Test(arguments: Place.usual)
  func `an empty store that is emptied has nothing to undo`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    main.undoManager.limit = .saves(9)
    let note = try main.insert(Note.self)
    try await main.save()
    try main.delete(note)
    try await main.save()
    #expect(main.undoManager.canUndo)
    try await test.store.reset()
    #expect(try await !main.undoManager.undo())
  }

  @Test(arguments: Place.usual)
  func `a restored store has nothing to undo`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "saved"
    try await desk.main.save()
    try await desk.main.undoManager.undo()
    try await desk.store.restore(from: try await desk.store.archive())
    try desk.main.merging.merge()
    #expect(!desk.main.undoManager.canRedo)
    // Saves of afterwards can be undone, those of an open group too.
    let ada = try #require(try desk.main.fetch(Person.self, uid: 1))
    ada.name = "later"
    try await desk.main.save()
    try await desk.main.undoManager.undo()
    #expect(ada.name == "Ada")
    try await desk.main.undoManager.redo()
    #expect(ada.name == "later")
  }

  @Test(arguments: Place.usual)
  func `a group loses the saves from before a reset`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.beginGroup()
    desk.ada.name = "saved"
    try await desk.main.save()
    try await desk.store.reset(discardsPending: true)
    let note = try desk.main.insert(Note.self)
    try await desk.main.save()
    desk.main.undoManager.endGroup()
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(note.isDeleted && !desk.main.undoManager.canUndo)
  }

  /// More commits than the log keeps apart: they are one by the time they are merged.
  @Test(arguments: Place.usual)
  func `a replacement of all rows is found among many commits`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "saved"
    try await desk.main.save()
    for number in 0..<80 {
      if number == 40 { try await desk.store.reset(discardsPending: true) }
      try await desk.store.background { try $0.insert(Note.self).rank = number }
    }
    try desk.main.merging.merge()
    #expect(!desk.main.undoManager.canUndo)
  }

  /// Another store on the file empties it, among other commits. The history tells of them by their rows.
  @Test(arguments: [true, false], [0, 1, 80])
  func `another store may empty the file`(_ hasHistory: Bool, _ commits: Int) async throws {
    let test = try HistoryStore(.file, hasHistory ? .keepingAll : .off)
    let other = try test.another()
    let main = test.store.main
    main.undoManager.limit = .saves(9)
    let person = try main.insert(Person.self)
    person.uid = 1
    try await main.save()
    person.name = "Ada"
    try await main.save()
    try await main.undoManager.undo()
    #expect(main.undoManager.canUndo && main.undoManager.canRedo)
    for uid in 0..<commits { try await other.addPerson(uid + 10) }
    try await other.reset(discardsPending: true)
    for uid in 0..<commits { try await other.addPerson(uid + 10) }
    #expect(try main.count(Person.all) == commits)
    #expect(!main.undoManager.canUndo && !main.undoManager.canRedo)
    #expect(try await !main.undoManager.undo())
    // A save of afterwards can be undone.
    let later = try main.insert(Person.self)
    later.uid = 2
    try await main.save()
    #expect(try await main.undoManager.undo())
    #expect(later.isDeleted)
  }

  /// The rows are replaced between the look at the file and the undo's own transaction.
  @Test(arguments: Place.usual)
  func `an image of another age is refused`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let kind = await asyncErrorKind {
      try await desk.store.core.unit { rows in
        var image = SaveImage()
        image.age = try rows.connection.age() + 1
        var reversal = SaveReversal(rows, image, sending: [])
        try reversal.run()
      }
    }
    #expect(kind == .conflict)
  }

  /// A save ends after a commit that replaced the rows was merged.
  @Test(arguments: Place.usual)
  func `a save that ends after a replacement of all rows is no undo step`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let undo = desk.main.undoManager
    func box(_ age: Int64, _ generation: Int64) -> SaveImageBox {
      let box = SaveImageBox(bytes: 1000)
      var image = SaveImage()
      image.age = age
      box.content = .image(image)
      box.noteGeneration(generation)
      return box
    }
    try await desk.store.reset(discardsPending: true)
    try desk.main.merging.merge()
    undo.saved(box(0, 100))
    #expect(!undo.canUndo)
    undo.saved(box(1, 101))
    #expect(undo.canUndo)
    undo.went(.undo, 101, box(0, 102))
    #expect(!undo.canRedo)
  }
}
