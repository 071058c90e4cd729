/// A property that was edited in a context, and that somebody else has changed since: in a unit of work, by a response, or
/// in another process.
///
/// The description names the object and the property, and no value.
public struct Conflict: Sendable, Hashable {
  /// The object.
  public let id: AnyEntityID
  /// The object's uid as text; `nil` where it has none.
  public let uid: String?
  /// The name of the property.
  public let property: String
  /// The value of the property before the edit, on which the edit is based.
  public let base: PendingValue
  /// The edited value.
  public let mine: PendingValue
  /// The value of the row.
  public let theirs: PendingValue
  /// Whether the value of the row is a local edit: it was made on this device, and no server has acknowledged it.
  /// Otherwise it is the server's value.
  public let isLocalEdit: Bool

  package init(
    id: AnyEntityID, uid: String?, property: String,
    values: (base: PendingValue, mine: PendingValue, theirs: PendingValue), isLocalEdit: Bool
  ) {
    (self.id, self.uid, self.property) = (id, uid, property)
    (base, mine, theirs) = values
    self.isLocalEdit = isLocalEdit
  }

  /// The name of the entity, as ``ManagedEntity/entityName``.
  public var entity: String { id.entityName }
}

extension Conflict: CustomStringConvertible, CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  public var description: String {
    let object = uid.map { "\(entity) \($0)" } ?? "\(entity) (row \(id.pk))"
    return "\(object): \(property) was edited here, and changed by \(isLocalEdit ? "another edit" : "the server") since"
  }
}
