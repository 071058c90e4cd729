import EntityMacros
import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Deletions that the server has not acknowledged.
@MainActor struct PendingDeletionTests {
  @Test(arguments: Place.usual)
  func `a deletion is pending where the server has the object`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    let (ada, bob) = (try test.person(1), try test.person(2))
    let new = try main.insert(Person.self)
    let note = try main.insert(Note.self)
    note.person = ada
    try await main.save()
    for object in [ada, new] { try main.delete(object) }
    try await main.save()
    let changes = try await test.store.pending.changes()
    #expect(changes.map(\.description) == ["Person 1: it was deleted here"])
    #expect(changes.first?.time != nil)
    #expect(changes.first?.id == ada.entityID.untyped)
    // A unit's deletions too; the server's own are none.
    let id = bob.entityID
    try await test.store.background { try $0.delete(try #require(try $0.object(id))) }
    #expect(try await test.pendingTexts() == ["Person 1: it was deleted here", "Person 2: it was deleted here"])
    let third = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      person.uid = 3
      return person.entityID
    }
    try await test.store.background(as: .server) { try $0.delete(try #require(try $0.object(third))) }
    #expect(try await test.store.pending.count() == 2)
    // The object is there again.
    let again = try main.upsert(Person.self, uid: 1)
    again.name = "Ada"
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.deletion, .edit])
    try await test.store.pending.discardAll()
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.usual)
  func `a new object in the place of a deleted object is the same to the server`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    try main.delete(try test.person(1))
    let again = try main.insert(Person.self)
    again.uid = 1
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.edit])
  }

  @Test(arguments: Place.usual)
  func `the deletions that a delete rule made end with their cause`(_ place: Place) async throws {
    let test = try TestStore(place, Orchard.world)
    func fill() async throws {
      try await test.store.background(as: .server) { context in
        for uid in 1...2 {
          let orchard = try context.insert(Orchard.self)
          orchard.uid = uid
          for number in 1...2 {
            let tree = try context.insert(OrchardTree.self)
            (tree.uid, tree.orchard) = (uid * 10 + number, orchard)
          }
        }
      }
      try await test.store.background { context in
        try context.delete(try #require(try context.fetch(OrchardTree.self, uid: 11)))
      }
      try await test.store.background { context in
        for orchard in try context.fetch(Orchard.all) { try context.delete(orchard) }
      }
      #expect(try await test.store.pending.count() == 6)
    }
    try await fill()
    let orchards = try await test.store.pending.changes(of: Orchard.self)
    try await test.store.pending.acknowledge(try #require(orchards.first { $0.uid == "2" }))
    #expect(
      try await test.store.pending.changes().map(\.description).sorted() == [
        "Orchard 1: it was deleted here", "OrchardTree 11: it was deleted here", "OrchardTree 12: it was deleted here",
      ])
    try await test.store.pending.discard(try #require(orchards.first { $0.uid == "1" }))
    // This one was deleted before, by itself.
    #expect(try await test.pendingTexts() == ["OrchardTree 11: it was deleted here"])
    try await test.store.reset(discardsPending: true)
    try await fill()
    try await test.store.background { _ = try $0.upsert(Orchard.self, uid: 1) }
    #expect(
      try await test.store.pending.changes(of: OrchardTree.self).map(\.uid).sorted { $0 ?? "" < $1 ?? "" } == [
        "11", "21", "22",
      ])
  }

  @Test(arguments: Place.usual)
  func `a saved object that gets the uid of a deleted object is known to the server`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    let new = try main.insert(Person.self)
    new.name = "Cid"
    try await main.save()
    try main.delete(try test.person(1))
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.insert, .deletion])
    new.uid = 1
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.edit])
    #expect(try await test.store.pending.changes().first?.edits.map(\.property) == ["uid", "name"])
  }

  /// The ways in which the server does not hear of the deletion of a whole.
  enum Unheard: CaseIterable { case madeHere, neverSaved, withoutUID }

  @Test(arguments: Place.usual, Unheard.allCases)
  func `a part is deleted by itself where the server never had the whole`(_ place: Place, _ whole: Unheard) async throws
  {
    let test = try TestStore(place, Orchard.world + [Basket.self, Apple.self])
    try await test.store.background(as: .server) { context in
      try context.insert(OrchardTree.self).uid = 7
      try context.insert(Apple.self).uid = 7
    }
    let main = test.store.main
    if whole == .withoutUID {
      let basket = try main.insert(Basket.self)
      try #require(try main.fetch(Apple.self, uid: 7)).basket = basket
      try await main.save()
      try main.delete(basket)
    } else {
      let orchard = try main.insert(Orchard.self)
      try #require(try main.fetch(OrchardTree.self, uid: 7)).orchard = orchard
      if whole == .madeHere { try await main.save() }
      try main.delete(orchard)
    }
    try await main.save()
    let change = try #require(try await test.store.pending.changes().first)
    #expect(change.kind == .deletion && change.uid == "7")
    let facts = try await test.store.read { try $0.pendingEdits.outboxFacts() }
    #expect(facts.values.map(\.cause) == [nil])
    try await test.store.pending.acknowledge(change)
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.usual)
  func `parts go with the whole that took them along, and not with a part that was deleted by itself`(_ place: Place)
    async throws
  {
    let test = try TestStore(place, Orchard.world)
    try await test.store.background(as: .server) { context in
      let orchard = try context.insert(Orchard.self)
      orchard.uid = 1
      for uid in 1...3 {
        let tree = try context.insert(OrchardTree.self)
        (tree.uid, tree.orchard) = (uid, orchard)
      }
    }
    let main = test.store.main
    try main.delete(#require(try main.fetch(OrchardTree.self, uid: 2)))
    try main.delete(#require(try main.fetch(Orchard.self, uid: 1)))
    try await main.save()
    let tree = try await test.store.pending.changes(of: OrchardTree.self).first { $0.uid == "2" }
    try await test.store.pending.acknowledge(try #require(tree))
    #expect(
      try await test.store.pending.changes().map(\.description).sorted() == [
        "Orchard 1: it was deleted here", "OrchardTree 1: it was deleted here", "OrchardTree 3: it was deleted here",
      ])
    let orchard = try #require(try await test.store.pending.changes(of: Orchard.self).first)
    try await test.store.pending.acknowledge(orchard)
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.usual)
  func `a part of a whole that is there again is deleted by itself`(_ place: Place) async throws {
    let test = try TestStore(place, Orchard.world)
    try await test.store.background(as: .server) { context in
      let orchard = try context.insert(Orchard.self)
      let tree = try context.insert(OrchardTree.self)
      (orchard.uid, tree.uid, tree.orchard) = (1, 7, orchard)
    }
    let main = test.store.main
    try main.delete(#require(try main.fetch(Orchard.self, uid: 1)))
    try main.insert(Orchard.self).uid = 1
    try await main.save()
    let tree = try #require(try await test.store.pending.changes(of: OrchardTree.self).first)
    let facts = try await test.store.read { try $0.pendingEdits.outboxFacts() }
    #expect(try #require(facts[tree.key]).cause == nil)
  }

}

/// Has no uid.
@Entity private final class Basket {
  @Relationship(inverse: \Apple.basket, onDelete: .cascade) var apples: [Apple]
}

@Entity private final class Apple {
  @UID var uid: Int
  var basket: Basket?
}
