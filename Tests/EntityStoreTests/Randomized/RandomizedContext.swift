import EntityStore
import TestSchema
import TestSupport

/// A context under test beside the model of its expected state.
final class RandomizedContext {
  struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  let context: EntityContext
  var changes = ModelChanges()
  /// Objects held on to, which must stay the only ones of their rows.
  var people: [Int64: Person] = [:]
  var notes: [Int64: Note] = [:]
  private var unique = 0
  /// The log of the steps, for whoever has to find out why one went wrong.
  var log: [String] = []

  init(_ context: EntityContext) { self.context = context }

  func forget() {
    people = [:]
    notes = [:]
  }

  /// Holds all objects, so that no operation has to fetch: in a unit a fetch writes the unsaved changes.
  func hold() throws {
    for person in try context.fetch(Person.all) { people[person.entityID.pk] = person }
    for note in try context.fetch(Note.all) { notes[note.entityID.pk] = note }
  }

  // MARK: Operations

  func insert(_ random: inout SeededRandom) throws {
    if random.chance(3) {
      let note = try context.insert(Note.self)
      changes.inserted[note.entityID.pk] = ModelRow(kind: .note, pk: note.entityID.pk, text: "new")
      notes[note.entityID.pk] = note
      log.append("insert note \(note.entityID.pk)")
    } else {
      let person = try context.insert(Person.self)
      log.append("insert person \(person.entityID.pk)")
      changes.inserted[person.entityID.pk] = ModelRow(kind: .person, pk: person.entityID.pk)
      people[person.entityID.pk] = person
    }
  }

  func edit(_ stored: [Int64: ModelRow], _ random: inout SeededRandom) throws {
    let rows = changes.visible(stored)
    guard let pk = random.element(rows.keys.sorted()), let row = rows[pk] else { return }
    var edit = changes.edits[pk] ?? .init()
    let target = random.chance(4) ? nil : random.element(rows.values.filter { $0.kind == .person }.map(\.pk).sorted())
    let text = random.text()
    let number = random.below(6)
    let column = random.below(4)
    log.append("edit \(pk): column \(column), \(text), \(number), \(target ?? 0)")
    switch row.kind {
    case .person:
      let person = try person(pk)
      switch column {
      case 0: person.name = text
      case 1: person.age = number
      case 2: person.email = text.isEmpty ? nil : text
      default: person.boss = try target.map(self.person)
      }
    case .note:
      let note = try note(pk)
      switch column {
      case 0, 2: note.text = text
      case 1: note.rank = number
      default: note.person = try target.map(self.person)
      }
    }
    // An equal value is no change.
    switch column {
    case 0: if !row.text.utf8.elementsEqual(text.utf8) { edit.text = text }
    case 1: if row.number != number { edit.number = number }
    case 2 where row.kind == .note: if !row.text.utf8.elementsEqual(text.utf8) { edit.text = text }
    case 2:
      let new = text.isEmpty ? nil : text
      if row.maybe.map({ Array($0.utf8) }) != new.map({ Array($0.utf8) }) { edit.maybe = .some(new) }
    default: if row.link != target { edit.link = .some(target) }
    }
    if edit.text != nil || edit.number != nil || edit.maybe != nil || edit.link != nil { changes.edits[pk] = edit }
  }

  func delete(_ stored: [Int64: ModelRow], _ random: inout SeededRandom) throws {
    let rows = changes.visible(stored)
    guard let pk = random.element(rows.keys.sorted()), let row = rows[pk] else { return }
    switch row.kind {
    case .person: try context.delete(person(pk))
    case .note: try context.delete(note(pk))
    }
    changes.delete(pk)
    log.append("delete \(pk)")
    guard random.chance(20), stored[pk] != nil else { return }
    unique += 1
    log.append("edit the deleted \(pk)")
    people[pk]?.name = "after \(unique)"
    notes[pk]?.text = "after \(unique)"
    changes.editedAfterDelete = true
  }

  private func person(_ pk: Int64) throws -> Person {
    guard let person = try people[pk] ?? context.object(EntityID<Person>(pk: pk)) else {
      throw Difference("person \(pk) is not found")
    }
    people[pk] = person
    return person
  }

  private func note(_ pk: Int64) throws -> Note {
    guard let note = try notes[pk] ?? context.object(EntityID<Note>(pk: pk)) else {
      throw Difference("note \(pk) is not found")
    }
    notes[pk] = note
    return note
  }

  // MARK: Comparing

  func compare(_ stored: [Int64: ModelRow]) throws {
    let rows = changes.visible(stored)
    let foundPeople = try context.fetch(Person.all)
    try same("people", foundPeople.map(\.entityID.pk), rows.values.filter { $0.kind == .person }.map(\.pk).sorted())
    for person in foundPeople {
      let pk = person.entityID.pk
      if let held = people[pk], held !== person { throw Difference("person \(pk) is two objects") }
      guard let row = rows[pk] else { continue }
      try same("\(pk).name", Array(person.name.utf8), Array(row.text.utf8))
      try same("\(pk).age", person.age, row.number)
      try same("\(pk).email", person.email.map { Array($0.utf8) }, row.maybe.map { Array($0.utf8) })
      try same("\(pk).boss", seen(person.boss, row), seen(row, rows))
      if person.isDeleted { throw Difference("person \(pk) is deleted") }
      let reports = rows.values.filter { $0.kind == .person && $0.link == pk }.map(\.pk).sorted()
      try same("\(pk).reports", person.reports.map(\.entityID.pk), reports)
    }
    let foundNotes = try context.fetch(Note.all)
    try same("notes", foundNotes.map(\.entityID.pk), rows.values.filter { $0.kind == .note }.map(\.pk).sorted())
    for note in foundNotes {
      let pk = note.entityID.pk
      if let held = notes[pk], held !== note { throw Difference("note \(pk) is two objects") }
      guard let row = rows[pk] else { continue }
      try same("\(pk).text", Array(note.text.utf8), Array(row.text.utf8))
      try same("\(pk).rank", note.rank, row.number)
      try same("\(pk).person", seen(note.person, row), seen(row, rows))
    }
    for (pk, person) in people where person.isDeleted == (rows[pk] != nil) {
      throw Difference("person \(pk) says isDeleted: \(person.isDeleted)")
    }
  }

  func query(_ stored: [Int64: ModelRow], _ random: inout SeededRandom) throws {
    let query = ModelQuery.random(&random)
    let rows = changes.visible(stored)
    log.append("query \(query.text)")
    let found = try context.fetch(query.person).map(\.entityID.pk)
    try same("query", found, query.result(rows))
    try same("count", try context.count(query.person), found.count)
  }

  /// A link as a property shows it: not to a deleted object.
  private func seen(_ target: Person?, _ row: ModelRow) -> Int64? {
    guard let target, !target.isDeleted else { return nil }
    return target.entityID.pk
  }

  private func seen(_ row: ModelRow, _ rows: [Int64: ModelRow]) -> Int64? {
    row.link.flatMap { rows[$0] == nil ? nil : $0 }
  }

  private func same<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    if found != expected { throw Difference("\(what) is \(found), not \(expected)") }
  }
}
