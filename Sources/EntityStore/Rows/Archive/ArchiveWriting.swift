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
      try section(
        .rows(model.name, columns: columns, renamed: renamed), "SELECT \(names) FROM \(model.table) ORDER BY _pk",
        columns.count + 3,
        &output
      ) { if $0.int64(2) == 0 || !model.hasPlaceholders { objects += 1 } }
      if !model.isLinks { summary.objects[model.name] = objects }
      guard model.isLinks else { continue }
      let ends = model.ends.map(\.name.quoted).joined(separator: ", ")
      try section(
        .removed(model.name), "SELECT _edited, \(ends) FROM \(model.removedTable) ORDER BY \(ends)", 3, &output)
    }
    let commits = try ArchivedCommits(connection)
    try section(
      .edits,
      "SELECT entity, pk, property, base, has_base, time, number, made FROM \(EditNotes.table) ORDER BY 1, 2, 3", 8,
      &output, commits: (commits, [6, 7]))
    try section(
      .deletions, "SELECT entity, pk, uid, time, cause, number, address FROM \(Tombstones.table) ORDER BY 1, 2", 7,
      &output, commits: (commits, [5]))
    try section(
      .outbox, entries(OutboxTable.columns.map(\.quoted).joined(separator: ", ")), OutboxTable.columns.count, &output,
      entities, commits: (commits, [OutboxArchive.edited]))
    summary.pending = try connection.rows(EditNotes.count) { Int($0.int64(0)) }.first ?? 0
    try output.endLine()
    return summary
  }

  private func entries(_ columns: String) -> String {
    "SELECT \(columns) FROM \(OutboxTable.table) WHERE \(OutboxTable.archived) "
      + "AND entity IN (SELECT value FROM _entity_values(?1)) ORDER BY number"
  }

  /// The entities that the app has, as the first parameter of ``entries(_:)``.
  private var entities: [StoredValue] { [.list(schema.entities.filter { !$0.isLinks }.map { .text($0.name) })] }

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

  /// Writes a section, row by row. A section without rows is left out.
  ///
  /// - Parameter commits: The columns that have numbers of commits.
  private func section(
    _ section: ArchiveSection, _ sql: String, _ columns: Int, _ output: inout ArchiveOutput,
    _ values: [StoredValue] = [], commits: (ArchivedCommits, Set<Int>)? = nil, _ note: (Statement) -> Void = { _ in }
  ) throws {
    let statement = try Statement(sql, on: connection)
    try statement.bind(values)
    var count = 0
    while try statement.step() {
      if count == 0 { try output.line(section.line) }
      if count % 256 == 255 { try Task.checkCancellation() }
      count += 1
      var writer = JSONWriter(format: .compact)
      writer.beginArray()
      for column in 0..<columns {
        if let (commits, numbered) = commits, numbered.contains(column) {
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
