/// The words that a full-text search looks for.
///
/// Give text that a user types to ``allWords(_:)``, ``anyWord(_:)`` or ``phrase(_:)``, where no part of it has a
/// special meaning. A text without a word, such as "-", finds nothing.
public struct SearchPattern: Sendable, Hashable {
  /// The pattern of FTS5.
  let sql: String
  /// The number of characters in the shortest of the words that must all be there.
  private(set) var shortest = Int.max

  /// All words, in any order. The last word may be the beginning of a word, for search while typing.
  ///
  /// - Parameter text: Words between spaces.
  public static func allWords(_ text: String) -> SearchPattern {
    var pattern = words(text, " ")
    let words = text.split(whereSeparator: \.isWhitespace)
    pattern.shortest = words.map { word in word.unicodeScalars.count(where: { $0 != "\0" }) }.min() ?? .max
    return pattern
  }

  /// At least one of the words. The last word may be the beginning of a word.
  ///
  /// - Parameter text: Words between spaces.
  public static func anyWord(_ text: String) -> SearchPattern { words(text, " OR ") }

  /// The words one after the other, with nothing between them.
  ///
  /// - Parameter text: The words.
  public static func phrase(_ text: String) -> SearchPattern { SearchPattern(sql: quoted(text)) }

  /// A pattern of FTS5 (https://sqlite.org/fts5.html#full_text_query_syntax), such as `title: caf* NOT tea`. The
  /// columns have the names of the properties. A pattern that FTS5 can't read throws ``StoreError`` of kind
  /// `invalidQuery` when the query runs.
  ///
  /// - Parameter pattern: The pattern.
  public static func fts5(_ pattern: String) -> SearchPattern {
    // FTS5 would read the pattern only up to the NUL. A single quotation mark is refused.
    SearchPattern(sql: pattern.utf8.contains(0) ? "\"" : pattern)
  }

  private static func words(_ text: String, _ operation: String) -> SearchPattern {
    let words = text.split(whereSeparator: \.isWhitespace).map { quoted(String($0)) }
    guard !words.isEmpty else { return SearchPattern(sql: "\"\"") }
    return SearchPattern(sql: words.joined(separator: operation) + "*")
  }

  private static func quoted(_ text: String) -> String {
    // The pattern would end at a NUL.
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" })).quoted
  }
}

/// An index of words, and the rows that lie over it.
struct SearchLayer: Sendable {
  /// The name of the index, with the name of its database.
  private let table: String
  private let name: String
  /// The tables with the unsaved rows that hide rows of the index.
  private(set) var above: [String] = []

  /// The index of an entity's table.
  init(_ search: SearchModel) { self.init(search.name, in: "main") }

  init(_ name: String, in database: String) {
    self.name = name.quoted
    table = "\(database).\(name.quoted)"
  }

  func under(_ overlay: String) -> SearchLayer {
    var layer = self
    layer.above.append(overlay)
    return layer
  }

  func select(isRanked: Bool) -> String {
    "SELECT rowid\(isRanked ? " AS pk, rank AS rank" : "") FROM \(table) WHERE \(name) MATCH ?"
      + above.map { " AND rowid NOT IN (SELECT _pk FROM \($0))" }.joined()
  }
}

extension QueryRow {
  /// The entity's texts have all these words. The last word may also be the beginning of a longer one; see
  /// ``ManagedEntity/fullTextSearch``.
  ///
  /// `Post.where { $0.matches("café nor") }`
  /// // t0._pk IN (SELECT rowid FROM "_search,Post" WHERE "_search,Post" MATCH ?)
  public func matches(_ text: String) -> EntityPredicate { matches(.allWords(text)) }

  /// The entity's texts match a pattern.
  ///
  /// `Post.where { $0.matches(.phrase("rock and roll")) }`
  /// // t0._pk IN (SELECT rowid FROM "_search,Post" WHERE "_search,Post" MATCH ?)
  public func matches(_ pattern: SearchPattern) -> EntityPredicate {
    EntityPredicate("\(alias)._pk IN (\(rowsOf: E.self, matching: pattern))")
  }
}

extension EntityQuery {
  /// Adds a sort key: how well the texts match, the best match first (https://sqlite.org/fts5.html#the_bm25_function).
  /// Objects that do not match come last. It is no condition: also use `matches`.
  ///
  /// `Post.where { $0.matches("café") }.sorted(byRelevanceTo: "café")`
  /// // … ORDER BY (WITH s AS MATERIALIZED (SELECT rowid AS pk, rank AS rank FROM "_search,Post"
  /// //   WHERE "_search,Post" MATCH ?) SELECT s.rank FROM s WHERE s.pk = t0._pk) NULLS LAST, t0._pk
  ///
  /// Unsaved objects are compared only with each other: their places among the saved objects are a guess.
  ///
  /// - Parameter text: Words, as in ``QueryRow/matches(_:)-(String)``.
  public func sorted(byRelevanceTo text: String) -> Self { sorted(byRelevanceTo: .allWords(text)) }

  /// Adds a sort key: how well the texts match a pattern, the best match first.
  ///
  /// `Post.all.sorted(byRelevanceTo: .phrase("rock and roll"))`
  /// // … ORDER BY (WITH s AS MATERIALIZED (SELECT rowid AS pk, rank AS rank FROM "_search,Post"
  /// //   WHERE "_search,Post" MATCH ?) SELECT s.rank FROM s WHERE s.pk = t0._pk) NULLS LAST, t0._pk
  ///
  /// - Parameter pattern: The pattern.
  public func sorted(byRelevanceTo pattern: SearchPattern) -> Self {
    var query = self
    let found: SQLFragment = "\(rowsOf: E.self, matching: pattern, isRanked: true)"
    // Materialized: the search runs only once, and not for each row.
    let key: SQLFragment = "(WITH s AS MATERIALIZED (\(found)) SELECT s.rank FROM s WHERE s.pk = \(row)._pk)"
    query.order.append(SortKey(sql: key, isDescending: false, nilsFirst: false))
    return query
  }
}
