import EntityMacros
import Observation
import Testing

@testable import EntityStore

/// Transient properties: observed as columns are, and unknown to rows.
@MainActor struct TransientObservationTests {
  @Test(arguments: Place.usual)
  func `observers hear of other values of their property alone`(_ place: Place) async throws {
    let test = try TestStore(place, [Lantern.self])
    let lantern = try test.store.main.insert(Lantern.self)
    try await test.store.main.save()
    let isLit = Watcher { _ = lantern.isLit }
    let notes = Watcher { _ = lantern.notes }
    lantern.isLit = false
    lantern.notes = []
    #expect(!isLit.fired, "an equal value")
    lantern.isLit = true
    #expect(lantern.isLit)
    #expect(isLit.fired)
    #expect(!notes.fired)
    lantern.notes.append("changed in place")
    #expect(lantern.notes == ["changed in place"])
    #expect(notes.fired)
    #expect(!isLit.fired)
  }

  @Test(arguments: Place.usual)
  func `a value that cannot be compared counts as a change each time`(_ place: Place) async throws {
    let test = try TestStore(place, [Lantern.self])
    let lantern = try test.store.main.insert(Lantern.self)
    let watcher = Watcher { _ = lantern.onLight }
    lantern.onLight = nil
    #expect(watcher.fired)
    let extra = Watcher { _ = lantern.extra["a"] }
    lantern.extra["a"] = 1
    #expect(extra.fired)
    #expect(lantern.extra["a"] as? Int == 1)
  }

  /// An observer that reads while it is told finds the old value, as Observation has it, and may read.
  @Test func `observers may read the property while they are notified`() throws {
    let test = try TestStore(.memory, [Lantern.self])
    let lantern = try test.store.main.insert(Lantern.self)
    let seen = Seen(lantern)
    withObservationTracking {
      _ = lantern.notes
    } onChange: {
      // Observation calls this where the property is set, a few lines below: on the main actor, as the suite is.
      MainActor.assumeIsolated { seen.look() }
    }
    lantern.notes.append("a")
    #expect(seen.notes == [[]])
  }

  @Test(arguments: Place.usual)
  func `setting a transient property is no change of the object`(_ place: Place) async throws {
    let test = try TestStore(place, [Lantern.self])
    let main = test.store.main
    let lantern = try main.insert(Lantern.self)
    lantern.name = "a"
    try await main.save()
    let generation = main.news.mergedGeneration
    lantern.isLit = true
    #expect(!lantern.hasChanges)
    #expect(!main.hasChanges)
    try await main.save()
    #expect(main.news.mergedGeneration == generation)
    // A rollback and a merge are about the row.
    lantern.name = "b"
    main.rollback()
    let id = lantern.entityID
    try await test.store.background { try #require(try $0.object(id)).name = "c" }
    try main.merging.merge()
    #expect(lantern.name == "c")
    #expect(lantern.isLit)
  }

  @Test(arguments: Place.usual)
  func `each object of a row has its own transient value`(_ place: Place) async throws {
    let test = try TestStore(place, [Lantern.self])
    let main = test.store.main
    let lantern = try main.insert(Lantern.self)
    try await main.save()
    lantern.isLit = true
    let id = lantern.entityID
    let isLit = try await test.store.background { context in
      let lantern = try #require(try context.object(id))
      let before = lantern.isLit
      lantern.notes.append("of the unit")
      return before
    }
    #expect(!isLit)
    let draft = try main.edit(lantern)
    #expect(!draft.object.isLit)
    let watcher = Watcher { _ = draft.object.notes }
    draft.object.notes = ["of the draft"]
    #expect(watcher.fired)
    try draft.save()
    #expect(lantern.notes.isEmpty)
  }

  @Test func `reading and setting a transient property reads no row`() async throws {
    let test = try TestStore(.memory, [Lantern.self])
    let main = test.store.main
    let id = try await test.store.background { try $0.insert(Lantern.self).entityID }
    let counter = WorkCounter()
    let lantern = try #require(try main.object(id))
    try await test.store.background { try #require(try $0.object(id)).name = "stale now" }
    try main.merging.merge()
    counter.count(on: main.connection)
    defer { counter.stop(on: main.connection) }
    let work = counter.work {
      lantern.isLit = true
      #expect(lantern.isLit)
    }
    #expect(work == 0)
    #expect(lantern.name == "stale now")
  }

  @Test(arguments: Place.usual)
  func `an observer of a loose object hears of a transient property after the insertion too`(_ place: Place)
    async throws
  {
    let test = try TestStore(place, [Lantern.self])
    let lantern = Lantern()
    let watcher = Watcher { _ = lantern.isLit }
    lantern.isLit = true
    #expect(watcher.fired)
    try test.store.main.insert(lantern)
    #expect(lantern.isLit)
    lantern.isLit = false
    #expect(watcher.fired)
    try await test.store.main.save()
    lantern.isLit = true
    #expect(watcher.fired)
  }

  @Test func `an object without its store keeps its transient value`() throws {
    var test: TestStore? = try TestStore(.memory, [Lantern.self])
    let lantern = try #require(try test?.store.main.insert(Lantern.self))
    lantern.notes = ["a"]
    test = nil
    #expect(lantern.isDetached)
    lantern.notes.append("b")
    #expect(lantern.notes == ["a", "b"])
  }

  @MainActor private final class Seen {
    var notes: [[String]] = []
    private let lantern: Lantern

    init(_ lantern: Lantern) { self.lantern = lantern }

    func look() { notes.append(lantern.notes) }
  }
}

@Entity final class Lantern {
  var name: String
  @Transient var isLit = false
  @Transient var notes: [String] = []
  @Transient var onLight: (() -> Void)?
  @Transient var extra: [String: Any] = [:]
}
