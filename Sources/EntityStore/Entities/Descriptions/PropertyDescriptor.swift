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
  package var isUID = false
  var isUnique = false
  var isIndexed = false
  var defaultValue = StoredValue.null
  var facts: PropertyFacts
  let access: PropertyAccess
  /// The declared orders of a to-many relationship: at most one is allowed.
  var arrangements: [DeclaredArrangement] = []
  /// Whether a list is declared to have no other side.
  private(set) var isWithoutInverse = false

  /// The same property, which had other names in earlier versions of the app.
  ///
  /// ```swift
  /// .property(\User.name, columns.name).renamed(from: "fullName")
  /// ```
  /// A file that has a column of a former name keeps its values and local edits under the new name.
  public func renamed(from names: String...) -> PropertyDescriptor {
    var descriptor = self
    descriptor.facts.formerNames += names
    return descriptor
  }

  /// The same many-to-many relationship, without another side on purpose.
  ///
  /// ```swift
  /// .property(\User.favorites, columns.favorites).withoutInverse()
  /// ```
  /// Without this call, the store refuses a list whose target has a relationship back that is not the inverse of any
  /// list.
  public func withoutInverse() -> PropertyDescriptor {
    var descriptor = self
    descriptor.isWithoutInverse = true
    return descriptor
  }

  /// The same array, with an empty one as its declared default.
  ///
  /// ```swift
  /// .property(\Post.labels, columns.labels).emptyByDefault()
  /// ```
  /// Rows of a file whose property was optional get the empty array. A relationship ignores the call.
  public func emptyByDefault() -> PropertyDescriptor {
    var descriptor = self
    if case .attribute = kind { descriptor.facts.isDefaultDeclared = true }
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
  /// Saving an object without it throws, and so does deleting its target. With `onDelete: .cascade` on the inverse,
  /// deleting the target deletes the objects that hold it.
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
    descriptor.facts.isRequired = true
    return descriptor
  }

  /// A to-many relationship: the objects whose to-one property `inverse` holds this one.
  ///
  /// `onDelete` is the rule for those objects when the object with the list is deleted.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: Column<T, E?>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .toMany(T.self, inverse: inverse.name, onDelete: onDelete))
  }

  /// A to-many relationship: the objects whose required to-one property `inverse` holds this one.
  ///
  /// An object that is taken out of the list must refer to another object, or be deleted, before the next save.
  ///
  /// `onDelete` is the rule for those objects when the object with the list is deleted. With `.nullify` the deletion is
  /// refused while there are any, as with `.deny`.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    inverse: Column<T, E>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .toMany(T.self, inverse: inverse.name, onDelete: onDelete))
  }

  /// A many-to-many relationship. The target may have the other side of it: a list whose `inverse` is this list.
  /// Without the other side, only this side sees the relationship.
  ///
  /// `onDelete` is the rule for the objects in the list when the object with the list is deleted. With `.nullify` they
  /// stay. With `.cascade` they are deleted, even where another object's list has them too.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, [T]> & Sendable, _ column: Column<E, [T]>, key: String? = nil,
    onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor {
    relationship(keyPath, column, key, .manyToMany(T.self, inverse: nil, onDelete: onDelete))
  }

  /// The other side of the many-to-many relationship `inverse`.
  ///
  /// `onDelete` is the rule for the objects in the list when the object with the list is deleted.
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
      index: column.index, name: column.name, key: key, kind: kind, isIndexed: isLink, facts: PropertyFacts(),
      access: PropertyAccess(
        keyPath, target: kind.target,
        link: { object, target in
          if let object = object as? E { link(object, target) }
        }))
  }
}

extension PropertyDescriptor.Kind {
  /// The entity that a relationship leads to.
  var target: (any ManagedEntity.Type)? {
    switch self {
    case .attribute: nil
    case .toOne(let target, _), .toMany(let target, _, _), .manyToMany(let target, _, _): target
    }
  }
}
