import EntityMacros
import Testing

@testable import EntityStore

/// A loose object that is linked to an object of a context is inserted, whichever side of the link was set.
@MainActor struct LooseLinkerTests {
  private func home(_ place: Place) async throws -> (TestStore, Home) {
    let test = try TestStore(place, [Home.self, Errand.self, Chip.self, Latch.self, Scrap.self, Seal.self])
    let home = try test.store.main.insert(Home.self)
    home.name = "H"
    try await test.store.main.save()
    return (test, home)
  }

  @Test(arguments: Place.usual) func `an initializer that sets a link inserts`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    let chore = Errand("milk", in: home)
    #expect(chore.isInserted && home.chores == [chore])
    // To insert it once more is no mistake.
    try test.store.main.insert(chore)
    chore.done = true
    try await test.store.main.save()
    let found = try await test.store.read { try $0.fetch(Errand.self).map { [$0.title, "\($0.done)", $0.home?.name] } }
    #expect(found == [["milk", "true", "H"]])
    #expect(try await test.store.pending.count() == 2)
  }

  @Test(arguments: Place.usual) func `each kind of relationship inserts`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    _ = Errand("part", in: home)
    let (key, chip, memo) = (Latch(), Chip(), Scrap())
    key.home = home
    chip.homes = [home]
    memo.home = home
    #expect(home.key === key && home.chips == [chip])
    let last = Chip()
    try last.add(home, to: \.homes)
    let other = Latch()
    other.home = home
    #expect(home.key === other && key.home == nil)
    let whole = Errand()
    whole.parts = [try #require(home.chores.first)]
    #expect(home.chores.first?.whole === whole)
    try await test.store.main.save()
    let counts = try await test.store.read { context in
      [
        try context.count(Latch.all), try context.count(Chip.all), try context.count(Scrap.all),
        try context.count(Errand.all),
      ]
    }
    #expect(counts == [2, 2, 1, 2])
    #expect(try await test.store.read { try $0.fetch(Home.self).first?.chips.count } == 2)
  }

  @Test(arguments: Place.usual) func `a graph of loose objects is inserted as a whole`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    let (outer, inner, note) = (Errand(), Errand(), Scrap())
    (outer.title, inner.title) = ("outer", "inner")
    outer.parts = [inner]
    // Nothing leads from the chore to the note, which stays loose as with `insert(_:)`.
    note.chore = inner
    outer.home = home
    #expect(outer.isInserted && inner.isInserted && !note.isInserted)
    #expect(note.chore === inner)
    note.home = home
    #expect(note.isInserted)
    try await test.store.main.save()
    let found = try await test.store.read {
      try $0.fetch(Scrap.self).map { [$0.chore?.title, $0.chore?.whole?.title] }
    }
    #expect(found == [["inner", "outer"]])
  }

  @Test(arguments: Place.usual) func `an object that is unlinked stays until it is deleted`(_ place: Place) async throws
  {
    let (test, home) = try await home(place)
    let main = test.store.main
    let (chore, other) = (Errand("milk", in: home), Errand("tea", in: home))
    chore.home = nil
    try main.delete(other)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Errand.self).map(\.title) } == ["milk"])
    let dropped = Errand("rice", in: home)
    main.rollback()
    #expect(dropped.isDeleted && home.chores.isEmpty)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual) func `undo and redo work for a loose object that a link inserted`(_ place: Place)
    async throws
  {
    let (test, home) = try await home(place)
    let main = test.store.main
    let undo = main.undoManager
    undo.limit = .saves(5)
    _ = Errand("milk", in: home)
    try await main.save()
    try await undo.undo()
    #expect(home.chores.isEmpty)
    try await undo.redo()
    #expect(home.chores.map(\.title) == ["milk"])
  }

  @Test(arguments: Place.usual) func `a link to a deleted object inserts nothing`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    let main = test.store.main
    let before = Errand("milk", in: home)
    try main.delete(home)
    // The delete rule.
    #expect(before.home == nil && before.isInserted)
    let late = Errand("tea", in: home)
    #expect(!late.isInserted && late.home == nil)
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.kind == .objectDeleted)
    #expect(error?.message.contains("'Errand.home' of an object in no context") == true)
    // A mistake is told once.
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Errand.self).map(\.title) } == ["milk"])
  }

  @Test(arguments: Place.usual) func `a read takes in no loose object`(_ place: Place) async throws {
    let (test, _) = try await home(place)
    let kind = await asyncErrorKind {
      try await test.store.read { context in
        let chore = Errand("milk", in: try #require(try context.fetch(Home.self).first))
        #expect(!chore.isInserted && chore.home == nil)
      }
    }
    #expect(kind == .wrongContext)
  }

  @Test(arguments: Place.usual) func `a context takes in no object of another context`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    let (other, foreign) = try await self.home(.memory)
    let chore = Errand("milk", in: home)
    chore.home = foreign
    #expect(chore.home === home)
    #expect(throws: StoreError.self) { try test.store.main.saveAtOnce() }
    let chip = Chip()
    chip.homes = [home, foreign]
    #expect(!chip.isInserted && chip.homes.isEmpty)
    #expect(throws: StoreError.self) { try test.store.main.saveAtOnce() }
    try await test.store.main.save()
    #expect(!other.store.main.hasChanges)
  }

  @Test(arguments: Place.usual) func `a long list costs each object the same`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    let main = test.store.main
    func statements(_ count: Int) -> Int {
      main.resetStatistics()
      for number in 0..<count { _ = Errand("\(number)", in: home) }
      return main.statistics.statements
    }
    #expect(statements(10) == statements(10))
    #expect(statements(500) == statements(10))
    #expect(home.chores.count == 530)
  }

  @Test(arguments: Place.usual) func `a draft and a unit insert linked loose objects too`(_ place: Place) async throws {
    let (test, home) = try await home(place)
    let draft = try test.store.main.edit(home)
    _ = Errand("draft", in: draft.object)
    #expect(home.chores.isEmpty && !test.store.main.hasChanges)
    try draft.save()
    #expect(home.chores.map(\.title) == ["draft"])
    let dropped = try test.store.main.edit(home)
    _ = Errand("dropped", in: dropped.object)
    dropped.rollback()
    try await test.store.main.save()
    let id = home.entityID
    try await test.store.background { context in _ = Errand("unit", in: try #require(try context.object(id))) }
    #expect(try await test.store.read { try $0.fetch(Errand.self).compactMap(\.title).sorted() } == ["draft", "unit"])
  }

  @Test(arguments: Place.usual) func `a loose object that cannot be inserted is reported by the save`(_ place: Place)
    async throws
  {
    let (test, home) = try await home(place)
    let seal = Seal()
    // A change of an object that is not there.
    seal.owner.title = "nobody"
    seal.home = home
    #expect(!seal.isInserted && seal.home == nil)
    let error = #expect(throws: StoreError.self) { try test.store.main.saveAtOnce() }
    #expect(error?.message.hasPrefix("'Seal.home' of an object in no context was set") == true)
    // A mistake is told once.
    seal.owner = Errand("milk", in: home)
    #expect(seal.isInserted)
    try await test.store.main.save()
  }
}

@Entity private final class Home {
  var name: String?
  @Relationship(inverse: \Errand.home) var chores: [Errand]
  var chips: [Chip]
  @Relationship(inverse: \Latch.home) var key: Latch?
}

@Entity private final class Errand {
  var title: String?
  var done: Bool
  var home: Home?
  var whole: Errand?
  @Relationship(inverse: \Errand.whole) var parts: [Errand]

  convenience init(_ title: String, in home: Home) {
    self.init()
    self.title = title
    self.home = home
  }
}

@Entity private final class Chip {
  @Relationship(inverse: \Home.chips) var homes: [Home]
}

@Entity private final class Latch {
  var home: Home?
}

@Entity private final class Scrap {
  var home: Home?
  var chore: Errand?
}

@Entity private final class Seal {
  var home: Home?
  var owner: Errand
}
