/// A condition on rows, as SQL with bound values.
public struct EntityPredicate: Sendable {
  let sql: SQLFragment

  init(_ sql: SQLFragment) { self.sql = sql }

  static func rowID(_ pk: Int64) -> EntityPredicate { EntityPredicate("t0._pk = \(.integer(pk))") }

  static func rowIDs(_ pks: [Int64]) -> EntityPredicate {
    EntityPredicate(.isIn("t0._pk", pks.map { .integer($0) }))
  }

  package static func column(_ name: String, is value: StoredValue) -> EntityPredicate {
    EntityPredicate("t0.\(name: name) IS \(value)")
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
  EntityPredicate("(\(left._predicate.sql) AND \(right._predicate.sql))")
}

/// `$0.age > 21 || $0.email == nil`
/// // (t0."age" > ? OR t0."email" IS NULL)
public func || <L: QueryCondition, R: QueryCondition>(left: L, right: R) -> EntityPredicate {
  EntityPredicate("(\(left._predicate.sql) OR \(right._predicate.sql))")
}

/// `!($0.age > 21)`
/// // (t0."age" > ?) IS NOT TRUE
///
/// True for rows without an age too: a comparison with nothing is false, and its opposite is true.
public prefix func ! <C: QueryCondition>(condition: C) -> EntityPredicate {
  EntityPredicate("(\(condition._predicate.sql)) IS NOT TRUE")
}
