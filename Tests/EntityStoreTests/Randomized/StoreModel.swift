import EntityStore
import TestSchema
import TestSupport

// The expected behaviour of a store, written without a look at its code: rows in dictionaries.

struct ModelRow: Equatable {
  enum Kind { case person, note }

  let kind: Kind
  let pk: Int64
  var text = ""
  var number = 0
  var maybe: String?
  /// A person's boss, a note's person.
  var link: Int64?
}

/// The unsaved changes of one context.
struct ModelChanges {
  struct Edit {
    var text: String?
    var number: Int?
    var maybe: String??
    var link: Int64??

    func applied(to row: ModelRow) -> ModelRow {
      var row = row
      row.text = text ?? row.text
      row.number = number ?? row.number
      row.maybe = maybe ?? row.maybe
      row.link = link ?? row.link
      return row
    }
  }

  struct Failure: Error { let kind: StoreError.Kind }

  var inserted: [Int64: ModelRow] = [:]
  var edits: [Int64: Edit] = [:]
  var deleting: Set<Int64> = []
  /// Deleted before they were saved.
  var discarded: Set<Int64> = []
  var editedAfterDelete = false

  /// The rows that the context's queries find.
  func visible(_ stored: [Int64: ModelRow]) -> [Int64: ModelRow] {
    var rows = stored.merging(inserted) { first, _ in first }
    for (pk, edit) in edits {
      if let row = rows[pk] { rows[pk] = edit.applied(to: row) }
    }
    for pk in deleting { rows[pk] = nil }
    return rows
  }

  mutating func delete(_ pk: Int64) {
    if inserted.removeValue(forKey: pk) != nil {
      edits[pk] = nil
      discarded.insert(pk)
    } else {
      deleting.insert(pk)
    }
  }

  /// Writes the changes to `stored`, or throws and writes nothing.
  mutating func flush(into stored: inout [Int64: ModelRow]) throws {
    let leftovers = edits.keys.contains { stored[$0] == nil && inserted[$0] == nil && !deleting.contains($0) }
    guard !editedAfterDelete, !leftovers else { throw Failure(kind: .objectDeleted) }
    guard !inserted.isEmpty || !edits.isEmpty || !deleting.isEmpty else { return self = ModelChanges() }
    var rows = stored.merging(inserted) { first, _ in first }
    for (pk, edit) in edits where !deleting.contains(pk) {
      if let row = rows[pk] { rows[pk] = edit.applied(to: row) }
    }
    var going = Array(deleting.filter { stored[$0] != nil }) + discarded
    while let pk = going.popLast() {
      rows[pk] = nil
      for (other, row) in rows where row.link == pk {
        if row.kind == .note { going.append(other) } else { rows[other]?.link = nil }
      }
    }
    stored = rows
    self = ModelChanges()
  }

  static func checkLinks(_ rows: [Int64: ModelRow]) throws {
    let isBroken = rows.values.contains { row in row.link.map { rows[$0] == nil } ?? false }
    if isBroken { throw Failure(kind: .brokenLink) }
  }
}

/// A condition, once for the store and once in plain Swift.
struct ModelQuery {
  var person: EntityQuery<Person>
  let matches: (ModelRow) -> Bool
  var text = ""
  var order: (ModelRow, ModelRow) -> Bool = { $0.pk < $1.pk }
  var range: (offset: Int, count: Int)?

  static func random(_ random: inout SeededRandom) -> ModelQuery {
    let number = random.below(6)
    let text = random.text()
    let kind = random.below(10)
    var query = condition(kind, number, text)
    query.text = "condition \(kind) with \(number) and '\(text)'"
    guard random.chance(2) else { return query }
    query.order = { ($0.number, -$0.pk) > ($1.number, -$1.pk) }
    query.person = query.person.sorted(by: \.age, .descending)
    guard random.chance(2) else { return query }
    let range = (offset: random.below(3), count: random.below(4))
    query.person = query.person.limited(to: range.count, offset: range.offset)
    query.range = range
    query.text += " in \(range)"
    return query
  }

  private static func condition(_ kind: Int, _ number: Int, _ text: String) -> ModelQuery {
    switch kind {
    case 0: return .init(person: Person.where { $0.name == text }) { same($0.text, text) }
    case 1: return .init(person: Person.where { $0.age > number }) { $0.number > number }
    case 2: return .init(person: Person.where { $0.email == nil }) { $0.maybe == nil }
    case 3: return .init(person: Person.where { $0.email != text }) { !same($0.maybe, text) }
    case 4:
      return .init(person: Person.where { !($0.email < text) }) {
        !($0.maybe.map { $0.utf8.lexicographicallyPrecedes(text.utf8) } ?? false)
      }
    case 5:
      return .init(person: Person.where { $0.age <= number && $0.name != text }) {
        $0.number <= number && !same($0.text, text)
      }
    case 6:
      return .init(person: Person.where { $0.boss == nil || $0.age == number }) {
        $0.link == nil || $0.number == number
      }
    case 7:
      return .init(person: Person.where { $0.email.isIn([text, nil]) }) { $0.maybe == nil || same($0.maybe, text) }
    case 8: return .init(person: Person.where { !($0.boss != nil) }) { $0.link == nil }
    default: return .init(person: Person.all) { _ in true }
    }
  }

  /// As SQLite has it: byte by byte.
  private static func same(_ left: String?, _ right: String) -> Bool {
    left.map { Array($0.utf8) } == Array(right.utf8)
  }

  func result(_ rows: [Int64: ModelRow]) -> [Int64] {
    // A link to an object that is deleted and not saved is none.
    let seen = rows.values.map { row in
      var row = row
      row.link = row.link.flatMap { rows[$0] == nil ? nil : $0 }
      return row
    }
    let all = seen.filter { $0.kind == .person && matches($0) }.sorted(by: order).map(\.pk)
    guard let range else { return all }
    return Array(all.dropFirst(range.offset).prefix(range.count))
  }

  init(person: EntityQuery<Person>, _ matches: @escaping (ModelRow) -> Bool) {
    self.person = person
    self.matches = matches
  }
}

extension SeededRandom {
  mutating func text() -> String { ["", "a", "b", "é", "e\u{301}", "a'b"][below(6)] }
}
