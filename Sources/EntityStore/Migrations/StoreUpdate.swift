import Foundation

/// The declarations of an app about a store's file.
struct StoreDeclaration: Sendable {
  let schema: SchemaModel
  /// The entities that the app removed.
  var removed: [String] = []
  var migrations: [Migration] = []
  var backup: StoreBackup = .beside

  init(
    _ schema: SchemaModel, removed: [String] = [], migrations: [Migration] = [], backup: StoreBackup = .beside
  ) throws {
    self.schema = schema
    self.removed = removed
    self.migrations = migrations
    self.backup = backup
    if let name = removed.first(where: { name in schema.entities.contains { $0.name == name } }) {
      throw StoreError(
        .invalidSchema, "The entity '\(name)' is said to be removed, and is one of the store's entities.")
    }
    var names: Set<String> = []
    for migration in migrations where !names.insert(migration.name).inserted || migration.name.isEmpty {
      throw StoreError(.invalidSchema, "Two steps are named '\(migration.name)', or a step has no name.")
    }
  }
}

/// Brings the file of an earlier version of the app to the present version: first its steps, each in a transaction,
/// then the differences that need no step.
final class StoreUpdate {
  let declaration: StoreDeclaration
  let connection: Connection
  let location: StoreLocation
  let busyTimeout: Duration
  /// The author of the commit in the history.
  private let author: String
  /// Whether the changes are only made to be listed: no copy is made.
  private let isRehearsal: Bool
  private(set) var backup: URL?
  /// The steps that ran, and the changes, each with its step.
  private(set) var steps: [String] = []
  /// The properties that have values of another type after a rehearsal.
  private(set) var unreadable: [Migration.Plan.Unreadable] = []
  /// Whether the file names relationships without a column otherwise.
  private var hasOtherNames = false
  private(set) var changes: [(step: String?, change: FileEditor.Change)] = []

  init(
    _ declaration: StoreDeclaration, _ connection: Connection, _ location: StoreLocation, busyTimeout: Duration,
    author: String = "", isRehearsal: Bool = false
  ) {
    self.declaration = declaration
    self.connection = connection
    self.location = location
    self.busyTimeout = busyTimeout
    self.author = author
    self.isRehearsal = isRehearsal
  }

  private var log: MigrationLog { MigrationLog(connection: connection) }

  func run() throws {
    connection.isMigrating = true
    defer { connection.isMigrating = false }
    guard try isNeeded() else { return noteNames() }
    let start = ContinuousClock.now
    defer { tell(start) }
    do {
      for number in declaration.migrations.indices { try transaction { try take(number) } }
      try transaction { try settle() }
    } catch let error as StoreError where !steps.isEmpty {
      throw error.adding("Earlier steps stay: \(steps.map { "'\($0)'" }.joined(separator: ", ")).")
    }
  }

  /// Logs the changes that stay, also where a later one failed.
  private func tell(_ start: ContinuousClock.Instant) {
    guard !steps.isEmpty || !changes.isEmpty else { return }
    connection.log?.tell(
      .migration(
        StoreLog.Migration(duration: start.duration(to: .now), steps: steps, changes: changes.map(\.change.summary))))
  }

  /// Makes all changes in one transaction, and rolls it back: ``steps``, ``changes`` and ``backup`` list them.
  func rehearse() throws {
    connection.isMigrating = true
    guard try isNeeded() else { return try noteUnreadable() }
    try connection.begin("IMMEDIATE")
    defer {
      connection.rollback()
      connection.forgetStatements()
    }
    try SearchSetup.takeApart(connection)
    for number in declaration.migrations.indices { try take(number) }
    try settle()
    try noteUnreadable()
    try connection.checkTransaction()
  }

  private func noteUnreadable() throws {
    unreadable = try UnreadableValues(connection: connection, schema: declaration.schema).found(most: 0).map {
      Migration.Plan.Unreadable(entity: $0.model.name, property: $0.property.name, rows: $0.count)
    }
  }

  /// Whether the file differs from the declaration. The check writes nothing, for files that can't be written.
  private func isNeeded() throws -> Bool {
    let record = try log.read()
    try record.check(against: declaration.migrations)
    guard record.steps.count == declaration.migrations.count else { return true }
    var known = try stored()
    let editor = FileEditor(connection, known, isTrial: true)
    let difference = difference(editor, record)
    try difference.apply()
    hasOtherNames = known.takeNames(of: difference.declared)
    // Where nothing can be written, no response comes that needs the marks.
    if connection.isReadOnly { return editor.changes.contains { !$0.isNote } }
    return !editor.changes.isEmpty || lacks(editor.schema, record)
  }

  /// Whether the record lacks the schema of the file: a process that ran the last step and died has not noted it.
  private func lacks(_ schema: StoredSchema, _ record: MigrationLog.Record) -> Bool {
    record.schemas.last.map { $0 != schema.fingerprint } ?? false
  }

  /// Writes the names of relationships without a column where only these have changed. Nothing but a tool reads them: a file
  /// that can't be written now is opened without.
  private func noteNames() {
    guard hasOtherNames, !connection.isReadOnly else { return }
    try? connection.writing {
      // Another process may have migrated meanwhile.
      var schema = try stored()
      if schema.takeNames(of: StoredSchema(declaration.schema)) { try set("schema", .text(try schema.encoded())) }
    }
  }

  // MARK: The parts, each within a transaction

