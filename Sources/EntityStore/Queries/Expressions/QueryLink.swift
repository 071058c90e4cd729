/// A to-one relationship in a query, to compare or to follow: `$0.boss == someone`, `$0.boss.name == "Ada"`.
///
/// A property of the target reads as with Swift's optional chaining: without a target, it is `nil`. A target of which
/// only the uid is known has neutral values, as its object has.
@dynamicMemberLookup
public struct QueryOptionalLink<T: ManagedEntity>: QueryReference {
  public typealias Target = T

  public let _sql: SQLExpression

  init(_sql: SQLFragment) { self._sql = SQLExpression(sql: _sql) }

  /// An attribute of the target; `nil` without a target.
  ///
  /// `$0.address.city == "Oslo"`
  /// // (SELECT p."city" FROM "Address" AS p WHERE p._pk = t0."address") IS ?
  ///
  /// `$0.boss.role == .admin`
  /// // (SELECT p."role" FROM "User" AS p WHERE p._pk = t0."boss") IS ?
  ///
  /// `$0.boss.tags == ["new"]`
  /// // (SELECT p."tags" FROM "User" AS p WHERE p._pk = t0."boss") IS ?
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, V>>
  ) -> QueryValue<V._Unwrapped?> {
    QueryValue(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// A to-one relationship of the target.
  ///
  /// `$0.boss.address.city == "Oslo"`
  /// // (SELECT p."city" FROM "Address" AS p
  /// //   WHERE p._pk = (SELECT p."address" FROM "User" AS p WHERE p._pk = t0."boss")) IS ?
  public subscript<U: ManagedEntity>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, U?>>
  ) -> QueryOptionalLink<U> {
    QueryOptionalLink<U>(_sql: through(keyPath))
  }

  /// A required to-one relationship of the target; without a target there is none.
  public subscript<U: ManagedEntity>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, U>>
  ) -> QueryOptionalLink<U> {
    QueryOptionalLink<U>(_sql: through(keyPath))
  }

  /// The other object of a one-to-one relationship, from the side without a column.
  public subscript<U: ManagedEntity>(
    dynamicMember keyPath: KeyPath<T.Columns, Counterpart<T, U>>
  ) -> QueryOptionalLink<U> {
    QueryOptionalLink<U>(_sql: .partner(T.columns[keyPath: keyPath], of: target))
  }

  /// The list of the target; empty without a target.
  ///
  /// `$0.boss.posts.isEmpty`
  /// // NOT EXISTS (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0."boss")
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, [U]>>) -> QueryList<U> {
    list(T.columns[keyPath: keyPath])
  }
}

/// A required to-one relationship in a query. It is like ``QueryOptionalLink``, but a property of the target is not
/// optional.
///
/// A row may still lack its target, as a placeholder does. Then comparisons with the target's properties are
/// comparisons with `nil`.
@dynamicMemberLookup
public struct QueryLink<T: ManagedEntity>: QueryReference {
  public typealias Target = T

  public let _sql: SQLExpression

  init(_sql: SQLFragment) { self._sql = SQLExpression(sql: _sql) }

