extension ManagedEntity {
  /// Whether the row has a value that is none of the property's type: JSON that was written for another declaration of the
  /// type, or a raw value that no case has. The property reads as its default then. Observable.
  ///
  /// ```swift
  /// if !shelf.isUnreadable(\.labels) { shelf.labels.append(label) }
  /// ```
  /// Saving other properties keeps the value. Setting the property replaces it. A change in place, as `append` is, would make
  /// the changed default of it: it is refused, the property stays as it is, and the next save throws ``StoreError`` of kind
  /// `invalidValue`. A change through a key path, as `shelf[keyPath: \.labels].append(label)`, sets the property.
  public func isUnreadable<V: AttributeValue>(_ keyPath: KeyPath<Self, V>) -> Bool {
    // Reading decodes JSON.
    _ = self[keyPath: keyPath]
    let state = _$state
    return state.model.index(of: keyPath).flatMap { state.kept[$0] }?.isUnreadable ?? false
  }
}

/// A value that an accessor lends to a change in place. The compiler says nothing of it where the type does not exist.
@frozen public struct LentValue<Value> {
  public var value: Value

  @inlinable @inline(__always) public init(_ value: Value) { self.value = value }
}

// Accessors that change a property in place ask these. The overload chooses the kind of the property.

extension ManagedEntity {
  /// Whether a change in place may be written. One of a value that the row has and the type does not read may not: the value
  /// that was changed is the default.
  @inlinable @inline(__always)
  public func _takesChange<V: AttributeValue>(_ column: Column<Self, V>, _ value: V) -> Bool {
    V._form == .scalar || _takesKeptChange(column.index, value)
  }

  @inlinable @inline(__always)
  public func _takesChange<V: AttributeValue>(_ column: Column<Self, LazyValue<V>>, _ value: V) -> Bool {
    _takesKeptChange(column.index, value)
  }

  /// Of relationships.
  @inlinable @inline(__always) @_disfavoredOverload
  public func _takesChange<C, V>(_ column: C, _ value: V) -> Bool { true }

  @usableFromInline @inline(never) func _takesKeptChange<V: AttributeValue>(_ index: Int, _ value: V) -> Bool {
    let state = _$state
    // An update by hand passes the property `inout`, and sets it.
    guard state.kept[index]?.isUnreadable == true, let context = state.context, context.arrival.update == nil else {
      return true
    }
    let current = _initialValue(index) ?? V._neutral
    if current.map({ V._isSame($0, value) }) != true { context.edits.refuseChange(of: state, index) }
    return false
  }
}

extension ContextEditing {
  /// Remembers that a value which can't be read was changed in place.
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
