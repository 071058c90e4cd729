/// An index over several columns, or over a part of the rows, as the file keeps it.
///
/// Values that are unique together have an index that is not unique, and the end of a unit checks them. SQLite checks
/// row by row, and two rows may swap their values.
struct StoredIndex: Codable, Equatable {
  var columns: [String]
  /// Whether all rows in the file are unique; `nil` where some may be alike.
  var isUnique: Bool?
  /// The condition of its rows, in SQL; `nil` for all rows.
  var condition: String?

  init(_ index: IndexModel) {
    columns = index.names
    isUnique = index.isUnique ? true : nil
    condition = index.condition
  }

  var isTogether: Bool { isUnique == true }

  /// Whether another index has the same rows in the same order.
  func isSame(as other: StoredIndex) -> Bool { columns == other.columns && condition == other.condition }

  fileprivate func names(_ column: String) -> Bool {
    columns.contains(column) || condition.map { Self.replacing(column, with: "", in: $0) != $0 } == true
  }

  fileprivate mutating func rename(_ old: String, to new: String) {
    columns = columns.map { $0 == old ? new : $0 }
    condition = condition.map { Self.replacing(old, with: new.quoted, in: $0) }
  }

  /// Replaces the name of a column in SQL, and leaves texts as they are.
  ///
  /// SQLite sees each quote by itself, also where a following combining mark makes it part of one character.
  private static func replacing(_ column: String, with new: String, in sql: String) -> String {
    let quoted = column.quoted.unicodeScalars
    var result = String.UnicodeScalarView()
    var rest = sql.unicodeScalars[...]
    while let start = rest.firstIndex(where: { $0 == "'" || $0 == "\"" }) {
      result += rest[..<start]
      rest = rest[start...]
      // A quote within a name or a text stands twice. So it ends one part and begins the next.
      var end = rest.index(after: start)
      while let quote = rest[end...].firstIndex(of: rest[start]) {
        end = rest.index(after: quote)
        guard end < rest.endIndex, rest[end] == rest[start] else { break }
        end = rest.index(after: end)
      }
      let token = rest[..<end]
      if token.elementsEqual(quoted) { result += new.unicodeScalars } else { result += token }
      rest = rest[end...]
    }
    return String(result + rest)
  }
}

extension StoredEntity {
  mutating func renameInIndexes(_ old: String, to new: String) {
    for index in (indexes ?? []).indices { indexes?[index].rename(old, to: new) }
  }

  /// Drops the indexes that name a column that goes.
  mutating func dropIndexes(of column: String) {
    indexes?.removeAll { $0.names(column) }
    if indexes?.isEmpty == true { indexes = nil }
  }
}

extension DDL {
  static func indexName(_ entity: StoredEntity, _ index: StoredIndex) -> String {
    entity.name + IndexModel.suffix(index.columns, index.condition)
  }

  static func index(_ entity: StoredEntity, _ index: StoredIndex) -> String {
    "CREATE INDEX main.\(indexName(entity, index).quoted) ON \(entity.name.quoted) "
      + "(\(index.columns.map(\.quoted).joined(separator: ", ")))\(index.condition.map { " WHERE \($0)" } ?? "")"
  }
}

extension IndexModel {
  /// The end of the index's name, after the name of its table. Names have no comma, so no column's index has such a
  /// name.
  var suffix: String { Self.suffix(names, condition) }

  static func suffix(_ names: [String], _ condition: String?) -> String {
    let columns = ",," + names.joined(separator: ",")
    return condition.map { "\(columns),,\(StoredSchema.fingerprint(of: [$0]))" } ?? columns
  }

  /// The filter of an index's rows, where its values are unique together.
  ///
  /// A placeholder has defaults, which nobody set.
  static func filter(_ condition: String?) -> String {
    "_placeholder = 0" + (condition.map { " AND \($0)" } ?? "")
  }

  /// The groups of equal rows in a table, which must be unique.
  static func clashes(_ table: String, _ names: [String], _ condition: String?) -> String {
    let names = names.map(\.quoted)
    return
      "FROM \(table) WHERE \(filter(condition)) AND \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
      + "GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1"
  }
}
