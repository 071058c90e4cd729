import EntityMacros
import EntityStore
import Foundation
import TestSchema
import Testing

/// A person of the server, edited in the main context, and others who change the same row.
@MainActor
struct Desk {
  let test: TestStore
  let main: EntityContext
  let person: Person

  var store: EntityStore { test.store }
  var id: EntityID<Person> { person.entityID }

  init(_ place: Place, _ entities: [any ManagedEntity.Type] = TestStore.people) async throws {
    test = try TestStore(place, entities)
    main = test.store.main
    let id = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      (person.uid, person.name, person.email, person.age) = (1, "Ada", "ada@example.com", 0)
      return person.entityID
    }
    person = try #require(try main.object(id))
    #expect(person.age == 0)
  }

  /// Another context edits the row.
  func other(_ change: @escaping @Sendable (Person) throws -> Void) async throws {
    let id = id
    try await store.background { try change(try #require(try $0.object(id))) }
  }

  /// The server has other values.
  func server(_ change: @escaping @Sendable (Person) throws -> Void) async throws {
    let id = id
    try await store.background(as: .server) { try change(try #require(try $0.object(id))) }
  }

  /// The age in the row.
  func age() async throws -> Int {
    let id = id
    return try await store.read { try #require(try $0.object(id)).age }
  }

  func name() async throws -> String {
    let id = id
    return try await store.read { try #require(try $0.object(id)).name }
  }

  /// The pending edits of the person: name, value before it and value of each.
  func pending() async throws -> [String] {
    try await store.pending.changes(of: Person.self).flatMap(\.edits).map { edit in
      "\(edit.property) \(text(edit.base)) \(text(edit.value))"
    }
  }

  private func text(_ value: PendingValue?) -> String {
    switch value {
    case .attribute(.integer(let number)): "\(number)"
    case .attribute(.text(let text)): text
    case .attribute(.null), .object(nil): "null"
    case .object(let id?): "\(id)"
    case nil: "-"
    default: "?"
    }
  }
}

/// The error that `body` throws, with its conflicts; `nil` when it throws none of the store's.
func storeError(_ body: () throws -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StoreError
  }
}

/// Counts visits without a loss, and has a policy for each column.
@Entity final class Turnstile {
  @UID @Key("id") var uid: Int
  var visits: Int
  var title: String?
  var limit: Int

  static var conflictPolicy: ConflictPolicy? {
    .byColumn(
      .merge(\Turnstile.Columns.visits) { base, mine, theirs in theirs + (mine - base) },
      .column(\Turnstile.Columns.title, .theirs), others: .fail)
  }
}
