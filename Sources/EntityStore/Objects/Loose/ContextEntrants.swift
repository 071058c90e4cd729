extension EntityContext {
  /// Makes a new object. A save puts it into the store; its ``ManagedEntity/entityID`` is final at once.
  ///
  /// - Throws: ``StoreError``, of kind `unknownEntity` or `readOnly`.
  public func insert<E: ManagedEntity>(_ type: E.Type) throws -> E {
    guard let object = try answers.insert(core.schema.model(type)) as? E else { throw StoreError.foreign(E.entityName) }
    if !object._$state.model.callbacks.isEmpty, !isOfResponse, rows?.isOfServer != true { object.awakeIfNew() }
    return object
  }

  /// Inserts an object that was made without a context, together with the loose objects that it leads to by links,
  /// directly or through others. All of them stay the same objects, and get their ``ManagedEntity/entityID``.
  ///
  /// An object that is already in this context stays as it is.
  ///
  /// - Throws: ``StoreError``, and nothing is inserted: `unknownEntity`, `readOnly`, `storeGone`; `wrongContext` where
  ///   one of the objects is in another context, or is linked to an object of one; `objectDeleted`; `invalidValue` for
  ///   a value that was set and has no stored form.
  @discardableResult
  public func insert<E: ManagedEntity>(_ object: E) throws -> E {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    guard !saves.isOver else { throw StoreError.contextIsOver }
    guard !isDetached else { throw detachment }
    let state = object._$state
    if let record = state.loose?.records[LooseGraph.Key(state)] {
      try entrants.take([record])
      return object
    }
    guard state.context === self else { throw StoreError.foreign(object) }
    guard !state.isGone else {
      throw StoreError(
        .objectDeleted,
        "An object of '\(state.model.name)' (row \(state.pk)) is deleted: to insert it does not bring it back.",
        objects: [state.id])
    }
    return object
  }
}

/// The objects that enter a context: new ones, and loose ones with everything that they are linked to.
struct ContextEntrants {
  let context: EntityContext
}

extension ContextEntrants {
  static func loose(_ object: any ManagedEntity) -> StoreError {
    guard object._$state.pk != 0 else { return ContextEditing.noRow(object._$state.model) }
    return StoreError(
      .wrongContext,
      "An object of '\(object._$state.model.name)' is in no context. Insert it first: context.insert(_:).")
  }

  // MARK: A graph

  private struct Entrant {
    let record: LooseGraph.Record
    let model: EntityModel
    let pk: Int64
    let object: any ManagedEntity
  }

  /// Inserts loose objects with everything that they are linked to. Inserts nothing if it throws.
  func take(_ records: [LooseGraph.Record]) throws {
    // Everything that can fail comes first.
    let graphs = LooseGraph.unique(records.compactMap(\.graph))
    for graph in graphs { if let mistake = graph.refusals.consume() { throw mistake } }
    for graph in graphs { graph.dropHeldList() }
    let found = LooseGraph.reachable(from: records)
    for object in found.attached where object._$state.context !== context { throw StoreError.foreign(object) }
    var rows: [(key: LooseGraph.Key, model: EntityModel, pk: Int64)] = []
    for record in found.loose {
      let model = try context.core.schema.model(record.model.type)
      rows.append((record.key, model, try context.rows?.newPrimaryKey() ?? context.core.newPrimaryKey()))
    }
    guard let first = graphs.first else { return }
    let graph = graphs.dropFirst().reduce(first, LooseGraph.joined)
    var entrants: [LooseGraph.Key: Entrant] = [:]
    func object(_ key: LooseGraph.Key) -> (any ManagedEntity)? { entrants[key]?.object ?? graph.object(key) }
    // Observers are told after all objects are linked.
    try context.merging.entry(isGetter: true) {
      for (key, model, pk) in rows {
        guard let object = graph.object(key), let record = graph.records.removeValue(forKey: key) else { continue }
        entrants[key] = Entrant(record: record, model: model, pk: pk, object: object)
        enter(object, model, pk)
      }
      let order = rows.compactMap { entrants[$0.key] }
      for entrant in order { graph.replace(entrant.record, with: entrant.object) }
      for entrant in order {
        for index in entrant.record.attributes.indices {
          context.endChange(of: entrant.object, entrant.object._$state, index, isUndone: false)
        }
      }
      for entrant in order { link(entrant, object) }
      for entrant in order {
        for property in entrant.model.properties where property.isList {
          let members = entrant.record.members(property.index)
          if !members.isEmpty { setList(of: entrant.object, property.index, members.compactMap(object)) }
        }
      }
    }
    context.observers.deliver()
  }

