public import EntityStore

/// The meaning of a key that an object of a response lacks; see ``RemoteEntity/absentKeys``.
public struct AbsentKeys<Entity: ManagedEntity> {
  /// The properties that are named: those that are cleared, or with ``isAll`` those that are not.
  let properties: [PartialKeyPath<Entity>]
  let isAll: Bool

  /// An absent key leaves its property as it is: the default.
  public static var sayNothing: Self { Self(properties: [], isAll: false) }

  /// The absent keys of some properties clear them: an attribute gets `nil` or its declared default, a relationship has no object.
  ///
  /// - Parameter properties: Attributes that are optional or have a default, relationships that are not required, lists.
  public static func clear(_ properties: PartialKeyPath<Entity>...) -> Self {
    Self(properties: properties, isAll: false)
  }

  /// Each absent key clears its property, as far as the property can be empty.
  public static var clearAll: Self { Self(properties: [], isAll: true) }

  /// As ``clearAll``, but for some properties, whose absent keys say nothing.
  public static func clearAll(besides properties: PartialKeyPath<Entity>...) -> Self {
    Self(properties: properties, isAll: true)
  }
}
