// Attributes. The parameters:
//
// - key: The key path in a response; `nil` means the name in the schema's key style.
// - uid: Whether it is the server's identifier; stored with a unique index, `NULL` while there is none.
// - index: The index of its column.
// - default: The value of new objects and of rows that were there before the property was.
// - transformer: Makes the property's value from the value that the server sends.

/// The index of the column of an attribute.
public enum ColumnIndex: Sendable {
  case none
  /// Queries find rows by the value without a scan.
  case plain
  /// Queries find rows by the value without a scan, and no two rows may have the same one; several may have none.
  case unique
}

extension PropertyDescriptor {
  /// An attribute with a declared default.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  ///   - index: The index of the column.
  ///   - defaultValue: The value of new objects, and of rows that are older than the property. A raw value that the
  ///     type does not have reads as this value.
  public static func property<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none, default defaultValue: V
  ) -> PropertyDescriptor {
    attribute(keyPath, column, key, index, defaultValue)
  }

  /// An attribute of a type that has a neutral value: zero, empty, or `nil`.
  public static func property<E: ManagedEntity, V: NeutralAttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none
  ) -> PropertyDescriptor {
    attribute(keyPath, column, key, index, nil)
  }

  /// An option set; empty by default.
  public static func property<E: ManagedEntity, V: AttributeValue & OptionSet>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none
  ) -> PropertyDescriptor {
    attribute(keyPath, column, key, index, nil)
  }

  /// An attribute that can be the server's identifier.
  ///
  /// `uid` says whether it is; it is stored with a unique index, `NULL` while there is none.
  public static func property<E: ManagedEntity, V: UIDValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil, uid: Bool,
    index: ColumnIndex = .none, default defaultValue: V? = nil
  ) -> PropertyDescriptor {
    attribute(keyPath, column, key, uid: uid, index, defaultValue)
  }

  /// The Optional of such an attribute.
  public static func property<E: ManagedEntity, V: UIDValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil, uid: Bool,
    index: ColumnIndex = .none, default defaultValue: V? = nil
  ) -> PropertyDescriptor {
    attribute(keyPath, column, key, uid: uid, index, defaultValue.map { .some($0) })
  }

  // MARK: With a transformer

  /// An attribute whose value a transformer makes, with a declared default.
  public static func property<E: ManagedEntity, V: AttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none, default defaultValue: V, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(keyPath, column, key, index, defaultValue).with(T.self)
  }

  /// An attribute whose value a transformer makes, of a type that has a neutral value.
  public static func property<E: ManagedEntity, V: NeutralAttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(keyPath, column, key, index, nil).with(T.self)
  }

  /// An optional attribute whose value, where there is one, a transformer makes.
  public static func property<E: ManagedEntity, V: AttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil,
    index: ColumnIndex = .none, default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(keyPath, column, key, index, defaultValue.map { .some($0) }).with(T.self)
  }

  // MARK: Properties that can't be attributes

  @available(
    *, unavailable,
    message:
      "a property of this type needs a default value, for the time before a server sends one and for raw values that it does not know: give it one, or make it optional"
  )
  public static func property<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none, transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(keyPath, column)
  }

  @available(
    *, unavailable,
    message:
      "the type of this property does not conform to 'AttributeValue': declare an enum or option set with a raw value 'enum Kind: String, AttributeValue', and a Codable 'struct Settings: Codable, AttributeValue'; the elements of a list, set or dictionary are Codable, 'enum Kind: String, Codable'; a relationship is to an entity, its Optional or an array of entities, and is neither unique, indexed nor transformed"
  )
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    index: ColumnIndex = .none, default defaultValue: V? = nil,
    transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(keyPath, column)
  }

  @available(
    *, unavailable,
    message:
      "a uid is an integer, a String or a UUID, or the Optional of one; it is no other number, no date, no enum and no JSON, and has no transformer"
  )
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil, uid: Bool,
    index: ColumnIndex = .none, default defaultValue: V? = nil,
    transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(keyPath, column)
  }

  /// Only unavailable functions call this, and calls of those do not compile.
  private static func unusable<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>
  ) -> PropertyDescriptor {
    preconditionFailure("'\(E.entityName).\(column.name)' is of a type that no property can have.")
  }

  // MARK: The implementation

  static func attribute<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, _ key: String?,
    uid: Bool = false, _ index: ColumnIndex, _ given: V?
  ) -> PropertyDescriptor {
    let neutral = V._neutral.flatMap { try? V._stored($0) } ?? .null
    // A default that can't be stored and read again counts as no default: the store refuses the schema.
    let value =
      given.map { given in (try? V._stored(given)).flatMap { V._value($0) == nil ? nil : $0 } ?? .null } ?? neutral
    let place = column.index
    var descriptor = PropertyDescriptor(
      index: place, name: column.name, key: key, kind: .attribute(V.attributeType, isOptional: V.isOptional),
      isUID: uid, isUnique: uid || index == .unique, isIndexed: index == .plain,
      // A row without uid is one that the server has not named yet: no default stands for the uid.
      defaultValue: uid ? .null : value,
      facts: PropertyFacts(isPreset: !uid && !value.isIdentical(to: neutral), rules: .of(V.self)),
      access: PropertyAccess(
        keyPath,
        set: { object, stored in
          guard let object = object as? E else { return false }
          if let value = V._value(stored) {
            object[keyPath: keyPath] = value
            return true
          }
          guard V._form == .raw, !stored.isNull else { return false }
          let current = object[keyPath: keyPath]
          object._$state.context?.arrival.arriving = ArrivingValue(stored, for: current, at: place)
          object[keyPath: keyPath] = current
          return true
        }))
    descriptor.facts.isRaw = V._form == .raw
    let unread = descriptor.defaultValue
    descriptor.facts.stored = { stored in V._value(stored).flatMap { try? V._stored($0) } }
    descriptor.facts.reading = { stored in
      // JSON is kept as the text that was given.
      if V._form == .json { return stored }
      if let value = V._value(stored) { return (try? V._stored(value)) ?? .null }
      return V._form == .raw && !stored.isNull ? stored : unread
    }
    descriptor.facts.isDefaultDeclared = !value.isNull && given != nil
    return descriptor
  }

  /// The same attribute, whose value a transformer makes.
  private func with<T: AttributeTransformer>(_ transformer: T.Type) -> PropertyDescriptor
  where T.Value: AttributeValue {
    var descriptor = self
    descriptor.facts.rules = .transformer(transformer)
    return descriptor
  }
}
