public import EntityStore

/// The meaning of a key that an object of a response lacks; see ``RemoteEntity/absentKeys``.
public struct AbsentKeys<Entity: ManagedEntity> {
  /// The named properties: with ``isAll`` they are not cleared, else they are.
  let properties: [PartialKeyPath<Entity>]
  let isAll: Bool

  /// An absent key leaves its property as it is: the default.
  public static var sayNothing: Self { Self(properties: [], isAll: false) }

  /// The absent keys of some properties clear them: an attribute gets `nil` or its declared default, a relationship
  /// becomes empty.
  ///
  /// - Parameter properties: Attributes that are optional or have a default, relationships that are not required, lists.
  public static func clear(_ properties: PartialKeyPath<Entity>...) -> Self {
    Self(properties: properties, isAll: false)
  }

  /// Each absent key clears its property, as far as the property can be empty.
  public static var clearAll: Self { Self(properties: [], isAll: true) }

  /// As ``clearAll``, except for some properties: their absent keys say nothing.
  public static func clearAll(besides properties: PartialKeyPath<Entity>...) -> Self {
    Self(properties: properties, isAll: true)
  }
}
