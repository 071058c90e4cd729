import Observation

/// The store's description of one property of an entity.
///
/// Made by the `property` functions; the kind of the property (attribute, to-one, to-many) follows from its type.
public struct PropertyDescriptor: Sendable {
  package enum Kind: Sendable {
    case attribute(AttributeType, isOptional: Bool)
    case toOne(any ManagedEntity.Type, onDelete: DeleteRule)
    /// `inverse` is the name of the target's to-one property.
    case toMany(any ManagedEntity.Type, inverse: String, onDelete: DeleteRule)
    /// `inverse` is the name of the target's list, on the side that names it.
    case manyToMany(any ManagedEntity.Type, inverse: String?, onDelete: DeleteRule)
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
  let notify: @Sendable (AnyObject, ObservationRegistrar, PropertyEvent) -> Void
  /// Sets an attribute through the property, so that observers and the context see it.
  let set: @Sendable (AnyObject, StoredValue) -> Bool
  /// Sets a to-one relationship through the property.
  let link: @Sendable (AnyObject, AnyObject?) -> Void
  /// Whether it is a to-one relationship that every saved object has.
  var isRequired = false
  /// Whether it is the side of a one-to-one relationship without a column.
  var isCounterpart = false
  /// Whether its value is read when the property is; see ``LazyValue``.
  var isLazy = false
  /// Whether an attribute is stored as its raw value.
  var isRaw = false
  /// The value that a property which was read from a row would be written as: another one where a column has what no save
  /// writes, as a UUID in lower case.
  var reading: @Sendable (StoredValue) -> StoredValue = { $0 }
  /// The form in which an attribute has a value; `nil` for one that it can't have.
  var stored: @Sendable (StoredValue) -> StoredValue? = { $0 }
  /// The conversions of an attribute between its row and a server.
  var rules: AttributeRules?
  /// Whether the declaration has a default. Without one a property has the neutral value of its type, which stands for no
  /// value.
  var isDefaultDeclared = false
  /// How the value follows from other attributes; `nil` for a property that has a value of its own.
  var derivation: Derivation?
  /// The orders that a to-many relationship is said to have: one at most.
  var arrangements: [DeclaredArrangement] = []
  /// Whether it is said of a list that it has no other side.
  private(set) var isWithoutInverse = false
  /// The names that the property had in earlier versions of the app.
  private(set) var formerNames: [String] = []

  /// The same property, which had other names in earlier versions of the app.
  ///
  /// ```swift
  /// .property(\User.name, columns.name).renamed(from: "fullName")
  /// ```
  /// A file that has a column of a former name keeps its values and local edits under the new name.
  public func renamed(from names: String...) -> PropertyDescriptor {
    var descriptor = self
    descriptor.formerNames += names
    return descriptor
  }

  /// The same many-to-many relationship, which has no other side on purpose.
  ///
  /// ```swift
  /// .property(\User.favorites, columns.favorites).withoutInverse()
  /// ```
  /// Without it the store refuses a list whose target has a relationship to one back that is no list's inverse.
  public func withoutInverse() -> PropertyDescriptor {
    var descriptor = self
    descriptor.isWithoutInverse = true
    return descriptor
  }

  /// The same array, which is declared with an empty one as its default.
  ///
  /// ```swift
  /// .property(\Post.labels, columns.labels).emptyByDefault()
  /// ```
  /// Rows of a file whose property was optional get it. It says nothing of a relationship.
  public func emptyByDefault() -> PropertyDescriptor {
    var descriptor = self
    if case .attribute = kind { descriptor.isDefaultDeclared = true }
    return descriptor
  }

  /// A to-one relationship.
  ///
  /// `onDelete` is the rule for the target when the object that holds the link is deleted; `.nullify`
  /// leaves it.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T?> & Sendable, _ column: Column<E, T?>, key: String? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .toOne(T.self, onDelete: onDelete)) { object, target in
      object[keyPath: keyPath] = target as? T
    }
  }

  /// A to-one relationship that every saved object has.
  ///
  /// Saving an object without it throws, and so does deleting an object that one holds; `onDelete: .cascade` on the
  /// inverse deletes the holders with it.
  ///
  /// `onDelete` is the rule for the target when the object that holds the link is deleted; `.nullify`
  /// leaves it.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T> & Sendable, _ column: Column<E, T>, key: String? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    var descriptor = relationship(keyPath, column, key, .toOne(T.self, onDelete: onDelete)) { object, target in
      object[keyPath: keyPath] = target as? T ?? object._$state.absent(T.self)
    }
    descriptor.isRequired = true
    return descriptor
  }

  /// A to-many relationship: the objects whose to-one property `inverse` holds this one.
  ///
  /// `onDelete` is the rule for those objects when the one that has them is deleted.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: Column<T, E?>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .toMany(T.self, inverse: inverse.name, onDelete: onDelete))
  }

  /// A to-many relationship: the objects whose required to-one property `inverse` holds this one.
  ///
  /// An object that is taken out of it must get another object to refer to, or be deleted, before the next save.
  ///
  /// `onDelete` is the rule for those objects when the one that has them is deleted; with `.nullify` the
  /// deletion is refused while there are any, as with `.deny`.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: Column<T, E>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .toMany(T.self, inverse: inverse.name, onDelete: onDelete))
  }

  /// A many-to-many relationship. The target may have the other side of it: a list whose `inverse` is this
  /// one. Without one, nobody but this side sees it.
  ///
  /// `onDelete` is the rule for the objects in the list when the one that has them is deleted. With
  /// `.nullify` they stay; with `.cascade` they go, though they are in another object's list too.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .manyToMany(T.self, inverse: nil, onDelete: onDelete))
  }

  /// The other side of the many-to-many relationship `inverse`.
  ///
  /// `onDelete` is the rule for the objects in the list when the one that has them is deleted.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: Column<T, [E]>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .manyToMany(T.self, inverse: inverse.name, onDelete: onDelete))
  }

  /// - Parameter link: Sets a to-one relationship of an object.
  private static func relationship<E: ManagedEntity, V>(
    _ keyPath: any ReferenceWritableKeyPath<E, V> & Sendable, _ column: Column<E, V>, _ key: String?, _ kind: Kind,
    link: @escaping @Sendable (E, AnyObject?) -> Void = { _, _ in }
  ) -> PropertyDescriptor {
    let isLink = if case .toOne = kind { true } else { false }
    return PropertyDescriptor(
      index: column.index, name: column.name, key: key, kind: kind, isUID: false, isUnique: false, isIndexed: isLink,
      defaultValue: .null, isPreset: false, keyPath: keyPath, notify: notification(keyPath),
      set: { _, _ in false },
      link: { object, target in
        if let object = object as? E { link(object, target) }
      })
  }

  static func notification<E: ManagedEntity, V>(
    _ keyPath: any KeyPath<E, V> & Sendable
  ) -> @Sendable (AnyObject, ObservationRegistrar, PropertyEvent) -> Void {
    { object, registrar, event in
      guard let object = object as? E else { return }
      switch event {
      case .read: registrar.access(object, keyPath: keyPath)
      case .change: registrar.withMutation(of: object, keyPath: keyPath) {}
      }
    }
  }
}

/// An event that observers of a property hear of, or that makes one an observer.
enum PropertyEvent: Sendable {
  case read
  case change
}
