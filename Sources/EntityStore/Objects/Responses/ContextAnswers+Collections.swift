extension StoreCore {
  /// The note of a stored collection; `nil` where the file does not have the collection.
  package func collection(_ key: AnswerKey) async throws -> CollectionNote? {
    do {
      return atCaller(try await read { try $0.answers.collection(key) })
    } catch {
      throw atCaller(error)
    }
  }

  /// The server said that the beginning of a list is as it was. The file hears of it where its time is older than a tenth of
  /// the lifetime of the objects, so that a list that never changes is not evicted.
  package func confirmCollection(_ key: AnswerKey, _ note: CollectionNote, at time: Double) async throws {
    let model = schema.entity(ofTable: note.entity)
    guard let model, model.age != nil, time - note.noted > Double(model.lag) else {
      return answers.confirm(key, noted: note.noted, at: time, text: nil)
    }
    do {
      try await unit { [answers] rows in
        guard !rows.connection.isReadOnly else { return answers.confirm(key, noted: note.noted, at: time, text: nil) }
        try rows.collections.confirm(key, noted: note.noted, at: time)
      }
    } catch {
      throw atCaller(error)
    }
  }
}

extension ContextAnswers {
  /// As ``StoreCore/collection(_:)``, but synchronous.
  package func collection(_ key: AnswerKey) throws -> CollectionNote? {
    try context.merging.entry {
      guard var note = try context.connection.collection(key) else { return nil }
      note.time = context.core.answers.time(of: key, noted: note.noted)
      return note
    }
  }

  /// The row ids of the first members of a collection.
  package func members(_ key: AnswerKey, limit: Int) throws -> [Int64] {
    try context.merging.entry {
      try context.connection.rows(
        "SELECT pk FROM \(CollectionTables.memberTable) WHERE collection = "
          + "(SELECT id FROM \(CollectionTables.table) WHERE key = ?) ORDER BY place LIMIT ?",
        [.text(key.text), .integer(Int64(limit))]
      ) { $0.int64(0) }
    }
  }
}
