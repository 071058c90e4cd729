/// A condition on rows, as SQL with bound values.
public struct Predicate: Sendable {
  let sql: String
  let values: [StoredValue]

  init(_ sql: String, _ values: [StoredValue] = []) {
    self.sql = sql
    self.values = values
  }

  static func rowID(_ pk: Int64) -> Predicate { Predicate("_pk = ?", [.integer(pk)]) }

  static func rowIDs(_ pks: [Int64]) -> Predicate {
    Predicate("_pk IN (\(pks.map { _ in "?" }.joined(separator: ", ")))", pks.map { .integer($0) })
  }

  package static func column(_ name: String, is value: StoredValue) -> Predicate {
    Predicate("\(name.quoted) IS ?", [value])
  }

  /// `$0.age > 21 && $0.email == nil`
  /// // ("age" > ? AND "email" IS NULL)
  public static func && (left: Predicate, right: Predicate) -> Predicate {
    Predicate("(\(left.sql) AND \(right.sql))", left.values + right.values)
  }

  /// `$0.age > 21 || $0.email == nil`
  /// // ("age" > ? OR "email" IS NULL)
  public static func || (left: Predicate, right: Predicate) -> Predicate {
    Predicate("(\(left.sql) OR \(right.sql))", left.values + right.values)
  }

  /// `!($0.age > 21)`
  /// // ("age" > ?) IS NOT TRUE
  ///
  /// True for rows without an age too: a comparison with nothing is false, and its opposite is true.
  public static prefix func ! (predicate: Predicate) -> Predicate {
    Predicate("(\(predicate.sql)) IS NOT TRUE", predicate.values)
  }
}
