// Columns of types that are stored as something else. They have the conditions that mean the same in SQL as in Swift: raw
// values can't be compared as cases are, and JSON only as a whole.

extension QueryRow {
  public subscript<V: RawRepresentable>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>) -> QueryRawColumn<V>
  where V.RawValue: AttributeValue {
    QueryRawColumn(name: E.columns[keyPath: keyPath].name.quoted)
  }

  public subscript<V: RawRepresentable>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V?>>) -> QueryRawColumn<V?>
  where V.RawValue: AttributeValue {
    QueryRawColumn(name: E.columns[keyPath: keyPath].name.quoted)
  }

  @_disfavoredOverload
  public subscript<V: Codable & SendableMetatype>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>
  ) -> QueryJSONColumn<V> {
    QueryJSONColumn(name: E.columns[keyPath: keyPath].name.quoted)
  }

  @_disfavoredOverload
  public subscript<V: Codable & SendableMetatype>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, V?>>
  ) -> QueryJSONColumn<V?> {
    QueryJSONColumn(name: E.columns[keyPath: keyPath].name.quoted)
  }
}

/// The column of an attribute that is stored as its raw value.
public struct QueryRawColumn<V>: Sendable {
  let name: String
}

extension QueryRawColumn where V: RawRepresentable, V.RawValue: AttributeValue {
  /// `$0.role.isIn([.admin, .owner])`
  /// // "role" IN (?, ?)
  public func isIn(_ values: [V]) -> Predicate { QueryColumn<V.RawValue>(name: name).isIn(values.map(\.rawValue)) }
}

extension QueryRawColumn {
  /// `$0.role.isIn([.admin, nil])`
  /// // ("role" IN (?) OR "role" IS NULL)
  public func isIn<W: RawRepresentable>(_ values: [W?]) -> Predicate where V == W?, W.RawValue: AttributeValue {
    QueryColumn<W.RawValue?>(name: name).isIn(values.map { $0?.rawValue })
  }

  /// `$0.permissions.contains(.write)`
  /// // ("permissions" & ?) = ?
  public func contains(_ options: V) -> Predicate where V: OptionSet, V.RawValue: SignedInteger & AttributeValue {
    let bits = options.rawValue.storedValue
    return Predicate("(\(name) & ?) = ?", [bits, bits])
  }
}

/// `$0.role == .admin`
/// // "role" IS ?
public func == <V: RawRepresentable>(column: QueryRawColumn<V>, value: V) -> Predicate
where V.RawValue: AttributeValue {
  QueryColumn<V.RawValue>(name: column.name) == value.rawValue
}

/// `$0.role != .admin`
/// // "role" IS NOT ?
public func != <V: RawRepresentable>(column: QueryRawColumn<V>, value: V) -> Predicate
where V.RawValue: AttributeValue {
  QueryColumn<V.RawValue>(name: column.name) != value.rawValue
}

/// `$0.role == nil`
/// // "role" IS NULL
public func == <V: RawRepresentable>(column: QueryRawColumn<V?>, value: V?) -> Predicate
where V.RawValue: AttributeValue {
  QueryColumn<V.RawValue?>(name: column.name) == value?.rawValue
}

/// `$0.role != .admin`, true for rows without one
/// // "role" IS NOT ?
public func != <V: RawRepresentable>(column: QueryRawColumn<V?>, value: V?) -> Predicate
where V.RawValue: AttributeValue {
  QueryColumn<V.RawValue?>(name: column.name) != value?.rawValue
}

/// The column of an attribute that is stored as JSON.
public struct QueryJSONColumn<V>: Sendable {
  let name: String

  /// No row has a value that JSON can't hold.
  fileprivate func matches(_ stored: StoredValue?, _ operation: String) -> Predicate {
    guard let stored else { return Predicate(operation == "IS" ? "0" : "1") }
    return stored.isNull ? Predicate("\(name) \(operation) NULL") : Predicate("\(name) \(operation) ?", [stored])
  }
}

/// `$0.tags == ["new"]`, compared as JSON with sorted keys
/// // "tags" IS ?
public func == <V: Codable & SendableMetatype>(column: QueryJSONColumn<V>, value: V) -> Predicate {
  column.matches(try? JSONCoding<V>.stored(value), "IS")
}

/// `$0.tags != ["new"]`
/// // "tags" IS NOT ?
public func != <V: Codable & SendableMetatype>(column: QueryJSONColumn<V>, value: V) -> Predicate {
  column.matches(try? JSONCoding<V>.stored(value), "IS NOT")
}

/// `$0.settings == nil`
/// // "settings" IS NULL
public func == <V: Codable & SendableMetatype>(column: QueryJSONColumn<V?>, value: V?) -> Predicate {
  column.matches(try? OptionalCoding<JSONCoding<V>>.stored(value), "IS")
}

/// `$0.settings != nil`
/// // "settings" IS NOT NULL
public func != <V: Codable & SendableMetatype>(column: QueryJSONColumn<V?>, value: V?) -> Predicate {
  column.matches(try? OptionalCoding<JSONCoding<V>>.stored(value), "IS NOT")
}
