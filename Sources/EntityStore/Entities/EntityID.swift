/// The identity of an object within its store, whichever context the object is in. It is Sendable: pass it instead of
/// the object.
///
/// An object has its final id from the moment it is inserted. Ids are never used again.
public struct EntityID<Entity>: Hashable, Sendable {
  package let pk: Int64

  package init(pk: Int64) { self.pk = pk }
}

extension EntityID where Entity: ManagedEntity {
  /// The id of the object that an untyped id names; `nil` for an object of another entity.
  public init?(_ id: AnyEntityID) {
    guard id.entityName == Entity.entityName else { return nil }
    self.init(pk: id.pk)
  }

  /// The same identity, without the type.
  public var untyped: AnyEntityID { AnyEntityID(entityName: Entity.entityName, pk: pk) }
}
