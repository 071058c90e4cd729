import EntityJSON

/// Writes the rows of a snapshot as an archive.
struct ArchiveWriting {
  let connection: Connection
  let schema: SchemaModel

  @discardableResult
  func write(to output: inout ArchiveOutput) throws -> ArchiveSummary {
    var summary = ArchiveSummary()
    let last = try connection.number(.nextPK) - 1
    let stored = StoredSchema(schema)
    let names = Dictionary(uniqueKeysWithValues: stored.entities.map { ($0.name, $0.renamedFrom) })
    try output.line(ArchiveHeader(firstRow: try firstRow() ?? last + 1, lastRow: last, names: names).line)
    // The targets of links first.
    for number in schema.writeOrder {
      let model = schema.entities[number]
      let columns = model.stored.subtracting(model.derived).indices.map { model.properties[$0].name }
      var renamed: [String: String] = [:]
      for property in stored[model.name]?.properties ?? [] { renamed[property.name] = property.renamedFrom }
      let names = (["_pk", "_edited", "_placeholder"] + columns).map(\.quoted).joined(separator: ", ")
      var objects = 0
      let rows = ArchiveSection.rows(model.name, columns: columns, renamed: renamed)
      try section(
        rows, .init("SELECT \(names) FROM \(model.table) ORDER BY _pk", columns: columns.count + 3), &output
      ) { if $0.int64(2) == 0 || !model.hasPlaceholders { objects += 1 } }
      guard model.isLinks else {
        summary.objects[model.name] = objects
        continue
      }
      let ends = model.ends.map(\.name.quoted).joined(separator: ", ")
      try section(
        .removed(model.name),
        .init("SELECT _edited, \(ends) FROM \(model.removedTable) ORDER BY \(ends)", columns: 3), &output)
    }
    let commits = try ArchivedCommits(connection)
    let edits = Query(
      "SELECT entity, pk, property, base, has_base, time, number, made FROM \(EditNotes.table) ORDER BY 1, 2, 3",
      columns: 8, commits: [6, 7])
    try section(.edits, edits, &output, commits)
    let deletions = Query(
      "SELECT entity, pk, uid, time, cause, number, address FROM \(Tombstones.table) ORDER BY 1, 2", columns: 7,
      commits: [5])
    try section(.deletions, deletions, &output, commits)
    let entries = Query(
      entries(OutboxTable.columns.map(\.quoted).joined(separator: ", ")), entities,
      columns: OutboxTable.columns.count, commits: [OutboxArchive.edited])
    try section(.outbox, entries, &output, commits)
    summary.pending = try connection.rows(EditNotes.count) { Int($0.int64(0)) }.first ?? 0
    try output.endLine()
    return summary
  }

  private func entries(_ columns: String) -> String {
    "SELECT \(columns) FROM \(OutboxTable.table) WHERE \(OutboxTable.archived) "
      + "AND entity IN (SELECT value FROM _entity_values(?1)) ORDER BY number"
  }

  /// The entities that the app has, as the first parameter of ``entries(_:)``.
  private var entities: [StoredValue] { [.list(schema.declared.map { .text($0.name) })] }

  /// The smallest row id in the archive; `nil` for an archive without rows.
  ///
  /// A note may have the row id of an object that is gone.
  private func firstRow() throws -> Int64? {
    var queries: [(sql: String, values: [StoredValue])] = [
      ("SELECT min(pk) FROM \(EditNotes.table)", []), ("SELECT min(pk) FROM \(Tombstones.table)", []),
      ("SELECT min(cause) FROM \(Tombstones.table)", []), (entries("min(pk)"), entities),
    ]
    for model in schema.entities {
      let links = model.links.indices.map { model.properties[$0].name }
      queries.append(("SELECT min(_pk) FROM \(model.table)", []))
      queries += links.map { ("SELECT min(\($0.quoted)) FROM \(model.table)", []) }
      if model.isLinks {
        queries += model.ends.map { ("SELECT min(\($0.name.quoted)) FROM \(model.removedTable)", []) }
      } else {
        queries += links.map {
          (
            "SELECT min(base) FROM \(EditNotes.table) WHERE entity = ? AND property = ?",
            [.text(model.name), .text($0)]
          )
        }
      }
    }
    return try queries.compactMap { query in
      try connection.rows(query.sql, query.values) { $0.value(0) }.first.flatMap {
        if case .integer(let pk) = $0 { pk } else { nil }
      }
    }.min()
  }

  /// The rows of a section.
  private struct Query {
    let sql: String
    let values: [StoredValue]
    let columns: Int
    /// The columns that have numbers of commits.
    let commits: Set<Int>

    init(_ sql: String, _ values: [StoredValue] = [], columns: Int, commits: Set<Int> = []) {
      (self.sql, self.values, self.columns, self.commits) = (sql, values, columns, commits)
    }
  }

  /// Writes a section, row by row. A section without rows is left out.
  private func section(
    _ section: ArchiveSection, _ query: Query, _ output: inout ArchiveOutput, _ commits: ArchivedCommits? = nil,
    _ note: (Statement) -> Void = { _ in }
  ) throws {
    let statement = try Statement(query.sql, on: connection)
    try statement.bind(query.values)
    var count = 0
    while try statement.step() {
      if count == 0 { try output.line(section.line) }
      if count % 256 == 255 { try Task.checkCancellation() }
      count += 1
      var writer = JSONWriter(format: .compact)
      writer.beginArray()
      for column in 0..<query.columns {
        if let commits, query.commits.contains(column) {
          writer.archived(.integer(commits.place(of: statement.int64(column))))
        } else {
          writer.archived(statement.value(column))
        }
      }
      writer.endArray()
      try output.line(writer)
      note(statement)
    }
  }
}
