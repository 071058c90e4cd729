/// Marks the column of a lazy property: `@Lazy var photo: Data?` has the column `Column<User, LazyValue<Data?>>`.
///
/// The value stays in the file until the property is read. Fetches, live queries, merges and saves of other properties
/// do not read it. The type has no instances.
@frozen public enum LazyValue<Value>: Sendable {}

// Lazy attributes. The column is an ordinary one in the entity's table. Only the reading is left out.

extension PropertyDescriptor {
  /// A lazy attribute of a type that has a neutral value: zero, empty, or `nil`.
  ///
  /// ```swift
  /// .property(\User.photo, columns.photo)  // with `let photo = Column<User, LazyValue<Data?>>(3, "photo")`
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  public static func property<E: ManagedEntity, V: NeutralAttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, key: String? = nil
  ) -> PropertyDescriptor {
    lazy(keyPath, column, key, nil)
  }

  /// A lazy attribute with a declared default.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  ///   - defaultValue: The value of new objects, and of rows that are older than the property.
  public static func property<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, key: String? = nil,
    default defaultValue: V
  ) -> PropertyDescriptor {
    lazy(keyPath, column, key, defaultValue)
  }

  /// A lazy attribute whose value a transformer makes, of a type that has a neutral value.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  ///   - transformer: Makes the property's value from the value that the server sends.
  public static func property<E: ManagedEntity, V: NeutralAttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, key: String? = nil,
    transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    lazy(keyPath, column, key, nil, .transformer(T.self))
  }

  /// A lazy attribute whose value a transformer makes, with a declared default.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  ///   - defaultValue: The value of new objects and of rows that were there before the property was.
  ///   - transformer: Makes the property's value from the value that the server sends.
  public static func property<E: ManagedEntity, V: AttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, key: String? = nil,
    default defaultValue: V, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    lazy(keyPath, column, key, defaultValue, .transformer(T.self))
  }

  /// An optional lazy attribute whose value, where there is one, a transformer makes.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  ///   - defaultValue: The value of new objects and of rows that were there before the property was.
  ///   - transformer: Makes the property's value from the value that the server sends.
  public static func property<E: ManagedEntity, V: AttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, LazyValue<V?>>, key: String? = nil,
    default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    lazy(keyPath, column, key, defaultValue.map { .some($0) }, .transformer(T.self))
  }

  @available(
    *, unavailable,
    message:
      "a property of this type needs a default value, for the time before a server sends one: give it one, or make it optional"
  )
  public static func property<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, key: String? = nil,
    transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(column)
  }

  @available(
    *, unavailable,
    message:
      "'@Lazy' is for attributes: data, a text, or a Codable type that conforms to 'AttributeValue'; the objects of a relationship are read when they are used without it"
  )
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, key: String? = nil,
    default defaultValue: V? = nil, transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(column)
  }

  /// Only unavailable functions call this, and calls of those do not compile.
  private static func unusable<E: ManagedEntity, V>(_ column: Column<E, LazyValue<V>>) -> PropertyDescriptor {
    preconditionFailure("'\(E.entityName).\(column.name)' is of a type that no lazy property can have.")
  }

  private static func lazy<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, LazyValue<V>>, _ key: String?,
    _ given: V?, _ transformer: AttributeRules? = nil
  ) -> PropertyDescriptor {
    var descriptor = attribute(keyPath, Column<E, V>(column.index, column.name), key, .none, given)
    if let transformer { descriptor.facts.rules = transformer }
    descriptor.facts.isLazy = true
    descriptor.facts.isRaw = V._form == .raw
    return descriptor
  }
}
