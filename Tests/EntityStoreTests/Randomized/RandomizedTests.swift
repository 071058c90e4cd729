import EntityStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Random operations on several contexts against a model.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedTests {
  @Test(arguments: Place.usual)
  func `contexts agree with a plain model`(_ place: Place) async throws {
    // Files are slower to make; the two differ below the connection only.
    await Seeds.each(place == .memory ? 2000 : 400, sanitized: 40, place.rawValue) { seed, steps in
      var run = try Run(place, seed)
      defer { steps = "step \(run.step)\n\(run.log)" }
      try await run.go()
    }
  }

  @MainActor
  private struct Run {
    let place: Place
    let seed: UInt64
    let folder: TemporaryFolder
    var store: EntityStore
    var random: SeededRandom
    var stored: [Int64: ModelRow] = [:]
    var main: RandomizedContext
    var step = 0
    /// The log of the steps, in this context and in units.
    var log: [String] { main.log }

    init(_ place: Place, _ seed: UInt64) throws {
      self.place = place
      self.seed = seed
      random = SeededRandom(seed)
      folder = try TemporaryFolder()
      store = try EntityStore(
        place == .file ? .file(folder.file) : .inMemory, entities: TestStore.people, busyTimeout: .ample)
      main = RandomizedContext(store.main)
      store.main.conflictPolicy = .mine
    }

    mutating func go() async throws {
      let steps = 10 + random.below(40)
      while step < steps {
        step += 1
        try await next()
      }
      main.log.append("end")
      try main.compare(stored)
    }

    private mutating func next() async throws {
      switch random.below(24) {
      case 0...3:
        main.log.append("insert")
        try main.insert(&random)
      case 4...8:
        main.log.append("edit")
        // The next read merges the commits of units; a setter compares with the merged values.
        try store.mergeMain()
        try main.edit(stored, &random)
      case 9, 10:
        main.log.append("delete")
        try store.mergeMain()
        try main.delete(stored, &random)
      case 11, 12:
        main.log.append("save")
        try await save()
      case 13:
        main.log.append("rollback")
        main.context.rollback()
        main.changes = ModelChanges()
      case 14...16:
        main.log.append("unit")
        try await unit()
      case 17:
        main.log.append("read")
        let stored = stored
        let seed = random.next()
        try await store.read { context in
          var random = SeededRandom(seed)
          let reading = RandomizedContext(context)
          try reading.query(stored, &random)
          try reading.compare(stored)
        }
      case 18, 19:
        main.log.append("query")
        try main.query(stored, &random)
      case 20: main.forget()
      case 21 where place == .file && random.chance(3):
        main.log.append("reopen")
        store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
        main = RandomizedContext(store.main)
        store.main.conflictPolicy = .mine
      default:
        main.log.append("compare")
        try main.compare(stored)
      }
    }

    private mutating func save() async throws {
      var expected: StoreError.Kind?
      do {
        var changes = main.changes
        var rows = stored
        try changes.flush(into: &rows)
        try ModelChanges.checkLinks(rows)
        stored = rows
        main.changes = changes
      } catch let failure as ModelChanges.Failure {
        expected = failure.kind
      }
      var kind: StoreError.Kind?
      do {
        if random.chance(2) { try await main.context.save() } else { try main.context.saveAtOnce() }
      } catch let error as StoreError {
        kind = error.kind
      }
      guard kind == expected else {
        throw RandomizedContext.Difference("save: \(String(describing: kind)), not \(String(describing: expected))")
      }
      guard kind != nil else { return }
      main.context.rollback()
      main.changes = ModelChanges()
    }

    private mutating func unit() async throws {
      let before = stored
      let seed = random.next()
      struct Stop: Error {}
      let log = Mutex<[String]>([])
      defer { main.log += log.withLock { $0 } }
      do {
        stored = try await store.background { context in
          var random = SeededRandom(seed)
          let unit = RandomizedContext(context)
          defer { log.withLock { $0 = unit.log } }
          if !random.chance(4) { try unit.hold() }
          let holdsAll = !unit.people.isEmpty || !unit.notes.isEmpty || before.isEmpty
          // Rows as of the last save of the unit, and as its queries see them.
          var saved = before
          var rows = before
          for _ in 0..<(1 + random.below(8)) {
            switch random.below(12) {
            case 0...2: try unit.insert(&random)
            case 3...6:
              if !holdsAll {
                try unit.changes.flush(into: &rows)
                try context.saving.flush()
              }
              if random.chance(4) { try unit.delete(rows, &random) } else { try unit.edit(rows, &random) }
            case 7:
              try unit.changes.flush(into: &rows)
              try unit.query(rows, &random)
            case 8:
              try unit.changes.flush(into: &rows)
              try unit.compare(rows)
            case 9:
              unit.log.append("rollback")
              context.rollback()
              rows = saved
              unit.changes = ModelChanges()
            case 10:
              try unit.changes.flush(into: &rows)
              unit.log.append("save")
              try context.save()
              saved = rows
            default:
              if random.chance(4) {
                unit.log.append("stop")
                throw Stop()
              }
            }
          }
          try unit.changes.flush(into: &rows)
          try context.saving.flush()
          try unit.compare(rows)
          try ModelChanges.checkLinks(rows)
          return rows
        }
      } catch is Stop {
      } catch let failure as ModelChanges.Failure where failure.kind == .brokenLink || failure.kind == .objectDeleted {
        // The unit was dropped, as it would have been by the store's own error.
      }
    }
  }
}