  /// An attribute of the target.
  ///
  /// `$0.owner.name == "Ada"`
  /// // (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."owner") IS ?
  ///
  /// `$0.owner.role == .admin`
  /// // (SELECT p."role" FROM "User" AS p WHERE p._pk = t0."owner") IS ?
  ///
  /// `$0.owner.tags == ["new"]`
  /// // (SELECT p."tags" FROM "User" AS p WHERE p._pk = t0."owner") IS ?
  public subscript<V: AttributeValue>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, V>>) -> QueryValue<V> {
    QueryValue(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// A to-one relationship of the target.
  ///
  /// `$0.owner.address.city == "Oslo"`
  /// // (SELECT p."city" FROM "Address" AS p
  /// //   WHERE p._pk = (SELECT p."address" FROM "User" AS p WHERE p._pk = t0."owner")) IS ?
  public subscript<U: ManagedEntity>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, U?>>
  ) -> QueryOptionalLink<U> {
    QueryOptionalLink<U>(_sql: through(keyPath))
  }

  /// A required to-one relationship of the target.
  ///
  /// `$0.account.owner.name == "Ada"`
  /// // (SELECT p."name" FROM "User" AS p
  /// //   WHERE p._pk = (SELECT p."owner" FROM "Account" AS p WHERE p._pk = t0."account")) IS ?
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, U>>) -> QueryLink<U> {
    QueryLink<U>(_sql: through(keyPath))
  }

  /// The other object of a one-to-one relationship, from the side without a column.
  public subscript<U: ManagedEntity>(
    dynamicMember keyPath: KeyPath<T.Columns, Counterpart<T, U>>
  ) -> QueryOptionalLink<U> {
    QueryOptionalLink<U>(_sql: .partner(T.columns[keyPath: keyPath], of: target))
  }

  /// The list of the target.
  ///
  /// `$0.owner.posts.count > 3`
  /// // (SELECT count(*) FROM (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0."owner" LIMIT -1)) > ?
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, [U]>>) -> QueryList<U> {
    list(T.columns[keyPath: keyPath])
  }
}

/// A to-one relationship in a query.
///
/// Queries ignore links to objects with an unsaved deletion, as after the save.
public protocol QueryReference: QueryOperand {
  associatedtype Target: ManagedEntity
  var _sql: SQLExpression { get }
}

extension QueryReference {
  /// The row id of the target; NULL while the deletion of the target is not saved, though other rows may still link to
  /// it.
  fileprivate var target: SQLFragment { "\(target: Target.self, _sql.sql)" }

  func through<V>(_ keyPath: KeyPath<Target.Columns, Column<Target, V>>) -> SQLFragment {
    "(SELECT p.\(name: Target.columns[keyPath: keyPath].name) FROM \(rows: Target.self) AS p WHERE p._pk = \(_sql.sql))"
  }

  fileprivate func list<U>(_ column: Column<Target, [U]>) -> QueryList<U> {
    QueryList(list: ListReference(type: Target.self, property: column.index, owner: target))
  }

  /// `$0.address == address`, `$0.address == nil`
  /// // t0."address" IS ?, t0."address" IS NULL
  public static func == (link: Self, object: Target?) -> EntityPredicate {
    guard let object else { return EntityPredicate("\(link.target) IS NULL") }
    return link == object.entityID
  }

  /// `$0.address != nil`
  /// // t0."address" IS NOT NULL
  public static func != (link: Self, object: Target?) -> EntityPredicate {
    guard let object else { return EntityPredicate("\(link.target) IS NOT NULL") }
    return link != object.entityID
  }

  /// `$0.author == someone.entityID`
  /// // t0."author" IS ?
  public static func == (link: Self, id: EntityID<Target>) -> EntityPredicate {
    EntityPredicate(link._sql.sql, is: id)
  }

  /// `$0.author != someone.entityID`
  /// // t0."author" IS NOT ?
  public static func != (link: Self, id: EntityID<Target>) -> EntityPredicate {
    EntityPredicate("\(link._sql.sql) IS NOT \(object: Target.self, id.pk)")
  }

  /// `$0.author == $0.reviewer`
  /// // t0."author" IS t0."reviewer"
  public static func == <R: QueryReference>(link: Self, other: R) -> EntityPredicate where R.Target == Target {
    EntityPredicate("\(link.target) IS \(other.target)")
  }

  /// `$0.author != $0.reviewer`
  /// // t0."author" IS NOT t0."reviewer"
  public static func != <R: QueryReference>(link: Self, other: R) -> EntityPredicate where R.Target == Target {
    EntityPredicate("\(link.target) IS NOT \(other.target)")
  }

  /// `$0.author.isIn(ids)`
  /// // (t0."author" IN (?, ?) AND t0."author" IS NOT NULL)
  public func isIn(_ ids: [EntityID<Target>]) -> EntityPredicate {
    // The index of the link serves the first condition. The second one excludes targets with an unsaved deletion.
    EntityPredicate("(\(.isIn(_sql.sql, ids.map { .integer($0.pk) })) AND \(target) IS NOT NULL)")
  }
}
