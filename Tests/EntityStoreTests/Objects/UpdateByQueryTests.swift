import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Changes of all that a query finds.
@MainActor
final class UpdateByQueryTests {
  /// Held for as long as the test runs.
  private var store: EntityStore?

  /// Five people of the server, 10 to 50 years old; each but the first has the one before as boss.
  private func people(_ place: Place) async throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place)
    store = test.store
    try await test.store.background(as: .server) { context in
      var boss: Person?
      for number in 1...5 {
        let person = try context.insert(Person.self)
        (person.uid, person.name, person.age, person.boss) = (
          number, "p\(number)", number * 10, boss
        )
        boss = person
      }
    }
    return (test, test.store.main)
  }

  // MARK: Where it runs

  @Test(arguments: Place.usual)
  func `a unit writes the rows`(_ place: Place) async throws {
    let (test, main) = try await people(place)
    let all = try main.fetch(Person.all)
    let live = LiveQuery(Person.where { $0.age > 30 }, in: test.store)
    #expect(live.objects.count == 2)
    let count = try await test.store.background { context in
      let first = try context.fetchOne(Person.all)
      let count = try context.update(Person.where { $0.age > 20 }) {
        $0.set(\.age) { $0.age + 1 }
        $0.set(\.email) { $0.boss.name }
      }
      // The object that was there, and one that is fetched now.
      try context.update(Person.where { $0.uid == 1 }) { $0.set(\.score, to: 2.5) }
      #expect(first?.score == 2.5)
      #expect(try context.fetch(Person.self, uid: 5)?.age == 51)
      return count
    }
    #expect(count == 3)
    #expect(all.map(\.age) == [10, 20, 31, 41, 51])
    #expect(all.map(\.email) == [nil, nil, "p2", "p3", "p4"])
    #expect(all.map(\.score) == [2.5, nil, nil, nil, nil])
    #expect(live.objects.count == 3)
    // The server is yet to hear of it, and its values are known.
    let changes = try await test.store.pending.changes()
    #expect(changes.map(\.uid) == ["1", "3", "4", "5"])
    #expect(
      changes.map { $0.edits.map(\.property).sorted() } == [
        ["score"], ["age", "email"], ["age", "email"], ["age", "email"],
      ])
  }

  @Test(arguments: Place.usual)
  func `the main context and a child have the update unsaved`(_ place: Place) async throws {
    let (test, main) = try await people(place)
    let all = try main.fetch(Person.all)
    #expect(
      try main.update(Person.all.sorted(by: \.age, .descending).limited(to: 2)) {
        $0.set(\.age) { $0.age * 2 }
      } == 2)
    #expect(all.map(\.age) == [10, 20, 30, 80, 100])
    #expect(all.map(\.hasChanges) == [false, false, false, true, true])
    #expect(try await test.store.read { try $0.count(Person.where { $0.age > 50 }) } == 0)
    // Over unsaved changes, and taken back.
    let child = try main.child()
    #expect(try child.update(Person.where { $0.age > 50 }) { $0.set(\.boss, to: nil) } == 2)
    #expect(all[4].boss != nil)
    try child.saveAtOnce()
    #expect(all[4].boss == nil)
    main.rollback()
    #expect(all.map(\.age) == [10, 20, 30, 40, 50])
    #expect(try main.update(Person.all) { $0.set(\.boss, to: all[0]) } == 5)
    try await main.save()
    #expect(
      try await test.store.read { try $0.fetch(Person.all).map { $0.boss?.uid } } == [
        1, 1, 1, 1, 1,
      ])
    #expect(all[0].reports.count == 5)
  }

  @Test func `a read context refuses the change`() async throws {
    let (test, _) = try await people(.memory)
    let kind = try await test.store.read { context in
      errorKind { try context.update(Person.all) { $0.set(\.age, to: 1) } }
    }
    #expect(kind == .readOnly)
  }

  /// The rows do not pass through objects.
  @Test(arguments: Place.usual)
  func `an update by query in a unit makes no object`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.background { context in
      for rank in 0..<3_000 { try context.insert(Note.self).rank = rank }
    }
    try await test.store.background { context in
      let number = try context.core.schema.model(Note.self).number
      #expect(
        try context.update(Note.where { $0.rank > 9 }) { $0.set(\.text) { $0.text } } == 2_990)
      #expect(try context.update(Note.all) { $0.set(\.rank) { $0.rank + 1 } } == 3_000)
      #expect(try context.delete(Note.where { $0.rank > 100 }) == 2_900)
      #expect(context.loaded.objects[number].count == 0)
      // The rows that each of the three found.
      #expect(context.statistics.valueQueries == 3)
      #expect(context.statistics.statements == 3)
      #expect(try context.count(Note.all) == 100)
    }
  }

  // MARK: Values

  @Test(arguments: Place.usual)
  func `an update by query computes all values before anything changes`(_ place: Place) async throws {
    let (test, main) = try await people(place)
    let found = try await test.store.background { context in
      // Each row would be found again, and each boss would be changed already.
      try context.update(Person.all) { $0.set(\.email) { $0.name } }
      return (
        try context.update(Person.where { $0.age < 50 }) { $0.set(\.age) { $0.age + 10 } },
        try context.update(Person.where { $0.boss != nil }) { $0.set(\.email) { $0.boss.email } }
      )
    }
    #expect(found == (4, 4))
    #expect(try main.fetch(Person.all).map(\.age) == [20, 30, 40, 50, 50])
    #expect(try main.fetch(Person.all).map(\.email) == ["p1", "p1", "p2", "p3", "p4"])
  }

  @Test(arguments: Place.usual, [false, true])
  func `each kind of attribute is set`(_ place: Place, isUnit: Bool) async throws {
    let test = try TestStore(place, [Kinds.self])
    try await test.store.background { try $0.insert(Kinds.self).uid = 1 }
    let date = Date(timeIntervalSince1970: 7)
    let changes: @Sendable (inout RowChanges<Kinds>) -> Void = {
      $0.set(\.float, to: 1.5)
      $0.set(\.maybeFloat) { $0.float + 1 }
      $0.set(\.maybeDecimal, to: Decimal(string: "12.50"))
      $0.set(\.url, to: URL(filePath: "/x"))
      $0.set(\.rank, to: .chief)
      $0.set(\.maybeRank) { $0.rank }
      $0.set(\.grants, to: [.read, .write])
      $0.set(\.maybeSetup, to: Setup(isDark: true, since: date))
      $0.set(\.maybeTags, to: nil)
      $0.set(\.counts, to: ["a": 1])
    }
    if isUnit {
      try await test.store.background { _ = try $0.update(Kinds.all, changes) }
    } else {
      try test.store.main.update(Kinds.all, changes)
      try await test.store.main.save()
    }
    let object = try #require(try test.store.main.fetch(Kinds.self, uid: 1))
    // The computed one is of the value before.
    #expect((object.float, object.maybeFloat) == (1.5, 1))
    #expect((object.maybeDecimal, object.url.path) == (Decimal(string: "12.5"), "/x"))
    #expect((object.rank, object.maybeRank, object.grants) == (.chief, .member, [.read, .write]))
    #expect(object.maybeSetup == Setup(isDark: true, since: date))
    #expect((object.maybeTags, object.counts) == (nil, ["a": 1]))
  }

  @Test(arguments: Place.usual)
  func `a value that is there already is no change`(_ place: Place) async throws {
    let (test, main) = try await people(place)
    #expect(
      try await test.store.background { try $0.update(Person.all) { $0.set(\.email, to: nil) } }
        == 5)
    #expect(try await test.store.pending.count() == 0)
    #expect(try main.update(Person.all) { $0.set(\.age) { $0.age } } == 5)
    #expect(!main.hasChanges)
    #expect(try main.update(Person.all) { _ in } == 5)
    #expect(try main.update(Person.where { $0.age > 99 }) { $0.set(\.age, to: 1) } == 0)
  }

  @Test(arguments: Place.usual)
  func `records of the server are no edits`(_ place: Place) async throws {
    let (test, _) = try await people(place)
    try await test.store.background { _ = try $0.update(Person.all) { $0.set(\.age, to: 1) } }
    #expect(try await test.store.pending.count() == 5)
    // The server's word ends the edits.
    try await test.store.background(as: .server) {
      _ = try $0.update(Person.where { $0.uid < 3 }) { $0.set(\.age, to: 2) }
    }
    #expect(try await test.store.pending.changes().map(\.uid) == ["3", "4", "5"])
  }

  // MARK: What is refused

  @Test(arguments: Place.usual, [false, true])
  func `a value that is none of its type changes nothing`(_ place: Place, isUnit: Bool) async throws {
    let (test, main) = try await people(place)
    try await test.store.background {
      _ = try $0.update(Person.where { $0.uid == 4 }) { $0.set(\.age, to: .max) }
    }
    let kind: StoreError.Kind?
    if isUnit {
      kind = try await test.store.background { context in
        errorKind { try context.update(Person.all) { $0.set(\.age) { $0.age + 1 } } }
      }
    } else {
      kind = errorKind { try main.update(Person.all) { $0.set(\.age) { $0.age + 1 } } }
    }
    #expect(kind == .invalidValue)
    #expect(!main.hasChanges)
    #expect(try main.fetch(Person.all).map(\.age) == [10, 20, 30, .max, 50])
  }

  @Test(arguments: Place.usual)
  func `uids and foreign objects are refused`(_ place: Place) async throws {
    let (test, main) = try await people(place)
    let child = try main.child()
    let foreign = try #require(try child.fetch(Person.self, uid: 1))
    let gone = try #require(try main.fetch(Person.self, uid: 1))
    try main.delete(gone)
    #expect(errorKind { try main.update(Person.all) { $0.set(\.uid, to: 1) } } == .invalidQuery)
    #expect(
      errorKind { try main.update(Person.all) { $0.set(\.boss, to: foreign) } } == .wrongContext)
    #expect(
      errorKind { try main.update(Person.all) { $0.set(\.boss, to: Person()) } } == .wrongContext)
    #expect(
      errorKind { try main.update(Person.all) { $0.set(\.boss, to: gone) } } == .objectDeleted)
    withExtendedLifetime(child) {}
    await #expect(throws: CancellationError.self) {
      try await test.store.background {
        _ = try $0.update(Person.all) { _ in throw CancellationError() }
      }
    }
  }

  @Test(arguments: Place.usual)
  func `unique values move but are not shared`(_ place: Place) async throws {
    let test = try TestStore(place, [ThingUnique.self])
    let main = test.store.main
    for uid in 1...3 {
      let thing = try main.insert(ThingUnique.self)
      (thing.uid, thing.name) = (uid, "n\(uid)")
    }
    try await main.save()
    let kinds = try await test.store.background { context in
      let kind = errorKind { try context.update(ThingUnique.all) { $0.set(\.name, to: "n") } }
      // The unit goes on as if nothing had been.
      let names = try context.fetch(ThingUnique.all).map(\.name)
      try context.update(ThingUnique.where { $0.uid == 1 }) { $0.set(\.name, to: "new") }
      return (kind, names)
    }
    #expect(kinds == (.uniqueViolation, ["n1", "n2", "n3"]))
    #expect(try main.fetch(ThingUnique.all).map(\.name) == ["new", "n2", "n3"])
  }

  /// Objects that are about to swap values keep them for the moment.
  @Test(arguments: Place.usual)
  func `a swap of values that is under way goes on`(_ place: Place) async throws {
    let test = try TestStore(place, [ThingUnique.self])
    try await test.store.background { context in
      for uid in 1...3 {
        let thing = try context.insert(ThingUnique.self)
        (thing.uid, thing.name) = (uid, "n\(uid)")
      }
    }
    try await test.store.background { context in
      let things = try context.fetch(ThingUnique.all)
      things[0].name = "n2"
      try context.update(ThingUnique.where { $0.uid == 3 }) { $0.set(\.note, to: "x") }
      #expect(things.map(\.name) == ["n2", "n2", "n3"])
      things[1].name = "n1"
    }
    let things = try test.store.main.fetch(ThingUnique.all)
    #expect(things.map(\.name) == ["n2", "n1", "n3"])
    #expect(things.map(\.note) == [nil, nil, "x"])
  }

  @Test(arguments: Place.usual)
  func `the rollback of a unit takes the update by query back`(_ place: Place) async throws {
    let (test, main) = try await people(place)
    try await test.store.background { context in
      let first = try #require(try context.fetchOne(Person.all))
      try context.update(Person.all) { $0.set(\.age, to: 1) }
      try context.delete(Person.where { $0.uid > 3 })
      #expect(first.age == 1)
      context.rollback()
      #expect(first.age == 10)
      #expect(try context.count(Person.where { $0.age > 1 }) == 5)
    }
    #expect(try main.fetch(Person.all).map(\.age) == [10, 20, 30, 40, 50])
    #expect(try await test.store.pending.count() == 0)
  }

  // MARK: Lists, delete rules

  /// An object that comes into an ordered list is the last one there.
  @Test(arguments: Place.usual)
  func `an update by query orders lists as objects order them`(_ place: Place) async throws {
    let test = try TestStore(place, Mix.world)
    let numbers = try await test.store.background { context in
      let (one, other) = (try context.insert(Mix.self), try context.insert(Mix.self))
      (one.number, other.number) = (1, 2)
      let remarks = try (0..<4).map { number in
        let remark = try context.insert(Remark.self)
        remark.number = number
        return remark
      }
      one.remarks = [remarks[2], remarks[0]]
      other.remarks = [remarks[3], remarks[1]]
      let before = one.remarks
      try context.update(Remark.where { $0.mix.number == 2 }) { $0.set(\.mix, to: one) }
      #expect(other.remarks.isEmpty)
      #expect(one.remarks.prefix(2).map(\.entityID) == before.map(\.entityID))
      return one.remarks.count
    }
    #expect(numbers == 4)
  }

  /// The members of a list without uids live in its owner, whose row says that the list was edited.
  @Test(arguments: Place.usual)
  func `lists of embedded objects are edited`(_ place: Place) async throws {
    var marks: [[String?]] = []
    for isByQuery in [true, false] {
      let (test, main) = try await people(place)
      try await test.store.background(as: .server) { context in
        let first = try #require(try context.fetch(Person.self, uid: 1))
        for rank in 0..<3 {
          let note = try context.insert(Note.self)
          (note.rank, note.person) = (rank, first)
        }
      }
      try await test.store.background { context in
        let second = try #require(try context.fetch(Person.self, uid: 2))
        if isByQuery {
          try context.update(Note.where { $0.rank > 0 }) { $0.set(\.person, to: second) }
        } else {
          for note in try context.fetch(Note.where { $0.rank > 0 }) { note.person = second }
        }
        #expect(second.notes.map(\.rank) == [1, 2])
      }
      #expect(try main.fetch(Person.all).map(\.notes.count) == [1, 2, 0, 0, 0])
      marks.append(try main.connection.rows("SELECT _edited FROM main.Person ORDER BY _pk") { $0.text(0) })
    }
    #expect(marks[0] == marks[1])
    #expect(marks[0].first == "notes")
  }

  /// A rule against a deletion may be met until the unit ends.
  @Test(arguments: Place.usual)
  func `a unit may delete later what stands in the way of a deletion`(_ place: Place) async throws {
    let test = try TestStore(
      place, Owner.world)
    let id = try await test.store.background { context in
      let owner = try context.insert(Owner.self)
      try context.insert(Cascaded.self).owner = owner
      try context.insert(Nullified.self).owner = owner
      let denied = try context.insert(Denied.self)
      denied.owner = owner
      return denied.entityID
    }
    #expect(
      await asyncErrorKind { try await test.store.background { _ = try $0.delete(Owner.all) } }
        == .deleteDenied)
    try await test.store.background { context in
      let denied = try #require(try context.object(id))
      #expect(try context.delete(Owner.all) == 1)
      try context.delete(denied)
    }
    let counts = try await test.store.read { context in
      [
        try context.count(Owner.all), try context.count(Cascaded.all),
        try context.count(Denied.all),
        try context.count(Nullified.where { $0.owner == nil }),
      ]
    }
    #expect(counts == [0, 0, 0, 1])
  }

  /// SQLite has no NaN.
  @Test(arguments: Place.usual)
  func `a value that the property cannot have is an error`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    try await test.store.background { try $0.insert(Kinds.self).uid = 1 }
    let main = test.store.main
    #expect(errorKind { try main.update(Kinds.all) { $0.set(\.float, to: .nan) } } == .invalidValue)
    #expect(errorKind { try main.child().update(Kinds.all) { $0.set(\.float, to: .nan) } } == .invalidValue)
    #expect(!main.hasChanges)
    #expect(
      await asyncErrorKind {
        try await test.store.background { _ = try $0.update(Kinds.all) { $0.set(\.float, to: .nan) } }
      } == .invalidValue)
    #expect(try main.update(Kinds.all) { $0.set(\.maybeFloat, to: nil) } == 1)
  }
}
