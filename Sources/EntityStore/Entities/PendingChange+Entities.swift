extension PendingChange {
  /// The id of the object, if it is of the entity `type`.
  public func id<E: ManagedEntity>(as type: E.Type) -> EntityID<E>? {
    id.entityName == E.entityName ? EntityID(pk: id.pk) : nil
  }

  /// The id of the object that sends the change, if it is of the entity `type`. That is the object itself, or for an
  /// embedded object its ``parent``.
  public func sender<E: ManagedEntity>(as type: E.Type) -> EntityID<E>? {
    let sender = parent ?? id
    return sender.entityName == E.entityName ? EntityID(pk: sender.pk) : nil
  }

  /// The edit of one property: `change.edit(of: \User.Columns.email)`; `nil` where the property was not edited.
  public func edit<E: ManagedEntity, V>(of column: KeyPath<E.Columns, Column<E, V>>) -> PendingChange.Edit? {
    guard id.entityName == E.entityName else { return nil }
    let name = E.columns[keyPath: column].name
    return edits.first { $0.property == name }
  }
}
