import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Changes of others since the save that is undone.
@MainActor struct UndoConflictTests {
  @Test(arguments: Place.usual)
  func `a column that others changed is a conflict`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `an object that others deleted or refer to is a conflict`(_ place: Place) async throws {
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

  @Test(arguments: Place.usual)
  func `an answer that confirms an object is none`(_ place: Place) async throws {
    let test = try TestStore(place, [Bulletin.self])
    try await test.store.background(as: .server) { try $0.insert(Bulletin.self).uid = 1 }
    let main = test.store.main
    main.undoManager.limit = .saves(9)
    try main.delete(#require(try main.fetch(Bulletin.self, uid: 1)))
    try await main.save()
    for _ in 0..<2 {
      #expect(try main.undoManager.undoAtOnce())
      // As by an answer a minute later.
      try await test.store.core.unit { try $0.connection.execute("UPDATE Bulletin SET _heard = _heard + 60") }
      #expect(try main.undoManager.redoAtOnce())
      #expect(try main.count(Bulletin.all) == 0)
    }
  }

  @Test(arguments: Place.usual)
  func `unique values come back unless others have them`(_ place: Place) async throws {
    let test = try TestStore(place, Locker.world)
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
}

@Entity private final class Bulletin {
  @UID var uid: Int
  static var expires: Duration? { .seconds(100) }
}
