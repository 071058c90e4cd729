extension EntityContext {
  /// The object on the other end of a to-one link; `nil` for none, and for one that is deleted.
  func linked<T: ManagedEntity>(_ type: T.Type, _ pk: Int64) -> T? {
    guard pk != 0, let model = try? core.schema.model(type) else { return nil }
    guard let object = fault(model, pk) as? T else { return nil }
    let state = object._$state
    guard state.flags.contains(.deleted) || state.flags.contains(.deleting) else { return object }
    return state.forwardedTo == 0 ? nil : linked(type, state.forwardedTo)
  }

  /// A to-one link changed in memory: the to-many relationships it left and entered change for their observers.
  func linkChanged(_ model: EntityModel, _ property: Int, from old: Int64, to new: Int64) {
    guard case .toOne(let target, let inverse?, _) = model.properties[property].kind else { return }
    for pk in [old, new] where pk != 0 {
      guard let parent = observable(core.schema.entities[target], pk) else { continue }
      notifyLater(parent, inverse)
    }
    deliver()
  }

  /// The objects of a to-many relationship.
  func members<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ type: T.Type) -> [T] {
    let state = object._$state
    guard !state.flags.contains(.deleted),
      case .toMany(let target, let inverse, _) = state.model.properties[property].kind
    else { return [] }
    let column = core.schema.entities[target].properties[inverse].name.quoted
    do {
      return try fetch(
        EntityQuery<T>(predicate: Predicate("\(column) = ?", [.integer(state.pk)]), includesPlaceholders: true))
    } catch {
      deferredError = error
      return []
    }
  }

  func setMembers<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ members: [T]) {
    let state = object._$state
    guard case .toMany(let target, let inverse, _) = state.model.properties[property].kind else { return }
    // The members are other objects, so that `change` can't tell: what this list is was said by a newer answer.
    if update != nil, state.newer.contains(property) { return }
    guard members.allSatisfy({ $0._$state.context === self }) else {
      return refuse(state.model, state.model.properties[property].name)
    }
    let link = core.schema.entities[target].properties[inverse]
    let wanted = Set(members.map(\._$state.pk))
    for member in self.members(of: object, property, T.self) where !wanted.contains(member._$state.pk) {
      link.link(member, nil)
    }
    for member in members { link.link(member, object) }
  }
}
