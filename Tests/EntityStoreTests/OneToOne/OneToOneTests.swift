import TestSchema
import Testing

@testable import EntityStore

/// One-to-one relationships: a link and its counterpart.
@MainActor struct OneToOneTests {
  static let entities: [any ManagedEntity.Type] = Skipper.world

  /// Two skippers and two permits; the first skipper has the first permit.
  private struct Harbour {
    let test: TestStore
    let main: EntityContext
    let ann: Skipper
    let bob: Skipper
    let one: Permit
    let two: Permit

    @MainActor init(_ place: Place) throws {
      test = try TestStore(place, entities)
      main = test.store.main
      (ann, bob) = (try main.insert(Skipper.self), try main.insert(Skipper.self))
      (one, two) = (try main.insert(Permit.self), try main.insert(Permit.self))
      (ann.name, bob.name, one.number, two.number) = ("Ann", "Bob", 1, 2)
      ann.permit = one
      try main.saveAtOnce()
    }

    /// The numbers of the permits of both, and the names of the holders of both permits, as the rows have them.
    func saved() async throws -> [String] {
      try await test.store.read { context in
        try context.fetch(Skipper.self).map { $0.permit.map { "\($0.number)" } ?? "-" }
          + context.fetch(Permit.self).map { $0.skipper?.name ?? "-" }
      }
    }

    var here: [String] {
      [ann, bob].map { $0.permit.map { "\($0.number)" } ?? "-" } + [one, two].map { $0.skipper?.name ?? "-" }
    }
  }

