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
