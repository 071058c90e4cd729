/// The changes that an update by query makes in each object: `$0` in ``EntityContext/update(_:_:)``.
///
/// ```swift
/// try context.update(Post.where { $0.author == ada }) {
///   $0.set(\.isRead, to: true)
///   $0.set(\.views) { $0.views + 1 }
/// }
/// ```
/// The later one of two values for the same property counts.
public struct RowChanges<E: ManagedEntity> {
  enum NewValue {
    /// The stored form of a value.
    case value(StoredValue)
    /// A value that SQL computes for each row.
    case computed(SQLFragment)
    /// The object to which a to-one relationship is set.
    case object((any ManagedEntity)?)
  }

  /// The new values, by the index of the property.
  var values: [Int: NewValue] = [:]
  /// The first value without a stored form, with its property.
  private(set) var mistake: (property: String, error: AttributeError)?
  private let row: QueryRow<E>

  /// - Parameter row: The row of the query. Computed values name it.
  init(_ row: RowAlias) { self.row = QueryRow(alias: row) }

  /// Gives an attribute of all objects one value.
  ///
  /// `$0.set(\.city, to: "Oslo")`
  /// // SELECT t0._pk FROM "User" AS t0 WHERE … UPDATE "User" SET "city" = ?, _edited = ? WHERE _pk = ? …
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - value: The new value.
  public mutating func set<V: AttributeValue>(_ column: KeyPath<E.Columns, Column<E, V>>, to value: V) {
    let column = E.columns[keyPath: column]
    do throws(AttributeError) {
      values[column.index] = .value(try V._stored(value))
    } catch {
      mistake = mistake ?? (column.name, error)
    }
  }

  /// Gives a lazy attribute of all objects one value. The old values are not read.
  ///
  /// `$0.set(\.photo, to: nil)`
  /// // SELECT t0._pk FROM "User" AS t0 WHERE … UPDATE "User" SET "photo" = ?, _edited = ? WHERE _pk = ? …
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - value: The new value.
  public mutating func set<V: AttributeValue>(_ column: KeyPath<E.Columns, Column<E, LazyValue<V>>>, to value: V) {
    let column = E.columns[keyPath: column]
    do throws(AttributeError) {
      values[column.index] = .value(try V._stored(value))
    } catch {
      mistake = mistake ?? (column.name, error)
    }
  }

  /// Gives an attribute of each object a value that SQL computes from the object as it was before the update.
  ///
  /// `$0.set(\.city) { $0.boss.city }`
  /// // SELECT t0._pk, (SELECT p."city" FROM "User" AS p WHERE p._pk = t0."boss") FROM "User" AS t0 WHERE …
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - value: The new value, from the object `$0`.
  public mutating func set<X: QueryExpression>(
    _ column: KeyPath<E.Columns, Column<E, X.Value>>, to value: (QueryRow<E>) -> X
  ) where X.Value: AttributeValue {
    values[E.columns[keyPath: column].index] = .computed(value(row)._expression.sql)
  }

  /// Gives an optional attribute of each object a value that SQL computes from the object as it was before the update.
  ///
  /// `$0.set(\.city) { $0.name }`
  /// // SELECT t0._pk, t0."name" FROM "User" AS t0 WHERE …
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - value: The new value, from the object `$0`.
  public mutating func set<X: QueryExpression>(
    _ column: KeyPath<E.Columns, Column<E, X.Value?>>, to value: (QueryRow<E>) -> X
  ) where X.Value: AttributeValue {
    values[E.columns[keyPath: column].index] = .computed(value(row)._expression.sql)
  }

  /// Gives a to-one relationship of all objects one target.
  ///
  /// `$0.set(\.boss, to: ada)`
  /// // SELECT t0._pk FROM "User" AS t0 WHERE … UPDATE OR FAIL "User" SET "boss" = ?, _edited = ? WHERE _pk = ? …
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - object: An object of the context; `nil` for none.
  public mutating func set<T: ManagedEntity>(_ column: KeyPath<E.Columns, Column<E, T?>>, to object: T?) {
    values[E.columns[keyPath: column].index] = .object(object)
  }

  /// Gives a required to-one relationship of all objects one target.
  ///
  /// `$0.set(\.owner, to: ada)`
  /// // SELECT t0._pk FROM "Account" AS t0 WHERE … UPDATE "Account" SET "owner" = ?, _edited = ? WHERE _pk = ? …
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - object: An object of the context.
  public mutating func set<T: ManagedEntity>(_ column: KeyPath<E.Columns, Column<E, T>>, to object: T) {
    values[E.columns[keyPath: column].index] = .object(object)
  }
}
