import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Damage of each kind, done to the file by another program, is found.
struct CheckTests {
  @Test(arguments: Place.usual)
  func `a sound store has no problems`(_ place: Place) async throws {
    let test = try TestStore(place)
    #expect(try await test.store.check() == [])
    try await test.store.background { context in
      let team = try context.insert(Team.self)
      for uid in 0..<50 {
        let person = try context.insert(Person.self)
        (person.uid, person.team) = (uid, team)
      }
    }
    try await test.store.background { context in
      try context.fetch(Person.where { $0.uid < 10 }).forEach(context.delete)
      for person in try context.fetch(Person.where { $0.uid > 40 }) { person.name = "edited" }
    }
    for depth in [StoreCheck.Depth.quick, .full] { #expect(try await test.store.check(depth) == []) }
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    let sql: String
    let kind: StoreCheck.Problem.Kind
    /// The depth of the check that finds it.
    var isFound: StoreCheck.Depth = .quick

    var testDescription: String { sql }
  }

  static let damages = [
    Damage(sql: "DELETE FROM Team", kind: .brokenLink),
    Damage(sql: "ALTER TABLE Person RENAME COLUMN email TO mail", kind: .structure),
    Damage(sql: "DROP TABLE Note", kind: .structure),
    Damage(sql: "ALTER TABLE Person ADD COLUMN theirs", kind: .structure),
    Damage(sql: "UPDATE _entity_store SET value = 'x' WHERE key = 'schema'", kind: .structure),
    Damage(sql: "UPDATE _entity_store SET value = 1 WHERE key = 'next_pk'", kind: .bookkeeping),
    Damage(sql: "DELETE FROM _entity_store WHERE key = 'next_pk'", kind: .bookkeeping),
    Damage(sql: "DELETE FROM Person", kind: .bookkeeping),
    Damage(
      sql: "INSERT INTO _entity_deletions SELECT 'Person', _pk, uid, 0, NULL, NULL, 1 FROM Person LIMIT 1",
      kind: .bookkeeping),
    Damage(
      sql: """
        PRAGMA writable_schema = ON; \
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'Team') \
        WHERE name = 'Person,uid'
        """, kind: .damage),
  ]

  @Test(arguments: damages, Place.usual)
  func `damage of each kind is found`(_ damage: Damage, _ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.background { context in
      let person = try context.insert(Person.self)
      let team = try context.insert(Team.self)
      (person.uid, person.name, person.team) = (1, "secret", team)
      return person.entityID.untyped
    }
    let other = try RawConnection(
      test.store.core.location.path, vfs: place == .file ? nil : test.store.core.location.vfs)
    #expect(other.code("PRAGMA foreign_keys = OFF") == 0)
    try other.run(damage.sql)
    let problems = try await test.store.check(damage.isFound)
    #expect(problems.first?.kind == damage.kind, "\(problems)")
    #expect(!problems.description.contains("secret"))
    if damage.kind == .brokenLink { #expect(problems.map(\.object) == [id]) }
  }

  @Test func `bytes that changed are found`() async throws {
    let test = try TestStore(.file)
    for uid in 0..<200 { try await test.store.addPerson(uid, String(repeating: "n", count: 200)) }
    try await test.store.close()
    let handle = try FileHandle(forUpdating: test.folder.file)
    let size = try handle.seekToEnd()
    // The last pages have people; the first ones what is read to open it.
    for page in 1...3 as ClosedRange<UInt64> {
      try handle.seek(toOffset: size - page * 4_096)
      try handle.write(contentsOf: Data(repeating: 0xFF, count: 64))
    }
    try handle.close()
    let store = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    #expect(try await store.check().first?.kind == .damage)
  }
}
