import TestSchema
import Testing

@testable import EntityStore

/// How much is kept to undo saves.
@MainActor struct UndoLimitTests {
  @Test(arguments: Place.usual)
  func `no save is kept for undo until there is a limit`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `a save that is too large cannot be undone`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `the limit holds for saves that can be redone too`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    for number in 1...4 {
      desk.ada.name = "\(number)"
      try await desk.main.save()
    }
    for _ in 1...3 { try await desk.main.undoManager.undo() }
    desk.main.undoManager.limit = .saves(2)
    var redone = 0
    while try await desk.main.undoManager.redo() { redone += 1 }
    #expect(redone == 2 && desk.ada.name == "3")
  }

  /// Pairs that were taken out and the notes of deletions are memory, too.
  @Test(arguments: Place.usual)
  func `removed pairs and deletions count`(_ place: Place) async throws {
    let value = StoredValue.text(String(repeating: "a", count: 1000))
    var image = SaveImage()
    #expect(image.isEmpty && image.bytes == 0)
    image.removals = [.init(links: 0, ends: [.integer(1), .integer(2)], before: nil, after: value)]
    #expect(image.bytes > 1000)
    let note = DeletionNote(uid: value, time: 0, cause: nil, number: 1, address: nil)
    image.deletions = [.init(key: .init(entity: 0, pk: 1), before: note, after: nil)]
    #expect(image.bytes > 2000)
    // Each of the 40 pairs takes some hundred bytes, and no row changes besides the article.
    let shop = try TagShop(place)
    let main = shop.main
    let tags = try (0..<40).map { number in
      let tag = try main.insert(Tag.self)
      tag.uid = "t\(number)"
      return tag
    }
    shop.articles[0].tags = tags
    try await main.save()
    try await shop.test.store.pending.acknowledgeAll()
    func undoes(_ bytes: Int) async throws -> Bool {
      main.undoManager.limit = .saves(9, bytes: bytes)
      shop.articles[0].tags = []
      try await main.save()
      guard main.undoManager.canUndo else { return false }
      try await main.undoManager.undo()
      return true
    }
    #expect(try await undoes(100_000))
    #expect(shop.articles[0].tags.count == 40)
    #expect(try await !undoes(13_000))
  }
}