  /// Runs a step, unless another process was first.
  private func take(_ number: Int) throws {
    let record = try log.read()
    try record.check(against: declaration.migrations)
    guard record.steps.count == number else { return }
    let migration = declaration.migrations[number]
    let before = try stored()
    let editor = FileEditor(connection, before, countsRows: isRehearsal)
    defer { changes += editor.changes.map { (migration.name, $0) } }
    do {
      try run(migration, editor)
    } catch {
      let reason = error as? StoreError
      var failure = StoreError(
        .migrationFailed,
        "The step '\(migration.name)' failed, and the file is as it was before it: \(reason?.message ?? "\(error)")",
        sqliteCode: reason?.sqliteCode, sql: reason?.sql)
      failure.underlying = error
      throw failure
    }
    try log.add(step: migration.name)
    try forgetAnswers(editor.schema)
    try save(editor.schema)
    try noteInHistory(changesRows: true)
    try backUp(before)
    steps.append(migration.name)
  }

  private func run(_ migration: Migration, _ editor: FileEditor) throws {
    let step = Migration.Step(editor) { try PrimaryKeys.lease(on: $0, above: 0) }
    defer { step.end() }
    try migration.body(step)
    // The step may have caught the error that ended the transaction.
    try connection.checkTransaction()
    try editor.settleUIDs()
    try editor.settleIndexes()
    if let difference = try StructureCheck(schema: editor.schema, connection: connection).difference() {
      throw StoreError(.migrationFailed, "The file is not as the schema that it keeps says: \(difference).")
    }
    try EditNoteSetup(connection: connection).settle(editor.schema)
    if connection.hasBrokenLinks {
      throw StoreError(.brokenLink, "A link leads to a row that is not there\(brokenLink()).")
    }
  }

  /// Removes the differences that need no step.
  private func settle() throws {
    let record = try log.read()
    try record.check(against: declaration.migrations)
    let before = try stored()
    let editor = FileEditor(connection, before, countsRows: isRehearsal)
    defer { changes += editor.changes.map { (nil, $0) } }
    try difference(editor, record).apply()
    guard !editor.changes.isEmpty || !steps.isEmpty || lacks(editor.schema, record) else { return }
    // Parts that came back may have marks.
    if editor.changes.contains(where: { !$0.isAdditive }) {
      try EditNoteSetup(connection: connection).settle(editor.schema)
    }
    if connection.hasBrokenLinks {
      throw SchemaDifference.mismatch("a link leads to a row that is not there\(brokenLink())")
    }
    if editor.changes.contains(where: { !$0.isRefill }) { try forgetAnswers(editor.schema) }
    try save(editor.schema)
    try noteInHistory(changesRows: editor.changes.contains { !$0.isAdditive })
    let fingerprint = editor.schema.fingerprint
    if try log.read().schemas.last != fingerprint { try log.add(schema: fingerprint) }
    if editor.changes.contains(where: { !$0.isAdditive }) { try backUp(before) }
  }

  /// Rows that a step or another schema changed are unknown to an answer that is not modified.
  private func forgetAnswers(_ schema: StoredSchema) throws {
    try connection.execute("DELETE FROM \(AnswerNotes.table)")
    // The lists stay, and the next answers to their requests must be whole.
    try connection.execute("UPDATE \(CollectionTables.table) SET \(CollectionTables.isLacking)")
    for entity in schema.declared {
      try Statement(CollectionTables.removeLost(of: entity.name), on: connection).run([.text(entity.name)])
    }
  }

  private func save(_ schema: StoredSchema) throws {
    try set("schema", .text(try schema.encoded()))
    // Other processes read their objects again.
    try connection.execute("UPDATE main._entity_store SET value = value + 1 WHERE key = 'generation'")
  }

  /// The generation of another schema is a commit without changes. Rows that a migration changed are in no commit: the
  /// history begins again after it.
  private func noteInHistory(changesRows: Bool) throws {
    let policy = try HistoryTables.policy(connection)
    guard policy != .off else { return }
    if changesRows { return try HistoryTables.end(on: connection) }
    try connection.prepare(
      "INSERT INTO \(HistoryTables.commits) (generation, time, author, changes_notes) VALUES (?, ?, ?, 0)"
    ).run([.integer(try connection.generation()), .real(Date().timeIntervalSince1970), .text(author)])
  }

  private func backUp(_ before: StoredSchema) throws {
    guard backup == nil, let url = declaration.backup.url(of: location, fingerprint: before.fingerprint) else { return }
    if !isRehearsal { try StoreBackup.copy(location, to: url, busyTimeout: busyTimeout, log: connection.log) }
    backup = url
  }

  private func difference(_ editor: FileEditor, _ record: MigrationLog.Record) -> SchemaDifference {
    let fingerprint = StoredSchema(declaration.schema).fingerprint
    return SchemaDifference(
      declaration.schema, removed: declaration.removed, editor,
      wasCurrent: record.schemas.last != fingerprint && record.schemas.contains(fingerprint))
  }

  // MARK: The store's own table

  private func set(_ key: String, _ value: StoredValue) throws {
    try connection.prepare("UPDATE main._entity_store SET value = ? WHERE key = ?").run([value, .text(key)])
  }

  private func stored() throws -> StoredSchema {
    let text = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'schema'") { $0.text(0) }.first
    guard let text = text ?? nil, let schema = try? StoredSchema.decode(text) else {
      throw StoreError(.corrupt, "\(location) does not say what schema it holds: it was changed by something else.")
    }
    return schema
  }

  private func brokenLink() -> String {
    let broken = try? connection.rows("PRAGMA main.foreign_key_check") { ($0.text(0), $0.int64(1), $0.text(2)) }
    guard let (table, row, target) = broken?.first else { return "" }
    return ": row \(row) of '\(table ?? "?")' refers to a '\(target ?? "?")'"
  }

  private func transaction(_ body: () throws -> Void) throws {
    try connection.writing {
      try SearchSetup.takeApart(connection)
      try body()
    }
    // Prepared statements fit the former structure.
    connection.forgetStatements()
  }
}
