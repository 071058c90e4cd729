extension EntityContext {
  /// The object on the other end of a to-one link; `nil` for none, and for one that is deleted.
  func linked<T: ManagedEntity>(_ type: T.Type, _ pk: Int64) -> T? {
    guard pk != 0, let model = try? core.schema.model(type) else { return nil }
    guard let object = fault(model, pk) as? T else { return nil }
    let state = object._$state
    guard state.flags.contains(.deleted) || state.flags.contains(.deleting) else { return object }
    return state.forwardedTo == 0 ? nil : linked(type, state.forwardedTo)
  }

  /// What a required to-one link reads as when it has no target: an object without a row, deleted from the start.
  func absent<T: ManagedEntity>(_ type: T.Type) -> T { Self.absent(type, in: self) }

  static func absent<T: ManagedEntity>(_ type: T.Type, in context: EntityContext?) -> T {
    let known = context.flatMap { try? $0.core.schema.model(type) }
    return T(ObjectState(known ?? EntityModel(detached: type), pk: 0, context: context, flags: .deleted))
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
    do {
      return try members(of: object, property).compactMap { $0 as? T }
    } catch {
      deferredError = error
      return []
    }
  }

  func setMembers<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ members: [T]) {
    let state = object._$state
    guard state.pk != 0, members.allSatisfy({ $0._$state.pk != 0 }) else { return refuseChange(of: state.model) }
    // The members are other objects, so that `change` can't tell: what this list is was said by a newer answer.
    if update != nil, state.newer.contains(property) { return }
    guard members.allSatisfy({ $0._$state.context === self }) else {
      return refuse(
        state.model, state.model.properties[property].name,
        isDetached: members.contains { $0._$state.context == nil })
    }
    switch state.model.properties[property].kind {
    case .attribute, .toOne: return
    case .toMany(let target, let inverse, _):
      let link = core.schema.entities[target].properties[inverse]
      let wanted = Set(members.map(\._$state.pk))
      let gone = self.members(of: object, property, T.self).filter { !wanted.contains($0._$state.pk) }
      for (index, member) in (gone + members).enumerated() {
        let before = update == nil ? 0 : member.link(inverse)
        link.link(member, index < gone.count ? nil : object)
        if update != nil, member.link(inverse) != before { state.hasChangedLists = true }
      }
    case .manyToMany:
      do {
        try setMemberships(of: object, property, Set(members.map(\._$state.pk)))
      } catch {
        deferredError = error
      }
    }
  }
}
