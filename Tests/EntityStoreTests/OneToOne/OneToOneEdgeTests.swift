import TestSchema
import Testing

@testable import EntityStore

/// One-to-one relationships where a setter fails, one object is rolled back, or a target is taken.
@MainActor struct OneToOneEdgeTests {
  /// Skippers and permits with the codes 1, 2, 3. The first two skippers have the permits of their codes.
  private struct Harbour {
    let test: TestStore
    let main: EntityContext
    let skippers: [Skipper]
    let permits: [Permit]

    @MainActor init(_ place: Place) throws {
      test = try TestStore(place, OneToOneTests.entities)
      let main = test.store.main
      self.main = main
      skippers = try (1...3).map { _ in try main.insert(Skipper.self) }
      permits = try (1...3).map { _ in try main.insert(Permit.self) }
      for index in 0..<3 { (skippers[index].code, permits[index].code) = (index + 1, index + 1) }
      for index in 0..<2 { permits[index].skipper = skippers[index] }
      try main.saveAtOnce()
    }

    /// The skipper of each permit, 0 for none.
    var holders: [Int] {
      for permit in permits where permit.skipper != nil { #expect(permit.skipper?.permit === permit) }
      for skipper in skippers where skipper.permit != nil { #expect(skipper.permit?.skipper === skipper) }
      return permits.map { $0.skipper?.code ?? 0 }
    }

    func save() async throws -> [Int] {
      try await main.save()
      #expect(try await test.store.check() == [])
      let saved = try await test.store.read { try $0.fetch(Permit.all).prefix(3).map { $0.skipper?.code ?? 0 } }
      #expect(holders == saved)
      return saved
    }
  }

  // MARK: Rollback of one object

  @Test(arguments: Place.usual)
  func `an object that is rolled back has its partner again`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let (skippers, permits) = (harbour.skippers, harbour.permits)
    permits[2].skipper = skippers[0]
    #expect(harbour.holders == [0, 2, 1])
    let watchers = [Watcher { _ = skippers[0].permit }, Watcher { _ = permits[2].skipper }]
    try harbour.main.rollback(permits[0])
    #expect(watchers.map(\.fired) == [true, true])
    #expect(harbour.holders == [1, 2, 0])
    #expect(!harbour.main.hasChanges)
    // The other way round: the first permit was freed by a setter, and stays free until it is rolled back itself.
    skippers[0].permit = permits[2]
    try harbour.main.rollback(permits[2])
    #expect(harbour.holders == [0, 2, 0])
    try harbour.main.rollback(permits[0])
    #expect(!harbour.main.hasChanges)
    #expect(try await harbour.save() == [1, 2, 0])
  }

  @Test(arguments: Place.usual)
  func `a swap is rolled back as a whole`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let (skippers, permits) = (harbour.skippers, harbour.permits)
    (permits[0].skipper, permits[1].skipper) = (skippers[1], skippers[0])
    #expect(harbour.holders == [2, 1, 0])
    try harbour.main.rollback(permits[0])
    #expect(harbour.holders == [1, 2, 0])
    #expect(!harbour.main.hasChanges)
    // A chain of three, with an attribute that is edited too.
    (permits[0].skipper, permits[1].skipper, permits[2].skipper) = (skippers[2], skippers[0], skippers[1])
    permits[1].number = 7
    #expect(harbour.holders == [3, 1, 2])
    try harbour.main.rollback(permits[0])
    #expect(harbour.holders == [1, 2, 0])
    #expect(harbour.main.changes.changed(Permit.self) == [permits[1]])
    #expect(harbour.main.changes.properties(of: permits[1]) == ["number"])
    #expect(try await harbour.save() == [1, 2, 0])
    #expect(permits[1].number == 7)
  }

