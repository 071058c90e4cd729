import TestSchema
import Testing

@testable import EntityStore

/// The pending edits of copies.
@MainActor
struct DraftPendingTests {
  private func acknowledged(_ place: Place) async throws -> Staff {
    let staff = try Staff(place)
    try await staff.store.pending.acknowledge(staff.ada.entityID)
    try staff.main.merging.merge()
    #expect(staff.ada.pendingColumns.isEmpty)
    return staff
  }

  @Test(arguments: Place.usual, [false, true])
  func `a copy names the unsaved edits of its parent and its own`(_ place: Place, _ isFound: Bool) async throws {
    let staff = try await acknowledged(place)
    let (main, ada) = (staff.main, staff.ada)
    ada.email = "main"
    func copy(in parent: EntityContext) throws -> Person {
      let child = try parent.child()
      contexts.append(child)
      guard isFound else { return try #require(child.reading.object(ada._$state.model, ada._$state.pk) as? Person) }
      return try #require(try child.fetch(Person.self).first { $0.uid == 1 })
    }
    var contexts: [EntityContext] = []
    let outer = try copy(in: main)
    outer.name = "outer"
    let inner = try copy(in: contexts[0])
    inner.age = 50
    #expect(ada.pendingColumns.names == ["email"])
    #expect(outer.pendingColumns.names == ["name", "email"])
    #expect(inner.pendingColumns.names == ["name", "email", "age"])
    try main.saveAtOnce()
    #expect(inner.pendingColumns.names == ["name", "email", "age"])
    let pending = Watcher { _ = inner.pendingColumns }
    ada.score = 1
    while !pending.fired { await Task.yield() }
    #expect(inner.pendingColumns.names == ["name", "email", "age", "score"])
    main.rollback()
    while !pending.fired { await Task.yield() }
    #expect(inner.pendingColumns.names == ["name", "email", "age"])
    contexts[0].rollback()
    #expect(inner.pendingColumns.names == ["email", "age"])
    contexts[1].rollback()
    #expect(inner.pendingColumns.names == ["email"])
    // Unsaved changes do not count in a query.
    ada.score = 2
    for context in [main] + contexts {
      #expect(try context.count(Person.where { $0.hasPendingChanges && $0.uid == 1 }) == 1)
    }
    try await staff.store.pending.acknowledge(ada.entityID)
    inner.age = 60
    for context in [main] + contexts {
      #expect(try context.count(Person.where { $0.hasPendingChanges && $0.uid == 1 }) == 0)
    }
    #expect(inner.pendingColumns.names == ["age", "score"])
  }

  @Test(arguments: Place.usual, [false, true])
  func `a copy of a new object counts as made here, as the parent's object does`(_ place: Place, _ isFound: Bool)
    async throws
  {
    let staff = try Staff(place)
    let (main, model) = (staff.main, staff.ada._$state.model)
    let new = try main.insert(Person.self)
    (new.uid, new.age) = (3, 1)
    func copy(in context: EntityContext) throws -> Person {
      guard isFound else { return try #require(context.reading.object(model, new._$state.pk) as? Person) }
      return try #require(try context.fetch(Person.self).first { $0.uid == 3 })
    }
    let outer = try main.child()
    let middle = try copy(in: outer)
    let inner = try outer.child()
    let last = try copy(in: inner)
    #expect(new.isInserted)
    // The copies are of an object that is there, for their contexts.
    #expect(!middle.isInserted)
    #expect([new.isMadeHere, middle.isMadeHere, last.isMadeHere] == [false, false, false])
    #expect([new.hasLocalEdits, middle.hasLocalEdits, last.hasLocalEdits] == [true, true, true])
    #expect(middle.pendingColumns.names == new.pendingColumns.names)
    // Another value of an object that no server has is a local edit.
    last.age = 2
    middle.age = 3
    let error = try #require(storeError { try inner.saveAtOnce(conflicts: .fail) })
    #expect(error.conflicts.map(\.isLocalEdit) == [true])
    middle.age = 1
    last.name = "last"
    middle.name = "x"
    middle.name = ""
    inner.rollback()
    outer.rollback()
    try main.saveAtOnce()
    #expect([new.isMadeHere, middle.isMadeHere, last.isMadeHere] == [true, true, true])
    #expect(middle.pendingColumns.names == new.pendingColumns.names)
  }
}
