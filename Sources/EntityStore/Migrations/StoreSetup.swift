/// Brings a file to the declared schema, or refuses it without a change.
struct StoreSetup {
  let declaration: StoreDeclaration
  let connection: Connection
  let location: StoreLocation
  let busyTimeout: Duration
  var options = StoreOptions()

  /// Marks a file as a store of this package (https://sqlite.org/pragma.html#pragma_application_id): "EntC".
  static let applicationID: Int64 = 0x456e_7443
  /// The layout of the store's own tables and columns. A change of the layout gets the next number, and a step that
  /// brings a file to it: a program that only knows the former layout must not write the file.
  static let format: Int64 = 1

  /// Opens a file and brings it to the schema.
  ///
  /// Where nothing can be written beside the file, only the file is read, if it lacks nothing of the schema.
  static func open(
    _ location: StoreLocation, _ declaration: StoreDeclaration, busyTimeout: Duration, options: StoreOptions
  ) throws -> Connection {
    if let permissions = options.permissions, options.access == .readWrite { location.make(permissions: permissions) }
    func connect(_ location: StoreLocation) throws -> (setup: StoreSetup, isEmpty: Bool) {
      let connection = try Connection(
        location, opening: options.access == .readOnly ? .reading : .making, busyTimeout: busyTimeout, log: options.log)
      let setup = StoreSetup(
        declaration: declaration, connection: connection, location: location, busyTimeout: busyTimeout, options: options
      )
      let isEmpty = try setup.check()
      try setup.prepareFile()
      return (setup, isEmpty)
    }
    let file: (setup: StoreSetup, isEmpty: Bool)
    do {
      file = try connect(location)
    } catch let error as StoreError {
      guard let frozen = try location.frozen(after: error) else { throw error }
      file = try connect(frozen)
    }
    try file.setup.complete(file.isEmpty)
    if let history = options.history, !file.setup.connection.isReadOnly {
      try HistoryTables.set(history, on: file.setup.connection)
    }
    // Another program may have written the file meanwhile.
    try file.setup.connection.location.checkUnchanged()
    if let protection = options.protection, !file.setup.connection.isReadOnly { try location.protect(protection) }
    return file.setup.connection
  }

  /// Finds out which application the file belongs to.
  ///
  /// - Returns: Whether the file is empty.
  func check() throws -> Bool {
    let isEmpty = try isEmpty()
    if !isEmpty { try connection.checkOwner() }
    return isEmpty
  }

  private func complete(_ isEmpty: Bool) throws {
    if isEmpty {
      try create()
    } else {
      do {
        try update()
      } catch let error as StoreError where error.kind == .schemaMismatch {
        var named = StoreError(.schemaMismatch, "\(location): \(error.message)")
        named.underlying = error.underlying
        throw named
      } catch let error as StoreError where error.kind == .readOnly || error.kind == .diskFull {
        throw StoreError(
          error.kind,
          "\(error.message) The schema has what the file lacks or has otherwise, so that it can't be opened before.",
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

  private func prepareFile() throws {
    // The file is read as it is.
    guard !connection.isReadOnly else { return }
    let mode = try connection.rows("PRAGMA main.journal_mode = WAL") { $0.text(0) }.first
    guard mode == "wal" else {
      throw StoreError(.cannotOpen, "\(location) can't be put into WAL mode: its folder or file may be read-only.")
    }
    try setDurability()
    // A large unit may make the log long. The log is cut back when it starts again.
    try connection.execute("PRAGMA main.journal_size_limit = 4194304")
  }

  private func setDurability() throws {
    switch options.durability {
    case .normal: try connection.execute("PRAGMA main.synchronous = NORMAL")
    case .full: try connection.set(.full)
    }
  }

  private func create() throws {
    let schema = StoredSchema(declaration.schema)
    try connection.writing {
      // Another process may have been first.
      guard try integer("SELECT count(*) FROM main.sqlite_schema") == 0 else { return }
      try connection.execute("PRAGMA main.application_id = \(Self.applicationID)")
      try connection.execute("CREATE TABLE main._entity_store (key TEXT PRIMARY KEY, value) WITHOUT ROWID")
      for entity in declaration.schema.entities {
        guard let stored = schema[entity.name] else { continue }
        let defaults = Dictionary(entity.properties.map { ($0.name, $0.defaultValue) }) { first, _ in first }
        for sql in DDL.table(stored, defaults: defaults, last: entity.lazyNames) { try connection.execute(sql) }
      }
      for (key, value) in [
        ("format", StoredValue.integer(Self.format)), ("generation", .integer(0)), ("next_pk", .integer(1)),
        ("schema", .text(try schema.encoded())),
      ] {
        try connection.prepare("INSERT INTO main._entity_store (key, value) VALUES (?, ?)").run([.text(key), value])
      }
      let log = MigrationLog(connection: connection)
      try log.create()
      try log.add(schema: schema.fingerprint)
      try EditNoteSetup.create(on: connection)
      for sql in [AnswerNotes.create] + CollectionTables.create { try connection.execute(sql) }
      try HistoryTables.create(on: connection)
      // A new file is as the last step leaves a file.
      for migration in declaration.migrations { try log.add(step: migration.name) }
    }
    try update()
  }

  private func update() throws {
    try StoreUpdate(declaration, connection, location, busyTimeout: busyTimeout, author: options.author).run()
    try SearchSetup(schema: declaration.schema, connection: connection).settle()
  }

  private func integer(_ sql: String) throws -> Int64? {
    try connection.rows(sql) { $0.int64(0) }.first
  }
}
