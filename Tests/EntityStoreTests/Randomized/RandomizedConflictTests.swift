import EntityStore
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Several contexts edit the same rows at random, with units of the app and of the server in between. A model tells which
/// saves fail, with which conflicts, and what the rows have after each.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedConflictTests {
  @Test(arguments: Place.usual)
  func `saves agree with a model`(_ place: Place) async throws {
    var tally = Tally()
    await Seeds.each(place == .memory ? 300 : 60, sanitized: 10, place.rawValue) { seed, steps in
      var run = try await Run(place, seed)
      defer { steps = run.log.joined(separator: "\n") }
      try await run.go()
      tally.failed += run.tally.failed
      tally.resolved += run.tally.resolved
      tally.saved += run.tally.saved
    }
    // Each happens, but for a seed by itself.
    guard Seeds.one == nil else { return }
    #expect(tally.failed > 0 && tally.resolved > 0 && tally.saved > 0, "\(tally)")
  }

  private struct Tally {
    var failed = 0
    var resolved = 0
    var saved = 0
  }

  private struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// A cell of the model: one column of one row.
  private struct Cell: Hashable {
    let row: Int
    let column: String
  }

  private struct Value: Equatable {
    var text: Int
    var isLocal: Bool
  }

  private struct Edit: Equatable {
    let base: Int
    var mine: Int
  }

  /// A main context, which edits, and the model of its unsaved edits.
  private final class Editor {
    let store: EntityStore
    let people: [Person]
    var edits: [Cell: Edit] = [:]

    @MainActor init(_ store: EntityStore, _ ids: [EntityID<Person>]) throws {
      self.store = store
      people = try ids.map { try #require(try store.main.object($0)) }
    }
  }

  private static let columns = ["age", "name", "email"]

  private enum Policy: CaseIterable {
    case none, standard, mine, theirs, fail, sum, mixed

    /// The sum of both increments; the base where that can't be told.
    static func sum(_ base: Int, _ mine: Int, _ theirs: Int) -> Int { theirs + (mine - base) }

    var policy: ConflictPolicy? {
      switch self {
      case .none: nil
      case .standard: .standard
      case .mine: .mine
      case .theirs: .theirs
      case .fail: .fail
      case .sum:
        .custom { conflict in
          let values = [conflict.base, conflict.mine, conflict.theirs].map(Self.number)
          let sum = Self.sum(values[0], values[1], values[2])
          return conflict.property == "age" ? .value(sum) : .value("\(sum)")
        }
      case .mixed:
        .byColumn(
          .merge(\Person.Columns.age) { Self.sum($0, $1, $2) }, .column(\Person.Columns.name, .theirs), others: .fail)
      }
    }

    static func number(_ value: PendingValue) -> Int {
      value.as(Int.self) ?? value.as(String.self).flatMap { Int($0) } ?? 0
    }

    /// The values of the row after a save; `nil` where the save fails.
    func result(_ column: String, _ edit: Edit, _ theirs: Value) -> Int? {
      switch (self, column) {
      case (.none, _), (.standard, _): theirs.isLocal ? nil : edit.mine
      case (.mine, _): edit.mine
      case (.theirs, _), (.mixed, "name"): theirs.text
      case (.sum, _), (.mixed, "age"): Self.sum(edit.base, edit.mine, theirs.text)
      case (.fail, _), (.mixed, _): nil
      }
    }
  }

  @MainActor
  private struct Run {
    let folder: TemporaryFolder
    let stores: [EntityStore]
    let ids: [EntityID<Person>]
    let editors: [Editor]
    var random: SeededRandom
    var rows: [Cell: Value] = [:]
    var last = 1
    var tally = Tally()
    var log: [String] = []

    init(_ place: Place, _ seed: UInt64) async throws {
      random = SeededRandom(seed)
      folder = try TemporaryFolder()
      let location: StoreLocation = place == .file ? .file(folder.file) : .inMemory
      let store = try EntityStore(location, entities: TestStore.people, busyTimeout: .ample)
      // A second store on the file stands for another process.
      let other =
        place == .file ? [try EntityStore(location, entities: TestStore.people, busyTimeout: .ample)] : []
      stores = [store] + other
      ids = try await store.background(as: .server) { context in
        try (1...3).map { uid in
          let person = try context.insert(Person.self)
          (person.uid, person.name, person.email, person.age) = (uid, "0", "0", 0)
          return person.entityID
        }
      }
      for row in 0..<3 {
        for column in RandomizedConflictTests.columns {
          rows[Cell(row: row, column: column)] = Value(text: 0, isLocal: false)
        }
      }
      let ids = ids
      editors = try stores.map { try Editor($0, ids) }
    }

    mutating func go() async throws {
      for _ in 0..<(20 + random.below(40)) {
        guard let editor = random.element(editors) else { return }
        var cell = Cell(row: random.below(3), column: random.element(RandomizedConflictTests.columns) ?? "age")
        let step = random.below(16)
        // Others mostly change what is edited.
        let edited = editor.edits.keys.sorted { ($0.row, $0.column) < ($1.row, $1.column) }
        if (6...9).contains(step), !random.chance(4) { cell = random.element(edited) ?? cell }
        switch step {
        case 0...5: try edit(editor, cell)
        case 6, 7: try await unit(cell, .app)
        case 8, 9: try await unit(cell, .server)
        case 10: try editor.store.main.merging.merge()
        case 11:
          log.append("refresh \(cell.row)")
          try editor.store.main.refresh(editor.people[cell.row])
          for (other, edit) in editor.edits where other.row == cell.row {
            editor.edits[other] = Edit(base: value(other).text, mine: edit.mine)
          }
        case 12:
          log.append("drop \(cell.row)")
          try editor.store.main.refresh(editor.people[cell.row], keepingEdits: false)
          editor.edits = editor.edits.filter { $0.key.row != cell.row }
          try compare(editor, editor.people[cell.row], cell.row)
        case 13 where random.chance(3):
          log.append("reset")
          if random.chance(2) { editor.store.main.rollback() } else { editor.store.main.reset() }
          editor.edits = [:]
        default: try await save(editor)
        }
      }
      for editor in editors { try await save(editor) }
    }

    private func value(_ cell: Cell) -> Value { rows[cell] ?? Value(text: 0, isLocal: false) }

    private func read(_ person: Person, _ column: String) -> Int {
      switch column {
      case "age": person.age
      case "name": Int(person.name) ?? -1
      default: person.email.map { Int($0) ?? -1 } ?? 0
      }
    }

    nonisolated private static func write(_ person: Person, _ column: String, _ value: Int) {
      switch column {
      case "age": person.age = value
      case "name": person.name = "\(value)"
      default: person.email = "\(value)"
      }
    }

    private mutating func edit(_ editor: Editor, _ cell: Cell) throws {
      let person = editor.people[cell.row]
      let before = read(person, cell.column)
      // Mostly a value that nobody else has; now and then the one that the row has by now.
      last += 1
      let new = random.chance(6) ? value(cell).text : last
      Self.write(person, cell.column, new)
      log.append("editor \(editor.store === stores[0] ? 1 : 2) \(cell.row).\(cell.column) = \(new), was \(before)")
      let isEdited = editor.store.main.changes.properties(of: person).contains(cell.column)
      if !isEdited {
        let edit = editor.edits.removeValue(forKey: cell)
        // Equal to what the object or the row has: no edit.
        guard new == before && edit == nil || new == edit?.base || new == value(cell).text else {
          throw Difference("\(cell) was set to \(new), and is no edit")
        }
      } else if editor.edits[cell] != nil {
        editor.edits[cell]?.mine = new
      } else {
        editor.edits[cell] = Edit(base: before, mine: new)
      }
    }

    private mutating func unit(_ cell: Cell, _ author: ChangeAuthor) async throws {
      last += 1
      let (id, column, new) = (ids[cell.row], cell.column, last)
      guard let store = random.element(stores) else { return }
      try await store.background(as: author) { context in
        Self.write(try #require(try context.object(id)), column, new)
      }
      // A sum may have been the same number: an equal value changes nothing.
      if value(cell).text != new { rows[cell] = Value(text: new, isLocal: author == .app) }
      log.append("\(author) \(cell.row).\(cell.column) = \(new)")
    }

    private mutating func save(_ editor: Editor) async throws {
      let rule = random.element(Policy.allCases) ?? .none
      var expected: [String] = []
      var after = rows
      for (cell, edit) in editor.edits {
        let theirs = value(cell)
        var new: Int? = edit.mine
        if theirs.text == edit.mine, theirs.text != edit.base {
          // A function takes it for two increments.
          if rule == .sum || rule == .mixed && cell.column == "age" { new = rule.result(cell.column, edit, theirs) }
        } else if theirs.text != edit.base {
          new = rule.result(cell.column, edit, theirs)
          if new == nil {
            expected.append("\(cell.row) \(cell.column) \(edit.base) \(edit.mine) \(theirs.text) \(theirs.isLocal)")
          } else {
            tally.resolved += 1
          }
        }
        if let new, new != theirs.text { after[cell] = Value(text: new, isLocal: true) }
      }
      log.append("save \(rule), expecting \(expected.sorted())")
      var found: [String] = []
      let main = editor.store.main
      do {
        switch (rule.policy, random.chance(2)) {
        case (nil, true): try await main.save()
        case (nil, false): try main.saveAtOnce()
        case (let policy?, true): try await main.save(conflicts: policy)
        case (let policy?, false): try main.saveAtOnce(conflicts: policy)
        }
      } catch let error as StoreError {
        guard error.kind == .conflict, !error.conflicts.isEmpty else { throw error }
        let ids = ids
        found = error.conflicts.map { conflict in
          let row = ids.firstIndex { $0.untyped == conflict.id } ?? -1
          let values = [conflict.base, conflict.mine, conflict.theirs].map { "\(Policy.number($0))" }
          return "\(row) \(conflict.property) \(values.joined(separator: " ")) \(conflict.isLocalEdit)"
        }
      }
      guard found.sorted() == expected.sorted() else {
        throw Difference("the save has the conflicts \(found.sorted()), and not \(expected.sorted())")
      }
      if expected.isEmpty {
        rows = after
        editor.edits = [:]
        tally.saved += 1
      } else {
        tally.failed += 1
      }
      if main.hasChanges == editor.edits.isEmpty { throw Difference("hasChanges is \(main.hasChanges)") }
      try main.merging.merge()
      for (row, person) in editor.people.enumerated() {
        if expected.isEmpty { try compare(editor, person, row) }
      }
      // Other contexts find these rows, with the marks of local edits.
      let ids = ids
      let stored = try await editor.store.read { context in
        var stored: [[String]] = []
        for id in ids {
          let person = try #require(try context.object(id))
          let marks = person.pendingColumns
          stored.append([
            "age \(person.age) \(marks.contains(\.age))", "name \(person.name) \(marks.contains(\.name))",
            "email \(person.email ?? "-") \(marks.contains(\.email))",
          ])
        }
        return stored
      }
      for row in ids.indices {
        let model = RandomizedConflictTests.columns.map { column in
          let value = value(Cell(row: row, column: column))
          return "\(column) \(value.text) \(value.isLocal)"
        }
        if stored[row] != model { throw Difference("row \(row) is \(stored[row]), and not \(model)") }
      }
    }

    /// An object without edits reads as its row.
    private func compare(_ editor: Editor, _ person: Person, _ row: Int) throws {
      for column in RandomizedConflictTests.columns {
        let cell = Cell(row: row, column: column)
        guard editor.edits[cell] == nil else { continue }
        let found = read(person, column)
        guard found == value(cell).text else {
          throw Difference("\(row).\(column) reads \(found), and not \(value(cell).text)")
        }
      }
    }
  }
}
