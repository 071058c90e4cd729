public import EntityStore

/// Fills a property from the context of an object: from its place, its parent object, or the response.
///
/// ```swift
/// // GET folders/?page=2, answered by {"region": "eu", "folders": [{"id": 7, "files": [{"name": "a"}, {"name": "b"}]}]}
/// extension File {
///   static var origins: [ValueOrigin<File>] {
///     [.position(\.rank), .parent("id", \.folderID), .root("region", \.region), .header("X-Server", \.server)]
///   }
/// }
/// ```
///
/// Such a value comes before the object's own key of the property. Otherwise it is treated as a value from a key: it is
/// converted in the same way, local edits stay, and an absent value leaves the property as it is. A value is absent
/// when the response lacks the header, when the parent lacks the key, or when the object stands in no array. An entity
/// with a hand-written `update(with:)` takes these values with `assignDeclared(from:)`, or reads `response.context`. An
/// entity that is not a ``RemoteEntity`` has no origins.
public struct ValueOrigin<Entity: ManagedEntity>: Sendable {
  let source: ContextValue
  let keyPath: any AnyKeyPath & Sendable

  private init(_ source: ContextValue, _ keyPath: any AnyKeyPath & Sendable) {
    self.source = source
    self.keyPath = keyPath
  }

  /// The position of the object in its array; see ``ResponseContext/position``.
  ///
  /// - Parameter property: An attribute of the entity.
  public static func position<V: AttributeValue>(_ property: any KeyPath<Entity, V> & Sendable) -> Self {
    Self(.position, property)
  }

  /// The value under a key path of the parent object.
  ///
  /// - Parameters:
  ///   - keyPath: The key path; dots separate keys.
  ///   - property: An attribute of the entity.
  public static func parent<V: AttributeValue>(
    _ keyPath: String, _ property: any KeyPath<Entity, V> & Sendable
  ) -> Self {
    Self(.parent(keyPath), property)
  }

  /// The value under a key path of the whole body.
  ///
  /// - Parameters:
  ///   - keyPath: The key path; dots separate keys.
  ///   - property: An attribute of the entity.
  public static func root<V: AttributeValue>(
    _ keyPath: String, _ property: any KeyPath<Entity, V> & Sendable
  ) -> Self {
    Self(.root(keyPath), property)
  }

  /// The first value of a header of the response.
  ///
  /// - Parameters:
  ///   - name: The name of the header, in upper or lower case.
  ///   - property: An attribute of the entity.
  public static func header<V: AttributeValue>(
    _ name: String, _ property: any KeyPath<Entity, V> & Sendable
  ) -> Self {
    Self(.header(name), property)
  }

  /// The first value of a name in the query of the request's URL.
  ///
  /// - Parameters:
  ///   - name: The name, not percent-encoded.
  ///   - property: An attribute of the entity.
  public static func url<V: AttributeValue>(
    _ name: String, _ property: any KeyPath<Entity, V> & Sendable
  ) -> Self {
    Self(.query(name), property)
  }

  /// The value of a named wildcard of the route that the response was read by.
  ///
  /// - Parameters:
  ///   - name: The name of the wildcard: `uid` of `users/{uid}/posts`.
  ///   - property: An attribute of the entity.
  public static func parameter<V: AttributeValue>(
    _ name: String, _ property: any KeyPath<Entity, V> & Sendable
  ) -> Self {
    Self(.parameter(name), property)
  }
}
