import EntityJSON

// Notes of answers, written and read; see `AnswerNote`.

extension RowWriter {
  /// Notes an answer, unless that of a newer request was noted. A note that says what is noted already is written with other
  /// changes only: an equal answer writes nothing.
  ///
  /// - Parameter number: The request of the answer.
  package func keep(_ note: AnswerNote, _ key: AnswerKey, _ number: RequestNumber, hasOlder: Bool) throws {
    guard !answers.hasNewer(key, than: number) else { return }
    // Before the writes are looked at: one that ends behind that has to find the note.
    answers.noteAny()
    var note = note
    note.isEnded = answers.hasWrite(of: note.entities, after: number)
    afterCommit { [answers] in
      answers.noteNewest(key, number, hasOlder: hasOlder)
      answers.forgetConfirmation(key)
    }
    guard !key.isVolatile, !connection.isReadOnly else {
      afterCommit { [answers, note] in answers.keep(note, AnswerKey(key.text, isVolatile: true)) }
      return
    }
    let known = try connection.answer(key)
    if let known, known.saysTheSame(as: note), rowsWritten == 0 {
      afterCommit { [answers] in answers.confirm(key, noted: known.time, at: note.time, text: note.text) }
      return
    }
    try checkOpen()
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
    afterCommit { [answers] in answers.followers.tellChanged(key) }
    if known == nil, answers.countAdded() { try trimAnswers() }
  }

  /// Forgets an answer: the server says that it is not to be kept.
  package func forgetAnswer(_ key: AnswerKey) throws {
    afterCommit { [answers] in answers.forget(key) }
    guard !key.isVolatile, !connection.isReadOnly else { return }
    try connection.prepare("DELETE FROM \(AnswerNotes.table) WHERE key = ?").run([.text(key.text)])
  }

  /// Ends the notes of all answers: the store may lack something that they had.
  func endAnswers() throws {
    // Another process may have made notes that this one has not heard of.
    guard !areAnswersEnded, !connection.isReadOnly else { return }
    areAnswersEnded = true
    try connection.prepare("UPDATE \(AnswerNotes.table) SET is_ended = 1 WHERE is_ended = 0").run()
    afterCommit { [answers] in answers.end(of: nil) }
  }

  /// Ends the notes of answers that have objects of an entity, also in their parts.
  fileprivate func endAnswers(of entity: String) throws {
    // The parts are an object of JSON, whose keys are the names of entities.
    try connection.prepare(
      "UPDATE \(AnswerNotes.table) SET is_ended = 1 WHERE (entity = ? OR instr(parts, ?) > 0) AND is_ended = 0"
    ).run([.text(entity), .text("\"\(entity)\":")])
    // A reader of a note since the write was told of has read it as it was before.
    afterCommit { [answers] in answers.followers.tellEnded(of: entity) }
  }

  /// Forgets all but the newest notes.
  private func trimAnswers() throws {
    try connection.prepare(
      "DELETE FROM \(AnswerNotes.table) WHERE rowid IN "
        + "(SELECT rowid FROM \(AnswerNotes.table) ORDER BY time DESC LIMIT -1 OFFSET ?)"
    ).run([.integer(Int64(AnswerMemory.limit))])
  }
}

extension StoreCore {
  /// Whether there may be notes of answers.
  package var hasAnswers: Bool { answers.areAny }

  /// The server said that an answer still holds. Nothing is written, unless the note has another text from now on that the
  /// file is to have.
  ///
  /// - Parameters:
  ///   - note: The note as it was read. Where there is another one by now, that is left as it is.
  ///   - text: The new text; `nil` where it stays.
  ///   - isWritten: Whether the file gets the text; else this process alone knows it, as it knows the time.
  package func confirmAnswer(
    _ key: AnswerKey, _ note: AnswerNote, at time: Double, text: String? = nil, isWritten: Bool = true
  ) async throws {
    answers.confirm(key, noted: note.noted, at: time, text: text)
    guard let text else { return }
    answers.rewrite(key, noted: note.noted, text)
    guard isWritten, !key.isVolatile else { return }
    do {
      try await unit { rows in
        guard !rows.connection.isReadOnly else { return }
        try rows.connection.prepare("UPDATE \(AnswerNotes.table) SET note = ? WHERE key = ? AND time = ?")
          .run([.text(text), .text(key.text), .real(note.noted)])
      }
    } catch {
      throw atCaller(error)
    }
    answers.followers.tellChanged(key)
  }

