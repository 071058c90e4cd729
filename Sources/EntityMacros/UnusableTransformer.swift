public import EntityStore

extension PropertyDescriptor {
  // Never run: a call of an unavailable function does not compile. Without it, the compiler reports the overload that
  // fits best, and does not report the mistakes of the other properties.
  @available(
    *, unavailable,
    message:
      "a transformer is for an attribute, of a type that can be stored without it, and is an AttributeTransformer whose Value is that type or what its Optional holds"
  )
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V, T>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none, default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor { fatalError("can't be called") }
}