  @Test(arguments: Place.usual)
  func `setting either side sets the other and frees former partners`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let (ann, bob, one, two) = (harbour.ann, harbour.bob, harbour.one, harbour.two)
    #expect(harbour.here == ["1", "-", "Ann", "-"])
    // By the link: Ann's first permit is free.
    two.skipper = ann
    #expect(harbour.here == ["2", "-", "-", "Ann"])
    // By the counterpart: the permit leaves Ann.
    bob.permit = two
    #expect(harbour.here == ["-", "2", "-", "Bob"])
    try await harbour.main.save()
    #expect(try await harbour.saved() == ["-", "2", "-", "Bob"])
    ann.permit = one
    bob.permit = one
    #expect(harbour.here == ["-", "1", "Bob", "-"])
    harbour.main.rollback()
    #expect(harbour.here == ["-", "2", "-", "Bob"])
    // A swap.
    (ann.permit, bob.permit) = (two, one)
    #expect(harbour.here == ["2", "1", "Bob", "Ann"])
    try await harbour.main.save()
    bob.permit = nil
    two.skipper = nil
    #expect(harbour.here == ["-", "-", "-", "-"])
    try await harbour.main.save()
    #expect(try await harbour.saved() == ["-", "-", "-", "-"])
  }

  @Test(arguments: Place.usual)
  func `observers of all four ends of a handed-over link hear of it`(_ place: Place) throws {
    let harbour = try Harbour(place)
    harbour.two.skipper = harbour.bob
    let watchers = [
      Watcher { _ = harbour.ann.permit }, Watcher { _ = harbour.bob.permit }, Watcher { _ = harbour.one.skipper },
      Watcher { _ = harbour.two.skipper },
    ]
    let other = Watcher { _ = harbour.ann.name }
    harbour.one.skipper = harbour.bob
    #expect(watchers.map(\.fired) == [true, true, true, true])
    #expect(!other.fired)
    // An equal value is no change.
    let again = Watcher { _ = harbour.bob.permit }
    harbour.bob.permit = harbour.one
    #expect(!again.fired)
  }

  @Test(arguments: Place.usual)
  func `a unit keeps the rule of one-to-one relationships`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let watcher = Watcher { _ = harbour.bob.permit }
    try await harbour.test.store.background { context in
      let skippers = try context.fetch(Skipper.all)
      let permits = try context.fetch(Permit.all)
      permits[1].skipper = skippers[0]
      #expect(skippers[0].permit === permits[1])
      #expect(permits[0].skipper == nil)
      skippers[1].permit = permits[1]
      #expect(skippers[0].permit == nil)
      let new = try context.insert(Permit.self)
      new.number = 3
      new.skipper = skippers[1]
      #expect(skippers[1].permit === new)
      #expect(permits[1].skipper == nil)
    }
    try harbour.main.merging.merge()
    #expect(watcher.fired)
    #expect(harbour.bob.permit?.number == 3)
    #expect(harbour.here == ["-", "3", "-", "-"])
  }

  @Test(arguments: Place.usual)
  func `children and drafts hand a one-to-one link over`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let child = try harbour.main.child()
    let two = try #require(try child.object(harbour.two.entityID))
    let ann = try #require(try child.object(harbour.ann.entityID))
    two.skipper = ann
    #expect(ann.permit === two)
    #expect(harbour.here == ["1", "-", "Ann", "-"])
    try child.saveAtOnce()
    #expect(harbour.here == ["2", "-", "-", "Ann"])
    let draft = try harbour.main.draft(Permit.self)
    draft.object.number = 3
    draft.object.skipper = try draft.context.object(harbour.ann.entityID)
    try draft.save()
    #expect(harbour.here == ["3", "-", "-", "-"])
    try await harbour.main.save()
    #expect(try await harbour.saved() == ["3", "-", "-", "-", "Ann"])
  }

  @Test(arguments: Place.usual)
  func `loose objects keep the one-to-one rule and enter a context with it`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let (cat, dan) = (Skipper(), Skipper())
    let (three, four) = (Permit(), Permit())
    (cat.name, dan.name, three.number, four.number) = ("Cat", "Dan", 3, 4)
    cat.permit = three
    #expect(three.skipper === cat)
    four.skipper = cat
    #expect(cat.permit === four)
    #expect(three.skipper == nil)
    dan.permit = four
    #expect(cat.permit == nil)
    #expect(four.skipper === dan)
    // With an object of a context.
    three.skipper = harbour.ann
    try harbour.main.insert(three)
    try harbour.main.insert(four)
    #expect(harbour.ann.permit === three)
    #expect(harbour.one.skipper == nil)
    #expect(dan.permit === four)
    let eve = Skipper()
    eve.name = "Eve"
    eve.permit = harbour.two
    #expect(eve.permit === harbour.two)
    try harbour.main.insert(eve)
    #expect(harbour.two.skipper === eve)
    try await harbour.main.save()
    let saved = try await harbour.saved()
    #expect(saved == ["3", "-", "4", "2", "-", "Eve", "Ann", "Dan"], "\(saved)")
  }

  @Test(arguments: Place.usual)
  func `deletions follow the rules of both sides`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let main = harbour.main
    // The permit goes alone: the skipper has none.
    try main.delete(harbour.one)
    #expect(harbour.ann.permit == nil)
    try await main.save()
    harbour.bob.permit = harbour.two
    try await main.save()
    // A skipper takes the permit along: cascade.
    try main.delete(harbour.bob)
    try await main.save()
    #expect(harbour.two.isDeleted)
    #expect(try await harbour.saved() == ["-"])
    // A motor requires its hull, whose rule is the default: the deletion is refused.
    let (hull, motor) = (try main.insert(Hull.self), try main.insert(Motor.self))
    hull.motor = motor
    try await main.save()
    try main.delete(hull)
    #expect(errorKind { try main.saveAtOnce() } == .deleteDenied)
    main.rollback()
    #expect(hull.motor === motor)
  }

  @Test(arguments: Place.usual)
  func `a required link that is taken away must be set`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let hulls = [try main.insert(Hull.self), try main.insert(Hull.self)]
    let motors = [try main.insert(Motor.self), try main.insert(Motor.self)]
    (hulls[0].motor, hulls[1].motor) = (motors[0], motors[1])
    try main.saveAtOnce()
    motors[1].hull = hulls[0]
    #expect(hulls[0].motor === motors[1])
    #expect(motors[0].hull.isDeleted)
    #expect(errorKind { try main.saveAtOnce() } == .invalidObject)
    motors[0].hull = hulls[1]
    try main.saveAtOnce()
    let numbers = try await test.store.read { try $0.fetch(Motor.all).map { $0.hull.entityID } }
    #expect(numbers == [hulls[1].entityID, hulls[0].entityID])
  }

  /// The server's unit gives a skipper a permit, while that of the main context is unsaved.
  @Test(arguments: Place.usual)
  func `the save that comes last decides`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let ids = try await test.store.background(as: .server) { context in
      let (skipper, one, two) = (
        try context.insert(Skipper.self), try context.insert(Permit.self), try context.insert(Permit.self)
      )
      (skipper.code, one.code, two.code) = (1, 1, 2)
      return (skipper: skipper.entityID, one: one.entityID, two: two.entityID)
    }
    let main = test.store.main
    let skipper = try #require(try main.object(ids.skipper))
    let (one, two) = (try #require(try main.object(ids.one)), try #require(try main.object(ids.two)))
    one.skipper = skipper
    try await test.store.background(as: .server) {
      try #require(try $0.object(ids.two)).skipper = try $0.object(ids.skipper)
    }
    try main.merging.merge()
    #expect(skipper.permit === one)
    #expect(!two.hasLocalEdits)
    let watcher = Watcher { _ = two.skipper }
    try await main.save()
    #expect(watcher.fired)
    #expect(two.skipper == nil)
    #expect(skipper.permit === one)
    #expect(try await test.store.read { try $0.fetch(Permit.all).map { $0.skipper?.code } } == [1, nil])
    // The permit that lost its skipper was edited here, and is to be sent.
    #expect(two.hasLocalEdits)
    // The server's word, in its turn.
    try await test.store.background(as: .server) {
      try #require(try $0.object(ids.two)).skipper = try $0.object(ids.skipper)
    }
    #expect(skipper.permit === two)
    #expect(one.skipper == nil)
  }

  @Test(arguments: Place.usual)
  func `queries see both sides of a one-to-one link`(_ place: Place) async throws {
    let harbour = try Harbour(place)
    let main = harbour.main
    func names(_ query: EntityQuery<Skipper>) throws -> [String] { try main.fetch(query).map(\.name) }
    for _ in 0..<2 {
      #expect(try names(Skipper.where { $0.permit.number == 1 }) == ["Ann"])
      #expect(try names(Skipper.where { $0.permit == nil }) == ["Bob"])
      #expect(try names(Skipper.where { $0.permit != nil }) == ["Ann"])
      #expect(try names(Skipper.where { $0.permit == harbour.one }) == ["Ann"])
      #expect(try names(Skipper.all.sorted(.descending) { $0.permit.number }) == ["Ann", "Bob"])
      #expect(try main.count(Permit.where { $0.skipper.permit.number == 1 }) == 1)
      // Then with unsaved changes.
      harbour.one.skipper = nil
      harbour.ann.permit = harbour.one
    }
    let voyage = try main.insert(Voyage.self)
    voyage.skipper = harbour.ann
    #expect(try main.count(Voyage.where { $0.skipper.permit.number == 1 }) == 1)
    harbour.bob.permit = harbour.one
    #expect(try names(Skipper.where { $0.permit.number == 1 }) == ["Bob"])
    #expect(try names(Skipper.where { $0.permit == nil }) == ["Ann"])
    #expect(try main.count(Voyage.where { $0.skipper.permit.number == 1 }) == 0)
    try main.saveAtOnce()
    try await harbour.test.store.background { context in
      context.resetStatistics()
      let skippers = try context.fetch(Skipper.all.prefetching { $0.permit })
      let before = context.statistics.statements
      #expect(skippers.map { $0.permit?.number } == [nil, 1])
      #expect(context.statistics.statements == before)
    }
  }

  @Test func `an archive brings a one-to-one link back`() async throws {
    let harbour = try Harbour(.file)
    harbour.bob.permit = harbour.two
    try await harbour.main.save()
    let archive = try await harbour.test.store.archive()
    let copy = try TestStore(.memory, Self.entities)
    try await copy.store.restore(from: archive)
    #expect(try copy.store.main.fetch(Skipper.all).map { $0.permit?.number } == [1, 2])
    #expect(try copy.store.main.fetch(Permit.all).map { $0.skipper?.name } == ["Ann", "Bob"])
  }
}
