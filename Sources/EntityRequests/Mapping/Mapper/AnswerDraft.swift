package import EntityStore

/// The note of an answer, before its objects are known.
package struct AnswerDraft: Sendable {
  package var key: AnswerKey
  /// `nil` when no note is kept, and an earlier note is forgotten.
  package var text: String?
  /// When the server said so, in seconds since 1970.
  package var time: Double
}

extension AnswerNoteWriter {
  /// Notes an answer with the objects that it had, in the transaction that took it in.
  ///
  /// - Parameter hasOlder: Whether older requests are under way.
  func keep<E: RemoteEntity>(
    _ draft: AnswerDraft, _ outcome: ResponseOutcome<E>, _ upsert: ResponseUpsert<E>, hasOlder: Bool
  ) throws {
    guard let text = draft.text else { return try forgetAnswer(draft.key) }
    var parts: [String: [Int64]] = [:]
    for part in upsert.parts {
      for type in part.part.types { parts[type.entityName] = outcome.parts[type].pks }
    }
    let note = AnswerNote(
      entity: E.entityName, pks: outcome.ids.map(\.pk), parts: parts, items: outcome.parts.items.map(\.id.pk),
      text: text,
      time: draft.time)
    try keep(note, draft.key, upsert.sequence, hasOlder: hasOlder)
  }
}
