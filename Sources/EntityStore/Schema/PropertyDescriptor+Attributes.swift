// Attributes. An overload for each way in which a type is stored, with and without a transformer, in front of one
// implementation. The parameters:
//
// - key: The key path in a response; `nil` means the name in the schema's key style.
// - uid: Whether it is the server's identifier; stored with a unique index, `NULL` while there is none.
// - unique: Whether no two rows may have the same value; several may have none.
// - indexed: Whether queries find rows by it without a scan.
// - default: The value of new objects and of rows that were there before the property was.
// - transformer: What makes the value of what the server sends.

extension PropertyDescriptor {
  /// An attribute of a type that is stored as it is, or of its Optional.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - key: The key path in a response; `nil` means the name in the schema's key style.
  ///   - unique: Whether no two rows may have the same value; several may have none.
  ///   - indexed: Whether queries find rows by it without a scan.
  ///   - defaultValue: The value of new objects and of rows that were there before the property was.
  public static func property<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil
  ) -> PropertyDescriptor {
    attribute(PlainCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue)
  }

  /// An attribute that can be the server's identifier.
  ///
  /// `uid` says whether it is; it is stored with a unique index, `NULL` while there is none.
  public static func property<E: ManagedEntity, V: UIDValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil, uid: Bool,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil
  ) -> PropertyDescriptor {
    attribute(PlainCoding<V>.self, keyPath, column, key, uid: uid, unique, indexed, defaultValue)
  }

  /// The Optional of one.
  public static func property<E: ManagedEntity, V: UIDValue>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil, uid: Bool,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil
  ) -> PropertyDescriptor {
    attribute(PlainCoding<V?>.self, keyPath, column, key, uid: uid, unique, indexed, defaultValue.map { .some($0) })
  }

  /// An attribute whose type a transformer makes.
  public static func property<E: ManagedEntity, V: AttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(
      PlainCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue,
      .transformer(T.self, PlainCoding<V>.self))
  }

  /// The Optional of one.
  public static func property<E: ManagedEntity, V: AttributeValue, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(
      OptionalCoding<PlainCoding<V>>.self, keyPath, column, key, unique, indexed, defaultValue,
      .transformer(T.self, PlainCoding<V>.self))
  }

  // MARK: Enums and other types with a raw value

  /// An attribute that is stored as its raw value. A raw value that is none of the type's stays in the row and reads as
  /// the default.
  public static func property<E: ManagedEntity, V: RawRepresentable & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V
  ) -> PropertyDescriptor where V.RawValue: AttributeValue {
    attribute(RawCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .raw(RawCoding<V>.self))
  }

  /// An option set; empty by default.
  public static func property<E: ManagedEntity, V: OptionSet & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V = []
  ) -> PropertyDescriptor where V.RawValue: AttributeValue {
    attribute(RawCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .raw(RawCoding<V>.self))
  }

  /// The Optional of an attribute that is stored as its raw value.
  public static func property<E: ManagedEntity, V: RawRepresentable & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil
  ) -> PropertyDescriptor where V.RawValue: AttributeValue {
    attribute(
      OptionalCoding<RawCoding<V>>.self, keyPath, column, key, unique, indexed, defaultValue, .raw(RawCoding<V>.self))
  }

  /// One that a transformer makes.
  public static func property<E: ManagedEntity, V: RawRepresentable & SendableMetatype, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V, transformer: T.Type
  ) -> PropertyDescriptor where V.RawValue: AttributeValue, T.Value == V {
    attribute(
      RawCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .transformer(T.self, RawCoding<V>.self))
  }

  /// The Optional of one that a transformer makes.
  public static func property<E: ManagedEntity, V: RawRepresentable & SendableMetatype, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor where V.RawValue: AttributeValue, T.Value == V {
    attribute(
      OptionalCoding<RawCoding<V>>.self, keyPath, column, key, unique, indexed, defaultValue,
      .transformer(T.self, RawCoding<V>.self))
  }

  // MARK: Any other Codable

  /// An attribute that is stored as JSON. A `Set` in it, and a dictionary whose keys are neither String nor Int, has no
  /// fixed order and changes with each response: use an array.
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V
  ) -> PropertyDescriptor {
    attribute(JSONCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .json(V.self))
  }

  /// A list that is stored as JSON; empty by default.
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype & ExpressibleByArrayLiteral>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V = []
  ) -> PropertyDescriptor {
    attribute(JSONCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .json(V.self))
  }

  /// A dictionary that is stored as JSON; empty by default.
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype & ExpressibleByDictionaryLiteral>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V = [:]
  ) -> PropertyDescriptor {
    attribute(JSONCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .json(V.self))
  }

  /// The Optional of an attribute that is stored as JSON.
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil
  ) -> PropertyDescriptor {
    attribute(OptionalCoding<JSONCoding<V>>.self, keyPath, column, key, unique, indexed, defaultValue, .json(V.self))
  }

  /// One that a transformer makes.
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(
      JSONCoding<V>.self, keyPath, column, key, unique, indexed, defaultValue, .transformer(T.self, JSONCoding<V>.self))
  }

  /// The Optional of one that a transformer makes.
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype, T: AttributeTransformer>(
    _ keyPath: any ReferenceWritableKeyPath<E, V?> & Sendable, _ column: Column<E, V?>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil, transformer: T.Type
  ) -> PropertyDescriptor where T.Value == V {
    attribute(
      OptionalCoding<JSONCoding<V>>.self, keyPath, column, key, unique, indexed, defaultValue,
      .transformer(T.self, JSONCoding<V>.self))
  }

  // MARK: What can't be an attribute

  @available(
    *, unavailable,
    message:
      "a property of this type needs a default value, for the time before a server sends one and for raw values that it does not know: give it one, or make it optional"
  )
  public static func property<E: ManagedEntity, V: RawRepresentable & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor where V.RawValue: AttributeValue {
    unusable(keyPath, column)
  }

  @available(
    *, unavailable,
    message:
      "a property of this type needs a default value, for the time before a server sends one: give it one, or make it optional"
  )
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V: Codable & SendableMetatype>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(keyPath, column)
  }

  @available(
    *, unavailable,
    message:
      "an attribute is a Bool, an integer, Float, Double, Decimal, String, Data, Date, UUID, URL, an enum or option set with such a raw value, any Codable, or the Optional of one; a relationship is to an entity, its Optional or an array of entities, and is neither unique, indexed nor transformed"
  )
  @_disfavoredOverload
  public static func property<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, key: String? = nil,
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil,
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
    unique: Bool = false, indexed: Bool = false, default defaultValue: V? = nil,
    transformer: (any AttributeTransformer<V>.Type)? = nil
  ) -> PropertyDescriptor {
    unusable(keyPath, column)
  }

  /// Only unavailable functions call it, and a call of those does not compile.
  private static func unusable<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>
  ) -> PropertyDescriptor {
    preconditionFailure("'\(E.entityName).\(column.name)' is of a type that no property can have.")
  }

  // MARK: The implementation

  private static func attribute<E: ManagedEntity, C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: any ReferenceWritableKeyPath<E, C.Value> & Sendable, _ column: Column<E, C.Value>,
    _ key: String?, uid: Bool = false, _ unique: Bool, _ indexed: Bool, _ given: C.Value?,
    _ rules: AttributeRules? = nil
  ) -> PropertyDescriptor {
    let neutral = C.neutral.flatMap { try? C.stored($0) } ?? .null
    // What can't be stored and read again is no default: the store refuses the schema.
    let value =
      given.map { given in (try? C.stored(given)).flatMap { C.value($0) == nil ? nil : $0 } ?? .null } ?? neutral
    let index = column.index
    return PropertyDescriptor(
      index: index, name: column.name, key: key, kind: .attribute(C.attributeType, isOptional: C.isOptional),
      isUID: uid,
      isUnique: unique || uid, isIndexed: indexed,
      // A row without uid is one that the server has not named yet: nothing stands for it.
      defaultValue: uid ? .null : value, isPreset: !uid && !value.isIdentical(to: neutral), keyPath: keyPath,
      notify: notification(keyPath),
      set: { object, stored in
        guard let object = object as? E else { return false }
        if let value = C.value(stored) {
          object[keyPath: keyPath] = value
          return true
        }
        guard C.keepsUnrecognized, !stored.isNull else { return false }
        let current = object[keyPath: keyPath]
        object._$state.context?.arriving = ArrivingValue(stored, for: current, at: index, C.self)
        object[keyPath: keyPath] = current
        return true
      }, link: { _, _ in }, rules: rules)
  }
}
