/// Whose changes a unit of work has.
struct UnitOrigin: Sendable {
  /// The context whose save it is; `nil` for any other unit.
  var context: ContextID?
  /// Whether the changes are the server's; see ``RowWriter/isOfServer``.
  var isOfServer = false
  /// Whether the commit is on the disk when the unit ends, also where the store's commits are not.
  var isDurable = false
}

/// The one connection that writes.
final class Writer {
  let memory: WriterMemory
  /// The author of the commits in the history, unless a unit names another one.
  private let author: String
  private var historyCare = HistoryCare()

  init(_ memory: WriterMemory, author: String) {
    self.memory = memory
    self.author = author
  }

  var connection: Connection { memory.connection }
  private var schema: SchemaModel { memory.schema }

  func close() { memory.close() }

  struct Outcome<T> {
    let value: T
    /// The generation that the transaction made; `nil` where it changed nothing.
    let generation: Int64?
  }

  /// Runs `work` in a write transaction. A transaction that wrote a row is committed with a new generation, and its
  /// summary is published before that. On any error nothing of the transaction stays.
  ///
  /// - Parameters:
  ///   - patience: How long the transaction waits for another connection that writes.
  ///   - begun: Called once the transaction waits for nobody.
  func transaction<T>(
    from origin: UnitOrigin, patience: Duration, begun: () -> Void = {}, followers: CommitFollowers,
    _ work: (RowWriter) throws -> T
  ) throws -> Outcome<T> {
    // SQLite takes no such setting within a transaction.
    let settings = origin.isDurable ? try connection.makeDurable() : nil
    defer { if let settings { try? connection.set(settings) } }
    let mark = memory.begin()
    var published: Int64?
    if connection.isReadOnly {
      // Where nothing can be written, a unit may still read.
      try connection.begin("DEFERRED")
    } else {
      try connection.beginImmediate(patience: patience)
    }
    begun()
    do {
      let collects = try followers.needRows { try !connection.rows(EditNotes.any) { _ in true }.isEmpty }
      let rows = RowWriter(memory, origin: origin.context, isOfServer: origin.isOfServer, collects: collects)
      defer { rows.close() }
      let value = try work(rows)
      try settle(rows)
      guard rows.rowsWritten > 0 || rows.edits.areNotesChanged || !rows.collections.changes.isEmpty else {
        try endUnchanged(rows)
        return Outcome(value: value, generation: nil)
      }
      if let recorder = rows.recorder {
        recorder.end(rows)
        // A read that failed may have ended the transaction.
        try rows.checkOpen()
      }
      let generation = try advanceGeneration()
      rows.recorder?.noteGeneration(generation)
      try rows.history.commit(
        generation, author: rows.author ?? author, changesNotes: rows.edits.areNotesChanged, &historyCare)
      try connection.files?.check()
      published = generation
      // Where no follower needed the names of changed rows, the summary says that all rows may have changed: one that
      // needs them may have come in the meantime.
      followers.publish(rows.summary(generation: generation, schema: schema))
      try commit()
      // The check is repeated: only a file that is there after the commit surely has the commit.
      try connection.files?.check(isCommitted: true)
      rows.runCommitActions()
      return Outcome(value: value, generation: generation)
    } catch {
      if let published { followers.withdraw(published) }
      connection.rollback()
      memory.goBack(to: mark)
      historyCare = HistoryCare()
      throw error
    }
  }

  /// Ends what the unit left open, before it is known whether it changed anything.
  private func settle(_ rows: RowWriter) throws {
    try rows.collections.settleRows()
    try rows.collections.placeNew()
    try rows.checkOpen()
    try rows.uniqueness.settleUniqueValues()
    try memory.keepLeases()
  }

  private func commit() throws {
    do {
      try connection.commit()
    } catch let error as StoreError where error.kind == .brokenLink {
      throw brokenLink() ?? error
    }
  }

  /// Commits a transaction that changed no row.
  private func endUnchanged(_ rows: RowWriter) throws {
    try rows.history.discard()
    try connection.commit()
    // Without the file, the leased row ids would be given out twice, and the lines removed from its history would
    // still be there.
    if memory.hasLeased || rows.history.hasPruned {
      try connection.files?.check(isCommitted: rows.history.hasPruned)
    }
    rows.runCommitActions()
  }

  private func advanceGeneration() throws -> Int64 {
    let generations = try connection.rows(
      "UPDATE main._entity_store SET value = value + 1 WHERE key = 'generation' "
        + "AND typeof(value) = 'integer' AND value >= 0 RETURNING value"
    ) { $0.value(0) }
    return try Bookkeeping.generation.check(generations.first, of: connection.location)
  }

  /// Finds the link that holds up the commit: SQLite itself does not name it.
  private func brokenLink() -> StoreError? {
    for entity in schema.entities {
      let broken = try? connection.rows("PRAGMA main.foreign_key_check(\(entity.name.quoted))") {
        ($0.optionalInt64(1), $0.text(2))
      }
      guard let (pk, target) = broken?.first else { continue }
      let objects = pk.map { entity.isLinks ? linked(by: $0, entity) : [entity.id($0)] } ?? []
      return StoreError(
        .brokenLink,
        "An object of '\(entity.name)' (row \(pk.map(String.init) ?? "?")) refers to a '\(target ?? "?")' that is not "
          + "in the store: it was deleted, or not saved. Set the relationship to another object or to nil.",
        objects: objects)
    }
    return nil
  }

  /// The objects of a membership: users do not know the membership itself.
  private func linked(by pk: Int64, _ links: EntityModel) -> [AnyEntityID] {
    let names = links.properties.map(\.name.quoted).joined(separator: ", ")
    let ends = try? connection.rows("SELECT \(names) FROM \(links.table) WHERE _pk = ?", [.integer(pk)]) { row in
      links.properties.compactMap { property -> AnyEntityID? in
        guard case .toOne(let target, _, _) = property.kind else { return nil }
        return schema.entities[target].id(row.int64(property.index))
      }
    }
    return ends?.first ?? []
  }
}
