/// The columns of an entity, by the names of its properties: the `$0` in `User.where { $0.age > 21 }`.
@dynamicMemberLookup
public struct QueryRow<E: ManagedEntity> {
  public subscript<V: AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>) -> QueryColumn<V> {
    QueryColumn(name: E.columns[keyPath: keyPath].name.quoted)
  }

  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, T?>>
  ) -> QueryLink<T> {
    QueryLink(name: E.columns[keyPath: keyPath].name.quoted)
  }
}

extension QueryRow {
  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, T>>
  ) -> QueryLink<T> {
    QueryLink(name: E.columns[keyPath: keyPath].name.quoted)
  }
}

/// An attribute's column in a query.
public struct QueryColumn<V: AttributeValue>: Sendable {
  let name: String

  /// `$0.city.isIn(["Oslo", "Rome"])`
  /// // "city" IN (?, ?)
  public func isIn(_ values: [V]) -> Predicate {
    let some = values.map(\.storedValue).filter { !$0.isNull }
    let list = Predicate("\(name) IN (\(some.map { _ in "?" }.joined(separator: ", ")))", some)
    return some.count == values.count ? list : list || Predicate("\(name) IS NULL")
  }
}

/// A to-one relationship's column in a query.
public struct QueryLink<T: ManagedEntity>: Sendable {
  let name: String
}

// Equality is SQLite's IS: it has an answer for NULL too. Text compares byte by byte: case counts, and so do two
// spellings of one accented character.

/// `$0.age == 21`
/// // "age" IS ?
public func == <V: AttributeValue>(column: QueryColumn<V>, value: V) -> Predicate {
  value.storedValue.isNull ? Predicate("\(column.name) IS NULL") : Predicate("\(column.name) IS ?", [value.storedValue])
}

/// `$0.email != "a@example.com"`, true for rows without one
/// // "email" IS NOT ?
public func != <V: AttributeValue>(column: QueryColumn<V>, value: V) -> Predicate {
  value.storedValue.isNull
    ? Predicate("\(column.name) IS NOT NULL") : Predicate("\(column.name) IS NOT ?", [value.storedValue])
}

/// `$0.address == address`, `$0.address == nil`
/// // "address" IS ?
public func == <T: ManagedEntity>(link: QueryLink<T>, object: T?) -> Predicate {
  Predicate("\(link.name) IS ?", [object.map { .integer($0._$state.pk) } ?? .null])
}

/// `$0.author == someone.entityID`
/// // "author" IS ?
public func == <T: ManagedEntity>(link: QueryLink<T>, id: EntityID<T>) -> Predicate {
  Predicate("\(link.name) IS ?", [.integer(id.pk)])
}

/// `$0.address != nil`
/// // "address" IS NOT ?
public func != <T: ManagedEntity>(link: QueryLink<T>, object: T?) -> Predicate {
  Predicate("\(link.name) IS NOT ?", [object.map { .integer($0._$state.pk) } ?? .null])
}

/// `$0.age < 21`, `$0.score < 2.5`
/// // "age" < ?
public func < <V: AttributeValue & Comparable>(column: QueryColumn<V>, value: V) -> Predicate {
  Predicate("\(column.name) < ?", [value.storedValue])
}
public func <= <V: AttributeValue & Comparable>(column: QueryColumn<V>, value: V) -> Predicate {
  Predicate("\(column.name) <= ?", [value.storedValue])
}
public func > <V: AttributeValue & Comparable>(column: QueryColumn<V>, value: V) -> Predicate {
  Predicate("\(column.name) > ?", [value.storedValue])
}
public func >= <V: AttributeValue & Comparable>(column: QueryColumn<V>, value: V) -> Predicate {
  Predicate("\(column.name) >= ?", [value.storedValue])
}

// The same for optional columns; rows without a value match none of them.

public func < <V: AttributeValue & Comparable>(column: QueryColumn<V?>, value: V) -> Predicate {
  Predicate("\(column.name) < ?", [value.storedValue])
}
public func <= <V: AttributeValue & Comparable>(column: QueryColumn<V?>, value: V) -> Predicate {
  Predicate("\(column.name) <= ?", [value.storedValue])
}
public func > <V: AttributeValue & Comparable>(column: QueryColumn<V?>, value: V) -> Predicate {
  Predicate("\(column.name) > ?", [value.storedValue])
}
public func >= <V: AttributeValue & Comparable>(column: QueryColumn<V?>, value: V) -> Predicate {
  Predicate("\(column.name) >= ?", [value.storedValue])
}
