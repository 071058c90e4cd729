import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// The rule of one-to-one relationships on the less travelled paths: one object is held by one at most.
@MainActor struct OneToOneRuleTests {
  private static let entities = OneToOneTests.entities

  /// Skippers and permits with the codes 1, 2, 3; the first skipper has the first permit. The server has all of them.
  private func harbour(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place, Self.entities)
    try await test.store.background(as: .server) { context in
      for code in 1...3 {
        let (skipper, permit) = (try context.insert(Skipper.self), try context.insert(Permit.self))
        (skipper.code, permit.code) = (code, code)
        if code == 1 { permit.skipper = skipper }
      }
    }
    return test
  }

  /// The skipper of each permit, 0 for none.
  private func holders(_ store: EntityStore) async throws -> [Int] {
    try await store.read { context in
      let permits = try context.fetch(Permit.all)
      for skipper in try context.fetch(Skipper.all) {
        #expect(try context.count(Permit.where { $0.skipper == skipper }) < 2)
        #expect(skipper.permit.map { $0.skipper === skipper } != false)
      }
      return permits.map { $0.skipper?.code ?? 0 }
    }
  }

  @Test(arguments: Place.usual)
  func `the check finds two holders`(_ place: Place) async throws {
    let test = try await harbour(place)
    #expect(try await test.store.check() == [])
    let location = test.store.core.location
    let raw = try RawConnection(location.path, vfs: place == .file ? nil : location.vfs, busyTimeout: 60_000)
    try raw.run("UPDATE Permit SET skipper = (SELECT _pk FROM Skipper WHERE code = 1) WHERE code = 3")
    let third = try await test.store.read { try $0.fetch(Permit.self, uid: 3)?.entityID.untyped }
    let problems = try await test.store.check()
    #expect(problems.map(\.kind) == [.uniqueness])
    #expect(problems.map(\.object) == [third])
  }

  @Test(arguments: Place.usual)
  func `an update by query gives the link to its last holder`(_ place: Place) async throws {
    let test = try await harbour(place)
    try await test.store.background { context in
      let skippers = try context.fetch(Skipper.all)
      let permits = try context.fetch(Permit.all)
      #expect(try context.update(Permit.all) { $0.set(\.skipper, to: skippers[1]) } == 3)
      #expect(skippers[1].permit === permits[2])
      #expect(skippers[0].permit == nil)
      #expect(permits.map { $0.skipper?.code } == [nil, nil, 2])
      #expect(permits.map(\.hasLocalEdits) == [true, true, true])
    }
    #expect(try await holders(test.store) == [0, 0, 2])
    let main = test.store.main
    let first = try #require(try main.fetch(Skipper.self, uid: 1))
    try main.update(Permit.all) { $0.set(\.skipper, to: first) }
    #expect(first.permit?.code == 3)
    try main.saveAtOnce()
    #expect(try await holders(test.store) == [0, 0, 1])
  }

  @Test(arguments: Place.usual)
  func `an undone update by query leaves the one-to-one rule`(_ place: Place) async throws {
    let test = try await harbour(place)
    try await test.store.background { context in
      for _ in 0..<2 { try context.insert(Motor.self).hull = try context.insert(Hull.self) }
    }
    try await test.store.background { context in
      let (skippers, permits) = (try context.fetch(Skipper.all), try context.fetch(Permit.all))
      let (hulls, motors) = (try context.fetch(Hull.all), try context.fetch(Motor.all))
      permits[1].skipper = skippers[0]
      // A motor must have its hull: the savepoint is rolled back.
      #expect(errorKind { try context.update(Motor.all) { $0.set(\.hull, to: hulls[0]) } } == .uniqueViolation)
      #expect(motors.map { $0.hull === hulls[0] } == [true, false])
      #expect(skippers[0].permit === permits[1])
      try context.update(Permit.where { $0.code == 3 }) { $0.set(\.skipper, to: skippers[0]) }
      #expect(permits.map { $0.skipper?.code } == [nil, nil, 1])
      (motors[0].hull, motors[1].hull) = (hulls[1], hulls[0])
    }
    #expect(try await holders(test.store) == [0, 0, 1])
    #expect(try await test.store.read { try $0.fetch(Hull.all).map { $0.motor != nil } } == [true, true])
  }

  @Test(arguments: Place.usual)
  func `the last of two child contexts to save decides`(_ place: Place) async throws {
    let test = try await harbour(place)
    let main = test.store.main
    let children = [try main.child(), try main.child()]
    for (child, code) in zip(children, [2, 3]) {
      try #require(try child.fetch(Permit.self, uid: code)).skipper = try child.fetch(Skipper.self, uid: 2)
    }
    for child in children { try child.saveAtOnce() }
    #expect(try main.fetch(Permit.all).map { $0.skipper?.code } == [1, nil, 2])
    // A draft, over a change of its parent.
    let draft = try main.edit(try #require(try main.fetch(Skipper.self, uid: 3)))
    draft.object.permit = try draft.context.fetch(Permit.self, uid: 2)
    try #require(try main.fetch(Permit.self, uid: 1)).skipper = try main.fetch(Skipper.self, uid: 3)
    try draft.save()
    #expect(try main.fetch(Skipper.all).map { $0.permit?.code } == [nil, 3, 2])
    try main.saveAtOnce()
    #expect(try await holders(test.store) == [0, 3, 2])
  }

  /// Two rows that turn out to be one skipper have a permit each.
  @Test(arguments: Place.usual, [(false, false, 2), (false, true, 1), (true, false, 2), (true, true, 2)])
  func `the survivor of a collision keeps its own link`(_ place: Place, _ edits: (own: Bool, theirs: Bool, left: Int))
    async throws
  {
    let test = try TestStore(place, Self.entities)
    let store = test.store
    let (own, theirs) = try await store.background(as: .server) { context in
      let skippers = [try context.insert(Skipper.self), try context.insert(Skipper.self)]
      skippers[1].code = 7
      for code in 1...2 { try context.insert(Permit.self).code = code }
      return (skippers[0].entityID, skippers[1].entityID)
    }
    for (skipper, code, isEdit) in [(own, 2, edits.own), (theirs, 1, edits.theirs)] {
      try await store.background(as: isEdit ? .app : .server) { context in
        try #require(try context.fetch(Permit.self, uid: code)).skipper = try context.object(skipper)
      }
    }
    try await store.background { try #require(try $0.object(own)).code = 7 }
    #expect(try await store.read { try $0.count(Skipper.all) } == 1)
    let left = try await store.read { try $0.fetch(Permit.all).compactMap { $0.skipper == nil ? nil : $0.code } }
    #expect(left == [edits.left])
  }

  @Test(arguments: Place.usual)
  func `the history has each row that lost its partner`(_ place: Place) async throws {
    await Seeds.each(4, sanitized: 1, "one-to-one history \(place)") { seed, steps in
      let test = try HistoryStore(place, .keepingAll, Self.entities)
      let ids = try await test.store.background { context in
        try (0..<4).map { _ in (try context.insert(Skipper.self).entityID, try context.insert(Permit.self).entityID) }
      }
      let (before, start) = try await Self.dump(test.store)
      var random = SeededRandom(seed)
      for _ in 0..<25 {
        let (one, other, way) = (ids[random.below(4)].0, ids[random.below(4)].1, random.below(4))
        steps += "\(one.pk) \(other.pk) \(way); "
        try await test.store.background { context in
          guard let skipper = try context.object(one), let permit = try context.object(other) else { return }
          switch way {
          case 0: permit.skipper = skipper
          case 1: skipper.permit = permit
          case 2: skipper.permit = nil
          default: try context.update(Permit.where { $0.skipper == nil }) { $0.set(\.skipper, to: skipper) }
          }
        }
      }
      let (after, _) = try await Self.dump(test.store)
      let mistakes = try await test.store.read { context in
        var replay = HistoryReplay(before: before)
        let log = HistoryLog(connection: context.connection, schema: context.core.schema)
        for commit in try log.commits(after: start).commits { replay.take(commit) }
        try replay.check(after, context.core.schema)
        return replay.mistakes
      }
      try #require(mistakes == [])
    }
  }

  private static func dump(_ store: EntityStore) async throws -> (RowDump, Int64) {
    try await store.read { (try RowDump($0), try $0.connection.generation()) }
  }

  // MARK: Archives of a version in which both sides were columns

  private func archive(flags: [Int], ships: [Int], as author: ChangeAuthor = .server) async throws -> TestStore {
    let test = try TestStore(.memory, ShipBefore.all)
    try await test.store.background(as: .server) { context in
      for number in 1...3 {
        try context.insert(ShipBefore.Ship.self).number = number
        try context.insert(ShipBefore.Flag.self).number = number
      }
    }
    try await test.store.background(as: author) { context in
      for (index, flag) in flags.enumerated() where flag != 0 {
        let ship = try #require(try context.fetch(ShipBefore.Ship.self, uid: index + 1))
        ship.flag = try context.fetch(ShipBefore.Flag.self, uid: flag)
      }
      for (index, ship) in ships.enumerated() where ship != 0 {
        let flag = try #require(try context.fetch(ShipBefore.Flag.self, uid: index + 1))
        flag.ship = try context.fetch(ShipBefore.Ship.self, uid: ship)
      }
    }
    return test
  }

  @Test(arguments: Place.usual)
  func `an archive with two columns for one link is joined`(_ place: Place) async throws {
    let archive = try await archive(flags: [1, 0, 3], ships: [1, 2, 0], as: .app).store.archive()
    let test = try TestStore(place, ShipAfter.all)
    try await test.store.restore(from: archive)
    #expect(try await test.store.read { try $0.fetch(ShipAfter.Ship.all).map { $0.flag?.number } } == [1, 2, 3])
    let flags = try await test.store.read { try $0.fetch(ShipAfter.Flag.all).map(\.hasLocalEdits) }
    #expect(flags == [true, true, true])
    #expect(try await test.store.pending.changes().map(\.id.entityName) == ["Flag", "Flag", "Flag"])
    #expect(try await test.store.check(.full) == [])
  }

  @Test(arguments: Place.usual)
  func `an archive that breaks the one-to-one rule is refused`(_ place: Place) async throws {
    let test = try TestStore(place, ShipAfter.all)
    try await test.store.background { try $0.insert(ShipAfter.Ship.self).number = 9 }
    for (flags, ships, kind) in [
      ([0, 0, 0], [1, 1, 0], StoreError.Kind.uniqueViolation), ([1, 0, 0], [2, 0, 0], .schemaMismatch),
      ([1, 0, 0], [0, 1, 0], .schemaMismatch),
    ] {
      let archive = try await archive(flags: flags, ships: ships).store.archive()
      let found = await asyncErrorKind { try await test.store.restore(from: archive, discardsPending: true) }
      #expect(found == kind, "\(flags) \(ships)")
      #expect(try await test.store.read { try $0.fetch(ShipAfter.Ship.all).map(\.number) } == [9])
    }
  }
}
