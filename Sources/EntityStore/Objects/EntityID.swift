/// The identity of an object within its store, whichever context it is in. It is Sendable: hand this over instead of
/// the object.
///
/// An object has its final id from the moment it is inserted; ids are never used again.
public struct EntityID<Entity>: Hashable, Sendable {
  package let pk: Int64

  package init(pk: Int64) { self.pk = pk }
}