  @Test(arguments: Place.usual)
  func `a new holder gives way to a rollback, and so does a deletion`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let (skippers, permits) = (harbour.skippers, harbour.permits)
    let new = try harbour.main.insert(Permit.self)
    new.skipper = skippers[0]
    try harbour.main.rollback(permits[0])
    #expect(harbour.holders == [1, 2, 0])
    #expect(new.skipper == nil && new.isInserted)
    // A deleted permit comes back.
    try harbour.main.delete(permits[0])
    new.skipper = skippers[0]
    #expect(skippers[0].permit === new)
    try harbour.main.rollback(permits[0])
    #expect(harbour.holders == [1, 2, 0])
    #expect(new.skipper == nil)
    #expect(try await harbour.save() == [1, 2, 0])
  }

  @Test(arguments: Place.usual)
  func `children and drafts roll back a single object too`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    harbour.permits[2].skipper = harbour.skippers[1]
    let child = try harbour.main.child()
    let skippers = try child.fetch(Skipper.all)
    let permits = try child.fetch(Permit.all)
    #expect(permits.map { $0.skipper?.code ?? 0 } == [1, 0, 2])
    (permits[0].skipper, permits[1].skipper) = (skippers[1], skippers[0])
    #expect(permits.map { $0.skipper?.code ?? 0 } == [2, 1, 0])
    // It goes back to what the parent has.
    try child.rollback(permits[2])
    #expect(permits.map { $0.skipper?.code ?? 0 } == [1, 0, 2])
    #expect(!child.hasChanges)
    let draft = try harbour.main.edit(harbour.permits[1])
    draft.object.skipper = try draft.context.fetch(Skipper.self, uid: 1)
    try draft.context.rollback(#require(try draft.context.fetch(Permit.self, uid: 1)))
    #expect(draft.object.skipper == nil)
    try draft.save()
    #expect(try await harbour.save() == [1, 0, 2])
  }

  @Test(arguments: Place.usual)
  func `a unit rolls back a single object too`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    for asks in [false, true] {
      try await harbour.test.store.background { context in
        let (skippers, permits) = (try context.fetch(Skipper.all), try context.fetch(Permit.all))
        permits[2].skipper = skippers[0]
        // A query sends the edits to the transaction, and only later ones can be dropped.
        if asks { _ = try context.count(Permit.all) }
        permits[0].number += 1
        try context.rollback(permits[0])
        let holders = permits.map { $0.skipper?.code ?? 0 }
        for skipper in skippers { #expect(permits.filter { $0.skipper === skipper }.count < 2) }
        for permit in permits where permit.skipper != nil { #expect(permit.skipper?.permit === permit) }
        context.rollback()
        #expect(permits.map { $0.skipper?.code ?? 0 } == [1, 2, 0], "\(holders)")
      }
    }
    #expect(try await harbour.save() == [1, 2, 0])
  }

  // MARK: Loose objects

  @Test(arguments: Place.usual)
  func `an object of a context is held by the last object that was linked to it`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let (first, second, third) = (Permit(), Permit(), Permit())
    first.skipper = harbour.skippers[2]
    let watcher = Watcher { _ = first.skipper }
    second.skipper = harbour.skippers[2]
    #expect(watcher.fired)
    #expect(first.skipper == nil && second.skipper === harbour.skippers[2])
    second.skipper = harbour.skippers[0]
    first.skipper = harbour.skippers[2]
    #expect(second.skipper === harbour.skippers[0])
    third.skipper = harbour.skippers[1]
    #expect(first.isInserted && second.isInserted && third.isInserted)
    #expect(harbour.holders == [0, 0, 0])
    #expect(harbour.skippers[2].permit === first)
    try await harbour.main.save()
    for (skipper, permit) in zip(harbour.skippers, [second, third, first]) { #expect(skipper.permit === permit) }
  }

  /// Assignments that fail, each with an object beside it that nothing was wrong with.
  @Test(arguments: Place.usual)
  func `a setter that fails joins no graphs`(_ place: Place) throws {
    let tests = [try TestStore(place, TestStore.blog), try TestStore(.memory, TestStore.blog)]
    let towns = try tests.map { try $0.store.main.insert(Town.self) }
    func writer(_ number: Int) -> Writer {
      let writer = Writer()
      writer.uid = number
      return writer
    }
    /// A loose writer whose friend is in a context. Nothing leads from the friend to the writer.
    func friend(_ number: Int, of test: TestStore) throws -> Writer {
      let (writer, friend) = (writer(number), writer(number + 100))
      writer.friends = [friend]
      try test.store.main.insert(friend)
      #expect(!writer.isInserted)
      return writer
    }
    let holder = try tests[0].store.main.insert(Writer.self)
    let mistakes: [(Writer) throws -> StoreError.Kind?] = [
      { sound in
        let here = try friend(1, of: tests[0])
        here.friends += [sound, try friend(2, of: tests[1])]
        #expect(here.friends.map(\.uid) == [101])
        return errorKind { try tests[0].store.main.insert(here) }
      },
      { sound in
        let here = try friend(3, of: tests[0])
        here.friends += [sound, Article().author]
        #expect(here.friends.map(\.uid) == [103])
        return errorKind { try tests[0].store.main.insert(here) }
      },
      { sound in
        holder.friends = [sound, try friend(4, of: tests[1])]
        #expect(holder.friends.isEmpty)
        return errorKind { try tests[0].store.main.saveAtOnce() }
      },
      { sound in
        let stray = writer(5)
        stray.friends = [Article().author]
        holder.friends = [sound, stray]
        #expect(holder.friends.isEmpty)
        return errorKind { try tests[0].store.main.saveAtOnce() }
      },
    ]
    let kinds: [StoreError.Kind] = [.wrongContext, .objectDeleted, .wrongContext, .objectDeleted]
    for (mistake, kind) in zip(mistakes, kinds) {
      let sound = writer(9)
      let graph = sound._$state.loose
      #expect(try mistake(sound) == kind)
      #expect(!sound.isInserted && sound._$state.loose === graph && graph?.records.count == 1)
      // It can be linked to another store than the others are.
      sound.home = towns[1]
      #expect(sound.home === towns[1] && sound.entityContext === tests[1].store.main)
      let other = writer(10)
      other.home = towns[0]
      other.friends = [sound]
      #expect(other.friends.isEmpty)
      #expect(errorKind { try tests[0].store.main.saveAtOnce() } == .wrongContext)
    }
  }

  /// A one-to-one relationship whose new partner leads to another store, from both sides.
  @Test(arguments: Place.usual)
  func `a partner of another store is refused, and no partner is freed`(_ place: Place) throws {
    let (harbour, other) = (try Harbour(place), try Harbour(.memory))
    let (skipper, permit) = (Skipper(), Permit())
    skipper.permit = harbour.permits[2]
    permit.skipper = other.skippers[2]
    permit.skipper = skipper
    #expect(permit.skipper === other.skippers[2] && skipper.permit === harbour.permits[2])
    skipper.permit = permit
    #expect(permit.skipper === other.skippers[2] && skipper.permit === harbour.permits[2])
    harbour.skippers[0].permit = permit
    harbour.permits[1].skipper = other.skippers[0]
    #expect(harbour.holders == [1, 2, 0])
    for main in [harbour.main, other.main] { #expect(errorKind { try main.saveAtOnce() } == .wrongContext) }
    #expect(errorKind { try harbour.main.insert(permit) } == .wrongContext)
    #expect(harbour.permits[2].skipper === skipper && other.skippers[2].permit === permit)
  }

  // MARK: A required link

  @Test(arguments: Place.usual)
  func `the error of a taken target names both and says what to do`(_ place: Place) async throws {
    let test = try TestStore(place, OneToOneTests.entities)
    let ids = try await test.store.background { context in
      try (1...2).map { code in
        let (hull, motor) = (try context.insert(Hull.self), try context.insert(Motor.self))
        (hull.code, motor.code, motor.hull) = (code, code, hull)
        return (hull: hull.entityID, motor: motor.entityID)
      }
    }
    // By setters the loser is known at once: it has no hull.
    let main = test.store.main
    let motors = try ids.map { try #require(try main.object($0.motor)) }
    motors[1].hull = try #require(try main.object(ids[0].hull))
    let missing = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(missing?.kind == .invalidObject)
    #expect(missing?.objects == [ids[0].motor.untyped])
    #expect(missing?.problems.map(\.property) == ["hull"])
    main.rollback()
    // Others gave the hull to a motor meanwhile.
    let new = try main.insert(Motor.self)
    let hull = try await test.store.background { context in
      let hull = try context.insert(Hull.self)
      hull.code = 3
      return hull.entityID
    }
    new.hull = try #require(try main.object(hull))
    let rival = try await test.store.background { context in
      let motor = try context.insert(Motor.self)
      motor.hull = try #require(try context.object(hull))
      return motor.entityID
    }
    let taken = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(taken?.kind == .uniqueViolation)
    #expect(Set(taken?.objects ?? []) == [new.entityID.untyped, rival.untyped])
    let words = taken?.message ?? ""
    for part in [
      "'Motor.hull'", "\(new.entityID.pk)", "\(rival.pk)", "Give the latter another one, or delete it first",
    ] {
      #expect(words.contains(part), "\(words)")
    }
    // It is done as the message says.
    try main.delete(#require(try main.object(rival)))
    try main.saveAtOnce()
    #expect(try await test.store.read { try $0.count(Motor.all) } == 3)
    #expect(try await test.store.check() == [])
  }
}
