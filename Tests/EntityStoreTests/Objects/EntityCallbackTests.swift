import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// `willSave`, `awakeFromInsert` and `awakeFromFetch`.
@MainActor struct EntityCallbackTests {
  private static let entities: [any ManagedEntity.Type] = [Leaflet.self, Ledger.self, Endless.self]

  // MARK: willSave

  @Test(arguments: Place.usual)
  func `will save runs once per save for changed objects`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let pages = try (0..<3).map { number in
      let page = try main.insert(Leaflet.self)
      page.text = "\(number)"
      return page
    }
    try main.saveAtOnce()
    #expect(pages.map(\.saves) == [1, 1, 1])
    pages[1].text = "edited"
    try await main.save()
    #expect(pages.map(\.saves) == [1, 2, 1])
    // The rows have what the callback set.
    #expect(try await test.store.read { try $0.fetch(Leaflet.all).map(\.saves) } == [1, 2, 1])
    try main.delete(pages[0])
    try await main.save()
    #expect(pages.map(\.saves) == [1, 2, 1])
    // Nothing is unsaved, so nobody is told.
    try await main.save()
    #expect(pages.map(\.saves) == [1, 2, 1])
  }

  @Test(arguments: Place.usual)
  func `the save reports objects that the callback edits`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let ledger = try main.insert(Ledger.self)
    let page = try main.insert(Leaflet.self)
    page.ledger = ledger
    try main.saveAtOnce()
    let before = ledger.changes
    page.text = "edited"
    try main.saveAtOnce()
    #expect(ledger.changes == before + 1)
    #expect(ledger.saves == 2)
    #expect(try await test.store.read { try $0.fetch(Ledger.all).map(\.changes) } == [before + 1])
  }

  @Test(arguments: Place.usual)
  func `a callback that throws fails the save`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let page = try main.insert(Leaflet.self)
    page.text = "bad"
    #expect(throws: Leaflet.Bad.self) { try main.saveAtOnce() }
    await #expect(throws: Leaflet.Bad.self) { try await main.save() }
    await #expect(throws: Leaflet.Bad.self) {
      try await test.store.background { try $0.insert(Leaflet.self).text = "bad" }
    }
    #expect(try await test.store.read { try $0.count() } == 0)
    page.text = "good"
    try await main.save()
    #expect(try await test.store.read { try $0.count() } == 1)
  }

  @Test(arguments: Place.usual)
  func `the end of a unit tells callbacks of objects that a query has sent`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    try await test.store.background { context in
      let page = try context.insert(Leaflet.self)
      page.text = "a"
      #expect(try context.fetch(Leaflet.all).map(\.saves) == [0])
      page.text = "b"
      #expect(try context.fetch(Leaflet.all).map(\.saves) == [0])
    }
    #expect(try await test.store.read { try $0.fetch(Leaflet.all).map(\.saves) } == [1])
    // A server's records are as it sends them.
    try await test.store.background(as: .server) { context in
      try #require(try context.fetch(Leaflet.all).first).text = "c"
    }
    #expect(try await test.store.read { try $0.fetch(Leaflet.all).map(\.saves) } == [1])
  }

  @Test func `a callback may not save`() throws {
    let test = try TestStore(.memory, Self.entities)
    let page = try test.store.main.insert(Leaflet.self)
    page.text = "save"
    #expect(errorKind { try test.store.main.saveAtOnce() } == .invalidObject)
    page.text = "fine"
    try test.store.main.saveAtOnce()
    #expect(page.saves > 0)
  }

  @Test(arguments: Place.usual)
  func `callbacks without end are an error`(_ place: Place) throws {
    let test = try TestStore(place, Self.entities)
    _ = try test.store.main.insert(Endless.self)
    let error = #expect(throws: StoreError.self) { try test.store.main.saveAtOnce() }
    #expect(error?.kind == .invalidObject)
    #expect(error?.message.contains("100 times") == true)
    test.store.main.rollback()
    try test.store.main.saveAtOnce()
  }

  /// Edits that could not be sent to the unit's transaction are unsaved still, and may be dropped.
  @Test(arguments: Place.usual)
  func `objects that a query could not send are not reported once their edits are dropped`(_ place: Place) async throws
  {
    let rules: [any ManagedEntity.Type] = Owner.world
    let test = try TestStore(place, Self.entities + rules)
    try await test.store.background { context in
      try context.insert(Ledger.self).name = "a"
      try context.insert(Denied.self).owner = try context.insert(Owner.self)
    }
    try await test.store.background { context in
      let ledger = try #require(try context.fetch(Ledger.all).first)
      let owner = try #require(try context.fetch(Owner.all).first)
      ledger.name = "b"
      try context.delete(owner)
      #expect(errorKind { _ = try context.count(Ledger.all) } == .deleteDenied)
      try context.rollback(ledger)
      try context.rollback(owner)
    }
    let ledgers = try test.store.main.fetch(Ledger.all)
    #expect(ledgers.map(\.name) == ["a"])
    #expect(ledgers.map(\.saves) == [1])
  }

  // MARK: Awaking

  @Test(arguments: Place.usual)
  func `an object that an upsert makes awakes once`(_ place: Place) async throws {
    let test = try TestStore(place, [Flyleaf.self])
    let main = test.store.main
    let page = try main.upsert(Flyleaf.self, uid: 1)
    #expect(page.origin == "here")
    page.origin = "set"
    #expect(try main.upsert(Flyleaf.self, uid: 1) === page)
    #expect(page.origin == "set")
    try await main.save()
    let origins = try await test.store.background { context in
      try [1, 2].map { try context.upsert(Flyleaf.self, uid: $0).origin }
    }
    #expect(origins == ["set", "here"])
  }

  @Test(arguments: Place.usual)
  func `objects that are made here awake once`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let page = try main.insert(Leaflet.self)
    #expect(page.origin == "here")
    let loose = Leaflet()
    #expect(loose.origin == "here")
    loose.origin = "set"
    try main.insert(loose)
    #expect(loose.origin == "set")
    let draft = try main.draft(Leaflet.self)
    draft.object.origin = "draft"
    try draft.save()
    try await main.save()
    #expect(try main.fetch(Leaflet.all).map(\.origin) == ["here", "set", "draft"])
    // A server's objects are as it sends them.
    let origin = try await test.store.background(as: .server) { try $0.insert(Leaflet.self).origin }
    #expect(origin == "")
  }

  @Test(arguments: Place.usual)
  func `objects that are read awake with their values`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    try await test.store.background { context in
      let ledger = try context.insert(Ledger.self)
      ledger.name = "main"
      for number in 0..<3 {
        let page = try context.insert(Leaflet.self)
        page.text = "text \(number)"
        page.ledger = ledger
      }
    }
    let main = test.store.main
    let pages = try main.fetch(Leaflet.all)
    #expect(pages.map(\.awoken) == ["text 0 of main", "text 1 of main", "text 2 of main"])
    // A fault that is read awakes too; a row that changes calls nothing.
    let ledger = try #require(pages[0].ledger)
    #expect(ledger.awoken == 1)
    try await test.store.background { context in
      for page in try context.fetch(Leaflet.all) { page.text = "other" }
      for ledger in try context.fetch(Ledger.all) { ledger.name = "other" }
    }
    #expect(pages[0].text == "other")
    #expect(pages[0].awoken == "text 0 of main")
    #expect(ledger.awoken == 1)
    #expect(!main.hasChanges)
    let inUnit = try await test.store.background { try $0.fetch(Leaflet.all).map(\.awoken) }
    #expect(inUnit == ["other of other", "other of other", "other of other"])
    #expect(try await test.store.read { try $0.fetch(Leaflet.all).map(\.awoken) } == inUnit)
    let child = try main.child()
    #expect(try child.fetch(Leaflet.all).map(\.awoken) == inUnit)
    let edited = try main.edit(pages[0])
    #expect(edited.object.awoken == "other of other")
  }

  @Test func `awaking may fetch the same entity`() async throws {
    let test = try TestStore(.memory, Self.entities)
    try await test.store.background { context in
      for number in 0..<20 { try context.insert(Ledger.self).name = "\(number)" }
    }
    let ledgers = try test.store.main.fetch(Ledger.all)
    #expect(ledgers.map(\.name) == (0..<20).map { "\($0)" })
    #expect(ledgers.map(\.others) == Array(repeating: 20, count: 20))
  }

  /// The first use of an object may be that of a transient property.
  @Test(arguments: Place.usual)
  func `a fault awakes before its transient properties are used`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    try await test.store.background { context in
      for number in 0..<3 {
        let page = try context.insert(Leaflet.self)
        page.ledger = try context.insert(Ledger.self)
        page.ledger?.name = "\(number)"
        page.ledger?.changes = number
      }
    }
    let read = try await test.store.read { context in
      let ledgers = try context.fetch(Leaflet.all).compactMap(\.ledger)
      // The second is set before it is read, and the third is changed in place.
      ledgers[1].awoken = 5
      ledgers[2].awoken += 5
      return ledgers.map(\.awoken)
    }
    #expect(read == [1, 5, 6])
    let main = test.store.main
    let draft = try main.edit(try #require(try main.fetch(Ledger.all).first))
    let ledger = draft.object
    ledger.awoken += 5
    #expect(ledger.awoken == 6)
    #expect(ledger.name == "0")
    #expect(ledger.awoken == 6)
  }

  /// Each object reads the next one when it awakes.
  @Test func `a chain of objects of any length awakes`() async throws {
    let test = try TestStore(.memory, [ChainLink.self])
    try await test.store.background { context in
      var next: ChainLink?
      for _ in 0..<3_000 {
        let link = try context.insert(ChainLink.self)
        link.next = next
        link.text = "text"
        next = link
      }
      next?.text = "first"
    }
    var link = try test.store.main.fetch(ChainLink.where { $0.text == "first" }).first
    var count = 0
    while let present = link {
      count += present.isAwake ? 1 : 0
      link = present.held
    }
    #expect(count == 3_000)
  }

  /// A query within the callback sends the new object to the unit's transaction.
  @Test(arguments: Place.usual)
  func `callbacks that query and ask without end are an error too`(_ place: Place) async throws {
    let test = try TestStore(place, [EndlessAnswer.self])
    let kind = await asyncErrorKind { try await test.store.background { _ = try $0.insert(EndlessAnswer.self) } }
    #expect(kind == .invalidObject)
    #expect(try await test.store.read { try $0.count(EndlessAnswer.all) } == 0)
  }

  /// Each object is told once, so that any number of them is.
  @Test(arguments: Place.usual)
  func `a chain of callbacks may be of any length`(_ place: Place) async throws {
    let test = try TestStore(place, [Answer.self])
    let count = 250
    try await test.store.background(as: .server) { context in
      var before: Answer?
      for _ in 0..<count {
        let answer = try context.insert(Answer.self)
        answer.before = before
        before = answer
      }
    }
    try await test.store.background { try $0.fetch(Answer.all).last?.seen += 1 }
    #expect(try await test.store.read { try $0.count(Answer.where { $0.seen == 1 }) } == count)
  }
}

@Entity final class Answer {
  var seen: Int
  var before: Answer?
}

extension Answer: SavingEntity {
  func willSave() { before?.seen += 1 }
}

@Entity final class EndlessAnswer {
  var seen: Int
}

extension EndlessAnswer: SavingEntity {
  func willSave() throws {
    _ = try entityContext?.insert(EndlessAnswer.self)
    _ = try entityContext?.count(EndlessAnswer.all)
  }
}
