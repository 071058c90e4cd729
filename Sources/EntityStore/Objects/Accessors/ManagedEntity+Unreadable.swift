extension ManagedEntity {
  /// Whether the row has a value that the property's type does not have: JSON that was written for another declaration
  /// of the type, or a raw value without a case. The property then reads as its default. Observable.
  ///
  /// ```swift
  /// if !shelf.isUnreadable(\.labels) { shelf.labels.append(label) }
  /// ```
  /// Saving other properties keeps the value. Setting the property replaces it. A change in place, such as `append`,
  /// would write a changed default over the value. So it is refused: the property stays as it is, and the next save
  /// throws ``StoreError`` of kind `invalidValue`. A change through a key path, such as
  /// `shelf[keyPath: \.labels].append(label)`, sets the property.
  public func isUnreadable<V: AttributeValue>(_ keyPath: KeyPath<Self, V>) -> Bool {
    // Reading decodes JSON.
    _ = self[keyPath: keyPath]
    let state = _$state
    return state.model.index(of: keyPath).flatMap { state.kept[$0] }?.isUnreadable ?? false
  }
}

/// A value that an accessor lends to a change in place. With this type, the compiler reports no further error where the
/// type of a property does not exist.
@frozen public struct LentValue<Value> {
  public var value: Value

  @inlinable @inline(__always) public init(_ value: Value) { self.value = value }
}

// Accessors that change a property in place call these. The overload chooses the kind of the property.

extension ManagedEntity {
  /// Whether a change in place may be written. It may not if the type can't read the row's value: then the default was
  /// changed, and not the value.
  @inlinable @inline(__always)
  public func _takesChange<V: AttributeValue>(_ column: Column<Self, V>, _ value: V) -> Bool {
    V._form == .scalar || _takesKeptChange(column.index, value)
  }

  @inlinable @inline(__always)
  public func _takesChange<V: AttributeValue>(_ column: Column<Self, LazyValue<V>>, _ value: V) -> Bool {
    _takesKeptChange(column.index, value)
  }

  /// For relationships.
  @inlinable @inline(__always) @_disfavoredOverload
  public func _takesChange<C, V>(_ column: C, _ value: V) -> Bool { true }

  @usableFromInline @inline(never) func _takesKeptChange<V: AttributeValue>(_ index: Int, _ value: V) -> Bool {
    let state = _$state
    // An update by hand passes the property `inout`, which sets it.
    guard state.kept[index]?.isUnreadable == true, let context = state.context, context.arrival.update == nil else {
      return true
    }
    let current = _initialValue(index) ?? V._neutral
    if current.map({ V._isSame($0, value) }) != true { context.edits.refuseChange(of: state, index) }
    return false
  }
}

extension ContextEditing {
  /// Refuses a change in place of a value that can't be read.
  fileprivate func refuseChange(of object: ObjectState, _ property: Int) {
    let name = object.model.properties[property].name
    context.unsaved.refusals.append(
      StoreError(
        .invalidValue,
        "'\(object.model.name).\(name)' was changed in place, and stays as it was: the row has a value that is none of its "
          + "type, and reads as the default, which would be written over it. Set '\(name)' to replace the value.",
        objects: [object.id]))
  }
}
