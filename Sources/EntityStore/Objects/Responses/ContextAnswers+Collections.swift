extension StoreCore {
  /// The note of a stored collection; `nil` where the file does not have the collection.
  package func collection(_ key: AnswerKey) async throws -> CollectionNote? {
    do {
      return atCaller(try await read { try $0.answers.collection(key) })
    } catch {
      throw atCaller(error)
    }
  }

  /// The server said that the beginning of a list is as it was, with these objects. A list whose time can't be written is
  /// confirmed in memory alone. Where the note can't say something else, the list stays as old as the note: with the new time and
  /// the old lifetime it would be fresh for too long.
  ///
  /// - Parameters:
  ///   - isChanged: Whether the note has to say something else besides the time.
  ///   - text: The text of the confirmation, for this process alone; `nil` where it stays.
  ///   - write: Writes the note. It is called where the note is changed, or older than a confirmation may leave it.
  package func confirmCollection(
    _ key: AnswerKey, _ note: CollectionNote, at time: Double, _ pks: [Int64], isChanged: Bool,
    text: String?, _ write: @escaping @Sendable (CollectionWriter) throws -> Void
  ) async throws {
    let isOld = isChanged || note.isOld(at: time, schema)
    let isWritten: Bool
    do {
      isWritten = atCaller(
        try await confirmRows([note.entity: pks], alsoIf: isOld) { rows in
          if isOld { try write(rows.collections) }
        })
    } catch {
      throw atCaller(error)
    }
    if !isOld || !isWritten && !isChanged { answers.confirm(key, noted: note.noted, at: time, text: text) }
  }
}

extension ContextAnswers {
  /// As ``StoreCore/collection(_:)``, but synchronous.
  package func collection(_ key: AnswerKey) throws -> CollectionNote? {
    try context.merging.entry {
      try context.connection.collection(key).map { context.core.answers.confirmed($0, key) }
    }
  }

  /// The row ids of the first members of a collection, but for those that are deleted here.
  package func members(_ key: AnswerKey, of entity: String, limit: Int) throws -> [Int64] {
    try context.merging.entry {
      try context.connection.rows(
        "SELECT pk FROM (SELECT pk, place FROM \(CollectionTables.memberTable) WHERE collection = "
          + "(SELECT id FROM \(CollectionTables.table) WHERE key = ?) ORDER BY place LIMIT ?) "
          + "WHERE pk IN (SELECT _pk FROM main.\(entity.quoted)) ORDER BY place",
        [.text(key.text), .integer(Int64(limit))]
      ) { $0.int64(0) }
    }
  }
}
