import TestSchema
import Testing

@testable import EntityStore

/// A one-to-one link that would get its target back, which another object has by now.
@MainActor struct UndoOneToOneTests {
  private struct Pier {
    let test: TestStore
    let main: EntityContext
    let (ann, bob): (Skipper, Skipper)
    let permits: [Permit]

    /// Ann has the first permit.
    @MainActor init(_ place: Place) async throws {
      test = try TestStore(place, [Skipper.self, Permit.self])
      try await test.store.background(as: .server) { context in
        let (ann, bob) = (try context.insert(Skipper.self), try context.insert(Skipper.self))
        (ann.name, bob.name, ann.code, bob.code) = ("Ann", "Bob", 1, 2)
        for number in 1...2 {
          let permit = try context.insert(Permit.self)
          (permit.number, permit.code, permit.skipper) = (number, number, number == 1 ? ann : nil)
        }
      }
      main = test.store.main
      main.undoManager.limit = .saves(9)
      let skippers = try main.fetch(Skipper.all.sorted(by: \.name))
      (ann, bob) = (skippers[0], skippers[1])
      permits = try main.fetch(Permit.all.sorted(by: \.number))
    }
  }

  @Test(arguments: Place.usual, [ChangeAuthor.server, .app])
  func `the undo of a link whose target others took is a conflict that names both`(
    _ place: Place, _ author: ChangeAuthor
  ) async throws {
    let pier = try await Pier(place)
    let (one, two) = (pier.permits[0], pier.permits[1])
    one.skipper = nil
    try await pier.main.save()
    let (ann, second) = (pier.ann.entityID, two.entityID)
    try await pier.test.store.background(as: author) { context in
      try context.object(second)?.skipper = try context.object(ann)
    }
    let content = try await pier.test.store.fileContent()
    do {
      try await pier.main.undoManager.undo()
      Issue.record("nothing was thrown")
    } catch let error as StoreError {
      #expect(error.kind == .conflict)
      #expect(Set(error.objects) == [one.entityID.untyped, two.entityID.untyped])
    }
    #expect(try await pier.test.store.fileContent() == content)
    #expect(one.skipper == nil && two.skipper === pier.ann && pier.main.undoManager.canUndo)
    // Once the target is free it comes back.
    try await pier.test.store.background { try $0.object(second)?.skipper = nil }
    try await pier.main.undoManager.undo()
    #expect(one.skipper === pier.ann)
  }

  @Test(arguments: Place.usual)
  func `a save that handed a one-to-one target over is undone and redone`(_ place: Place) async throws {
    let pier = try await Pier(place)
    let (one, two) = (pier.permits[0], pier.permits[1])
    let first = try await pier.test.store.fileContent()
    (one.skipper, two.skipper) = (pier.bob, pier.ann)
    try await pier.main.save()
    let second = try await pier.test.store.fileContent()
    try await pier.main.undoManager.undo()
    #expect(try await pier.test.store.fileContent() == first)
    #expect(one.skipper === pier.ann && two.skipper == nil)
    try await pier.main.undoManager.redo()
    #expect(try await pier.test.store.fileContent() == second)
  }

  @Test(arguments: Place.usual)
  func `an object that comes back has its target back or is a conflict`(_ place: Place) async throws {
    let pier = try await Pier(place)
    let (one, two) = (pier.permits[0], pier.permits[1])
    try pier.main.delete(one)
    try await pier.main.save()
    let (ann, second) = (pier.ann.entityID, two.entityID)
    try await pier.test.store.background { context in
      try context.object(second)?.skipper = try context.object(ann)
    }
    let kind = await asyncErrorKind { try await pier.main.undoManager.undo() }
    #expect(kind == .conflict)
    #expect(one.isDeleted && two.skipper === pier.ann)
    try await pier.test.store.background { try $0.object(second)?.skipper = nil }
    try await pier.main.undoManager.undo()
    #expect(!one.isDeleted && one.skipper === pier.ann)
  }
}
