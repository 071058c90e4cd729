// Values of properties as `print`, a log or a debugger shows them: short, and without secrets.

extension EntityModel {
  /// An object as `Ticket(id: 7, title: "x", done: false)`; `…` stands for a secret, and for a value that was not read.
  ///
  /// - Parameters:
  ///   - values: The known values of attributes and links.
  ///   - related: Returns the text for a relationship, if it has one.
  func shown(_ values: RowValues, _ related: (PropertyModel) -> String?) -> String {
    let parts = properties.compactMap { property -> String? in
      // The store's own columns.
      if property.isComposite || property.isCoverage || property.isAge || property.positionOf != nil { return nil }
      if let text = related(property) { return "\(property.name): \(text)" }
      guard values.mask.contains(property.index), !property.isLazy else { return "\(property.name): …" }
      return "\(property.name): \(ShownProperty(property).text(shown(values, property)))"
    }
    return "\(name)(\(parts.joined(separator: ", ")))"
  }

  private func shown(_ values: RowValues, _ property: PropertyModel) -> PendingValue {
    guard case .toOne = property.kind, let target = property.targetType else {
      return .attribute(values[property.index])
    }
    let pk = values.link(property.index)
    return .object(pk == 0 ? nil : AnyEntityID(entityName: target.entityName, pk: pk))
  }
}

extension ManagedEntity {
  /// The object with the names and values of its properties: `Ticket(id: 7, title: "x", done: false)`. `print` shows it, too,
  /// unless the entity is `CustomStringConvertible`.
  ///
  /// An object that is out of date is read first, as by a getter; no other object is read. A related object is shown by
  /// its uid if it is loaded, and else by its row. A list is shown by its count, if that is known. `…` stands for a
  /// lazy value, for a list that was not read, and for a secret: the value of a property that has `password`, `token`
  /// or the like in its name or key. Texts are cut after 40 characters. Observation does not record this as a read.
  /// Isolation: that of the object's context.
  public var debugDescription: String {
    let state = _$state
    state.context?.fulfil(self)
    let model = state.model
    if state.life == .unloaded { return "\(ShownProperty.text(state.id)), not read" }
    let values = values(model.stored.subtracting(model.positions).subtracting(model.lazy))
    let text = model.shown(values) { property in
      switch property.kind {
      case .attribute: nil
      case .toOne: state.shownTarget(property, of: self)
      case .toMany, .manyToMany: state.knownCount(property.index).map(ShownProperty.text(count:))
      }
    }
    return (state.isGone ? "deleted " : state.flags.contains(.placeholder) ? "placeholder " : "") + text
  }

  // The default mirror would show the slots, which have secrets too.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension ObjectState {
  /// The text for the object at the other end of a link, with its uid if it is loaded.
  fileprivate func shownTarget(_ property: PropertyModel, of object: any ManagedEntity) -> String? {
    let target: (any ManagedEntity)?
    if let loose {
      target = loose.records[LooseGraph.Key(self)]?.target(property.index).flatMap { loose.object($0) }
    } else {
      guard case .toOne(let number, _, _) = property.kind else { return nil }
      target = context?.loaded.objects[number][object.link(property.index)]
    }
    guard let target else { return nil }
    let state = target._$state
    if let uid = state.loadedUID(of: target) { return "\(state.model.name) \(uid)" }
    // A loose object's row id is the id of no row.
    return state.loose == nil ? nil : "\(state.model.name), not inserted"
  }

  private func loadedUID(of object: any ManagedEntity) -> String? {
    guard let uid = model.uid, let type = model.uidType, life != .unloaded, !stale.contains(uid) else { return nil }
    return object.values(ColumnMask(uid))[uid].uidText(type)
  }

  fileprivate func knownCount(_ property: Int) -> Int? {
    if let loose { return loose.records[LooseGraph.Key(self)]?.count(property) }
    let key = KeptLists.Key(entity: model.number, pk: pk, property: property)
    return context.flatMap { $0.unsaved.keptLists[key]?.count ?? $0.loaded.prefetched.list(key)?.count }
  }
}
