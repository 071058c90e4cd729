import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Values that are unique together: only two objects that are alike at the end of a unit are refused.
@MainActor
struct UniqueTogetherTests {
  /// A depot with three saved hampers, at the slots 1, 2 and 3, and an empty one.
  private func filled(_ place: Place) throws -> (test: TestStore, depots: [HamperDepot], hampers: [Hamper]) {
    try fill(try TestStore(place, Hamper.all))
  }

  private func fill(_ test: TestStore) throws -> (test: TestStore, depots: [HamperDepot], hampers: [Hamper]) {
    let main = test.store.main
    let depots = try (1...2).map { try main.hamperDepot($0) }
    let hampers = try (1...3).map { try main.hamper($0, depots[0], $0) }
    try main.saveAtOnce()
    return (test, depots, hampers)
  }

  private func slots(_ test: TestStore) async throws -> [String] {
    try await test.store.read { context in
      try context.fetch(Hamper.all.sorted(by: \.uid)).map { "\($0.uid): \($0.depot?.uid ?? 0)/\($0.slot ?? 0)" }
    }
  }

  private func check(_ error: StoreError?, _ objects: [AnyEntityID]) {
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.objects == objects)
    #expect(
      error?.message.contains("'Hamper.depot', 'Hamper.slot' are unique together") == true, "\(error?.message ?? "-")")
  }

  @Test(arguments: Place.usual)
  func `two objects alike are refused, and both are named`(_ place: Place) async throws {
    let (test, depots, hampers) = try filled(place)
    let main = test.store.main
    let new = try main.hamper(4, depots[0], 2)
    let ids = [new.entityID.untyped, hampers[1].entityID.untyped]
    check(storeError { try main.saveAtOnce() }, ids)
    let failure = await #expect(throws: StoreError.self) { try await main.save() }
    check(failure, ids)
    #expect(try await slots(test) == ["1: 1/1", "2: 1/2", "3: 1/3"])
    // The object is unsaved still, and can be mended.
    new.slot = 4
    try await main.save()
    hampers[0].slot = 4
    check(storeError { try main.saveAtOnce() }, [hampers[0].entityID.untyped, new.entityID.untyped])
    hampers[0].depot = depots[1]
    try await main.save()
    #expect(try await slots(test) == ["1: 2/4", "2: 1/2", "3: 1/3", "4: 1/4"])
  }

  @Test(arguments: Place.usual)
  func `the object that was written last is named first`(_ place: Place) async throws {
    let (test, depots, _) = try filled(place)
    let new = try [4, 5].map { try test.store.main.hamper($0, depots[1], 9) }
    check(storeError { try test.store.main.saveAtOnce() }, [new[1].entityID.untyped, new[0].entityID.untyped])
  }

  @Test(arguments: Place.usual)
  func `objects swap their values in a save`(_ place: Place) async throws {
    let (test, depots, hampers) = try filled(place)
    let main = test.store.main
    (hampers[0].slot, hampers[1].slot, hampers[2].slot) = (2, 3, 1)
    try main.saveAtOnce()
    #expect(try await slots(test) == ["1: 1/2", "2: 1/3", "3: 1/1"])
    // A new object has the place of one that goes.
    try main.delete(hampers[2])
    _ = try main.hamper(4, depots[0], 1)
    try await main.save()
    #expect(try await slots(test) == ["1: 1/2", "2: 1/3", "4: 1/1"])
  }

  @Test(arguments: Place.usual)
  func `an object without a value is no duplicate of others`(_ place: Place) async throws {
    let (test, depots, hampers) = try filled(place)
    let main = test.store.main
    for uid in 4...5 { _ = try main.hamper(uid, nil, 1) }
    for uid in 6...7 { _ = try main.hamper(uid, depots[0], nil) }
    hampers[0].slot = nil
    try await main.save()
    #expect(try await test.store.read { try $0.count(Hamper.all) } == 7)
  }

  @Test(arguments: Place.usual)
  func `placeholders are like no other`(_ place: Place) async throws {
    let rows = try UIDRows(place, Hamper.all)
    try await rows.store.core.unit { rows in
      let model = try rows.schema.model(HamperPeg.self)
      for uid in [1, 2] { _ = try rows.row(model, uid: .integer(Int64(uid))) }
    }
    // Filled, they are objects with the values that the placeholders had.
    let row = HamperPeg.columns.row.index
    _ = try await rows.respond(HamperPeg.self, [HamperPeg.columns.uid.index: .integer(1), row: .integer(0)])
    let error = await #expect(throws: StoreError.self) {
      _ = try await rows.respond(HamperPeg.self, [HamperPeg.columns.uid.index: .integer(2), row: .integer(0)])
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(try await rows.store.read { try $0.count(HamperPeg.all) } == 1)
    #expect(try await rows.store.check() == [])
  }

  @Test(arguments: Place.usual)
  func `a unit may have two objects alike until it is saved`(_ place: Place) async throws {
    let (test, _, hampers) = try filled(place)
    let ids = hampers.map(\.entityID)
    try await test.store.background { context in
      let hampers = try context.objects(ids)
      hampers[0].slot = 2
      // A query writes both.
      #expect(try context.count(Hamper.where { $0.slot == 2 }) == 2)
      let error = storeError { try context.save() }
      #expect(error?.kind == .uniqueViolation)
      #expect(error?.objects == [ids[0].untyped, ids[1].untyped])
      hampers[1].slot = 7
      #expect(try context.count(Hamper.where { $0.slot == 7 }) == 1)
      try context.save()
      // Taken back before the next save.
      hampers[2].slot = 7
      #expect(try context.count(Hamper.where { $0.slot == 7 }) == 2)
      context.rollback()
    }
    #expect(try await slots(test) == ["1: 1/2", "2: 1/7", "3: 1/3"])
    let id = ids[2]
    let error = await #expect(throws: StoreError.self) {
      try await test.store.background { try #require(try $0.object(id)).slot = 7 }
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(try await slots(test) == ["1: 1/2", "2: 1/7", "3: 1/3"])
  }

  /// Two objects are alike in the middle of a swap. An update by query answers for the rows that it writes.
  @Test(arguments: Place.usual)
  func `an update by query leaves a swap that is under way`(_ place: Place) async throws {
    let (test, _, hampers) = try filled(place)
    let ids = hampers.map(\.entityID)
    try await test.store.background { context in
      let hampers = try context.objects(ids)
      hampers[0].slot = 2
      #expect(try context.update(HamperDesk.all) { $0.set(\.note, to: "x") } == 0)
      #expect(try context.update(Hamper.all) { $0.set(\.label, to: "x") } == 3)
      try context.update(Hamper.where { $0.uid == 3 }) { $0.set(\.slot, to: 4) }
      // The row that was written last is written once more.
      hampers[2].slot = 5
      let error = storeError { try context.update(Hamper.where { $0.uid == 3 }) { $0.set(\.slot, to: 2) } }
      #expect(error?.kind == .uniqueViolation)
      #expect(error?.objects.first == ids[2].untyped)
      #expect(hampers.map(\.slot) == [2, 2, 5])
      hampers[1].slot = 1
    }
    #expect(try await slots(test) == ["1: 1/2", "2: 1/1", "3: 1/5"])
    let error = await #expect(throws: StoreError.self) {
      try await test.store.background { context in
        try #require(try context.object(ids[0])).slot = 1
        try context.update(Hamper.all) { $0.set(\.label, to: "y") }
      }
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.objects == [ids[0].untyped, ids[1].untyped])
  }

  @Test(arguments: Place.usual)
  func `a child's changes are refused where they are written`(_ place: Place) async throws {
    let (test, _, hampers) = try filled(place)
    let main = test.store.main
    let draft = try main.edit(hampers[0])
    draft.object.slot = 3
    try draft.save()
    check(storeError { try main.saveAtOnce() }, [hampers[0].entityID.untyped, hampers[2].entityID.untyped])
    let other = try main.edit(hampers[2])
    other.object.slot = 1
    try other.save()
    try await main.save()
    #expect(try await slots(test) == ["1: 1/3", "2: 1/2", "3: 1/1"])
  }

  /// The hampers of two depots stand in one, once the depots turn out to be one.
  @Test(arguments: Place.usual, [1, 2])
  func `links that are repointed count`(_ place: Place, _ slot: Int) async throws {
    let rows = try UIDRows(place, Hamper.all)
    let (test, _, hampers) = try fill(rows.test)
    let main = test.store.main
    let made = try main.insert(HamperDepot.self)
    let hamper = try main.hamper(9, made, slot == 1 ? 1 : 8)
    try await main.save()
    let (pk, uid) = (made.entityID.pk, HamperDepot.columns.uid.index)
    guard slot == 1 else {
      _ = try await rows.respond(HamperDepot.self, pk: pk, [uid: .integer(1)])
      #expect(try await slots(test) == ["1: 1/1", "2: 1/2", "3: 1/3", "9: 1/8"])
      return
    }
    let error = await #expect(throws: StoreError.self) {
      _ = try await rows.respond(HamperDepot.self, pk: pk, [uid: .integer(1)])
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(Set(error?.objects ?? []) == [hamper.entityID.untyped, hampers[0].entityID.untyped])
    #expect(try await slots(test) == ["1: 1/1", "2: 1/2", "3: 1/3", "9: 0/1"])
    #expect(try await test.store.read { try $0.count(HamperDepot.all) } == 3)
  }

  @Test(arguments: Place.usual)
  func `only objects that meet the condition are compared`(_ place: Place) async throws {
    let test = try TestStore(place, Hamper.all)
    let main = test.store.main
    let desks = try (1...3).map { uid in
      let desk = try main.insert(HamperDesk.self)
      (desk.uid, desk.desk, desk.isOpen) = (uid, "a", uid == 1)
      return desk
    }
    try main.saveAtOnce()
    desks[1].note = "no column of the index"
    try main.saveAtOnce()
    desks[1].isOpen = true
    let error = storeError { try main.saveAtOnce() }
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.objects == [desks[1].entityID.untyped, desks[0].entityID.untyped])
    desks[0].isOpen = false
    try main.saveAtOnce()
    desks[2].desk = "b"
    desks[2].isOpen = true
    try await main.save()
    #expect(try main.count(HamperDesk.where { $0.isOpen }) == 2)
  }

  @Test(arguments: Place.usual)
  func `an archive with two objects alike is refused`(_ place: Place) async throws {
    let (test, _, hampers) = try filled(place)
    let archive = try await test.store.archive()
    let text = String(decoding: archive, as: UTF8.self)
    #expect(text.contains("\"c1\""))
    // As a version of the app wrote it that had no such rule.
    let raw = try raw(test, place)
    try raw.run("UPDATE Hamper SET slot = 2 WHERE _pk = \(hampers[0].entityID.pk)")
    let alike = try await test.store.archive()
    let other = try TestStore(place, Hamper.all)
    try await other.store.restore(from: archive)
    let before = try await slots(other)
    let error = await #expect(throws: StoreError.self) {
      try await other.store.restore(from: alike, discardsPending: true)
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(try await slots(other) == before)
  }

  @Test(arguments: Place.usual)
  func `the check finds rows that others made alike`(_ place: Place) async throws {
    let (test, _, hampers) = try filled(place)
    #expect(try await test.store.check(.full) == [])
    try raw(test, place).run("UPDATE Hamper SET slot = 2 WHERE slot = 3")
    let problems = try await test.store.check()
    #expect(problems.map(\.kind) == [.uniqueness])
    #expect(problems.map(\.object) == [hampers[2].entityID.untyped])
    #expect(problems.first?.text.contains("'Hamper.depot', 'Hamper.slot'") == true)
    // The next save of one of them is refused.
    let store = test.store
    let id = hampers[1].entityID
    let kind = await asyncErrorKind {
      try await store.background { context in
        let hamper = try #require(try context.object(id))
        hamper.slot = 9
        try context.save()
        hamper.slot = 2
      }
    }
    #expect(kind == .uniqueViolation)
  }

  private func raw(_ test: TestStore, _ place: Place) throws -> RawConnection {
    let location = test.store.core.location
    return try RawConnection(location.path, vfs: place == .file ? nil : location.vfs)
  }
}
