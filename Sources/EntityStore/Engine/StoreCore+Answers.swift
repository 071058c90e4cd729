import Foundation

extension StoreCore {
  /// Follows the answer to a request. Notes that other processes write are not reported.
  ///
  /// - Parameters:
  ///   - entities: The entities of the answer's objects.
  ///   - tell: Called on any thread, after the commit that it reports.
  package func followAnswer(
    _ key: AnswerKey, of entities: Set<String>, _ tell: @escaping @Sendable (AnswerNews) -> Void
  ) -> AnswerSubscription {
    AnswerSubscription(answers.followers, .init(key: key.text, entities: entities, tell: tell))
  }

  /// Whether there may be notes of answers.
  package var hasAnswers: Bool { answers.areAny }

  /// The server said that an answer still holds. Nothing is written, unless the file is to have another text in the
  /// note.
  ///
  /// - Parameters:
  ///   - note: The note as it was read. Where another note has taken its place, that note stays as it is.
  ///   - text: The new text; `nil` where it stays.
  ///   - isWritten: Whether the text goes to the file. Otherwise only this process knows it, as it knows the time.
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
    } catch let error as StoreError where error.leavesAnswers {
      // This process knows the text, and the answer holds.
    } catch {
      throw atCaller(error)
    }
    answers.followers.tellChanged(key)
  }

  /// The server said that it has some objects as they are here. Their rows are as old as if a response had brought them, and
  /// nothing is written where all noted times are recent. The answer holds also where the times can't be written.
  ///
  /// - Parameters:
  ///   - pks: The row ids, by the names of their entities.
  ///   - isAny: Whether something else is to be written.
  ///   - others: Writes it, in the same unit.
  /// - Returns: Whether anything was written.
  @discardableResult
  package func confirmRows(
    _ pks: [String: [Int64]], alsoIf isAny: Bool = false,
    _ others: @escaping @Sendable (RowWriter) throws -> Void = { _ in }
  ) async throws -> Bool {
    let aging = pks.compactMap { name, pks in
      schema.entity(ofTable: name).flatMap { $0.age == nil ? nil : (model: $0, pks: pks) }
    }
    guard isAny || !aging.isEmpty else { return false }
    do {
      let now = Int64(Date().timeIntervalSince1970)
      let isOld = try await reading { view in
        try isAny || aging.contains { try view.connection.hasOldRow($0.model, among: $0.pks, at: now) }
      }
      guard isOld else { return false }
      do {
        return atCaller(
          try await unit { rows in
            guard !rows.connection.isReadOnly else { return false }
            for (model, pks) in aging { try rows.knowledge.hearAgain(model, pks) }
            try others(rows)
            return true
          })
      } catch let error as StoreError where error.leavesAnswers {
        // The rows stay older than they are.
        return false
      }
    } catch {
      throw atCaller(error)
    }
  }

  /// The place up to which the rows have the messages of a stream; `nil` before the first one.
  package func streamPosition(_ key: AnswerKey) async throws -> String? {
    do {
      return atCaller(try await reading { try $0.connection.answer(key)?.text })
    } catch {
      throw atCaller(error)
    }
  }

  /// Ends the notes of answers that have objects of some entities: the server has changed objects of them. That happens
  /// even where the task is cancelled. Where the file can't be written, this process still knows it.
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
          for entity in entities.sorted() { try rows.answerNotes.endAnswers(of: entity) }
        }
      }.value)
  }

  /// Whether the file may have notes. Another process may have made some, though this process made none.
  private func mayHaveAnswers() async -> Bool {
    if answers.areAny { return true }
    do {
      guard try await reading({ try $0.connection.hasAnswers() }) else { return false }
    } catch {
      // Where no reader is free, the writer looks for the notes.
      return true
    }
    answers.noteAny()
    return true
  }

  /// A text that changes with each write of one of the entities, and with each hint of a server. Requests before and after
  /// these do not share an answer.
  package func answerWrites(of entities: Set<String>) -> String {
    "\(requests.hints) \(answers.writes(of: entities))"
  }

  /// A short text that changes with the entities, their properties and their keys in responses.
  ///
  /// - Parameter declarations: Other declarations of an entity that decide how responses are taken in; called once.
  package func mappingFingerprint(_ declarations: (EntityModel) -> String) -> String {
    answers.fingerprint {
      StoredSchema.fingerprint(
        of: schema.entities.flatMap { entity in
          ["\(entity.name)|\(declarations(entity))"]
            + entity.properties.map { "\(entity.name)|\($0.name)|\($0.kind)|\($0.key)" }
        })
    }
  }
}

extension StoreError {
  /// Whether an answer holds where its note can't be written: on a full disk, or with a busy writer. A closed store and a damaged
  /// file are errors, as they are of a request whose answer has objects.
  fileprivate var leavesAnswers: Bool { kind != .closed && kind != .corrupt }
}
