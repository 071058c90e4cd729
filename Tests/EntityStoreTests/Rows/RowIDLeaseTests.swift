import CSQLite
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Row ids are never used again, by any process that has the file and after any failure. Two stores of one file are as
/// two processes.
struct RowIDLeaseTests {
  private struct Stop: Error {}

  /// Runs `body` at the next rollback of a connection, once it holds the file no more.
  private final class AtRollback {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) { self.body = body }

    func attach(to connection: Connection) {
      sqlite3_rollback_hook(
        connection.handle,
        { context in
          guard let context else { return }
          let hook = Unmanaged<AtRollback>.fromOpaque(context).takeUnretainedValue()
          let body = hook.body
          hook.body = nil
          body?()
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    func detach(from connection: Connection) { sqlite3_rollback_hook(connection.handle, nil, nil) }
  }

  private func keys(_ store: EntityStore, _ count: Int) async throws -> [Int64] {
    try await store.core.unit { rows in try (0..<count).map { _ in try rows.newPrimaryKey() } }
  }

  @Test func `a range of row ids that a failed unit leased can be leased by others`() async throws {
    let first = try TestStore(.file)
    let second = try EntityStore(.file(first.folder.file), entities: TestStore.people)
    let others = Leak<Int64>()
    await #expect(throws: Stop.self) {
      try await first.store.core.unit { rows in
        let hook = AtRollback {
          for _ in 0..<100 { if let pk = try? second.core.blockingUnit({ try $0.newPrimaryKey() }) { others.add(pk) } }
        }
        hook.attach(to: rows.connection)
        _ = try rows.newPrimaryKey()
        withExtendedLifetime(hook) { rows.connection.rollback() }
        hook.detach(from: rows.connection)
        throw Stop()
      }
    }
    #expect(others.values.count == 100)
    let own = try await keys(first.store, 200)
    #expect(Set(own).isDisjoint(with: others.values))
  }

  @Test func `a lease that cannot be repeated fails the unit`() async throws {
    let first = try TestStore(.file)
    let second = try EntityStore(.file(first.folder.file), entities: TestStore.people)
    // The ids of the lease stay with the unit's objects, but the file does not know of them.
    await #expect(throws: StoreError.self) {
      try await first.store.core.unit { rows in
        let model = try rows.schema.model(Note.self)
        var pk: Int64 = 0
        try? rows.atomically {
          pk = try rows.newPrimaryKey()
          throw Stop()
        }
        try rows.connection.execute(
          "CREATE TEMP TRIGGER t BEFORE UPDATE ON main._entity_store WHEN new.key = 'next_pk' "
            + "BEGIN SELECT raise(FAIL, 'no'); END")
        try? rows.writer.changesUndone()
        _ = try rows.insert(model, pk: pk, RowValues(count: model.properties.count), .effect)
      }
    }
    let others = try await keys(second, 100)
    try await first.store.core.unit { try $0.connection.execute("DROP TRIGGER IF EXISTS temp.t") }
    #expect(Set(try await keys(first.store, 100)).isDisjoint(with: others))
  }

  /// Another program may write any value beneath an open store.
  @Test(arguments: ["9223372036854775807", "1e300", "0", "-9223372036854775808", "'x'", "NULL"])
  func `an impossible first row id is an error`(_ value: String) async throws {
    let test = try TestStore(.file)
    let raw = try RawConnection(test.folder.file.path, vfs: nil)
    try raw.run("UPDATE _entity_store SET value = \(value) WHERE key = 'next_pk'")
    #expect(await asyncErrorKind { try await test.store.addPerson(1) } == .corrupt)
    #expect(await asyncErrorKind { _ = try await test.store.archive() } == .corrupt)
    try raw.run("UPDATE _entity_store SET value = 1 WHERE key = 'next_pk'")
    try await test.store.addPerson(1)
  }

  @Test func `no row id is handed out twice`() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("noRowIDIsHandedOutTwice: seed \(seed)")
    var dice = SeededRandom(state: seed)
    let folder = try TemporaryFolder()
    func open() throws -> EntityStore { try EntityStore(.file(folder.file), entities: TestStore.people) }
    var stores = [try open(), try open()]
    var used: Set<Int64> = []
    for _ in 0..<120 {
      let one = Int.random(in: 0..<2, using: &dice)
      if Int.random(in: 0..<6, using: &dice) == 0 { stores[one] = try open() }
      let (store, other) = (stores[one], stores[1 - one])
      // Some take up the rest of a range, so that the unit leases another one.
      let count = Int.random(in: 0..<4, using: &dice) == 0 ? 66_000 : Int.random(in: 1..<50, using: &dice)
      let undoes = Bool.random(using: &dice)
      let fails = Bool.random(using: &dice)
      let interferes = Bool.random(using: &dice)
      let leaked = Leak<Int64>()
      let others = Leak<Int64>()
      do {
        try await store.core.unit { rows in
          let hook = AtRollback {
            for _ in 0..<3 { if let pk = try? other.core.blockingUnit({ try $0.newPrimaryKey() }) { others.add(pk) } }
          }
          if undoes {
            try? rows.atomically {
              for _ in 0..<count { leaked.add(try rows.newPrimaryKey()) }
              throw Stop()
            }
          }
          for _ in 0..<count { leaked.add(try rows.newPrimaryKey()) }
          guard fails else { return }
          // SQLite's own end of a transaction, and the other process's turn right after it.
          if interferes { hook.attach(to: rows.connection) }
          withExtendedLifetime(hook) { rows.connection.rollback() }
          hook.detach(from: rows.connection)
          throw Stop()
        }
      } catch is Stop {}
      // Ids of a unit that failed are nobody's: another process may have them, this one has not.
      if fails {
        #expect(Set(leaked.values).count == leaked.values.count)
      } else {
        for pk in leaked.values { #expect(used.insert(pk).inserted, "row id \(pk), seed \(seed)") }
      }
      for pk in others.values { #expect(used.insert(pk).inserted, "row id \(pk) of the other one, seed \(seed)") }
      if Bool.random(using: &dice), let pk = try? store.core.newPrimaryKey() {
        #expect(used.insert(pk).inserted, "row id \(pk) of main, seed \(seed)")
      }
    }
  }
}
