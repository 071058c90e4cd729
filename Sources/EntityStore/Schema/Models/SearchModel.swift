/// How a text becomes the words that a search compares.
public struct SearchTokenizer: Sendable, Hashable {
  let sql: String

  /// Words of letters and digits of any script, without regard to case and accents: "cafe" finds "Café". In scripts
  /// without spaces between words, such as Chinese, a whole sentence is one word: use ``trigram`` for these.
  public static let unicode = SearchTokenizer(sql: "unicode61 remove_diacritics 2")
  /// The same as ``unicode``, but accents count: "cafe" does not find "Café".
  public static let unicodeWithAccents = SearchTokenizer(sql: "unicode61 remove_diacritics 0")
  /// The same as ``unicode``, but English words count by their stem: "connection" finds "connected". This includes the
  /// last word of a search, so the beginning of a word may find nothing: "connecti" does not find "connected".
  public static let english = SearchTokenizer(sql: "porter unicode61 remove_diacritics 2")
  /// Any three successive characters, without regard to case: a search finds parts of words, in all scripts. Accents
  /// count: "cafe" does not find "Café". A word of fewer than three characters finds nothing. The index is several
  /// times as large.
  public static let trigram = SearchTokenizer(sql: "trigram")
}

/// The full-text search of an entity, and the SQL of its index.
struct SearchModel: Sendable {
  let entity: String
  let columns: [String]
  let mask: ColumnMask
  let tokenizer: SearchTokenizer

  /// Names of entities have no comma, so no entity has the name of an index.
  static let prefix = Connection.searchPrefix

  init(entity: String, columns: [String], mask: ColumnMask, tokenizer: SearchTokenizer) {
    self.entity = entity
    self.columns = columns
    self.mask = mask
    self.tokenizer = tokenizer
  }

  var name: String { Self.prefix + entity }

  /// The triggers that keep an index in line with its table, in the order of ``ddl(_:of:isTemporary:)``.
  enum Trigger: String, CaseIterable {
    case insert, delete, update

    func name(of index: String) -> String { "\(index),\(rawValue)" }
  }

  /// The SQL for the index of a table, and for the triggers that keep it in line with the table. The index has no copy
  /// of the texts: it reads them from the table when it needs them.
  ///
  /// - Parameters:
  ///   - name: The index's name.
  ///   - content: The table's name.
  ///   - isTemporary: Whether both belong to a connection alone.
  func ddl(_ name: String, of content: String, isTemporary: Bool = false) -> [String] {
    let schema = isTemporary ? "temp." : ""
    let table = name.quoted
    let names = columns.map(\.quoted)
    func values(_ row: String) -> String { (["_pk"] + names).map { "\(row).\($0)" }.joined(separator: ", ") }
    // FTS5 finds the old words from the old values.
    let remove =
      "INSERT INTO \(table) (\(([table, "rowid"] + names).joined(separator: ", "))) VALUES ('delete', \(values("old")))"
    let add = "INSERT INTO \(table) (\((["rowid"] + names).joined(separator: ", "))) VALUES (\(values("new")))"
    func trigger(_ trigger: Trigger, _ when: String, _ statements: [String]) -> String {
      "CREATE TRIGGER \(schema)\(trigger.name(of: name).quoted) AFTER \(when) ON \(content.quoted) BEGIN "
        + statements.map { $0 + "; " }.joined() + "END"
    }
    let options = [
      "content=\(content.literal)", "content_rowid='_pk'", "tokenize=\(tokenizer.sql.literal)",
    ]
    return [
      "CREATE VIRTUAL TABLE \(schema)\(table) USING fts5(\((names + options).joined(separator: ", ")))",
      trigger(.insert, "INSERT", [add]), trigger(.delete, "DELETE", [remove]),
      trigger(.update, "UPDATE OF \((["_pk"] + names).joined(separator: ", "))", [remove, add]),
    ]
  }

  /// The SQL for an index of the table's texts that belongs to a connection alone, without a copy of the texts.
  func twin(_ name: String) -> [String] {
    let table = "temp.\(name.quoted)"
    let names = columns.map(\.quoted)
    let options = ["content=''", "tokenize=\(tokenizer.sql.literal)"]
    let list = names.joined(separator: ", ")
    return [
      "CREATE VIRTUAL TABLE \(table) USING fts5(\((names + options).joined(separator: ", ")))",
      "INSERT INTO \(table) (rowid, \(list)) SELECT _pk, \(list) FROM main.\(entity.quoted)",
    ]
  }

  /// Reads all texts again.
  static func rebuild(_ name: String, isTemporary: Bool = false) -> String {
    "INSERT INTO \(isTemporary ? "temp" : "main").\(name.quoted) (\(name.quoted)) VALUES ('rebuild')"
  }
}
