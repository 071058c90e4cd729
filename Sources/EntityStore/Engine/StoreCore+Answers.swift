extension StoreCore {
  /// Follows the answer to a request. Notes that other processes write are not told of.
  ///
  /// - Parameters:
  ///   - entities: Those that the answer has objects of.
  ///   - tell: Called on any thread, after the commit that it tells of.
  package func followAnswer(
    _ key: AnswerKey, of entities: Set<String>, _ tell: @escaping @Sendable (AnswerNews) -> Void
  ) -> AnswerSubscription {
    AnswerSubscription(answers.followers, .init(key: key.text, entities: entities, tell: tell))
  }

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
          for entity in entities.sorted() { try rows.answerNotes.endAnswers(of: entity) }
        }
      }.value)
  }

  /// Whether there may be notes in the file. This process may have made none, and another one some.
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
}
