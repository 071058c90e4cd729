import CSQLite
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// Related objects that are read ahead: how many statements that takes, for how long they stay, and that nobody can tell.
@MainActor struct PrefetchTests {
  // MARK: Unasked

  @Test(arguments: Place.usual, [false, true])
  func `a loop over a result reads related objects in batches`(_ place: Place, isBackward: Bool) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(1_000)
    let main = test.store.main
    let statements = StatementCounter(main.connection)
    main.resetStatistics()
    let vessels = try main.fetch(Vessel.all)
    for vessel in isBackward ? vessels.reversed() : vessels {
      #expect(vessel.harbor?.name == "harbor of \(vessel.uid)")
    }
    // 1, 8 and 32 harbors, then 100 each.
    #expect(statements.count == 1 + 13)
    #expect(main.statistics.relationships == ["Vessel.harbor": 13])
    #expect(main.statistics.statements == 14)
    #expect(main.statistics.fetches == 1)
    #expect(main.statistics.faults == 1)
    #expect(main.statistics.batches == 12)
  }

  @Test(arguments: Place.usual, [false, true])
  func `related objects that are held are read in batches too`(_ place: Place, isBackward: Bool) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(300)
    let main = test.store.main
    let statements = StatementCounter(main.connection)
    let harbors = try main.fetch(Vessel.all).compactMap(\.harbor)
    for harbor in isBackward ? harbors.reversed() : harbors { #expect(harbor.name == "harbor of \(harbor.uid)") }
    // 1, 8 and 32 harbors, then 100 each. The link to the last one was read last, so that it counts as read through it.
    #expect(statements.count == 1 + (isBackward ? 7 : 6))
  }

  @Test(arguments: Place.usual)
  func `units, reads and children read batches too`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(100)
    @Sendable func read(_ context: EntityContext) throws -> Int {
      context.resetStatistics()
      for vessel in try context.fetch(Vessel.all) { _ = vessel.harbor?.name }
      return context.statistics.statements
    }
    let expected = 1 + 4
    #expect(try await test.store.background { try read($0) } == expected)
    #expect(try await test.store.read { try read($0) } == expected)
    let child = try test.store.main.child()
    #expect(try read(child) == expected)
  }

  @Test func `a reader of few objects reads one at a time`() async throws {
    let test = try TestStore(.memory, Vessel.world)
    try await test.store.addFleet(100)
    let main = test.store.main
    for uid in [3, 50, 70] {
      let vessels = try main.fetch(Vessel.all)
      main.resetStatistics()
      _ = vessels[uid].harbor?.name
      #expect(main.statistics.faults == 1)
      #expect(main.statistics.batches == 0)
    }
  }

  @Test func `reading in batches can be turned off`() async throws {
    let test = try TestStore(.memory, Vessel.world)
    try await test.store.addFleet(50)
    let main = test.store.main
    main.batchesFaults = false
    for vessel in try main.fetch(Vessel.all) { _ = vessel.harbor?.name }
    #expect(main.statistics.relationships == ["Vessel.harbor": 50])
    #expect(main.statistics.faults == 50)
  }

  /// A batch takes no value that is not the context's: unsaved edits and deletions stay, in a child those of its parent.
  @Test(arguments: Place.usual)
  func `a batch keeps unsaved changes`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(60)
    let main = test.store.main
    let harbors = try main.fetch(Harbor.all)
    harbors[20].name = "edited"
    try main.delete(harbors[21])
    let vessels = try main.fetch(Vessel.all)
    #expect(vessels.map { $0.harbor?.name }[19...22] == ["harbor of 20", "edited", nil, "harbor of 23"])
    let child = try main.child()
    let copies = try child.fetch(Vessel.all)
    #expect(copies.map { $0.harbor?.name }[19...22] == ["harbor of 20", "edited", nil, "harbor of 23"])
    // Those that another one deleted have no target.
    try await test.store.background { context in
      for harbor in try context.fetch(Harbor.where { $0.uid > 50 }) { try context.delete(harbor) }
    }
    #expect(vessels.filter { $0.harbor == nil }.map(\.uid) == [22] + Array(51...60))
  }

  // MARK: Asked for

  @Test(arguments: Place.usual)
  func `a prefetched result reads nothing more`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(1_000)
    let main = test.store.main
    let statements = StatementCounter(main.connection)
    main.resetStatistics()
    let vessels = try main.fetch(Vessel.all.prefetching { $0.harbor })
    #expect(statements.count == 1 + 2)
    #expect(main.statistics.prefetches == 2)
    for vessel in vessels { #expect(vessel.harbor?.name == "harbor of \(vessel.uid)") }
    #expect(statements.count == 1 + 2)
    #expect(main.statistics.faults == 0)
  }

  @Test(arguments: Place.usual)
  func `lists and paths are prefetched`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(30)
    @Sendable func content(_ vessels: [Vessel]) -> [String] {
      vessels.map { vessel in
        let others = vessel.harbor?.vessels.flatMap { $0.barrels.map(\.weight) } ?? []
        let stops = vessel.stops.flatMap { [$0.name] + $0.vessels.map(\.name) }
        return "\(others) \(vessel.signals.map(\.name)) \(stops) \(vessel.barrels.map(\.weight))"
      }
    }
    @Sendable func check(_ context: EntityContext) throws {
      let plain = content(try context.fetch(Vessel.all))
      #expect(context.statistics.lists > 100)
      let query = Vessel.all.prefetching {
        ($0.harbor.vessels.barrels, $0.signals, $0.stops.vessels, $0.barrels, $0.stops)
      }
      let vessels = try context.fetch(query)
      context.resetStatistics()
      let statements = StatementCounter(context.connection)
      #expect(content(vessels) == plain)
      #expect(statements.count == 0)
      #expect(context.statistics.statements == 0)
    }
    try check(test.store.main)
    try check(try test.store.main.child())
    try await test.store.background { try check($0) }
    try await test.store.read { try check($0) }
  }

  @Test func `a live query prefetches with each run`() async throws {
    let test = try TestStore(.memory, Vessel.world)
    try await test.store.addFleet(20)
    let query = LiveQuery(Vessel.all.prefetching { ($0.harbor, $0.barrels) }, in: test.store)
    let main = test.store.main
    for _ in 0..<2 {
      let vessels = query.objects
      main.resetStatistics()
      #expect(vessels.allSatisfy { $0.harbor?.name == "harbor of \($0.uid)" && !$0.barrels.isEmpty })
      #expect(main.statistics.statements == 0)
      try await test.store.background { context in
        for vessel in try context.fetch(Vessel.where { $0.uid > 15 }) { try context.delete(vessel) }
      }
    }
    #expect(query.objects.count == 15)
  }

  @Test(arguments: Place.usual)
  func `a page reads ahead what its query asks for`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(25)
    let main = test.store.main
    let query = Vessel.all.prefetching { ($0.harbor, $0.barrels) }
    var (seen, cursor) = (0, PageCursor<Vessel>?.none)
    repeat {
      main.resetStatistics()
      let page = try main.fetch(query, page: 10, after: cursor)
      #expect(main.statistics.fetches == 1)
      #expect(main.statistics.prefetches == 2)
      main.resetStatistics()
      for vessel in page.objects {
        #expect(vessel.harbor?.name == "harbor of \(vessel.uid)")
        #expect(vessel.barrels.count == 3)
      }
      #expect(main.statistics.statements == 0)
      seen += page.objects.count
      cursor = page.next
    } while cursor != nil
    #expect(seen == 25)
  }

  // MARK: For how long

  @Test(arguments: Place.usual)
  func `objects that were read ahead are released with the next commit`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(40)
    let main = test.store.main
    let vessels = try main.fetch(Vessel.all.prefetching { ($0.harbor, $0.barrels) })
    weak let harbor = vessels[0].harbor
    weak let barrel = vessels[0].barrels.first
    #expect(harbor != nil)
    #expect(barrel != nil)
    try await test.store.background { try $0.insert(Signal.self).uid = -1 }
    try main.merging.merge()
    #expect(harbor == nil)
    #expect(barrel == nil)
    #expect(main.loaded.prefetched.count == 0)
    for vessel in vessels { _ = vessel.harbor?.name }
    #expect(main.loaded.prefetched.count > 0)
    try await test.store.background { try $0.insert(Signal.self).uid = -2 }
    try main.merging.merge()
    #expect(main.loaded.prefetched.count == 0)
  }

  @Test func `a loop over many objects holds few`() async throws {
    let test = try TestStore(.memory, Vessel.world)
    try await test.store.addFleet(6_000)
    let main = test.store.main
    for vessel in try main.fetch(Vessel.all) { _ = vessel.harbor?.name }
    #expect((100...2_048).contains(main.loaded.prefetched.count))
  }

  @Test(arguments: Place.usual)
  func `observers of a prefetched list hear of changes`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(3)
    let main = test.store.main
    let vessels = try main.fetch(Vessel.all.prefetching { $0.barrels })
    let watcher = Watcher { _ = vessels[0].barrels }
    vessels[1].barrels.first?.vessel = vessels[0]
    #expect(watcher.fired)
    #expect(vessels[0].barrels.count == 4)
    #expect(vessels[1].barrels.count == 2)
    try await test.store.background { context in
      for barrel in try context.fetch(Barrel.all) { barrel.vessel = nil }
    }
    try main.merging.merge()
    #expect(watcher.fired)
  }
}

