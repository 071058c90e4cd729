public import EntityStore

/// The columns of an entity by name, for naming an inverse in expansions.
///
/// An unknown name is no error here: the key path in `@Relationship(inverse:)`, which the user wrote, is already an
/// error.
@dynamicMemberLookup public struct _InverseColumns<Entity>: Sendable {
  public init() {}

  public subscript<Value>(
    dynamicMember keyPath: KeyPath<Entity.Columns, Column<Entity, Value>>
  ) -> Column<Entity, Value> where Entity: ManagedEntity {
    Entity.columns[keyPath: keyPath]
  }

  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> _UnknownInverse { _UnknownInverse(name: name) }
}

/// Stands for an inverse that does not exist.
public struct _UnknownInverse: Sendable {
  let name: String
}

extension PropertyDescriptor {
  /// A relationship that no attribute sorts: the key path, which the user wrote, is already an error.
  public func sorted(by column: _UnknownInverse, _ order: SortDirection = .ascending) -> PropertyDescriptor { self }

  /// A relationship whose inverse does not exist; the store refuses it when it is opened.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: _UnknownInverse, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    .property(keyPath, column, key: key, inverse: Column<T, [E]>(-1, inverse.name), onDelete: onDelete)
  }

  /// A one-to-one relationship whose inverse does not exist; the store refuses it when it is opened.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T?> & Sendable, _ column: Counterpart<E, T>, key: String? = nil,
    inverse: _UnknownInverse, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    .property(keyPath, column, key: key, inverse: Column<T, E?>(-1, inverse.name), onDelete: onDelete)
  }

  // Properties with `@Relationship` whose type is no entity.

  // Never run: a call of an unavailable function does not compile.
  @available(*, unavailable, message: "a relationship is to an entity, its Optional or an array of entities")
  @_disfavoredOverload
  public static func property<E, V>(
    _ keyPath: ReferenceWritableKeyPath<E, V>, _ column: Column<E, V>, key: String? = nil,
    default defaultValue: V? = nil,
    onDelete: DeleteRule
  ) -> PropertyDescriptor { fatalError("can't be called") }

  // Never run: a call of an unavailable function does not compile.
  @available(*, unavailable, message: "a relationship is to an entity, its Optional or an array of entities")
  public static func property<E, V: AttributeValue, I>(
    _ keyPath: ReferenceWritableKeyPath<E, V>, _ column: Column<E, V>, key: String? = nil, inverse: I,
    onDelete: DeleteRule
  ) -> PropertyDescriptor { fatalError("can't be called") }

  // Never run: a call of an unavailable function does not compile.
  @available(*, unavailable, message: "a relationship is to an entity, its Optional or an array of entities")
  public static func property<E, V: AttributeValue, U, I>(
    _ keyPath: ReferenceWritableKeyPath<E, V>, _ column: Counterpart<E, U>, key: String? = nil, inverse: I,
    onDelete: DeleteRule
  ) -> PropertyDescriptor { fatalError("can't be called") }

  // Never run: a call of an unavailable function does not compile.
  @available(
    *, unavailable,
    message:
      "the inverse of a relationship to one is a relationship to one; where the other side is an array, name the inverse there"
  )
  @_disfavoredOverload
  public static func property<E, V, U, T, B>(
    _ keyPath: ReferenceWritableKeyPath<E, V>, _ column: Counterpart<E, U>, key: String? = nil, inverse: Column<T, B>,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor { fatalError("can't be called") }

  // Never run: a call of an unavailable function does not compile.
  @available(
    *, unavailable,
    message:
      "the inverse points back: it is a property of the other entity that holds this one, its Optional or an array"
  )
  @_disfavoredOverload
  public static func property<E, V, T, B>(
    _ keyPath: ReferenceWritableKeyPath<E, V>, _ column: Column<E, V>, key: String? = nil, inverse: Column<T, B>,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor { fatalError("can't be called") }
}
