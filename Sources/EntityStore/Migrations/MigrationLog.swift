/// The file's own record of the steps that it has run and of the schemas that it had, in order.
struct MigrationLog {
  let connection: Connection

  static let table = "main._entity_migrations"

  struct Record {
    var steps: [String] = []
    /// The fingerprints of the schemas.
    var schemas: [String] = []
  }

  func read() throws -> Record {
    var record = Record()
    for row in try connection.rows(
      "SELECT step, schema FROM \(Self.table) ORDER BY number", read: { ($0.text(0), $0.text(1)) })
    {
      if let step = row.0 { record.steps.append(step) }
      if let schema = row.1 { record.schemas.append(schema) }
    }
    return record
  }

  func create() throws {
    try connection.execute(
      "CREATE TABLE \(Self.table) (number INTEGER PRIMARY KEY, step TEXT, schema TEXT)")
  }

  func add(step: String) throws {
    try connection.prepare("INSERT INTO \(Self.table) (step) VALUES (?)").run([.text(step)])
  }

  func add(schema: String) throws {
    try connection.prepare("INSERT INTO \(Self.table) (schema) VALUES (?)").run([.text(schema)])
  }
}

extension MigrationLog.Record {
  /// - Throws: ``StoreError`` of kind `schemaMismatch` where the file has run a step that the app does not have in that
  ///   place.
  func check(against migrations: [Migration]) throws {
    for (number, step) in steps.enumerated() {
      guard let place = migrations.firstIndex(where: { $0.name == step }) else {
        throw SchemaDifference.mismatch(
          "the file has taken the step '\(step)', which this version of the app does not have. The file is of a newer "
            + "version: update the app. A step stays in the list for as long as there are files that took it")
      }
      guard place == number else {
        let missing = migrations[number].name
        throw SchemaDifference.mismatch(
          "the file has taken the step '\(step)' without '\(missing)', which comes before it in this version of the app. "
            + "Steps are only added at the end of the list")
      }
    }
  }
}
