import Observation

// The functions that the accessors of the side of a one-to-one relationship without a column call, and `_$load` and `_$store`.

extension ManagedEntity {
  /// Reads the object whose column holds this one.
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Counterpart<Self, T>,
    _ slot: @autoclosure () -> Slot<T?>
  ) -> T? {
    guard let context = _$state.context else {
      guard let loose = _$state.loose else { return nil }
      loose.registrar(of: _$state).access(self, keyPath: keyPath())
      return loose.members(of: _$state, column.index).first as? T
    }
    context.observer(of: _$state)?.access(self, keyPath: keyPath())
    return context.partner(of: self, column.index, T.self)
  }

  /// Sets the object whose column holds this one. Both sides change, and the former partners of both are free.
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Counterpart<Self, T>,
    _ slot: @autoclosure () -> Slot<T?>, _ value: T?, _ store: (Slot<T?>) -> Void
  ) {
    let members = value.map { [$0] } ?? []
    guard let context = _$state.context else { return _setLooseMembers(column.index, members) }
    context.setMembers(of: self, column.index, members)
  }

  @inlinable @inline(__always)
  public func _load<T: ManagedEntity>(_ row: RowReader, _ column: Counterpart<Self, T>, _ store: (Slot<T?>) -> Void) {}

  @inlinable @inline(__always)
  public func _store<T: ManagedEntity>(_ row: inout RowValues, _ column: Counterpart<Self, T>, _ slot: Slot<T?>) {}
}

extension EntityContext {
  /// The object at the other end of a one-to-one relationship, by the side without a column.
  fileprivate func partner<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ type: T.Type) -> T? {
    let members = members(of: object, property, type)
    guard members.count > 1, case .toMany(_, let link, _) = object._$state.model.properties[property].kind else {
      return members.first
    }
    // A commit of others gave the object a partner while the one that was set here is unsaved. The save settles it.
    return members.last { $0._$state.unsaved.contains(link) } ?? members.first
  }

  /// A link of a one-to-one relationship was set: the object that held the same target loses it.
  func freeFormerHolder(of object: any ManagedEntity, _ state: ObjectState, _ index: Int, target pk: Int64) {
    let link = state.model.properties[index]
    guard case .toOne(let target, let counterpart?, _) = link.kind else { return }
    do {
      let owner = fault(core.schema.entities[target], pk)
      for holder in try memberRows(of: owner, counterpart) where holder != state.pk {
        link.link(fault(state.model, holder), nil)
      }
    } catch {
      // As in a setter: the next call that can throw does.
      deferredError = error
    }
  }
}
