public import EntityStore

// Functions that expansions call for a property whose type does not exist. The compiler has already reported that at
// the property, and where the expansion has to name the type. It accepts an expression without a type for any
// parameter, so these functions fit, and it reports nothing more.

/// It has no values: no code that compiles calls a function with such a parameter.
public enum _UnknownType: Sendable {}

extension ManagedEntity {
  public func _get(
    _ keyPath: PartialKeyPath<Self>, _ column: _UnknownType, _ slot: @autoclosure () -> _UnknownType
  ) -> _UnknownType {}

  public func _set(
    _ keyPath: PartialKeyPath<Self>, _ column: _UnknownType, _ slot: @autoclosure () -> _UnknownType,
    _ value: _UnknownType, _ store: (_UnknownType) -> Void
  ) {}

  public func _load(_ row: RowReader, _ column: _UnknownType, _ store: (_UnknownType) -> Void) {}

  public func _store(_ row: inout RowValues, _ column: _UnknownType, _ slot: _UnknownType) {}
}

extension PropertyDescriptor {
  public static func property(
    _ keyPath: AnyKeyPath, _ column: _UnknownType, key: String? = nil, uid: Bool = false,
    index: ColumnIndex = .none, default defaultValue: Any? = nil, transformer: Any.Type? = nil, inverse: Any? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {}
}
