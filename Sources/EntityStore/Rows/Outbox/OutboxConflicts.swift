import EntityJSON
import Foundation

// The conflicts that a person settles: the entry of an object has the values of each property, `mine` is in the row.

/// The values of one property in a conflict, but for the one here.
private struct HeldValues: Codable {
  var base: StoredForm
  var theirs: StoredForm
}

extension OutboxEntry {
  /// The values of each property in conflict, by name; empty for an entry that has none, and one that can't be read.
  fileprivate var held: [String: HeldValues] {
    kept.flatMap { try? JSONValueDecoder().decode([String: HeldValues].self, from: $0) } ?? [:]
  }

  fileprivate mutating func setHeld(_ held: [String: HeldValues]) throws {
    kept = String(decoding: try JSONValueEncoder(format: .sorted).encode(held), as: UTF8.self)
  }
}

extension RowOutbox {
  /// Holds the update of an object until a person has decided about a property.
  func hold(_ key: RowKey, _ property: String, base: StoredValue, theirs: StoredValue) throws {
    let known = try entries(of: key).first { $0.state == .conflict }
    var entry = known ?? OutboxEntry(key: key, kind: .update, state: .conflict, time: rows.stamp.now)
    var held = entry.held
    // The first base is the one that the edit was made on.
    held[property] = HeldValues(base: held[property]?.base ?? StoredForm(base), theirs: StoredForm(theirs))
    try entry.setHeld(held)
    // The response may merge other properties of the object, too, which is no edit by a person.
    entry.edited = try rows.stamp.number()
    entry.reason = "The server has another value of \(held.keys.sorted().joined(separator: ", "))."
    if known == nil { try insert(entry) } else { try update(entry) }
  }

  /// A merged or settled property gets another number, which is no answer by a person to the conflicts of the object's others.
  private func keepConflicts(of key: RowKey) throws {
    let last = try lastEdit(of: key, where: "NOT \(OutboxTable.isEffect)")
    for var entry in try entries(of: key) where entry.state == .conflict && last <= entry.edited {
      entry.edited = try rows.stamp.number()
      try update(entry)
    }
  }

  // MARK: Objects that the server has deleted

  /// The uid of an object that the server has deleted, where the merge rule lets the object go with its edits; `nil` where
  /// the object stays.
  func yieldingUID(_ key: RowKey) throws -> StoredValue? {
    let model = schema.entities[key.entity]
    guard let rule = rows.writer.merging.rule(of: key.entity), let uid = model.uid,
      let (row, values) = try rows.find(model, pk: key.pk)?.read(model, ColumnMask(uid)),
      rule.yieldsToDeletion(model, row.edited), try !hasClaim(key)
    else { return nil }
    return values[uid]
  }

  /// Keeps the edits of an object that the server has deleted as an entry, which a person settles, where the entity has a
  /// merge rule.
  ///
  /// - Returns: Whether there is such an entry now. A claim finds out by its own request.
  func keepAside(_ key: RowKey) throws -> Bool {
    let model = schema.entities[key.entity]
    guard rows.writer.merging.rule(of: key.entity) != nil, model.uid != nil, try !hasClaim(key) else { return false }
    let known = try entries(of: key).filter { $0.kind == .update }
    if known.contains(where: { $0.state == .gone }) { return true }
    var entry = known.last ?? OutboxEntry(key: key, kind: .update, state: .gone, time: rows.stamp.now)
    (entry.state, entry.time, entry.next, entry.kept) = (.gone, rows.stamp.now, nil, nil)
    (entry.status, entry.reason, entry.answer) = (nil, "The server has deleted the object.", nil)
    entry.uid = try rows.edits.uidText(model, key.pk)
    entry.edited = try lastEdit(of: key)
    if entry.number == 0 { try insert(entry) } else { try update(entry) }
    return true
  }

  /// Whether an object has a request that may have reached the server, or that is sent as it is.
  private func hasClaim(_ key: RowKey) throws -> Bool {
    try entries(of: key).contains { $0.state == .sending || $0.state == .waiting }
  }

  // MARK: Edits

  /// The highest number of the edits of an object.
  package func lastEdit(of key: RowKey, where condition: String = "1") throws -> Int64 {
    try connection.rows(
      "SELECT max(number) FROM \(EditNotes.table) AS _edit WHERE entity = ?1 AND pk = ?2 AND \(condition)",
      [.text(schema.entities[key.entity].name), .integer(key.pk)]
    ) { $0.int64(0) }.first ?? 0
  }

  /// The highest number of the edits of some properties.
  package func lastEdit(of key: RowKey, _ mask: ColumnMask) throws -> Int64 {
    try rows.edits.editNotes(schema.entities[key.entity], key.pk, mask).values.compactMap(\.number).max() ?? 0
  }

  /// Ends the conflicts of properties. The last one ends the entry.
  func endConflicts(of key: RowKey, _ properties: [String]) throws {
    for var entry in try entries(of: key) where entry.state == .conflict {
      let known = entry.held
      let held = known.filter { !properties.contains($0.key) }
      guard held.count < known.count else { continue }
      if held.isEmpty {
        try remove(numbers: [entry.number])
      } else {
        try entry.setHeld(held)
        try update(entry)
      }
    }
  }

  /// The conflicts of an entry, with the value that the row has.
  package func conflicts(of entry: OutboxEntry) throws -> [Conflict] {
    guard entry.state == .conflict else { return [] }
    let model = schema.entities[entry.key.entity]
    guard let (row, values) = try rows.find(model, pk: entry.key.pk)?.read(model, model.stored) else { return [] }
    try rows.checks.checkLazies()
    let uid = model.uid.flatMap { index in model.uidType.flatMap { values[index].uidText($0) } }
    return entry.held.sorted { $0.key < $1.key }.compactMap { name, held in
      guard let index = model.index(of: name), row.edited.contains(index) else { return nil }
      func pending(_ stored: StoredValue) -> PendingValue { schema.pendingValue(stored, model, index) }
      return Conflict(
        id: model.id(entry.key.pk), uid: uid, property: name,
        values: (pending(held.base.stored), pending(values[index]), pending(held.theirs.stored)), isLocalEdit: false)
    }
  }

  /// Takes the edit of a property back: the row gets the server's last value.
  package func discardEdit(_ property: Int, of key: RowKey) throws {
    try rows.pending.discard(key, ColumnMask(property))
  }

  /// Gives an edited property another value, as an edit.
  package func setEdit(_ value: StoredValue, _ index: Int, of key: RowKey) throws {
    let model = schema.entities[key.entity]
    guard let found = try rows.find(model, pk: key.pk) else { return }
    var values = RowValues(count: model.properties.count)
    values[index] = value
    _ = try rows.update(model, found, values, .effect)
    try keepConflicts(of: key)
    try rows.edits.renumber(model, key.pk, ColumnMask(index), isNew: false)
  }
}