  private func enter(_ object: any ManagedEntity, _ model: EntityModel, _ pk: Int64) {
    let state = object._$state
    // `link(_:_:)` sets the links below, as all links are set.
    var none = RowValues(count: model.properties.count)
    for index in model.links.indices { none.setLink(0, index) }
    object.loadColumns(RowReader(none, model.links))
    state.enter(context, as: model, pk: pk)
    context.loaded.objects[model.number].insert(object, pk)
    context.unsaved.hold(object, state)
    context.overlay.rowPending(model, pk, leavesLists: true)
    if context.kind == .main, let observers = state.observers {
      context.news.observed.keep(observers, model.number, pk)
      context.observers.keepTelling(state)
    }
  }

  private func link(
    _ entrant: Entrant, _ object: (LooseGraph.Key) -> (any ManagedEntity)?
  ) {
    let outer = context.unsaved.isSettingList
    defer { context.unsaved.isSettingList = outer }
    for index in entrant.model.links.indices {
      guard let key = entrant.record.target(index), let target = object(key) else { continue }
      // A loose object's list has its members in order already. The list of another object gets the member at its end.
      context.unsaved.isSettingList = outer || key.pk < 0
      // For observers, the link does not change.
      writeLink(of: entrant.object, index, target._$state.pk)
      context.endLink(
        of: entrant.object, entrant.object._$state, index, from: 0, to: target._$state.pk, isUndone: false)
    }
  }

  /// Sets a link as its setter does, but tells the observers later.
  private func setLink<E: ManagedEntity>(of member: any ManagedEntity, _ index: Int, to parent: E) {
    context.fulfil(member)
    let (state, old, new) = (member._$state, member.link(index), parent._$state.pk)
    let change = context.beginLink(of: member, state, index, from: old, to: parent._$state, E.self)
    guard change != .none else { return }
    writeLink(of: member, index, new)
    context.observers.notifyLater(member, index)
    context.endLink(of: member, state, index, from: old, to: new, isUndone: change == .isUndone)
  }

  private func writeLink(of object: any ManagedEntity, _ index: Int, _ pk: Int64) {
    var row = RowValues(count: object._$state.model.properties.count)
    row.setLink(pk, index)
    object.loadColumns(RowReader(row, row.mask))
  }

  private func setList(of object: any ManagedEntity, _ index: Int, _ members: [any ManagedEntity]) {
    let property = object._$state.model.properties[index]
    let pks = members.map(\._$state.pk)
    do {
      guard let list = property.list else { return }
      guard list.member == nil else { return try context.lists.setPairs(of: object, index, pks, Set(pks)) }
      let (outer, link) = (context.unsaved.isSettingList, list.owner)
      context.unsaved.isSettingList = true
      defer { context.unsaved.isSettingList = outer }
      for member in members where member.link(link) != object._$state.pk { setLink(of: member, link, to: object) }
      if property.isOrdered { try context.lists.setOrder(of: object, index, pks, before: []) }
    } catch {
      // Like an error in a setter: the next save throws it.
      context.unsaved.deferredError = error
    }
  }
}

extension LooseGraph {
  /// The loose objects that can be reached from some records, including those themselves, and the objects of a context
  /// that they link to. The members of a list are in its order.
  static func reachable(from records: [Record]) -> (loose: [Record], attached: [any ManagedEntity]) {
    var known: Set<Key> = []
    var loose = records.filter { known.insert($0.key).inserted }
    var objects: [any ManagedEntity] = []
    var next = 0
    while next < loose.count {
      let graph = loose[next].graph
      for key in loose[next].targets where known.insert(key).inserted {
        if let object = graph?.attached[key] {
          objects.append(object)
        } else if let record = graph?.records[key] {
          loose.append(record)
        }
      }
      next += 1
    }
    return (loose, objects)
  }
}
