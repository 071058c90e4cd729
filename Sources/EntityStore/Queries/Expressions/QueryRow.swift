/// The columns of an entity, by the names of its properties: the `$0` in `User.where { $0.age > 21 }`.
@dynamicMemberLookup
public struct QueryRow<E: ManagedEntity>: Sendable {
  let alias: RowAlias

  package static var root: QueryRow { QueryRow(alias: .root) }

  func column(_ name: String) -> SQLFragment { "\(alias).\(name: name)" }

  func column<V>(_ keyPath: KeyPath<E.Columns, Column<E, V>>) -> SQLFragment {
    column(E.columns[keyPath: keyPath].name)
  }

  /// An attribute.
  ///
  /// `$0.age > 21`
  /// // t0."age" > ?
  public subscript<V: AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>) -> QueryValue<V> {
    QueryValue(sql: column(keyPath), fallback: .property(keyPath))
  }

  /// A to-one relationship. `$0.address.city` is the city of the address; see ``QueryOptionalLink``.
  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, T?>>
  ) -> QueryOptionalLink<T> {
    QueryOptionalLink(_sql: column(keyPath))
  }

  /// A required to-one relationship; see ``QueryLink``.
  ///
  /// `$0.owner.name == "Ada"`
  /// // (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."owner") IS ?
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T>>) -> QueryLink<T> {
    QueryLink(_sql: column(keyPath))
  }

  /// The side of a one-to-one relationship without a column.
  ///
  /// `$0.passport.number == "X1"`
  /// // (SELECT p."number" FROM "Passport" AS p
  /// //   WHERE p._pk = (SELECT t1._pk FROM "Passport" AS t1 WHERE t1."holder" = t0._pk)) IS ?
  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<E.Columns, Counterpart<E, T>>
  ) -> QueryOptionalLink<T> {
    QueryOptionalLink(_sql: .partner(E.columns[keyPath: keyPath], of: "\(alias)._pk"))
  }

  /// A to-many or many-to-many relationship; see ``QueryList``.
  ///
  /// `$0.posts.isEmpty`
  /// // NOT EXISTS (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0._pk)
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, [T]>>) -> QueryList<T> {
    QueryList(list: ListReference(type: E.self, property: E.columns[keyPath: keyPath].index, owner: "\(alias)._pk"))
  }
}
