import CSQLite
import TestSchema
import Testing

@testable import EntityStore

/// Links of an entity to itself: the statements that write them, and a statement that fails.
struct OwnEntityLinkTests {
  /// The prepared statements of a connection that update a table.
  private static func updates(of table: String, on connection: Connection) -> [String] {
    var (found, statement): ([String], OpaquePointer?) = ([], sqlite3_next_stmt(connection.handle, nil))
    while let next = statement {
      let sql = sqlite3_sql(next).map { String(cString: $0) } ?? ""
      if sql.hasPrefix("UPDATE"), sql.contains(table.quoted) { found.append(sql) }
      statement = sqlite3_next_stmt(connection.handle, next)
    }
    return found
  }

  private func filled() async throws -> TestStore {
    let test = try TestStore(.file)
    try await test.store.background(as: .server) { context in
      let team = try context.insert(Team.self)
      team.uid = "t"
      for uid in 1...20 { try context.insert(Person.self).uid = uid }
    }
    return test
  }

  /// SQLite gives each other update of such a link a journal of its own, which it cuts back from its beginning each time.
  @Test func `a link to the own entity is written without a journal of the statement`() async throws {
    let test = try await filled()
    try await test.store.background { context in
      let boss = try #require(try context.fetch(Person.self, uid: 1))
      let count = try context.update(Person.where { $0.uid > 10 }) { $0.set(\.boss, to: boss) }
      #expect(count == 10)
      for person in try context.fetch(Person.where { $0.uid < 10 }) { person.boss = boss }
      try context.save()
      for person in try context.fetch(Person.where { $0.uid < 10 }) { person.team = try context.fetch(Team.self).first }
      try context.save()
      let updates = Self.updates(of: "Person", on: context.connection)
      let links = updates.filter { $0.contains("\"boss\"") }
      #expect(!links.isEmpty)
      #expect(links.allSatisfy { $0.hasPrefix("UPDATE OR FAIL ") }, "\(links)")
      #expect(updates.contains { $0.hasPrefix("UPDATE main") && $0.contains("\"team\"") }, "\(updates)")
    }
    #expect(try await test.store.read { try $0.fetch(Person.self, uid: 1)?.reports.count } == 19)
    #expect(try await test.store.check(.full).isEmpty)
  }

  /// A row that breaks a rule is as it was: nothing of the statement stays.
  @Test func `a statement that fails writes nothing`() async throws {
    let test = try await filled()
    await #expect(throws: StoreError.self) {
      try await test.store.background { context in
        let (boss, person) = try (
          #require(try context.fetch(Person.self, uid: 1)), #require(try context.fetch(Person.self, uid: 2))
        )
        (person.boss, person.uid) = (boss, 3)
        do { try context.save() } catch {
          // The unit goes on without the change.
          context.rollback()
          #expect(try context.fetch(Person.where { $0.boss == boss }).isEmpty)
          #expect(try context.fetch(Person.self, uid: 2) === person)
          throw error
        }
      }
    }
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.uid) } == Array(1...20))
    #expect(try await test.store.check(.full).isEmpty)
  }

  @Test func `a link to an object that is gone is noticed at the commit`() async throws {
    let test = try await filled()
    let kind = await asyncErrorKind {
      try await test.store.background { context in
        let (boss, person) = try (
          #require(try context.fetch(Person.self, uid: 1)), #require(try context.fetch(Person.self, uid: 2))
        )
        try context.delete(boss)
        person.boss = boss
      }
    }
    #expect(kind == nil || kind == .brokenLink || kind == .objectDeleted)
    #expect(try await test.store.check(.full).isEmpty)
    #expect(try await test.store.read { try $0.fetch(Person.self, uid: 2)?.boss == nil })
  }
}
