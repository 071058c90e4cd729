import Foundation
import TestSchema

@testable import EntityStore

/// The entries of the outbox: each is written or removed with the marks and the values that it is about, or not at all.
extension FaultScenario {
  static let outbox = FaultScenario(
    name: "outbox", old: fillOutbox, entities: people,
    steps: [.claims, .read(0), .outboxAnswer, .keptAside, .restoredEntry, .droppedEntry, .insert(1)])

  /// People of the server, each with an edit that is pending. Some have an entry.
  @Sendable private static func fillOutbox(_ file: URL) async throws {
    try await fill(file)
    let store = try EntityStore(.file(file), entities: people, busyTimeout: .ample)
    try await store.background(as: .server) { context in
      for entry in OutboxPerson.all {
        let person = try context.insert(Person.self)
        (person.uid, person.age, person.name) = (entry.age, entry.age, "theirs")
      }
    }
    try await store.background { context in
      for person in try context.fetch(Person.where { $0.age >= 3000 }) { person.name = "mine" }
    }
    try await store.core.unit { rows in
      for person in [OutboxPerson.answered, .gone, .dropped] { try person.claim(rows) }
      try OutboxPerson.restored.claim(rows, .gone)
    }
    try await store.close()
  }
}

/// A person of the scenario, by the age, which nothing changes.
private struct OutboxPerson: Sendable {
  let age: Int

  static let claimed = [OutboxPerson(age: 3000), OutboxPerson(age: 3001), OutboxPerson(age: 3002)]
  static let answered = OutboxPerson(age: 3003)
  static let gone = OutboxPerson(age: 3004)
  static let restored = OutboxPerson(age: 3005)
  static let dropped = OutboxPerson(age: 3006)
  static let all = claimed + [answered, gone, restored, dropped]

  func key(_ rows: RowWriter) throws -> RowKey {
    let model = try rows.schema.model(Person.self)
    let pks = try rows.connection.rows(
      "SELECT _pk FROM \(model.table) WHERE age = ?", [.integer(Int64(age))]
    ) { $0.int64(0) }
    guard let pk = pks.first else { throw StoreError(.corrupt, "The person \(age) is gone.") }
    return RowKey(entity: model.number, pk: pk)
  }

  func claim(_ rows: RowWriter, _ state: OutboxEntry.State = .sending) throws {
    var entry = OutboxEntry(key: try key(rows), kind: .update, state: state, time: 1)
    entry.sent = #"{"name":"mine"}"#
    try rows.outbox.insert(entry)
  }

  /// The entries that the unit finds.
  func entries(_ rows: RowWriter) throws -> [OutboxEntry] { try rows.outbox.entries(of: try key(rows)) }

  /// The person, its entries, and what is pending about it.
  func state(
    _ context: EntityContext
  ) throws -> (person: Person, entries: [OutboxEntry], facts: PendingFacts?)? {
    let (age, model) = (age, try context.core.schema.model(Person.self))
    guard let person = try context.fetch(Person.where { $0.age == age }).first else { return nil }
    let key = RowKey(entity: model.number, pk: person.entityID.pk)
    return (
      person, try context.pendingEdits.outboxEntries(of: key), try context.pendingEdits.outboxFacts(of: [key])[key]
    )
  }
}

extension FaultStep {
  private static func step(
    _ name: String, isDurable: Bool = false, _ run: @escaping @Sendable (RowWriter) throws -> Void,
    _ signs: @escaping @Sendable (EntityContext) throws -> [Bool]
  ) -> FaultStep {
    FaultStep(name: name, run: { try await $0.core.unit(isDurable: isDurable, run) }) { context in
      let signs = try signs(context)
      return (signs.count { $0 }, signs.count)
    }
  }

  /// The claims of several requests in one commit, which no power cut takes.
  static let claims = step("claims", isDurable: true) { rows in
    for person in OutboxPerson.claimed { try person.claim(rows) }
  } _: { context in
    try OutboxPerson.claimed.map { try $0.state(context)?.entries.count == 1 }
  }

  /// The answer to a request: its values, the end of the edit and that of the entry.
  static let outboxAnswer = step("answer") { rows in
    let (key, model) = (try OutboxPerson.answered.key(rows), try rows.schema.model(Person.self))
    let numbers = try OutboxPerson.answered.entries(rows).map(\.number)
    guard let found = try rows.find(model, pk: key.pk) else { throw StoreError(.corrupt, "The person is gone.") }
    rows.notes.sentEntry = numbers.first
    var values = RowValues(count: model.properties.count)
    values[Person.columns.name.index] = .text("mine")
    values[Person.columns.score.index] = .real(7)
    _ = try rows.update(model, found, values, .response(.keepingEdits, newer: ColumnMask()))
    try rows.outbox.remove(numbers: numbers)
  } _: { context in
    let state = try OutboxPerson.answered.state(context)
    return [state?.person.score == 7, state?.entries.isEmpty == true, state?.facts == nil]
  }

  /// The server has the object of a request no more.
  static let keptAside = step("kept aside") { rows in
    for var entry in try OutboxPerson.gone.entries(rows) {
      (entry.state, entry.status, entry.reason) = (.gone, 404, String(repeating: "gone ", count: 2_000))
      try rows.outbox.update(entry)
    }
  } _: { context in
    let entry = try OutboxPerson.gone.state(context)?.entries.first
    return [entry?.state == .gone, entry?.status == 404]
  }

  /// A person makes an object again that the server has no more.
  static let restoredEntry = step("restored") { rows in
    try rows.outbox.remove(numbers: try OutboxPerson.restored.entries(rows).map(\.number))
    try rows.outbox.makeNew(try OutboxPerson.restored.key(rows))
  } _: { context in
    let state = try OutboxPerson.restored.state(context)
    return [state?.entries.isEmpty == true, state?.facts?.kind == .insert]
  }

  /// A person gives a change up.
  static let droppedEntry = step("dropped") { rows in
    try rows.outbox.remove(numbers: try OutboxPerson.dropped.entries(rows).map(\.number))
    try rows.outbox.discardChanges(of: try OutboxPerson.dropped.key(rows))
  } _: { context in
    let state = try OutboxPerson.dropped.state(context)
    return [state?.entries.isEmpty == true, state?.person.name == "theirs", state?.facts == nil]
  }
}
