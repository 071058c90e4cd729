import CSQLite
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// A store in memory behaves as one in a file does, so that most tests need one place: the same random steps in both, by
/// statements of several connections, and by stores, have the same outcome.
struct RandomizedPlaceTests {
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  @Test func `connections to a file and to memory behave the same`() async {
    await Seeds.each(400, sanitized: 20, "connections") { seed, steps in
      let folder = try TemporaryFolder()
      var random = SeededRandom(seed)
      let mode = random.chance(4) ? "delete" : "wal"
      var pair = try [(nil, folder.file.path), (ENTITY_MEMORY_VFS_NAME, "/place-\(UUID())")].map {
        try Connections(name: $0.1, vfs: $0.0, mode: mode)
      }
      for step in 0..<60 {
        let sql = Connections.statement(&random, mode)
        let number = random.below(Connections.count)
        steps += "\(step) \(number): \(sql)\n"
        let outcomes = try pair.indices.map { try pair[$0].run(sql, number) }
        guard outcomes[0] == outcomes[1] else {
          throw Difference(description: "file: \(outcomes[0]), memory: \(outcomes[1])")
        }
      }
    }
  }

  @Test @MainActor func `stores in a file and in memory behave the same`() async {
    await Seeds.each(60, sanitized: 5, "stores") { seed, steps in
      let pair = try [TestStore(.file), TestStore(.memory)]
      for step in 0..<25 {
        var outcomes: [[String]] = []
        for test in pair {
          var random = SeededRandom(state: seed &* 1_000 &+ UInt64(step))
          outcomes.append(try await Self.step(test, &random))
        }
        steps += "\(step) \(outcomes[0])\n"
        guard outcomes[0] == outcomes[1] else {
          throw Difference(description: "file: \(outcomes[0]), memory: \(outcomes[1])")
        }
      }
    }
  }

  /// One step of a store, and its outcome.
  @MainActor private static func step(_ test: TestStore, _ random: inout SeededRandom) async throws -> [String] {
    let (store, main) = (test.store, test.store.main)
    let (uid, text) = (random.below(12), String(repeating: "t", count: random.below(3) * 3_000 + random.below(20)))
    let seed = random.next()
    do {
      switch random.below(12) {
      case 0...2:
        let person = try main.insert(Person.self)
        (person.uid, person.name) = (uid, text)
        return ["insert"]
      case 3, 4:
        guard let person = try main.fetch(Person.where { $0.uid == uid }).first else { return ["nobody"] }
        if random.chance(3) { try main.delete(person) } else { (person.name, person.age) = (text, uid) }
        return ["edit \(person.isDeleted)"]
      case 5:
        try await main.save()
        return ["saved"]
      case 6:
        main.rollback()
        return ["rolled back"]
      case 7, 8:
        struct Stop: Error {}
        do {
          return try await store.background { context in
            var random = SeededRandom(seed)
            for _ in 0..<(1 + random.below(20)) {
              let note = try context.insert(Note.self)
              (note.text, note.rank) = (text, random.below(5))
              note.person = try context.fetch(Person.where { $0.uid == uid }).first
            }
            if random.chance(3) {
              for note in try context.fetch(Note.where { $0.rank == 2 }) { try context.delete(note) }
            }
            if random.chance(4) { throw Stop() }
            return ["\(try context.count(Note.all))"]
          }
        } catch is Stop {
          return ["stopped"]
        }
      case 9:
        return try await store.read { context in
          let before = try context.count(Note.all)
          return ["\(before)", "\(try context.fetch(Note.all).map(\.rank))"]
        }
      case 10:
        switch random.below(3) {
        case 0:
          // Whether it is complete depends on readers of the file, such as the main context's look at a commit.
          _ = try await store.checkpoint()
          return ["checkpoint"]
        case 1: try await store.vacuum()
        default:
          let copy = test.folder.url.appending(path: "copy")
          _ = try await store.backup(to: copy, replaces: true)
          let rows = try RawConnection(copy.path, vfs: nil).rows("SELECT _pk, uid, name, age FROM Person ORDER BY 1")
          return rows.map { $0.joined(separator: " ") }
        }
        return ["vacuum"]
      default:
        let problems = try await store.check(.full).map(\.description)
        let people = try await store.read { context in
          try context.fetch(Person.all).map { "\($0.uid) \($0.name) \($0.age)" }.sorted()
        }
        return problems + people
      }
    } catch let error as StoreError {
      return ["\(error.kind)"]
    }
  }
}

/// Some connections to one database.
private struct Connections {
  static let count = 3
  let name: String
  let vfs: String?
  var open: [RawConnection]

  init(name: String, vfs: String?, mode: String) throws {
    (self.name, self.vfs) = (name, vfs)
    let first = try RawConnection(name, vfs: vfs)
    try first.run(
      """
      PRAGMA journal_mode=\(mode); PRAGMA auto_vacuum=2; CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX i ON t(b)
      """)
    open = [first] + (try (1..<Self.count).map { _ in try RawConnection(name, vfs: vfs) })
  }

  /// The result code and the rows of a statement of a connection.
  mutating func run(_ sql: String, _ number: Int) throws -> [[String]] {
    guard sql != "close" else {
      // With its transaction, should it have one.
      open[number] = try RawConnection(name, vfs: vfs)
      return []
    }
    do {
      return try open[number].rows(sql)
    } catch let error as RawSQLError {
      return [["\(error.code)"]]
    }
  }

  static func statement(_ random: inout SeededRandom, _ mode: String) -> String {
    let (key, size) = (random.below(40), [3, 200, 5_000, 60_000][random.below(4)])
    switch random.below(22) {
    case 0...3: return "INSERT INTO t(b, c) VALUES(\(key), hex(zeroblob(\(size))))"
    case 4, 5: return "UPDATE t SET b = b + 1, c = '\(key)' WHERE a = \(key)"
    case 6: return "DELETE FROM t WHERE b < \(key)"
    case 7, 8: return "SELECT a, b, length(c) FROM t ORDER BY b, a"
    case 9: return random.chance(2) ? "BEGIN" : "BEGIN IMMEDIATE"
    case 10: return random.chance(4) ? "BEGIN EXCLUSIVE" : "BEGIN"
    case 11, 12: return "COMMIT"
    case 13: return "ROLLBACK"
    case 14: return ["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"][random.below(3)]
    case 15: return "PRAGMA wal_checkpoint(\(["PASSIVE", "FULL", "RESTART", "TRUNCATE"][random.below(4)]))"
    case 16: return ["PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA data_version"][random.below(3)]
    case 17: return "PRAGMA incremental_vacuum(\(key))"
    case 18: return random.chance(3) ? "VACUUM" : "PRAGMA integrity_check"
    case 19: return "CREATE TABLE IF NOT EXISTS u\(key % 3) AS SELECT * FROM t"
    case 20: return "DROP TABLE IF EXISTS u\(key % 3)"
    default: return "close"
    }
  }
}
