/// Compares the indexes of full-text search with their tables.
///
/// FTS5's own check is an INSERT (https://sqlite.org/fts5.html#the_integrity_check_command), which a read-only
/// connection can't run. So the texts of a table are indexed once more, in a table of the connection's own. Then the
/// words of both indexes are compared side by side, in FTS5's order: by word, row and place. The counts of rows and
/// words in both indexes are compared too: FTS5 refuses a deletion that does not fit its counts.
struct SearchCheck {
  let connection: Connection
  let schema: SchemaModel
  /// The entities whose declared index is missing, in a file that is only read.
  let unsearchable: Set<String>

  /// The entities whose index, or a trigger of it, is missing or differs.
  func differing() throws -> [String] {
    try SearchSetup(schema: schema, connection: connection).differing().subtracting(unsearchable).sorted()
  }

  /// The differences of an index from its table.
  enum Difference {
    /// The rows whose words in the index differ from the table; at least one.
    case rows([Int64])
    /// The words are the same, and the counts differ.
    case numbers
  }

  /// - Parameter most: The most rows to look for.
  func difference(_ search: SearchModel, most: Int) throws -> Difference? {
    let twin = "_twin\(search.name)"
    let words = [("main", search.name), ("temp", twin)].map { (vocabulary: "_words\($1)", schema: $0, index: $1) }
    let names = words.map(\.vocabulary) + [twin]
    defer { for name in names { try? connection.execute("DROP TABLE IF EXISTS temp.\(name.quoted)") } }
    for sql in search.twin(twin) { try connection.execute(sql) }
    for (vocabulary, schema, index) in words {
      // https://sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
      try connection.execute(
        "CREATE VIRTUAL TABLE temp.\(vocabulary.quoted) USING fts5vocab(\(schema.literal), \(index.literal), 'instance')"
      )
    }
    let rows = try compare(words.map { try Words(Statement(Words.sql($0.vocabulary), on: connection)) }, most)
    guard rows.isEmpty else { return .rows(rows) }
    return try numbers("main", search.name) == numbers("temp", twin) ? nil : .numbers
  }

  /// The number of rows in an index, and of words in each column, as FTS5 keeps them
  /// (https://sqlite.org/fts5.html#the_data_table). Zeros at the end may be left out.
  private func numbers(_ schema: String, _ index: String) throws -> [UInt8] {
    let blocks = try connection.rows("SELECT block FROM \(schema).\("\(index)_data".quoted) WHERE id = 1") {
      $0.value(0)
    }
    guard case .blob(let block)? = blocks.first else { return [] }
    return Array(block.reversed().drop { $0 == 0 }.reversed())
  }

  private func compare(_ words: [Words], _ most: Int) throws -> [Int64] {
    var (index, table) = (words[0], words[1])
    var rows: Set<Int64> = []
    var count = 0
    while rows.count < most, let key = [index.key, table.key].compactMap(\.self).min() {
      count += 1
      if count % 4096 == 0 { try Task.checkCancellation() }
      if index.key == table.key, index.place == table.place {
        try index.step()
        try table.step()
        continue
      }
      rows.insert(key.row)
      while index.key == key { try index.step() }
      while table.key == key { try table.step() }
    }
    return rows.sorted()
  }
}

/// The words of an index, in the index's order.
private struct Words {
  struct Key: Comparable {
    /// In hexadecimal digits, which sort in the same order as the bytes.
    let word: String
    let row: Int64

    static func < (one: Key, other: Key) -> Bool { (one.word, one.row) < (other.word, other.row) }
  }

  private let statement: Statement
  private(set) var key: Key?
  /// The column, and the number of the word in it.
  private(set) var place = ""

  static func sql(_ vocabulary: String) -> String {
    "SELECT hex(term), doc, col || ' ' || \"offset\" FROM temp.\(vocabulary.quoted)"
  }

  init(_ statement: Statement) throws {
    self.statement = statement
    try step()
  }

  mutating func step() throws {
    guard try statement.step() else { return key = nil }
    key = Key(word: statement.text(0) ?? "", row: statement.int64(1))
    place = statement.text(2) ?? ""
  }
}
