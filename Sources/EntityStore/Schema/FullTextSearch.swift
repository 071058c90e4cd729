/// The texts of an entity that a search finds words in: the value of ``ManagedEntity/fullTextSearch``.
///
/// ```swift
/// static var fullTextSearch: FullTextSearch<Post>? { FullTextSearch(\.title, \.body) }
/// ```
/// The file has an index of the words, of SQLite's FTS5 (https://sqlite.org/fts5.html), which the file keeps in step by itself:
/// whoever writes a row writes the index. One exception: `INSERT OR REPLACE` of another program, see <doc:SearchingText>.
public struct FullTextSearch<E>: Sendable {
  let columns: [String]
  let tokenizer: SearchTokenizer
}

extension FullTextSearch where E: ManagedEntity {
  /// - Parameters:
  ///   - columns: The attributes, each a String or a String that may be nil.
  ///   - tokenizer: How the texts become words.
  public init<each V: AttributeValue>(
    _ columns: repeat KeyPath<E.Columns, Column<E, each V>>, tokenizer: SearchTokenizer = .unicode
  ) {
    var names: [String] = []
    for column in repeat each columns { names.append(E.columns[keyPath: column].name) }
    self.columns = names
    self.tokenizer = tokenizer
  }
}

extension FullTextSearch {
  /// The search as the store works with it; the columns were checked.
  func model(_ name: String, _ properties: [PropertyModel]) -> SearchModel {
    var mask = ColumnMask()
    for property in properties where columns.contains(property.name) { mask.insert(property.index) }
    return SearchModel(entity: name, columns: columns, mask: mask, tokenizer: tokenizer)
  }
}

/// How a text becomes the words that a search compares.
public struct SearchTokenizer: Sendable, Hashable {
  let sql: String

  /// Words of letters and digits of any script, without regard to case and accents: "cafe" finds "Café". Scripts without
  /// spaces between words, such as Chinese, have one long word for a sentence: take ``trigram`` for these.
  public static let unicode = SearchTokenizer(sql: "unicode61 remove_diacritics 2")
  /// As ``unicode``, but accents count: "cafe" does not find "Café".
  public static let unicodeWithAccents = SearchTokenizer(sql: "unicode61 remove_diacritics 0")
  /// As ``unicode``, and English words count by their stem: "connection" finds "connected". The last word of a search, too, so
  /// that the beginning of a word may find nothing: "connecti" does not find "connected".
  public static let english = SearchTokenizer(sql: "porter unicode61 remove_diacritics 2")
  /// Any three characters in a row, without regard to case: a search finds parts of words, in all scripts. Accents count: "cafe"
  /// does not find "Café". A word of fewer than three characters finds nothing. The index is several times as large.
  public static let trigram = SearchTokenizer(sql: "trigram")
}

/// The full-text search of an entity, and the SQL of its index.
struct SearchModel: Sendable {
  let entity: String
  let columns: [String]
  let mask: ColumnMask
  let tokenizer: SearchTokenizer

  /// Names of entities hold no comma, so that the index is that of no entity.
  static let prefix = Connection.searchPrefix

  init(entity: String, columns: [String], mask: ColumnMask, tokenizer: SearchTokenizer) {
    self.entity = entity
    self.columns = columns
    self.mask = mask
    self.tokenizer = tokenizer
  }

  var name: String { Self.prefix + entity }

  /// The triggers that keep an index in step with its table, in the order of ``ddl(_:of:isTemporary:)``.
  enum Trigger: String, CaseIterable {
    case insert, delete, update

    func name(of index: String) -> String { "\(index),\(rawValue)" }
  }

  /// The index of a table and the triggers that keep it in step. The index has no copy of the texts: it reads them from the
  /// table where it needs them.
  ///
  /// - Parameters:
  ///   - name: The index's name.
  ///   - content: The table's name.
  ///   - isTemporary: Whether both are a connection's own.
  func ddl(_ name: String, of content: String, isTemporary: Bool = false) -> [String] {
    let schema = isTemporary ? "temp." : ""
    let table = name.quoted
    let names = columns.map(\.quoted)
    func values(_ row: String) -> String { (["_pk"] + names).map { "\(row).\($0)" }.joined(separator: ", ") }
    // FTS5 has the old words from the old values.
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

  /// An index of the texts that the table has, of a connection's own, without a copy of the texts.
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

  /// Reads all texts anew.
  static func rebuild(_ name: String, isTemporary: Bool = false) -> String {
    "INSERT INTO \(isTemporary ? "temp" : "main").\(name.quoted) (\(name.quoted)) VALUES ('rebuild')"
  }
}

extension SchemaModel {
  /// A full-text search reads the values as they are stored, and names its columns as the properties are named.
  static func checkSearch<E: ManagedEntity>(of type: E.Type, _ properties: [PropertyDescriptor]) throws {
    guard let search = type.fullTextSearch else { return }
    let entity = type.entityName
    guard !search.columns.isEmpty else { throw invalid("The full-text search of '\(entity)' names no property.") }
    guard Set(search.columns).count == search.columns.count else {
      throw invalid("The full-text search of '\(entity)' names a property twice.")
    }
    for name in search.columns {
      let property = properties.first { $0.name == name }
      guard let property, case .attribute(.string, _) = property.kind else {
        throw invalid("The full-text search of '\(entity)' reads attributes that are text, and '\(name)' is none.")
      }
      // Columns that FTS5 has itself.
      guard !["rank", "rowid"].contains(name.lowercased()) else {
        throw invalid(
          "SQLite's full-text search has a '\(name)' of its own: give '\(entity).\(name)' another name, and the server's "
            + "one with `@Key`.")
      }
    }
  }

  /// FTS5 names the tables of an index after it (https://sqlite.org/fts5.html#fts5_data_structures).
  static func checkSearches(_ entities: [EntityModel]) throws {
    let searched = entities.filter { $0.search != nil }.map(\.name)
    for name in searched {
      for part in ["data", "idx", "content", "docsize", "config"] {
        guard let other = searched.first(where: { $0.lowercased() == "\(name)_\(part)".lowercased() }) else { continue }
        throw invalid(
          "'\(name)' and '\(other)' both have a full-text search, and SQLite's tables for the first one have the name of the "
            + "second one's index. Give one of them another `entityName`.")
      }
    }
  }
}
