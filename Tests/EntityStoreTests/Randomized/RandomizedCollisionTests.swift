import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random inserts, edits, saves, lists and answers that bind uids, against a model in which no edit is lost.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedCollisionTests {
  @Test(arguments: Place.usual)
  func `no edit is lost where rows turn out to be one object`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 600 : 150, sanitized: 20, place.rawValue) { seed, steps in
      let run = try Run(place, seed)
      defer { steps = run.log.suffix(40).joined(separator: "\n") }
      try await run.go()
    }
  }

  /// The expected row of a person.
  private struct Row {
    var uid: Int64?
    var values: [StoredValue] = Run.columns.map(\.initial)
    /// The columns with an edit that is not acknowledged, and the values of all edits of them.
    var edits: [Int: Set<StoredValue>] = [:]
  }

  @MainActor
  private final class Run {
    /// The columns that are edited, by their place.
    nonisolated static let columns: [(index: Int, initial: StoredValue)] = [
      (Person.columns.name.index, .text("")), (Person.columns.email.index, .null),
      (Person.columns.age.index, .integer(0)), (Person.columns.score.index, .null),
    ]

    let test: TestStore
    let main: EntityContext
    var random: SeededRandom
    var log: [String] = []
    var next: Int64 = 1
    var rows: [Int64: Row] = [:]
    var unsaved: [Int64: [Int: StoredValue]] = [:]
    var objects: [Int64: Person] = [:]
    var survivors: [Int64: Int64] = [:]

    init(_ place: Place, _ seed: UInt64) throws {
      test = try TestStore(place)
      main = test.store.main
      main.conflictPolicy = .mine
      random = SeededRandom(seed)
    }

    func go() async throws {
      for _ in 0..<(10 + random.below(40)) {
        switch random.below(12) {
        case 0, 1: try insert()
        case 2...4: try editInMain()
        case 5: try await editInUnit()
        case 6: try await save()
        case 7, 8: try await list()
        case 9, 10: try await answer()
        default: try await acknowledge()
        }
        if random.chance(3) { try compare() }
      }
      try compare()
      try await save()
      try compare()
    }

    private func live() -> [Int64] { Set(rows.keys).union(unsaved.keys).sorted() }

    /// A value that no other edit and no answer has, or now and then `nil`.
    private func value(_ column: Int) -> StoredValue {
      next += 1
      switch column {
      case 0: return .text("n\(next)")
      case 1: return random.chance(4) ? .null : .text("e\(next)")
      case 2: return .integer(next)
      default: return .real(Double(next))
      }
    }

    nonisolated private static func set(_ person: Person, _ column: Int, _ value: StoredValue) {
      switch (column, value) {
      case (0, .text(let text)): person.name = text
      case (1, .text(let text)): person.email = text
      case (1, _): person.email = nil
      case (2, .integer(let integer)): person.age = Int(integer)
      case (3, .real(let double)): person.score = double
      default: break
      }
    }

    private func some() -> [Int: StoredValue] {
      var values: [Int: StoredValue] = [:]
      for column in Self.columns.indices where random.chance(2) { values[column] = value(column) }
      return values
    }

    // MARK: Operations

    private func insert() throws {
      let person = try main.insert(Person.self)
      let pk = person.entityID.pk
      objects[pk] = person
      unsaved[pk] = [:]
      log.append("insert \(pk)")
      for (column, value) in some() where value != Self.columns[column].initial {
        Self.set(person, column, value)
        unsaved[pk]?[column] = value
      }
    }

    private func editInMain() throws {
      // A setter compares with the merged value.
      try test.store.mergeMain()
      guard let pk = random.element(live()) else { return }
      let person = try object(pk)
      let column = random.below(Self.columns.count)
      let value = value(column)
      let visible = unsaved[pk]?[column] ?? rows[pk]?.values[column] ?? Self.columns[column].initial
      log.append("main \(pk).\(column) = \(value), was \(visible)")
      Self.set(person, column, value)
      guard value != visible else { return }
      // Set back to the row's value, it is no edit.
      unsaved[pk, default: [:]][column] = rows[pk]?.values[column] == value ? nil : value
      if unsaved[pk]?.isEmpty == true, rows[pk] != nil { unsaved[pk] = nil }
    }

    private func editInUnit() async throws {
      guard let pk = random.element(rows.keys.sorted()) else { return }
      let column = random.below(Self.columns.count)
      let value = value(column)
      log.append("unit \(pk).\(column) = \(value)")
      try await test.store.edit(EntityID(pk: pk)) { Self.set($0, column, value) }
      write(pk, column, value)
    }

    /// An edit reaches a row.
    private func write(_ pk: Int64, _ column: Int, _ value: StoredValue) {
      guard rows[pk]?.values[column] != value else { return }
      rows[pk]?.values[column] = value
      rows[pk]?.edits[column, default: []].insert(value)
    }

    private func save() async throws {
      log.append("save")
      if random.chance(2) { try await main.save() } else { try main.saveAtOnce() }
      for (pk, edits) in unsaved {
        let isNew = rows[pk] == nil
        if isNew { rows[pk] = Row() }
        for (column, value) in edits {
          write(pk, column, value)
          if isNew { rows[pk]?.edits[column, default: []].insert(value) }
        }
      }
      unsaved = [:]
    }

    private func respond(_ pk: Int64?, _ uid: Int64, _ values: [Int: StoredValue]) async throws -> Int64 {
      try await test.store.core.unit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[Person.columns.uid.index] = .integer(uid)
        for (column, value) in values { row[Self.columns[column].index] = value }
        let source = RowSource.response(.keepingEdits, newer: ColumnMask())
        if let pk { return try rows.write(model, pk: pk, row, source).pk }
        if let found = try rows.find(model, uid: .integer(uid)) { return try rows.update(model, found, row, source).pk }
        return try rows.insert(model, pk: rows.newPrimaryKey(), row, source).pk
      }
    }

    private func list() async throws {
      let uid = Int64(1 + random.below(3))
      let values = some()
      let pk = try await respond(nil, uid, values)
      log.append("list uid \(uid), row \(pk): \(values)")
      rows[pk, default: Row()].uid = uid
      adopt(values, pk)
    }

    private func adopt(_ values: [Int: StoredValue], _ pk: Int64) {
      for (column, value) in values where rows[pk]?.edits[column] == nil { rows[pk]?.values[column] = value }
    }

    /// The answer to a POST of an object without uid.
    private func answer() async throws {
      guard let pk = random.element(live().filter { rows[$0]?.uid == nil }) else { return }
      let uid = Int64(1 + random.below(3))
      let values = some()
      log.append("answer \(pk): uid \(uid), \(values)")
      _ = try await respond(pk, uid, values)
      var row = rows[pk] ?? Row()
      row.uid = uid
      if let (loser, other) = rows.first(where: { $0.value.uid == uid && $0.key != pk }) {
        log.append("\(loser) is \(pk)")
        for column in Self.columns.indices where row.edits[column] == nil {
          let initial = Self.columns[column].initial
          if other.edits[column] != nil {
            row.values[column] = other.values[column]
          } else if values[column] == nil, row.values[column].isNull || row.values[column] == initial {
            row.values[column] = other.values[column]
          }
        }
        row.edits.merge(other.edits) { $0.union($1) }
        rows[loser] = nil
        survivors[loser] = pk
        if let edits = unsaved.removeValue(forKey: loser) { unsaved[pk, default: [:]].merge(edits) { own, _ in own } }
      }
      rows[pk] = row
      adopt(values, pk)
      // With a row, nothing unsaved is nothing to save.
      if unsaved[pk]?.isEmpty == true { unsaved[pk] = nil }
    }

    private func acknowledge() async throws {
      guard let pk = random.element(rows.keys.sorted()) else { return }
      let column = random.below(Self.columns.count)
      log.append("acknowledge \(pk).\(column)")
      try await test.store.core.unit { rows in
        try rows.edits.acknowledge(rows.schema.model(Person.self), pk: pk, ColumnMask(Self.columns[column].index))
      }
      rows[pk]?.edits[column] = nil
    }

    // MARK: Comparing

    private func object(_ pk: Int64) throws -> Person {
      if let person = objects[pk] { return person }
      guard let person = try main.object(EntityID<Person>(pk: pk)) else {
        throw RandomizedContext.Difference("person \(pk) is not found")
      }
      objects[pk] = person
      return person
    }

    private func compare() throws {
      try test.store.mergeMain()
      let model = try main.core.schema.model(Person.self)
      let found = try main.connection.rows("SELECT \(model.columnList) FROM main.Person ORDER BY _pk") { row in
        (
          pk: row.int64(0), marks: model.edited(row).known,
          values: Self.columns.map { row.value($0.index + EntityModel.resultOffset) }
        )
      }
      try same("rows", found.map(\.pk), rows.keys.sorted())
      for (pk, marks, values) in found {
        guard let row = rows[pk] else { continue }
        try same("row \(pk)", values, row.values)
        var expected = ColumnMask()
        for column in row.edits.keys { expected.insert(Self.columns[column].index) }
        try same("marks of \(pk)", marks, expected)
        for (column, edits) in row.edits where !edits.contains(values[column]) {
          throw RandomizedContext.Difference("\(pk).\(column) is \(values[column]), and no edit of it")
        }
      }
      for pk in live() {
        let person = try object(pk)
        for (column, property) in Self.columns.enumerated() {
          let value = person.loadedValues(ColumnMask(property.index))[property.index]
          let expected = unsaved[pk]?[column] ?? rows[pk]?.values[column] ?? property.initial
          try same("object \(pk).\(column)", value, expected)
          try same(
            "\(pk).\(column) is edited", person.hasLocalEdit(of: property.index),
            unsaved[pk]?[column] != nil || rows[pk]?.edits[column] != nil)
        }
        try same("\(pk) is deleted", person.isDeleted, false)
      }
      for (loser, survivor) in survivors {
        guard let person = objects[loser] else { continue }
        try same("\(loser) is forwarded", person.forwardedTo?.pk, survivor)
        try same("\(loser) is deleted", person.isDeleted && !person.hasChanges, true)
      }
    }

    private func same<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
      if found != expected { throw RandomizedContext.Difference("\(what) is \(found), not \(expected)") }
    }
  }
}
