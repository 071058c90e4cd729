public import EntityStore

// Functions that expansions call for a property of a type that does not exist. The compiler has said so where the
// property is, and where the expansion has to name the type; it takes an expression without a type for anything, so
// that these fit, and has no more to say.

/// Has no values: no code that compiles calls a function that takes one.
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
    _ keyPath: AnyKeyPath, _ column: _UnknownType, key: String? = nil, uid: Bool = false, unique: Bool = false,
    indexed: Bool = false, default defaultValue: Any? = nil, transformer: Any.Type? = nil, inverse: Any? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {}
}
