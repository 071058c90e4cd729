extension PendingValue {
  /// An attribute as its own type: `edit.base?.as(String.self)`; `nil` for none, and for a value of another type.
  public func `as`<V: ScalarValue>(_ type: V.Type) -> V? {
    guard case .attribute(let value) = self else { return nil }
    return V(storedValue: value)
  }

  /// An attribute as its own type, whatever its stored form; `nil` for a value that the type does not have.
  func value<V: AttributeValue>(_ type: V.Type) -> V? {
    guard case .attribute(let stored) = self else { return nil }
    return V._value(stored)
  }
}

extension SchemaModel {
  /// The value of a column, in the form for conflicts and skipped changes.
  func pendingValue(_ value: StoredValue, _ model: EntityModel, _ index: Int) -> PendingValue {
    guard case .toOne(let target, _, _) = model.properties[index].kind else { return .attribute(value) }
    if case .integer(let pk) = value { return .object(entities[target].id(pk)) }
    return .object(nil)
  }
}
