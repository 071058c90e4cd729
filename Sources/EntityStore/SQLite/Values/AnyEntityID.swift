/// The identity of an object of any entity: errors name objects by it.
///
/// ```swift
/// if let id = error.objects.first, let object = try context.object(id) { try context.rollback(object) }
/// ```
public struct AnyEntityID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the entity, as ``ManagedEntity/entityName``.
  public let entityName: String
  package let pk: Int64

  package init(entityName: String, pk: Int64) {
    self.entityName = entityName
    self.pk = pk
  }

  /// The entity and the row, as messages of errors name them: `'User' (row 42)`. It has no value of the object.
  public var description: String { "'\(entityName)' (row \(pk))" }
}
