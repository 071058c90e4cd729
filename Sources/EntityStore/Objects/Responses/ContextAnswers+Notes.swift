extension StoreCore {
  /// The note of a response; `nil` if there is none, or if all of its rows are gone.
  package func answer(_ key: AnswerKey) async throws -> AnswerNote? {
    do {
      return atCaller(try await read { try $0.answers.answer(key) })
    } catch {
      throw atCaller(error)
    }
  }
}

extension ContextAnswers {
  /// The note of a response, as ``StoreCore/answer(_:)`` finds it.
  package func answer(_ key: AnswerKey) throws -> AnswerNote? {
    try context.merging.entry {
      let answers = context.core.answers
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
    key.isVolatile ? nil : try context.connection.answer(key)
  }

  /// The existing rows among some row ids of an entity, in their order.
  private func present(_ pks: [Int64], of entity: String) throws -> [Int64] {
    guard !pks.isEmpty, let model = context.core.schema.entities.first(where: { $0.name == entity }) else { return [] }
    let found = try context.connection.rows(
      "SELECT _pk FROM \(model.table) WHERE _pk IN (SELECT value FROM _entity_values(?)) AND _placeholder = 0",
      [.list(pks.map { .integer($0) })]
    ) { $0.int64(0) }
    guard found.count < pks.count else { return pks }
    let present = Set(found)
    return pks.filter(present.contains)
  }
}