  /// Ends the notes of answers that have objects of some entities: the server has changed objects of them. It is done also
  /// where the task is cancelled, and where the file can't be written, this process knows it all the same.
  package func endAnswersAfterWrite(of entities: Set<String>) async {
    guard !entities.isEmpty else { return }
    let number = requests.begin()
    requests.end(number)
    for entity in entities { answers.noteWrite(of: entity, number) }
    for entity in entities { answers.end(of: entity) }
    atCaller(
      await Task {
        guard await mayHaveAnswers() else { return }
        try? await unit { rows in
          guard !rows.connection.isReadOnly else { return }
          for entity in entities.sorted() { try rows.endAnswers(of: entity) }
        }
      }.value)
  }

  /// Whether there may be notes in the file. This process may have made none, and another one some.
  private func mayHaveAnswers() async -> Bool {
    if answers.areAny { return true }
    do {
      guard try await read({ try $0.hasAnswers() }) else { return false }
    } catch {
      // Where no reader is free, the writer looks for the notes.
      return true
    }
    answers.noteAny()
    return true
  }

  /// A text that changes with each write of one of the entities: an answer that was asked for before is none to a request
  /// after it.
  package func answerWrites(of entities: Set<String>) -> String { answers.writes(of: entities) }

  /// A short text that changes with the entities, their properties and their keys in responses.
  ///
  /// - Parameter declarations: Other declarations of an entity that decide what is taken in; asked for once.
  package func mappingFingerprint(_ declarations: (EntityModel) -> String) -> String {
    answers.fingerprint {
      StoredSchema.fingerprint(
        of: schema.entities.flatMap { entity in
          ["\(entity.name)|\(declarations(entity))"]
            + entity.properties.map { "\(entity.name)|\($0.name)|\($0.kind)|\($0.key)" }
        })
    }
  }

  /// The note of an answer; `nil` where there is none, or where all of its rows are gone.
  package func answer(_ key: AnswerKey) async throws -> AnswerNote? {
    do {
      return atCaller(try await read { try $0.answer(key) })
    } catch {
      throw atCaller(error)
    }
  }
}

extension EntityContext {
  fileprivate func hasAnswers() throws -> Bool { try entry { try connection.hasAnswers() } }

  /// The note of an answer, as ``StoreCore/answer(_:)`` finds it.
  package func answer(_ key: AnswerKey) throws -> AnswerNote? {
    try entry {
      let answers = core.answers
      guard var note = try answers[AnswerKey(key.text, isVolatile: true)] ?? noteInFile(key) else { return nil }
      note = answers.confirmed(note, key)
      let pks = try present(note.pks, of: note.entity)
      var parts: [String: [Int64]] = [:]
      for (entity, pks) in note.parts { parts[entity] = try present(pks, of: entity) }
      note.isWhole = pks.count == note.pks.count && parts.allSatisfy { $0.value.count == note.parts[$0.key]?.count }
      guard note.isWhole || !pks.isEmpty || parts.values.contains(where: { !$0.isEmpty }) else { return nil }
      (note.pks, note.parts) = (pks, parts)
      return note
    }
  }

  private func noteInFile(_ key: AnswerKey) throws -> AnswerNote? {
    key.isVolatile ? nil : try connection.answer(key)
  }

  /// Those of an entity's rows that are there, in their order.
  private func present(_ pks: [Int64], of entity: String) throws -> [Int64] {
    guard !pks.isEmpty, let model = core.schema.entities.first(where: { $0.name == entity }) else { return [] }
    let found = try connection.rows(
      "SELECT _pk FROM \(model.table) WHERE _pk IN (SELECT value FROM _entity_values(?)) AND _placeholder = 0",
      [.list(pks.map { .integer($0) })]
    ) { $0.int64(0) }
    guard found.count < pks.count else { return pks }
    let present = Set(found)
    return pks.filter(present.contains)
  }
}

extension Connection {
  /// Whether the file has notes of answers.
  func hasAnswers() throws -> Bool {
    try !rows("SELECT 1 FROM \(AnswerNotes.table) LIMIT 1") { _ in true }.isEmpty
  }

  fileprivate func answer(_ key: AnswerKey) throws -> AnswerNote? {
    try rows(
      "SELECT entity, time, is_ended, note, objects, parts FROM \(AnswerNotes.table) WHERE key = ?", [.text(key.text)]
    ) { row -> AnswerNote? in
      // A note that can't be read is none: it was written by something else.
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
