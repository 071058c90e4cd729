import Observation

/// The way to a property of the objects of a class.
final class PropertyAccess: PropertyDeclaration {
  let keyPath: any AnyKeyPath & Sendable
  /// The entity that a relationship leads to.
  let target: (any ManagedEntity.Type)?
  let notify: @Sendable (AnyObject, ObservationRegistrar, PropertyEvent) -> Void
  /// Sets an attribute through the property, so that observers and the context see it.
  let set: @Sendable (AnyObject, StoredValue) -> Bool
  /// Sets a to-one relationship through the property.
  let link: @Sendable (AnyObject, AnyObject?) -> Void

  init<E: ManagedEntity, V>(
    _ keyPath: any KeyPath<E, V> & Sendable, target: (any ManagedEntity.Type)? = nil,
    set: @escaping @Sendable (AnyObject, StoredValue) -> Bool = { _, _ in false },
    link: @escaping @Sendable (AnyObject, AnyObject?) -> Void = { _, _ in }
  ) {
    self.keyPath = keyPath
    self.target = target
    self.set = set
    self.link = link
    notify = { object, registrar, event in
      guard let object = object as? E else { return }
      switch event {
      case .read: registrar.access(object, keyPath: keyPath)
      case .change: registrar.withMutation(of: object, keyPath: keyPath) {}
      }
    }
  }

  /// The access to a column without a property of the class.
  init(
    target: (any ManagedEntity.Type)? = nil,
    set: @escaping @Sendable (AnyObject, StoredValue) -> Bool = { _, _ in false }
  ) {
    // A key path that is a property of no entity.
    keyPath = \LinkRow.isDeleted
    self.target = target
    self.set = set
    link = { _, _ in }
    notify = { _, _, _ in }
  }
}

/// An event of a property: observers hear of a change, and a read makes an observer.
enum PropertyEvent: Sendable {
  case read
  case change
}

extension PropertyModel {
  /// The cast is right: no other class is a `PropertyDeclaration`.
  var access: PropertyAccess { unsafeDowncast(declaration, to: PropertyAccess.self) }

  package var keyPath: AnyKeyPath { access.keyPath }

  /// The entity that a relationship leads to.
  var targetType: (any ManagedEntity.Type)? { access.target }

  /// Sets an attribute of `object` through its property; `false` when the value does not have the property's type.
  package func set(_ object: AnyObject, _ value: StoredValue) -> Bool { access.set(object, value) }

  /// Sets a to-one relationship of `object` through its property.
  package func link(_ object: AnyObject, _ target: AnyObject?) { access.link(object, target) }
}

extension ManagedEntity {
  /// Whether the objects have no uid: they live in other objects.
  static var isEmbedded: Bool { !properties.contains(where: \.isUID) }
}
