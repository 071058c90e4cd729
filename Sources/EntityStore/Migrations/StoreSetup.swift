/// Brings a file to the declared schema, or refuses it without touching it.
struct StoreSetup {
  let schema: SchemaModel
  let connection: Connection
  let location: StoreLocation

  /// Marks a file as ours (https://sqlite.org/pragma.html#pragma_application_id): "EntC".
  static let applicationID: Int64 = 0x456e_7443
  /// The layout of the store's own tables and columns. In format 1 a row names its edited lists; in format 2 their pairs are
  /// marked as well. A program that knows format 1 alone must not write here: it would edit lists without marks. A file
  /// without lists may stay in format 1.
  static let format: Int64 = 2

  /// Opens a file and brings it to the schema.
  ///
  /// Where nothing can be written beside the file it is read by itself, if the schema has nothing that it lacks.
  static func open(_ location: StoreLocation, schema: SchemaModel, busyTimeout: Duration) throws -> Connection {
    func connect(_ location: StoreLocation) throws -> (setup: StoreSetup, isEmpty: Bool) {
      let connection = try Connection(location, busyTimeout: busyTimeout)
      let setup = StoreSetup(schema: schema, connection: connection, location: location)
      return (setup, try setup.check())
    }
    let file: (setup: StoreSetup, isEmpty: Bool)
    do {
      file = try connect(location)
    } catch let error as StoreError {
      guard let frozen = try location.frozen(after: error) else { throw error }
      file = try connect(frozen)
    }
    try file.setup.complete(file.isEmpty)
    return file.setup.connection
  }

  /// Finds out whose file it is, and prepares it.
  ///
  /// - Returns: Whether there is nothing in it.
  private func check() throws -> Bool {
    let isEmpty = try isEmpty()
    if !isEmpty { try checkOwner() }
    try prepareFile()
    return isEmpty
  }

  private func complete(_ isEmpty: Bool) throws {
    if isEmpty {
      try create()
    } else {
      do {
        try update()
      } catch let error as StoreError where error.kind == .schemaMismatch {
        throw StoreError(.schemaMismatch, "\(location): \(error.message)")
      } catch let error as StoreError where error.kind == .readOnly || error.kind == .diskFull {
        throw StoreError(
          error.kind, "\(error.message) The schema has what the file lacks, so that it can't be opened before.",
          sqliteCode: error.sqliteCode)
      }
    }
  }

  private func isEmpty() throws -> Bool {
    do {
      return try integer("SELECT count(*) FROM main.sqlite_schema") == 0 && integer("PRAGMA main.application_id") == 0
    } catch let error as StoreError where error.kind == .notAStore {
      throw StoreError(.notAStore, "\(location) is not a SQLite database.", sqliteCode: error.sqliteCode)
    }
  }

  private func checkOwner() throws {
    guard try integer("PRAGMA main.application_id") == Self.applicationID,
      try integer("SELECT count(*) FROM main.sqlite_schema WHERE name = '_entity_store'") == 1
    else {
      throw StoreError(
        .notAStore, "\(location) is a database of another application. Choose another file; this one is untouched.")
    }
    let format = try integer("SELECT value FROM main._entity_store WHERE key = 'format'")
    guard let format, (1...Self.format).contains(format) else {
      throw StoreError(
        .schemaMismatch,
        "\(location) has format \(format ?? 0), and this version of EntityStore reads formats up to \(Self.format). "
          + "Update EntityClient, or choose another file.")
    }
    for key in ["generation", "next_pk"]
    where try integer("SELECT value FROM main._entity_store WHERE key = '\(key)'") == nil {
      throw StoreError(.corrupt, "\(location): the store's own table lacks '\(key)': it was changed by something else.")
    }
  }

  private func prepareFile() throws {
    // It is read as it is.
    guard !connection.isReadOnly else { return }
    let mode = try connection.rows("PRAGMA main.journal_mode = WAL") { $0.text(0) }.first
    guard mode == "wal" else {
      throw StoreError(.cannotOpen, "\(location) can't be put into WAL mode: its folder or file may be read-only.")
    }
    try connection.execute("PRAGMA main.synchronous = NORMAL")
    // A log that one large unit made long is cut back when it starts anew.
    try connection.execute("PRAGMA main.journal_size_limit = 4194304")
  }

  private func create() throws {
    try transaction {
      // Another process may have been first.
      guard try integer("SELECT count(*) FROM main.sqlite_schema") == 0 else { return }
      try connection.execute("PRAGMA main.application_id = \(Self.applicationID)")
      try connection.execute("CREATE TABLE main._entity_store (key TEXT PRIMARY KEY, value) WITHOUT ROWID")
      for entity in schema.entities {
        for sql in DDL.table(entity, schema) { try connection.execute(sql) }
      }
      for (key, value) in [
        ("format", StoredValue.integer(Self.format)), ("generation", .integer(0)), ("next_pk", .integer(1)),
        ("schema", .text(try StoredSchema(schema).encoded())),
      ] {
        try connection.prepare("INSERT INTO main._entity_store (key, value) VALUES (?, ?)").run([.text(key), value])
      }
    }
    try update()
  }

  private func update() throws {
    let stored = try stored()
    guard try stored != StoredSchema(schema) || !unmarked().isEmpty else { return }
    // Told also where nothing can be written.
    _ = try SchemaDifference(from: stored, to: schema)
    try transaction {
      let difference = try SchemaDifference(from: self.stored(), to: schema)
      for step in difference.steps {
        if let hole = step.hole, try integer(hole) != nil {
          throw SchemaDifference.mismatch("\(step.name) is new and required, and the file has rows without it")
        }
        do {
          try connection.execute(step.sql)
        } catch let error as StoreError where error.kind == .uniqueViolation {
          throw SchemaDifference.mismatch(
            "\(step.name) is new and unique, but all rows of the file would get its default")
        }
      }
      for links in try unmarked() { try PairMarkSetup(schema: schema, connection: connection).add(to: links) }
      try connection.prepare("UPDATE main._entity_store SET value = ? WHERE key = 'schema'").run([
        .text(try StoredSchema(schema).encoded())
      ])
      try connection.prepare("UPDATE main._entity_store SET value = ? WHERE key = 'format'").run([
        .integer(Self.format)
      ])
    }
    connection.forgetStatements()
  }

  /// The many-to-many relationships whose pairs may lack marks: in a file of format 1 all of them, else those without a
  /// table of removed pairs, which the schema did not have when the file came to its format.
  ///
  /// Where nothing can be written, no response comes either that asks for marks.
  private func unmarked() throws -> [EntityModel] {
    let links = schema.entities.filter(\.isLinks)
    let isCurrent = try integer("SELECT value FROM main._entity_store WHERE key = 'format'") == Self.format
    guard isCurrent || connection.isReadOnly else { return links }
    let setup = PairMarkSetup(schema: schema, connection: connection)
    return try links.filter { try !setup.hasTable($0) }
  }

  private func stored() throws -> StoredSchema {
    let text = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'schema'") { $0.text(0) }.first
    guard let text = text ?? nil, let schema = try? StoredSchema.decode(text) else {
      throw StoreError(.corrupt, "\(location) does not say what schema it holds: it was changed by something else.")
    }
    return schema
  }

  private func transaction(_ body: () throws -> Void) throws {
    try connection.begin("IMMEDIATE")
    do {
      try body()
      try connection.commit()
    } catch {
      connection.rollback()
      throw error
    }
  }

  private func integer(_ sql: String) throws -> Int64? {
    try connection.rows(sql) { $0.int64(0) }.first
  }
}
