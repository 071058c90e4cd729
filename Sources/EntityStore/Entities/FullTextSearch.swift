/// The texts of an entity in which a search finds words: the value of ``ManagedEntity/fullTextSearch``.
///
/// ```swift
/// static var fullTextSearch: FullTextSearch<Post>? { FullTextSearch(\.title, \.body) }
/// ```
/// The file has an index of the words, made by SQLite's FTS5 (https://sqlite.org/fts5.html). The file itself keeps the
/// index up to date: every program that writes a row also writes the index. There is one exception, `INSERT OR REPLACE`
/// of another program: see <doc:SearchingText>.
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
  /// The search as the store uses it. Its columns are already checked.
  func model(_ name: String, _ properties: [PropertyModel]) -> SearchModel {
    var mask = ColumnMask()
    for property in properties where columns.contains(property.name) { mask.insert(property.index) }
    return SearchModel(entity: name, columns: columns, mask: mask, tokenizer: tokenizer)
  }
}

extension SchemaModel {
  /// Checks the columns of a full-text search: it reads the values as they are stored, and its columns have the names
  /// of the properties.
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
      // FTS5 itself has columns of these names.
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
