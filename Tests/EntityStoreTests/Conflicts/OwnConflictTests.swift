import EntityStore
import TestSchema
import Testing

@testable import EntityStore

/// Edits that are made while the context itself changes their rows: a save finds no conflict in that.
@MainActor struct OwnConflictTests {
  @Test(arguments: Place.usual)
  func `a link is set again while a save deletes its target`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place, ["Ada", "Bob", "Cy"])
    let main = test.store.main
    let (ada, bob, cy) = (try test.person(1), try test.person(2), try test.person(3))
    ada.boss = bob
    try await main.save()
    let block = Blocker(test.store)
    await block.begin()
    try main.delete(bob)
    let saving = Task { @MainActor in try await main.save() }
    while !main.saves.isSaving { await Task.yield() }
    ada.boss = cy
    block.end()
    try await saving.value
    try await main.save(conflicts: .fail)
    #expect(ada.boss === cy)
    #expect(try await test.store.read { try $0.fetch(Person.self, uid: 1)?.boss?.uid } == 3)
  }

  @Test(arguments: Place.usual)
  func `an edit is made while an undo is under way`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    main.undoManager.limit = .saves(3)
    let ada = try test.person(1)
    ada.name = "one"
    try await main.save()
    let block = Blocker(test.store)
    await block.begin()
    let undo = Task { @MainActor in try await main.undoManager.undo() }
    while !main.saves.isSaving { await Task.yield() }
    ada.name = "two"
    block.end()
    #expect(try await undo.value)
    try await main.save(conflicts: .fail)
    #expect(ada.name == "two")
  }

  @Test(arguments: Place.usual)
  func `an edit of others is a conflict all the same`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place, ["Ada", "Bob", "Cy"])
    let main = test.store.main
    let (ada, bob, cy) = (try test.person(1), try test.person(2), try test.person(3))
    ada.boss = bob
    try await main.save()
    let (adaID, cyID) = (ada.entityID, cy.entityID)
    let block = Blocker(test.store)
    await block.begin()
    try main.delete(bob)
    let saving = Task { @MainActor in try await main.save() }
    while !main.saves.isSaving { await Task.yield() }
    ada.boss = nil
    ada.boss = ada
    block.end()
    try await saving.value
    try await test.store.background { try $0.object(adaID)?.boss = $0.object(cyID) }
    #expect(errorKind { try main.saveAtOnce() } == .conflict)
  }
}