/// Counts the statements that read objects on a connection.
final class StatementCounter {
  private final class Total: Sendable {
    let count = Mutex(0)
  }

  private let total = Total()
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, total, statement, _ in
        guard let total, let statement, let sql = sqlite3_sql(OpaquePointer(statement)),
          String(cString: sql).hasPrefix("SELECT _pk, _edited, _placeholder")
        else { return 0 }
        Unmanaged<Total>.fromOpaque(total).takeUnretainedValue().count.withLock { $0 += 1 }
        return 0
      }, Unmanaged.passUnretained(total).toOpaque())
  }

  deinit { sqlite3_trace_v2(connection.handle, 0, nil, nil) }

  var count: Int { total.count.withLock { $0 } }
}

extension EntityStore {
  /// Vessels with uids from 1 on, each with a harbor of its own and three barrels, with two of ten signals and two stops.
  func addFleet(_ count: Int) async throws {
    try await background { context in
      let harbors = try (1...count).map { uid in
        let harbor = try context.insert(Harbor.self)
        harbor.uid = uid
        harbor.name = "harbor of \(uid)"
        return harbor
      }
      let signals = try (0..<10).map { uid in
        let signal = try context.insert(Signal.self)
        signal.uid = uid
        signal.name = "signal \(9 - uid)"
        return signal
      }
      for uid in 1...count {
        let vessel = try context.insert(Vessel.self)
        vessel.uid = uid
        vessel.name = "vessel \(uid)"
        vessel.harbor = harbors[uid - 1]
        for number in 0..<3 {
          let barrel = try context.insert(Barrel.self)
          barrel.uid = uid * 10 + number
          barrel.weight = (uid * 7 + number * 5) % 11
          barrel.vessel = vessel
        }
        guard count <= 200 else { continue }
        vessel.signals = [signals[uid % 10], signals[(uid + 3) % 10]]
        vessel.stops = [harbors[uid % count], harbors[(uid + 5) % count]]
      }
    }
  }
}
