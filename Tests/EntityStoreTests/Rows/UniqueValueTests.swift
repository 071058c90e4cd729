import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Unique values that move among rows: only two alike at the end of a unit are refused.
@MainActor
struct UniqueValueTests {
  private let lockers: [any ManagedEntity.Type] = Locker.world

  /// Three saved lockers, whose values are 1, 2 and 3.
  private func filled(_ place: Place) throws -> (test: TestStore, lockers: [Locker]) {
    let test = try TestStore(place, lockers)
    let main = test.store.main
    let made = try (1...3).map { try main.locker($0) }
    try main.save()
    return (test, made)
  }

  /// Saves the way that holds up its thread.
  private func synchronously(_ context: EntityContext) throws { try context.save() }

  @Test(arguments: Place.usual)
  func `rows swap their values`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let main = test.store.main
    // Saved twice, as a rejected save would be repeated.
    for round in 0..<4 {
      let (a, b) = (made[round % 3], made[(round + 1) % 3])
      (a.uid, b.uid) = (b.uid, a.uid)
      (a.code, b.code) = (b.code, a.code)
      (a.number, b.number) = (b.number, a.number)
      (a.seal, b.seal) = (b.seal, a.seal)
      if round.isMultiple(of: 2) { try synchronously(main) } else { try await main.save() }
      let expected = made.map(\.values)
      let rows = try await test.store.read { try $0.fetch(Locker.self).map(\.values) }
      #expect(rows == expected)
    }
  }

  @Test(arguments: Place.usual)
  func `unique values go round among objects`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let values = made.map(\.values)
    for (index, locker) in made.enumerated() { locker.set(values[(index + 1) % 3]) }
    try await test.store.main.save()
    let rows = try await test.store.read { try $0.fetch(Locker.self).map(\.values) }
    #expect(rows == [values[1], values[2], values[0]])
  }

  @Test(arguments: Place.usual, [0, 1])
  func `a unique value is handed over in exchange for none`(_ place: Place, _ former: Int) async throws {
    let (test, made) = try filled(place)
    made[1 - former].code = made[former].code
    made[former].code = nil
    try await test.store.main.save()
    let codes = try await test.store.read { try $0.fetch(Locker.self).map(\.code) }
    #expect(codes == (former == 0 ? [nil, "1", "3"] : ["2", nil, "3"]))
  }

  @Test(arguments: Place.usual)
  func `a new object has the values of an object that the same save deletes`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let main = test.store.main
    try main.delete(made[1])
    let new = try main.locker(2)
    try await main.save()
    let (old, id) = (made[1], new.entityID)
    #expect(old.isDeleted)
    #expect(old.forwardedTo == nil)
    #expect(!new.isDeleted)
    let ids = try await test.store.read { try $0.fetch(Locker.self).map(\.entityID) }
    #expect(ids == [made[0].entityID, made[2].entityID, id])
    // As does one that is changed, and one that had no uid.
    try main.delete(new)
    made[0].set(LockerValues(2))
    let nameless = try main.insert(Locker.self)
    nameless.set(LockerValues(uid: nil, code: "4", number: 4, seal: Data([4])))
    try await main.save()
    try main.delete(made[2])
    nameless.uid = 3
    try await main.save()
    #expect(try main.fetch(Locker.self).map(\.uid) == [2, 3])
    #expect(!nameless.isDeleted)
  }

  @Test(arguments: Place.usual)
  func `a new object has the uid of an object that a cascade deletes`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let main = test.store.main
    let hall = try main.insert(Hall.self)
    made[0].hall = hall
    try await main.save()
    try main.delete(hall)
    let new = try main.locker(1)
    try await main.save()
    #expect(made[0].isDeleted)
    #expect(made[0].forwardedTo == nil)
    #expect(!new.isDeleted)
    #expect(try main.fetch(Locker.self).map(\.uid) == [2, 3, 1])
  }

  @Test(arguments: Place.usual)
  func `a new object has the uid that another object gives up`(_ place: Place) async throws {
    let test = try TestStore(place, lockers)
    let main = test.store.main
    // The row of another context has the higher id, and would be written last.
    _ = try main.insert(Hall.self)
    let id = try await test.store.background { try $0.locker(1).entityID }
    let old = try #require(try main.object(id))
    let new = try main.locker(1)
    old.set(LockerValues(2))
    try await main.save()
    #expect(!old.isDeleted)
    #expect(!new.isDeleted)
    #expect(new.forwardedTo == nil)
    let uids = try await test.store.read { try $0.fetch(Locker.self).map(\.uid) }
    #expect(Set(uids) == [1, 2])
  }

  @Test(arguments: Place.usual)
  func `a unit moves values between its queries`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let ids = made.map(\.entityID)
    try await test.store.background { context in
      let made = try context.objects(ids)
      made[0].set(LockerValues(2))
      // Two objects have it for now, and a uid leads to the one that got it last.
      #expect(try context.fetch(Locker.self, uid: 2) === made[0])
      #expect(try context.fetch(Locker.where { $0.code == "2" }) == [made[0], made[1]])
      #expect(made[1].values == LockerValues(2))
      made[1].set(LockerValues(1))
      #expect(try context.fetch(Locker.self, uid: 1) === made[1])
      #expect(try context.fetch(Locker.self).map(\.values) == [LockerValues(2), LockerValues(1), LockerValues(3)])
      try context.save()
      // A value that is given back is where it was.
      made[0].set(LockerValues(3))
      #expect(try context.count(Locker.where { $0.code == "3" }) == 2)
      made[0].set(LockerValues(4))
      #expect(try context.fetch(Locker.self, uid: 3) === made[2])
      #expect(try context.fetch(Locker.where { $0.number == 3 }) == [made[2]])
    }
    let rows = try await test.store.read { try $0.fetch(Locker.self).map(\.values) }
    #expect(rows == [LockerValues(4), LockerValues(1), LockerValues(3)])
  }

  @Test(arguments: Place.usual)
  func `an object that is read meanwhile has the value that it gave up`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let ids = made.map(\.entityID)
    try await test.store.background { context in
      try #require(try context.object(ids[0])).set(LockerValues(2))
      _ = try context.count(Locker.all)
      // Read for the first time now.
      let second = try #require(try context.object(ids[1]))
      #expect(second.values == LockerValues(2))
      second.code = nil
      second.uid = 5
      second.number = 5
      second.seal = Data([5])
    }
    let rows = try await test.store.read { try $0.fetch(Locker.self).map(\.values) }
    #expect(rows == [LockerValues(2), LockerValues(uid: 5, code: nil, number: 5, seal: Data([5])), LockerValues(3)])
  }

  @Test(arguments: Place.usual, ["uid", "code", "number", "seal"])
  func `two objects with one unique value at the end are refused`(_ place: Place, _ property: String) async throws {
    let (test, made) = try filled(place)
    let main = test.store.main
    let (first, second) = (made[0], made[1])
    func set(_ locker: Locker, _ number: Int) {
      switch property {
      case "uid": locker.uid = number
      case "code": locker.code = "\(number)"
      case "number": locker.number = number
      default: locker.seal = Data([UInt8(number)])
      }
    }
    set(second, 1)
    second.note = "edited"
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try main.save() }
      #expect(error?.kind == .uniqueViolation)
      #expect(error?.message.contains("'Locker.\(property)'") == true)
      #expect(error?.objects == [second.entityID.untyped, first.entityID.untyped])
    }
    #expect(second.hasChanges)
    #expect(second.note == "edited")
    let rows = try await test.store.read { try $0.fetch(Locker.self).map(\.values) }
    #expect(rows == [LockerValues(1), LockerValues(2), LockerValues(3)])
    set(first, 2)
    try await main.save()
    #expect(!second.hasChanges)
    // In a unit, also when a query has sent them to its transaction.
    let ids = made.map(\.entityID)
    let unit = await asyncErrorKind {
      try await test.store.background { context in
        let made = try context.objects(ids)
        made[2].number = made[0].number
        _ = try context.fetch(Locker.all)
      }
    }
    #expect(unit == .uniqueViolation)
  }

  @Test(arguments: Place.usual)
  func `a unit can mend a refused save`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let ids = made.map(\.entityID)
    try await test.store.background { context in
      let made = try context.objects(ids)
      made[0].code = "2"
      #expect(errorKind { try context.save() } == .uniqueViolation)
      _ = try context.count(Locker.all)
      #expect(errorKind { try context.save() } == .uniqueViolation)
      made[1].code = "1"
      try context.save()
      made[2].code = "1"
      _ = try context.count(Locker.all)
      context.rollback()
      #expect(try context.fetch(Locker.self).map(\.code) == ["2", "1", "3"])
    }
    let codes = try await test.store.read { try $0.fetch(Locker.self).map(\.code) }
    #expect(codes == ["2", "1", "3"])
  }

  @Test(arguments: Place.usual, ["deleted", "changed", "neither"])
  func `a new object may have a uid that another object still has`(_ place: Place, other: String) async throws {
    let (test, made) = try filled(place)
    let id = made[0].entityID
    let error = await asyncErrorKind {
      try await test.store.background { context in
        let new = try context.locker(4)
        new.uid = 1
        // A query sends the changes so far to the transaction.
        #expect(try context.count(Locker.all) == 4)
        let former = try #require(try context.object(id))
        #expect(former.uid == 1)
        if other == "deleted" { try context.delete(former) }
        if other == "changed" { former.uid = 9 }
        #expect(try context.count(Locker.all) == (other == "deleted" ? 3 : 4))
        try context.save()
        #expect(try context.fetch(Locker.self, uid: 1) === new)
      }
    }
    #expect(error == (other == "neither" ? .uniqueViolation : nil))
    let uids = try await test.store.read { try $0.fetch(Locker.self).map(\.uid) }
    #expect(uids == (other == "deleted" ? [2, 3, 1] : other == "changed" ? [9, 2, 3, 1] : [1, 2, 3]))
  }

  @Test(arguments: Place.usual)
  func `a row takes unique values from the row that it turns out to be`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let new = try test.store.main.insert(Locker.self)
    new.number = 4
    try await test.store.main.save()
    let (ids, posted) = (made.map(\.entityID), new.entityID)
    try await test.store.background { context in
      let (made, posted) = (try context.objects(ids), try #require(try context.object(posted)))
      // The one that is about to go has another one's value for a while.
      made[0].code = "2"
      _ = try context.count(Locker.all)
      posted.uid = 1
      _ = try context.count(Locker.all)
      #expect(made[0].isDeleted)
      #expect(posted.code == "2")
      #expect(made[1].code == "2")
      made[1].code = "1"
      try context.save()
    }
    let rows = try await test.store.read { context in
      try context.fetch(Locker.self).map { "\($0.uid) \($0.code ?? "-") \($0.number)" }
    }
    #expect(rows == ["2 1 2", "3 3 3", "1 2 4"])
  }

  @Test(arguments: Place.usual)
  func `a row that gets its value back has not changed`(_ place: Place) async throws {
    let (test, made) = try filled(place)
    let main = test.store.main
    let ids = made.map(\.entityID)
    let edited = made[1]._$state.edited
    let watchers = made.map { locker in Watcher { _ = (locker.code, locker.number, locker.uid) } }
    try await test.store.background { context in
      let made = try context.objects(ids)
      made[0].set(LockerValues(2))
      _ = try context.count(Locker.all)
      made[0].set(LockerValues(4))
      _ = try context.count(Locker.all)
    }
    try main.merging.merge()
    #expect(watchers.map(\.fired) == [true, false, false])
    #expect(made[1].values == LockerValues(2))
    #expect(made[1]._$state.edited == edited)
    // A row that a later write changes is in the summary with the written columns.
    let code = Watcher { _ = made[1].code }
    let number = Watcher { _ = made[1].number }
    try await test.store.background { context in
      let made = try context.objects(ids)
      made[0].code = "2"
      _ = try context.count(Locker.all)
      made[1].code = "4"
    }
    try main.merging.merge()
    #expect(code.fired)
    #expect(!number.fired)
    #expect(made[1].code == "4")
    #expect(made[0].code == "2")
  }

  /// The row that is to lose a value has none in the unit's transaction for the time being.
  @Test(arguments: Place.usual)
  func `queries of a unit see the values of the objects`(_ place: Place) async throws {
    let (test, _) = try filled(place)
    try await test.store.background { context in
      let first = try #require(try context.fetch(Locker.self, uid: 1))
      (first.number, first.code) = (2, "2")
      #expect(try context.fetch(Locker.all.sorted(by: \.uid).select { $0.number }) == [2, 2, 3])
      #expect(try context.fetch(Locker.where { $0.code == "2" }).map(\.uid) == [1, 2])
      #expect(try context.count(Locker.where { $0.number == 2 }) == 2)
      #expect(try context.fetch(sql: "SELECT number FROM \(Locker.self) ORDER BY _pk", as: Int.self) == [2, 2, 3])
      #expect(try context.update(Locker.where { $0.number == 2 && $0.uid == 2 }) { $0.set(\.note) { $0.code } } == 1)
      #expect(try context.fetch(Locker.self, uid: 2)?.note == "2")
      // A uid leads to the object that has got it.
      #expect(try context.fetch(Locker.self, uid: 3)?.number == 3)
      // The former holder goes.
      #expect(try context.delete(Locker.where { $0.number == 2 && $0.uid != 1 }) == 1)
    }
    #expect(try await test.store.read { try $0.fetch(Locker.all).map(\.number) } == [2, 3])
  }

  @Test(arguments: Place.usual)
  func `a unit searches while uids change hands`(_ place: Place) async throws {
    let test = try TestStore(place, Memo.all)
    try await test.store.background { context in
      for id in 1...2 {
        let memo = try context.insert(Memo.self)
        (memo.uid, memo.body) = (id, "word \(id)")
      }
    }
    try await test.store.background { context in
      let memos = try context.fetch(Memo.all)
      memos[0].uid = 2
      #expect(try context.fetch(Memo.where { $0.matches("word") }).map(\.body) == ["word 1", "word 2"])
      #expect(try context.fetch(Memo.self, uid: 2) === memos[0])
      memos[1].uid = 1
      let found = try context.fetch(Memo.where { $0.matches("word") }.sorted(by: \.uid))
      #expect(found.map(\.body) == ["word 2", "word 1"])
    }
    #expect(try await test.store.read { try $0.fetch(Memo.self, uid: 1)?.body } == "word 2")
  }
}

/// The unique values of a locker.
struct LockerValues: Equatable, Sendable {
  var uid: Int?
  var code: String?
  var number: Int
  var seal: Data
}

extension LockerValues {
  init(_ number: Int) { self.init(uid: number, code: "\(number)", number: number, seal: Data([UInt8(number)])) }
}

extension Locker {
  var values: LockerValues {
    LockerValues(uid: serverUID == nil ? nil : uid, code: code, number: number, seal: seal)
  }

  func set(_ values: LockerValues) {
    if let new = values.uid { uid = new }
    code = values.code
    number = values.number
    seal = values.seal
  }
}

extension EntityContext {
  func locker(_ number: Int) throws -> Locker {
    let locker = try insert(Locker.self)
    locker.set(LockerValues(number))
    return locker
  }
}
