import EntityJSON

// Notes of answers, written and read; see `AnswerNote`.

/// Notes which objects an answer had.
package final class AnswerNoteWriter: RowWriterPart {
  /// Whether the notes of all answers were ended; see `AnswerNote`.
  private var areAnswersEnded = false
  private var areListsEnded = false

  /// Rows went back to an earlier state.
  func forget() { (areAnswersEnded, areListsEnded) = (false, false) }

  var answers: AnswerMemory { rows.writer.answers }
}

extension AnswerNoteWriter {
  /// Notes an answer, unless the answer of a newer request was noted. A note that equals the noted one is written only
  /// together with other changes: an equal answer writes nothing.
  ///
  /// - Parameter number: The request of the answer.
  package func keep(_ note: AnswerNote, _ key: AnswerKey, _ number: RequestNumber, hasOlder: Bool) throws {
    guard !answers.hasNewer(key, than: number) else { return }
    // This comes before the look at the writes: a write that ends later has to find the note.
    answers.noteAny()
    var note = note
    note.isEnded = rows.writer.answers.hasWrite(of: note.entities, after: number)
    rows.afterCommit { [answers = rows.writer.answers] in
      answers.noteNewest(key, number, hasOlder: hasOlder)
      answers.forgetConfirmation(key)
    }
    guard !key.isVolatile, !connection.isReadOnly else {
      rows.afterCommit { [answers, note] in answers.keep(note, AnswerKey(key.text, isVolatile: true)) }
      return
    }
    let known = try connection.answer(key)
    if let known, known.saysTheSame(as: note), rows.rowsWritten == 0 {
      rows.afterCommit { [answers = rows.writer.answers] in
        answers.confirm(key, noted: known.time, at: note.time, text: note.text)
      }
      return
    }
    try rows.checkOpen()
    try connection.prepare(
      "INSERT INTO \(AnswerNotes.table) (key, entity, time, is_ended, note, objects, parts) VALUES (?, ?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT (key) DO UPDATE SET entity = excluded.entity, time = excluded.time, is_ended = excluded.is_ended, "
        + "note = excluded.note, objects = excluded.objects, parts = excluded.parts"
    ).run([
      .text(key.text), .text(note.entity), .real(note.time), .integer(note.isEnded ? 1 : 0), .text(note.text),
      .text(try AnswerNotes.text(note.pks)),
      note.parts.isEmpty
        ? .null : .text(try AnswerNotes.text(note.parts.merging([AnswerNotes.items: note.items]) { $1 })),
    ])
    rows.afterCommit { [answers = rows.writer.answers] in answers.followers.tellChanged(key) }
    if known == nil, answers.countAdded() { try trimAnswers() }
  }

  /// Keeps the place up to which the messages of a stream are in the rows, in the transaction of the last message. It
  /// stands among the notes of answers, under a name that no answer has, and names no entity.
  package func keep(_ position: StreamPosition) throws {
    guard !connection.isReadOnly else { return }
    try rows.checkOpen()
    try connection.prepare(
      "INSERT INTO \(AnswerNotes.table) (key, entity, time, is_ended, note, objects, parts) VALUES (?, '', ?, 0, ?, '[]', NULL) "
        + "ON CONFLICT (key) DO UPDATE SET time = excluded.time, note = excluded.note WHERE note <> excluded.note"
    ).run([.text(position.key.text), .real(position.time), .text(position.text)])
  }

  /// Forgets an answer: the server says that it is not to be kept.
  package func forgetAnswer(_ key: AnswerKey) throws {
    rows.afterCommit { [answers = rows.writer.answers] in answers.forget(key) }
    guard !key.isVolatile, !connection.isReadOnly else { return }
    try connection.prepare("DELETE FROM \(AnswerNotes.table) WHERE key = ?").run([.text(key.text)])
  }

  /// Ends the notes of all answers: the store may lack something that they had.
  ///
  /// - Parameter lists: Whether lists may lack something, too.
  func endAnswers(lists: Bool = true) throws {
    // Another process may have made notes that this one has not heard of.
    guard !connection.isReadOnly else { return }
    if !areAnswersEnded {
      areAnswersEnded = true
      try connection.prepare("UPDATE \(AnswerNotes.table) SET is_ended = 1 WHERE is_ended = 0").run()
      rows.afterCommit { [answers = rows.writer.answers] in answers.end(of: nil) }
    }
    if lists, !areListsEnded {
      areListsEnded = true
      try rows.collections.end()
    }
  }

  /// Ends the notes of answers that have objects of an entity, also in their parts.
  func endAnswers(of entity: String) throws {
    // The parts are an object of JSON, whose keys are the names of entities.
    try connection.prepare(
      "UPDATE \(AnswerNotes.table) SET is_ended = 1 WHERE (entity = ? OR instr(parts, ?) > 0) AND is_ended = 0"
    ).run([.text(entity), .text("\"\(entity)\":")])
    try rows.collections.end(of: entity)
    // A reader that read the note after the announcement of the write has read it as it was before.
    rows.afterCommit { [answers = rows.writer.answers] in answers.followers.tellEnded(of: entity) }
  }

  /// Forgets all but the newest notes.
  private func trimAnswers() throws {
    try connection.prepare(
      "DELETE FROM \(AnswerNotes.table) WHERE rowid IN "
        + "(SELECT rowid FROM \(AnswerNotes.table) ORDER BY time DESC LIMIT -1 OFFSET ?)"
    ).run([.integer(Int64(AnswerMemory.limit))])
  }
}

extension Connection {
  /// Whether the file has notes of answers, or collections.
  func hasAnswers() throws -> Bool {
    let sql =
      "SELECT 1 FROM \(AnswerNotes.table) WHERE entity <> '' UNION ALL SELECT 1 FROM \(CollectionTables.table) LIMIT 1"
    return try !rows(sql) { _ in true }.isEmpty
  }

  func answer(_ key: AnswerKey) throws -> AnswerNote? {
    try rows(
      "SELECT entity, time, is_ended, note, objects, parts FROM \(AnswerNotes.table) WHERE key = ?", [.text(key.text)]
    ) { row -> AnswerNote? in
      // A note that can't be read is ignored: something else wrote it.
      guard let pks = AnswerNotes.pks(row.text(4)), var parts = AnswerNotes.parts(row.text(5)) else { return nil }
      let items = parts.removeValue(forKey: AnswerNotes.items) ?? []
      var note = AnswerNote(
        entity: row.text(0) ?? "", pks: pks, parts: parts, items: items, text: row.text(3) ?? "",
        time: row.double(1) ?? 0)
      note.isEnded = row.int64(2) != 0
      return note
    }.first ?? nil
  }
}

extension AnswerNotes {
  /// The name under which the row ids of lists of several entities stand among the parts; no entity has it.
  fileprivate static let items = ""

  fileprivate static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONValueEncoder(format: .sorted).bytes(of: value), as: UTF8.self)
  }

  fileprivate static func pks(_ text: String?) -> [Int64]? {
    text.flatMap { try? JSONValueDecoder().decode([Int64].self, from: $0) }
  }

  fileprivate static func parts(_ text: String?) -> [String: [Int64]]? {
    guard let text else { return [:] }
    return try? JSONValueDecoder().decode([String: [Int64]].self, from: text)
  }
}
