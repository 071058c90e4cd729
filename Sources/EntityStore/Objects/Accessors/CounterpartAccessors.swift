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
      return loose.members(of: _$state, column.index, T.self).first
    }
    context.observers.observer(of: _$state)?.access(self, keyPath: keyPath())
    return context.relations.partner(of: self, column.index, T.self)
  }

  /// Sets the object whose column holds this one. Both sides change, and the former partners of both are free.
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
      let owner = context.reading.fault(context.core.schema.entities[target], pk)
      for holder in try context.answers.memberRows(of: owner, counterpart) where holder != state.pk {
        link.link(context.reading.fault(state.model, holder), nil)
      }
    } catch {
      // As in a setter: the next call that can throw does.
      context.unsaved.deferredError = error
    }
  }

  /// The unsaved changes of an object were dropped, so that it has its former targets again: the objects that have got them
  /// since go back too.
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
    // Each of them may find that its own former target has got another object, which goes back before it.
    var rivals: [(object: any ManagedEntity, former: Int64)] = []
    var (objects, targets): (Set<Int64>, Set<Int64>) = ([object._$state.pk], [0])
    var target = object.link(index)
    while targets.insert(target).inserted,
      let pk = try context.answers.memberRows(of: context.reading.fault(owners, target), counterpart).first(where: {
        objects.insert($0).inserted
      })
    {
      let rival = context.reading.fault(model, pk)
      // One that is saved came by a commit of others. A query of a unit has sent edits to the rows.
      guard context.kind == .unit || rival._$state.unsaved.contains(index) else { break }
      let former = try linkWithoutEdit(of: rival, index)
      rivals.append((rival, targets.contains(former) ? 0 : former))
      target = former
    }
    for (rival, former) in rivals.reversed() {
      link.link(rival, former == 0 ? nil : context.reading.fault(owners, former))
    }
  }

  /// The target of a link but for its unsaved edit: that of a save under way, or of the row.
  private func linkWithoutEdit(of object: any ManagedEntity, _ index: Int) throws -> Int64 {
    let state = object._$state
    guard state.dirty.contains(index) else { return object.link(index) }
    for saved in context.saves.inFlight.reversed() {
      if let row = saved.values(of: object), row.mask.contains(index) { return row.link(index) }
    }
    return state.isInserted ? 0 : try context.edits.rowValues(state, ColumnMask(index))?.link(index) ?? 0
  }
}
