import Observation

/// What the store knows about one property of an entity.
///
/// Made by the `property` functions; the kind of the property (attribute, to-one, to-many) follows from its type.
public struct PropertyDescriptor: Sendable {
  package enum Kind: Sendable {
    case attribute(AttributeType, isOptional: Bool)
    case toOne(any ManagedEntity.Type, onDelete: DeleteRule)
    /// `inverse` is the name of the target's to-one property.
    case toMany(any ManagedEntity.Type, inverse: String, onDelete: DeleteRule)
  }

  let index: Int
  package let name: String
  /// The key in a response, where it is not the name in the schema's key style.
  package let key: String?
  let kind: Kind
  package let isUID: Bool
  let isUnique: Bool
  let isIndexed: Bool
  let defaultValue: StoredValue
  /// Whether the default is another value than the one that a property without value reads as.
  let isPreset: Bool
  let keyPath: any AnyKeyPath & Sendable
  let notify: @Sendable (AnyObject, ObservationRegistrar) -> Void
  /// Sets an attribute through the property, so that observers and the context see it.
  let set: @Sendable (AnyObject, StoredValue) -> Bool
  /// Sets a to-one relationship through the property.
  let link: @Sendable (AnyObject, AnyObject?) -> Void
  /// What is special about an attribute between its row and a server.
  var rules: AttributeRules?

  /// A to-one relationship.
  ///
  /// - Parameter onDelete: What happens to the target when the object that holds the link is deleted; `.nullify`
  ///   leaves it.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T?> & Sendable, _ column: Column<E, T?>, key: String? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    PropertyDescriptor(
      index: column.index, name: column.name, key: key, kind: .toOne(T.self, onDelete: onDelete), isUID: false,
      isUnique: false, isIndexed: true, defaultValue: .null, isPreset: false, keyPath: keyPath,
      notify: notification(keyPath),
      set: { _, _ in false },
      link: { object, target in
        guard let object = object as? E else { return }
        object[keyPath: keyPath] = target as? T
      })
  }

  /// A to-many relationship, unordered: the objects whose to-one property `inverse` holds this one.
  ///
  /// - Parameter onDelete: What happens to those objects when the one that has them is deleted.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: Column<T, E?>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    PropertyDescriptor(
      index: column.index, name: column.name, key: key,
      kind: .toMany(T.self, inverse: inverse.name, onDelete: onDelete), isUID: false, isUnique: false,
      isIndexed: false, defaultValue: .null, isPreset: false, keyPath: keyPath, notify: notification(keyPath),
      set: { _, _ in false },
      link: { _, _ in })
  }

  static func notification<E: ManagedEntity, V>(
    _ keyPath: any KeyPath<E, V> & Sendable
  ) -> @Sendable (AnyObject, ObservationRegistrar) -> Void {
    { object, registrar in
      guard let object = object as? E else { return }
      registrar.withMutation(of: object, keyPath: keyPath) {}
    }
  }
}
