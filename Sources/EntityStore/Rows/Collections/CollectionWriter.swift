/// Writes stored collections, in the transaction of a unit; see ``CollectionNote``.
package final class CollectionWriter: RowWriterPart {
  /// The collections whose members the unit changed.
  private(set) var changes = ChangedCollections()
  /// The members whose rows went or came, or whose deletions ended, by the number of their entity.
  private var noted: [Int: Set<Int64>] = [:]
  /// Whether the file has members, as far as this transaction knows. Mostly it has none, and the result is kept.
  private var hasMembers: Bool?

  /// Rows went back to an earlier state.
  func forget() { hasMembers = nil }

  /// All collections went.
  func noteEmptied() {
    forget()
    noted = [:]
    changes = .any
  }

  // MARK: The note

  /// The note of a collection, as the server last confirmed it; `nil` where the file does not have the collection.
  package func note(_ key: AnswerKey) throws -> CollectionNote? {
    try connection.collection(key).map { rows.writer.answers.confirmed($0, key) }
  }

  /// Runs `action` after the commit.
  package func afterCommit(_ action: @escaping () -> Void) { rows.afterCommit(action) }

  /// Whether the answer of a newer request is in the collection already.
  package func hasNewer(_ key: AnswerKey, than number: RequestNumber) -> Bool {
    rows.writer.answers.hasNewer(key, than: number)
  }

  /// Notes that the beginning of the list came with a request.
  package func noteNewest(_ key: AnswerKey, _ number: RequestNumber, hasOlder: Bool) {
    rows.afterCommit { [answers = rows.writer.answers] in answers.noteNewest(key, number, hasOlder: hasOlder) }
  }

  /// When the server last sent or confirmed the list, in seconds since 1970.
  package func time(of key: AnswerKey, _ note: CollectionNote) -> Double {
    rows.writer.answers.time(of: key, noted: note.noted)
  }

  /// Whether the server changed objects of some entities after a request was sent.
  package func hasWrite(of entities: Set<String>, after number: RequestNumber) -> Bool {
    rows.writer.answers.hasWrite(of: entities, after: number)
  }

  /// Writes the note of a collection. A note that says the same as before, in a unit that changes nothing, is written
  /// nowhere, unless its time is old: an equal answer writes nothing.
  ///
  /// - Parameter isOld: Whether the server may have changed the list since it sent the answer.
  package func keep(_ note: CollectionNote, _ key: AnswerKey, isOld: Bool = false) throws {
    try rows.checkOpen()
    guard !connection.isReadOnly else { return }
    let answers = rows.writer.answers
    answers.noteAny()
    var note = note
    if isOld, !note.isEnded { note.mark = 1 }
    if let known = try self.note(key), known.saysTheSame(as: note), rows.rowsWritten == 0, changes.isEmpty,
      !known.isOld(at: note.time, rows.schema)
    {
      rows.afterCommit {
        // The answer is the one in the file again, and no earlier confirmation counts.
        answers.forgetConfirmation(key)
        answers.confirm(key, noted: known.noted, at: note.time, text: nil)
      }
      return
    }
    try connection.prepare(
      "INSERT INTO \(CollectionTables.table) (key, entity, note, time, is_complete, is_ended) VALUES (?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT (key) DO UPDATE SET entity = excluded.entity, note = excluded.note, time = excluded.time, "
        + "is_complete = excluded.is_complete, is_ended = excluded.is_ended"
    ).run([
      .text(key.text), .text(note.entity), .text(note.text), .real(note.time), .integer(note.isComplete ? 1 : 0),
      .integer(note.mark),
    ])
    rows.afterCommit {
      answers.forgetConfirmation(key)
      answers.followers.tellChanged(key)
    }
  }

  /// The store may lack something of all lists.
  func end() throws {
    try connection.prepare(
      "UPDATE \(CollectionTables.table) SET \(CollectionTables.isLacking) WHERE \(CollectionTables.mayLack)"
    ).run()
  }

  /// The server may have changed the lists with objects of an entity.
  func end(of entity: String) throws {
    // The note names the entities of its parts as the keys of an object of JSON.
    try connection.prepare(
      "UPDATE \(CollectionTables.table) SET is_ended = 1 WHERE (entity = ? OR instr(note, ?) > 0) AND is_ended = 0"
    ).run([.text(entity), .text("\"\(entity)\":")])
  }

  /// Removes a collection. Its objects stay.
  package func remove(_ key: AnswerKey) throws {
    guard !connection.isReadOnly else { return }
    let count = try write(
      "DELETE FROM \(CollectionTables.memberTable) WHERE collection = (SELECT id FROM \(CollectionTables.table) WHERE key = ?)",
      [.text(key.text)])
    if count > 0 { changes.insert(key.text) }
    try connection.prepare("DELETE FROM \(CollectionTables.table) WHERE key = ?").run([.text(key.text)])
    rows.afterCommit { [answers = rows.writer.answers] in answers.forget(key) }
  }

  /// Removes the collections of an entity that the server neither sent nor confirmed since some time, in seconds since 1970.
  /// Those that a screen shows stay, and those with objects that no answer has had.
  ///
  /// - Parameter queried: The lists that live queries show.
  /// - Returns: How many went.
  func removeUnheard(of entity: String, since time: Double, except queried: ReadCollections) throws -> Int {
    let shown = rows.writer.answers.followers.keys
    let old = try connection.rows(
      "SELECT key, time FROM \(CollectionTables.table) WHERE entity = ? AND time <= ? AND NOT EXISTS "
        + "(SELECT 1 FROM \(CollectionTables.memberTable) WHERE collection = id AND is_placed = 1)",
      [.text(entity), .real(time)]
    ) { (key: AnswerKey($0.text(0) ?? ""), time: $0.double(1) ?? 0) }.filter {
      !shown.contains($0.key.text) && !queried.contains($0.key.text)
        && rows.writer.answers.time(of: $0.key, noted: $0.time) <= time
    }
    for list in old { try remove(list.key) }
    return old.count
  }

  /// Removes the collections of all entities but some.
  ///
  /// - Returns: How many went.
  func removeAll(except entities: [String]) throws -> Int {
    let others = try connection.rows(
      "SELECT key FROM \(CollectionTables.table) WHERE entity NOT IN (SELECT value FROM _entity_values(?))",
      [.list(entities.map { .text($0) })]
    ) { AnswerKey($0.text(0) ?? "") }
    for key in others { try remove(key) }
    return others.count
  }

  // MARK: The members

  /// The members of a collection, for changes; `nil` where nothing can be written.
  package func members(_ key: AnswerKey, of entity: String) throws -> CollectionMembers? {
    try rows.checkOpen()
    guard !connection.isReadOnly else { return nil }
    try settleRows()
    let find = "SELECT id FROM \(CollectionTables.table) WHERE key = ?"
    if let id = try connection.rows(find, [.text(key.text)], read: { $0.int64(0) }).first {
      return CollectionMembers(writer: self, key: key, id: id)
    }
    try connection.prepare(
      "INSERT INTO \(CollectionTables.table) (key, entity, note, time) VALUES (?, ?, '', 0)"
    ).run([.text(key.text), .text(entity)])
    return try connection.rows(find, [.text(key.text)]) { $0.int64(0) }.first.map {
      CollectionMembers(writer: self, key: key, id: $0)
    }
  }

  /// Puts objects that were made here into the lists whose rules they meet.
  func placeNew() throws {
    guard !connection.isReadOnly else { return }
    let answers = rows.writer.answers
    let placements = answers.placements(hasNews: rows.edits.areNotesChanged)
    guard !placements.isEmpty else { return }
    for placement in placements {
      let found = try connection.rows(placement.sql, placement.values) { $0.int64(0) }
      guard !found.isEmpty else { continue }
      // The newest one comes first.
      try members(placement.key, of: placement.entity)?
        .place(placement.isFirst ? found.reversed() : found, first: placement.isFirst)
    }
    rows.afterCommit { answers.notePlaced() }
  }

  func noteChange(_ key: String) {
    changes.insert(key)
    hasMembers = nil
  }

  /// - Returns: How many rows the statement changed.
  @discardableResult
  func write(_ sql: String, _ values: [StoredValue]) throws -> Int {
    try connection.prepare(sql).run(values)
    return connection.changedRows
  }

  /// A row went or came back, or its deletion has ended: its lists show another result.
  func noteRow(_ model: EntityModel, _ pk: Int64) throws {
    guard try !model.isLinks && mayHaveMembers(), try noteLists(of: pk) else { return }
    noted[model.number, default: []].insert(pk)
  }

  /// Takes the noted rows that are gone out of the lists. "Not modified" would not bring back a list that still has them. A row
  /// that is deleted here keeps its places until the server has the deletion: the server's list still has the object, and no
  /// query finds it.
  func settleRows() throws {
    guard !noted.isEmpty else { return }
    let noted = noted.sorted { $0.key < $1.key }
    self.noted = [:]
    for (number, pks) in noted {
      let name = schema.entities[number].name
      let isGone = "pk IN (SELECT value FROM _entity_values(?2)) AND \(CollectionTables.isLost(of: name))"
      let values: [StoredValue] = [.text(name), .list(pks.sorted().map { .integer($0) })]
      try write(
        "UPDATE \(CollectionTables.table) SET is_ended = 1 WHERE is_ended = 0 AND id IN "
          + "(SELECT collection FROM \(CollectionTables.memberTable) WHERE \(isGone))", values)
      try write("DELETE FROM \(CollectionTables.memberTable) WHERE \(isGone)", values)
    }
  }

  /// The server may have a row that is not there: its lists may lack it.
  func noteLacking(_ pk: Int64) throws {
    guard try mayHaveMembers() else { return }
    try write(
      "UPDATE \(CollectionTables.table) SET \(CollectionTables.isLacking) WHERE \(CollectionTables.mayLack) AND id IN "
        + "(SELECT collection FROM \(CollectionTables.memberTable) WHERE pk = ?)", [.integer(pk)])
  }

  /// The deletion of a row was taken back, and its row is not there: only a list that begins anew brings the object again.
  func endLists(with pk: Int64) throws {
    guard try mayHaveMembers() else { return }
    let lists = try connection.rows(
      "SELECT c.id, c.key FROM \(CollectionTables.memberTable) AS m JOIN \(CollectionTables.table) AS c ON c.id = m.collection "
        + "WHERE m.pk = ?", [.integer(pk)]
    ) { (id: $0.int64(0), key: $0.text(1) ?? "") }
    for list in lists { try beginAnew(list.id, list.key, CollectionTables.isLacking) }
  }

  /// The rows among some that stand in a list which a screen shows.
  func shown(among pks: [Int64]) throws -> Set<Int64> {
    guard try mayHaveMembers() else { return [] }
    let keys = rows.writer.answers.followers.keys
    guard !keys.isEmpty else { return [] }
    return Set(
      try connection.rows(
        "SELECT value FROM _entity_values(?2) WHERE \(CollectionTables.isListed("value"))",
        [.list(keys.sorted().map { .text($0) }), .list(pks.map { .integer($0) })]
      ) { $0.int64(0) })
  }

  /// The values of some rows are gone: their lists begin anew with the next answer, because the pages behind the first one
  /// would not bring the values back. Until then they have the members before the first one that is gone, and the objects
  /// that were made here.
  func endLists(of pks: [Int64]) throws {
    guard try mayHaveMembers() else { return }
    let gone = StoredValue.list(pks.map { .integer($0) })
    let lists = try connection.rows(
      "SELECT c.id, c.key, min(CASE WHEN m.is_placed = 0 THEN m.place END) FROM \(CollectionTables.memberTable) AS m "
        + "JOIN \(CollectionTables.table) AS c ON c.id = m.collection "
        + "WHERE m.pk IN (SELECT value FROM _entity_values(?)) GROUP BY c.id", [gone]
    ) { (id: $0.int64(0), key: $0.text(1) ?? "", place: $0.value(2)) }
    for list in lists {
      try write(
        "DELETE FROM \(CollectionTables.memberTable) WHERE collection = ?1 "
          + "AND (is_placed = 0 AND place >= ?2 OR pk IN (SELECT value FROM _entity_values(?3)))",
        [.integer(list.id), list.place, gone])
      try beginAnew(list.id, list.key, "is_ended = 1")
    }
  }

  /// A list begins anew with the next answer. Where it is lacking, the members that are left may stay meanwhile.
  private func beginAnew(_ id: Int64, _ key: String, _ mark: String) throws {
    try write(
      "UPDATE \(CollectionTables.table) SET note = '', is_complete = 0, \(mark) WHERE id = ?", [.integer(id)])
    noteChange(key)
    rows.afterCommit { [answers = rows.writer.answers] in answers.forget(AnswerKey(key)) }
  }

  /// A row absorbs another one, or has the uid of one that is deleted here, and stands in its place in the lists that it is not
  /// in.
  func moveMember(_ model: EntityModel, from loser: Int64, to survivor: Int64) throws {
    guard try mayHaveMembers(), try noteLists(of: loser) else { return }
    // An object that was made here goes to the place that an answer gave it: an answer without it does not take it out.
    try write(
      "DELETE FROM \(CollectionTables.memberTable) WHERE pk = ?1 AND is_placed = 1 AND collection IN "
        + "(SELECT collection FROM \(CollectionTables.memberTable) WHERE pk = ?2 AND is_placed = 0)",
      [.integer(survivor), .integer(loser)])
    try write(
      "UPDATE OR IGNORE \(CollectionTables.memberTable) SET pk = ? WHERE pk = ?", [.integer(survivor), .integer(loser)])
  }

  /// Notes a change of the lists that have a row.
  ///
  /// - Returns: Whether there are any.
  private func noteLists(of pk: Int64) throws -> Bool {
    let keys = try connection.rows(
      "SELECT c.key FROM \(CollectionTables.memberTable) AS m JOIN \(CollectionTables.table) AS c ON c.id = m.collection "
        + "WHERE m.pk = ?", [.integer(pk)]
    ) { $0.text(0) ?? "" }
    for key in keys { changes.insert(key) }
    if !keys.isEmpty { rows.afterCommit { [answers = rows.writer.answers] in keys.forEach { answers.forgetList($0) } } }
    return !keys.isEmpty
  }

  private func mayHaveMembers() throws -> Bool {
    if let hasMembers { return hasMembers }
    let found = try !connection.rows("SELECT 1 FROM \(CollectionTables.memberTable) LIMIT 1") { _ in true }.isEmpty
    hasMembers = found
    return found
  }
}

extension AnswerMemory {
  /// The note of a list has ended in the file.
  fileprivate func forgetList(_ key: String) { followers.tellChanged(AnswerKey(key)) }
}

extension Connection {
  func collection(_ key: AnswerKey) throws -> CollectionNote? {
    try rows(
      "SELECT entity, note, time, is_complete, is_ended FROM \(CollectionTables.table) WHERE key = ?", [.text(key.text)]
    ) { row in
      var note = CollectionNote(
        entity: row.text(0) ?? "", text: row.text(1) ?? "", time: row.double(2) ?? 0, isComplete: row.int64(3) != 0)
      note.mark = row.int64(4)
      return note
    }.first
  }
}
