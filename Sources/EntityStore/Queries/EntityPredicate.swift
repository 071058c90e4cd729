/// A condition on rows, as SQL with bound values.
public struct EntityPredicate: Sendable {
  private let shape: Shape
  /// The value that each matching row has in one of its columns; `nil` where no such column is known.
  private(set) var need: ColumnValue?

  private enum Shape: Sendable {
    case one(SQLFragment)
    /// Conditions that `AND` or `OR` joins.
    case list(word: String, [SQLFragment])
  }

  var sql: SQLFragment {
    switch shape {
    case .one(let sql): sql
    case .list(let word, let terms): .tree(terms, word)
    }
  }

  /// A value in a column of a row.
  struct ColumnValue: Sendable {
    let row: RowAlias
    /// The name of the column, quoted.
    let column: String
    let value: StoredValue
  }

  init(_ sql: SQLFragment) { shape = .one(sql) }

  /// The condition that an expression has a value. The value is not NULL.
  init(_ expression: SQLFragment, is value: StoredValue) {
    self.init(expression, is: value, "\(value)")
  }

  /// The condition that a link leads to an object. With an unsaved deletion of the object, no link does.
  init<E: ManagedEntity>(_ link: SQLFragment, is id: EntityID<E>) {
    self.init(link, is: .integer(id.pk), "\(object: E.self, id.pk)")
  }

  private init(_ expression: SQLFragment, is value: StoredValue, _ rendered: SQLFragment) {
    shape = .one("\(expression) IS \(rendered)")
    need = expression.column.map { ColumnValue(row: $0.row, column: $0.name, value: value) }
  }

  private init(_ word: String, _ terms: [SQLFragment]) { shape = .list(word: word, terms) }

  fileprivate init(_ left: EntityPredicate, and right: EntityPredicate) {
    self.init(left, "AND", right)
    need = left.need ?? right.need
  }

  /// Joins a list and a further condition to one list.
  fileprivate init(_ left: EntityPredicate, _ word: String, _ right: EntityPredicate) {
    shape = .list(word: word, left.terms(word) + right.terms(word))
  }

  private func terms(_ word: String) -> [SQLFragment] {
    if case .list(word, let terms) = shape { terms } else { [sql] }
  }

  /// Adds the condition for the rows that a query sees, which is not part of the query's list.
  func of(_ visible: EntityPredicate) -> EntityPredicate {
    var predicate = EntityPredicate("(\(sql) AND \(visible.sql))")
    predicate.need = need
    return predicate
  }

  /// The condition as an operand of other conditions, in SQL of an app.
  var operand: SQLFragment {
    if case .list = shape { sql } else { "(\(sql))" }
  }

  /// The same condition, with another name of a row.
  func renaming(_ row: RowAlias, to other: RowAlias) -> EntityPredicate {
    var predicate =
      switch shape {
      case .one(let sql): EntityPredicate(sql.renaming(row, to: other))
      case .list(let word, let terms): EntityPredicate(word, terms.map { $0.renaming(row, to: other) })
      }
    predicate.need = need.map {
      $0.row == row ? ColumnValue(row: other, column: $0.column, value: $0.value) : $0
    }
    return predicate
  }

  static func rowID(_ pk: Int64) -> EntityPredicate { EntityPredicate("\(.root)._pk = \(.integer(pk))") }

  static func rowIDs(_ pks: [Int64]) -> EntityPredicate {
    EntityPredicate(.isIn("\(.root)._pk", pks.map { .integer($0) }))
  }

  package static func column(_ name: String, is value: StoredValue) -> EntityPredicate {
    EntityPredicate("\(.root).\(name: name) IS \(value)")
  }
}

/// A condition: a ``EntityPredicate``, or a column of Bool.
public protocol QueryCondition: Sendable {
  var _predicate: EntityPredicate { get }
}

extension EntityPredicate: QueryCondition {
  public var _predicate: EntityPredicate { self }
}

/// `$0.age > 21 && $0.email == nil`
/// // (t0."age" > ? AND t0."email" IS NULL)
public func && <L: QueryCondition, R: QueryCondition>(left: L, right: R) -> EntityPredicate {
  EntityPredicate(left._predicate, and: right._predicate)
}

/// `$0.age > 21 || $0.email == nil`
/// // (t0."age" > ? OR t0."email" IS NULL)
public func || <L: QueryCondition, R: QueryCondition>(left: L, right: R) -> EntityPredicate {
  EntityPredicate(left._predicate, "OR", right._predicate)
}

// A value of Swift is no condition: otherwise `$0.name != nil` of a property that is not optional would be a condition
// that is always true. Never run: the use of an unavailable declaration does not compile.

@available(
  *, unavailable,
  message:
    "a value of Swift is no condition: decide before, 'text.isEmpty ? Note.all : Note.where { $0.title == text }'"
)
@_disfavoredOverload
public func || <C: QueryCondition>(left: Bool, right: C) -> EntityPredicate { EntityPredicate("0") }

@available(
  *, unavailable,
  message:
    "a value of Swift is no condition: decide before, 'text.isEmpty ? Note.all : Note.where { $0.title == text }'"
)
@_disfavoredOverload
public func || <C: QueryCondition>(left: C, right: Bool) -> EntityPredicate { EntityPredicate("0") }

@available(
  *, unavailable,
  message:
    "a value of Swift is no condition: decide before, 'text.isEmpty ? Note.all : Note.where { $0.title == text }'"
)
@_disfavoredOverload
public func && <C: QueryCondition>(left: Bool, right: C) -> EntityPredicate { EntityPredicate("0") }

@available(
  *, unavailable,
  message:
    "a value of Swift is no condition: decide before, 'text.isEmpty ? Note.all : Note.where { $0.title == text }'"
)
@_disfavoredOverload
public func && <C: QueryCondition>(left: C, right: Bool) -> EntityPredicate { EntityPredicate("0") }

/// `!($0.age > 21)`
/// // (t0."age" > ?) IS NOT TRUE
///
/// It also holds for rows without an age: a comparison with `nil` is false, so its opposite is true.
public prefix func ! <C: QueryCondition>(condition: C) -> EntityPredicate {
  EntityPredicate("(\(condition._predicate.sql)) IS NOT TRUE")
}
