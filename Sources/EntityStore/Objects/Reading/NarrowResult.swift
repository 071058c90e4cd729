// A thousand live queries of one entity may differ in a single value: for example, the comments of each of a thousand
// posts. All of them read the column that a commit changes, but the commit touches only one result. The changed rows
// tell which one.

/// A result whose objects all have the same value in one column.
struct NarrowResult {
  /// A larger result does not record its rows.
  static let most = 1_000

  let entity: Int
  /// The name of the column, quoted.
  let column: String
  let value: StoredValue
  let rows: Set<Int64>
}

/// The rows that commits changed, if they are few, with their present values.
final class ChangedRows {
  /// If more rows of an entity changed, none is read.
  private static let most = 16

  private struct Column: Hashable {
    let entity: Int
    let name: String
  }

  private let news: CommitNews
  private let crowded: Set<Int>
  private let context: EntityContext
  /// The changed rows by entity; `nil` for an entity of which too many rows changed, or unknown ones.
  private var rows: [Int: [Int64]?] = [:]
  /// The values of the changed rows in a column; `nil` where they can't be read.
  private var values: [Column: [StoredValue]?] = [:]

  init(_ news: CommitNews, _ crowded: Set<Int>, in context: EntityContext) {
    self.news = news
    self.crowded = crowded
    self.context = context
  }

  /// Whether one of the changed rows was in a result, or may be in it now.
  func canTouch(_ result: NarrowResult) -> Bool {
    guard let rows = rows(result.entity) else { return true }
    if rows.contains(where: result.rows.contains) { return true }
    guard let values = values(Column(entity: result.entity, name: result.column), rows) else { return true }
    return values.contains { result.value.canEqual($0) }
  }

  private func rows(_ entity: Int) -> [Int64]? {
    if let known = rows[entity] { return known }
    let found = readRows(entity)
    rows[entity] = .some(found)
    return found
  }

  private func readRows(_ entity: Int) -> [Int64]? {
    guard !news.hasUnknown, !crowded.contains(entity) else { return nil }
    var found: Set<Int64> = []
    for summary in news.summaries {
      // The edits of an object moved to another object.
      guard !summary.forwards.contains(where: { $0.entity == entity }) else { return nil }
      switch summary.entities[entity] {
      case nil: break
      case .all: return nil
      case .rows(let changes):
        guard changes.count <= Self.most else { return nil }
        found.formUnion(changes.keys)
      }
    }
    // The query sees the unsaved values of a row in place of the stored ones.
    guard found.count <= Self.most, found.allSatisfy({ context.unsaved.changed[entity][$0] == nil }) else { return nil }
    return Array(found)
  }

  private func values(_ column: Column, _ rows: [Int64]) -> [StoredValue]? {
    if let known = values[column] { return known }
    let sql = "SELECT \(column.name) FROM \(context.core.schema.entities[column.entity].table) WHERE _pk = ?"
    let found = try? rows.flatMap { try context.connection.rows(sql, [.integer($0)]) { $0.value(0) } }
    values[column] = .some(found)
    return found
  }
}

extension StoredValue {
  /// Whether SQL may find this value, which is not NULL, equal to a value of a column. SQL converts between types.
  fileprivate func canEqual(_ other: StoredValue) -> Bool {
    switch (self, other) {
    case (_, .null): false
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): self == other
    default: true
    }
  }
}
