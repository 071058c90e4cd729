import Observation

// The accessors and the functions for `_$load` and `_$store` of a one-to-one relationship, for the side without a
// column.

extension ManagedEntity {
  /// Reads the object whose column has a link to this object.
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Counterpart<Self, T>,
    _ slot: @autoclosure () -> Slot<T?>
  ) -> T? {
    guard let context = _$state.context else {
      guard let loose = _$state.loose else { return nil }
      loose.registrar(of: _$state).access(self, keyPath: keyPath())
      return loose.members(of: _$state, column.index, T.self).first
    }
    context.observers.observer(of: _$state)?.access(self, keyPath: keyPath())
    return context.relations.partner(of: self, column.index, T.self)
  }

  /// Sets the object whose column has a link to this object. Both sides change, and the former partners of both have
  /// none.
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Counterpart<Self, T>,
    _ slot: @autoclosure () -> Slot<T?>, _ value: T?, _ store: (Slot<T?>) -> Void
  ) {
    let members = value.map { [$0] } ?? []
    guard let context = _$state.context else { return _setLooseMembers(column.index, members) }
    context.relations.setMembers(of: self, column.index, members)
  }

  @inlinable @inline(__always)
  public func _load<T: ManagedEntity>(_ row: RowReader, _ column: Counterpart<Self, T>, _ store: (Slot<T?>) -> Void) {}

  @inlinable @inline(__always)
  public func _store<T: ManagedEntity>(_ row: inout RowValues, _ column: Counterpart<Self, T>, _ slot: Slot<T?>) {}
}

extension ContextRelations {
  /// The object at the other end of a one-to-one relationship, read from the side without a column.
  fileprivate func partner<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ type: T.Type) -> T? {
    let members = members(of: object, property, type)
    guard members.count > 1, case .toMany(_, let link, _) = object._$state.model.properties[property].kind else {
      return members.first
    }
    // A commit of others gave the object a partner while our partner is unsaved. The save decides between them.
    return members.last { $0._$state.unsaved.contains(link) } ?? members.first
  }

  /// A one-to-one link was set: another object with a link to the same target loses that link.
  func freeFormerHolder(of object: any ManagedEntity, _ state: ObjectState, _ index: Int, target pk: Int64) {
    let link = state.model.properties[index]
    guard case .toOne(let target, let counterpart?, _) = link.kind else { return }
    do {
      let owner = context.reading.object(context.core.schema.entities[target], pk)
      for holder in try context.answers.memberRows(of: owner, counterpart) where holder != state.pk {
        link.link(context.reading.object(state.model, holder), nil)
      }
    } catch {
      // Like an error in a setter: the next call that can throw throws it.
      context.unsaved.deferredError = error
    }
  }

  /// Restores one-to-one links after the unsaved changes of an object were dropped. The object has its former targets
  /// again, so objects that took these targets since give them back.
  func giveBackTargets(to object: any ManagedEntity) {
    let state = object._$state
    guard !state.model.oneToOne.isEmpty, !state.isGone else { return }
    let outer = context.arrival.update
    context.arrival.update = nil
    defer { context.arrival.update = outer }
    do {
      context.fulfil(object)
      for index in state.model.oneToOne.indices { try giveBackTarget(to: object, index) }
    } catch {
      context.unsaved.deferredError = error
    }
  }

  private func giveBackTarget(to object: any ManagedEntity, _ index: Int) throws {
    let model = object._$state.model
    let link = model.properties[index]
    guard case .toOne(let number, let counterpart?, _) = link.kind else { return }
    let owners = context.core.schema.entities[number]
    // Each rival may find its own former target taken by another object, which has to go back first.
    var rivals: [(object: any ManagedEntity, former: Int64)] = []
    var (objects, targets): (Set<Int64>, Set<Int64>) = ([object._$state.pk], [0])
    var target = object.link(index)
    while targets.insert(target).inserted,
      let pk = try context.answers.memberRows(of: context.reading.object(owners, target), counterpart).first(where: {
        objects.insert($0).inserted
      })
    {
      let rival = context.reading.object(model, pk)
      // A saved rival came by a commit of others, and stays. In a unit, a query may have sent the rival's edits to the
      // rows, so saved ones count too.
      guard context.kind == .unit || rival._$state.unsaved.contains(index) else { break }
      let former = try linkWithoutEdit(of: rival, index)
      rivals.append((rival, targets.contains(former) ? 0 : former))
      target = former
    }
    for (rival, former) in rivals.reversed() {
      link.link(rival, former == 0 ? nil : context.reading.object(owners, former))
    }
  }

  /// The target of a link without its unsaved edit: the target in a save under way, or else in the row.
  private func linkWithoutEdit(of object: any ManagedEntity, _ index: Int) throws -> Int64 {
    let state = object._$state
    guard state.dirty.contains(index) else { return object.link(index) }
    for saved in context.saves.inFlight.reversed() {
      if let row = saved.values(of: object), row.mask.contains(index) { return row.link(index) }
    }
    return state.isInserted ? 0 : try context.edits.rowValues(state, ColumnMask(index))?.link(index) ?? 0
  }
}
