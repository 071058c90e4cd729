/// The indexes of full-text search. They follow from the tables: a file has the indexes that the app declares, and an
/// index that differs is made again.
struct SearchSetup {
  let schema: SchemaModel
  let connection: Connection

  /// Drops the indexes with their triggers: a column that an index names can't be changed.
  static func takeApart(_ connection: Connection) throws {
    for (name, sql) in try parts(connection) where !sql.hasPrefix("CREATE TRIGGER") { try drop(name, connection) }
  }

  /// Makes the indexes that the file lacks, or that differ, and drops those that are not declared.
  ///
  /// - Throws: ``StoreError`` of kind `invalidSchema` where SQLite has no FTS5.
  func settle() throws {
    guard !connection.isReadOnly, try !changed().isEmpty else { return }
    do {
      try connection.writing {
        // Another process may have been first.
        for (name, search) in try changed() {
          try Self.drop(name, connection)
          guard let search else { continue }
          for sql in search.ddl(name, of: search.entity) { try connection.execute(sql) }
          try connection.execute(SearchModel.rebuild(name))
        }
      }
    } catch let error as StoreError
      where error.message.contains("no such module") || error.message.contains("no such tokenizer")
    {
      throw StoreError(
        .invalidSchema,
        "The schema has a full-text search, and this SQLite has no FTS5, or not the tokenizer: \(error.message) Declare no "
          + "`fullTextSearch`, or use a SQLite with FTS5.", sqliteCode: error.sqliteCode)
    }
    connection.forgetStatements()
  }

  /// The entities whose index is missing or differs, in a file where it can't be made.
  func unsearchable() throws -> Set<String> {
    connection.isReadOnly ? try differing() : []
  }

  /// The entities whose index is missing or differs.
  func differing() throws -> Set<String> { Set(try changed().compactMap { $0.search?.entity }) }

  /// The indexes to drop, each with the index to make in its place.
  private func changed() throws -> [(name: String, search: SearchModel?)] {
    let found = try Dictionary(Self.parts(connection)) { first, _ in first }
    var changed: [(name: String, search: SearchModel?)] = []
    var known: Set<String> = []
    for search in schema.entities.compactMap(\.search) {
      let expected = search.ddl(search.name, of: search.entity)
      let names = [search.name] + SearchModel.Trigger.allCases.map { $0.name(of: search.name) }
      known.formUnion(names)
      if zip(names, expected).contains(where: { found[$0] != $1 }) { changed.append((search.name, search)) }
    }
    for (name, sql) in found where !known.contains(name) && !sql.hasPrefix("CREATE TRIGGER") {
      changed.append((name, nil))
    }
    return changed
  }

  private static func drop(_ name: String, _ connection: Connection) throws {
    for trigger in SearchModel.Trigger.allCases {
      try connection.execute("DROP TRIGGER IF EXISTS main.\(trigger.name(of: name).quoted)")
    }
    try connection.execute("DROP TABLE IF EXISTS main.\(name.quoted)")
  }

  /// The indexes and triggers by name, with their SQL, without the tables that FTS5 makes for itself.
  private static func parts(_ connection: Connection) throws -> [(String, String)] {
    try connection.rows(
      "SELECT name, sql FROM main.sqlite_schema WHERE substr(name, 1, ?) = ? "
        + "AND (type = 'trigger' OR sql LIKE 'CREATE VIRTUAL TABLE%')",
      [.integer(Int64(SearchModel.prefix.utf8.count)), .text(SearchModel.prefix)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
  }
}
