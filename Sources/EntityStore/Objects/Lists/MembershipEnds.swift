// Unsaved memberships that end without being saved, and the observers to tell.

extension ContextLists {
  /// Drops the unsaved memberships in lists of an object whose edits are dropped. A membership that was set through the
  /// list of another object is an edit of that object, and stays. A membership in a save under way stays too.
  func dropMemberships(of object: any ManagedEntity, _ lists: ColumnMask) {
    for (link, side) in unsavedMemberships(of: object, lists) where link.editedSide == side {
      let state = link._$state
      let isEnded = state.isDeleting
      guard isEnded ? !context.saving.isDeletedByASave(link) : !state.isBeingSaved else { continue }
      noteMembership(of: object._$state.pk, link[1 - side], state.model, side, isIn: isEnded)
      if !state.isBeingSaved { context.unsaved.letGo(of: state) }
      context.saving.drop(link)
      context.overlay.rowPending(state.model, state.pk)
    }
  }

  /// Puts an object whose deletion is dropped back into the lists that have a row for it. This includes lists that were
  /// set as a whole meanwhile.
  func rejoinLists(_ object: any ManagedEntity) throws {
    let state = object._$state
    guard context.kind == .main else { return }
    for incoming in state.model.incoming {
      guard let end = incoming.otherEnd, let list = end.list,
        context.unsaved.changed[end.entity].all.values.contains(where: { $0._$state.lists[list] != nil })
      else { continue }
      let links = context.core.schema.entities[incoming.entity]
      for pk in try memberships(of: state.pk, links, incoming.property).keys {
        context.loaded.objects[end.entity][pk]?._$state.lists[list]?.insert(state.pk)
      }
    }
  }

  /// Ends the unsaved memberships in lists of an object after another write stored them.
  func settleMemberships(of object: any ManagedEntity, _ lists: ColumnMask) {
    for (link, _) in unsavedMemberships(of: object, lists) { settleMembership(link) }
  }

  /// Ends the memberships of an object that was never saved and is deleted: no list has it, and none ever had. The same
  /// holds for the child contexts, which have nothing left to delete.
  func endMemberships(of pk: Int64, _ model: EntityModel) {
    guard !model.isLinks else { return }
    for incoming in model.incoming {
      guard let end = incoming.otherEnd else { continue }
      let links = context.core.schema.entities[incoming.entity]
      for link in context.unsaved.changed[links.number].memberships(incoming.property, of: pk) where !link.isOnlyMoved {
        let other = link[end.property]
        settleMembership(link)
        for (object, list) in noteMembership(of: pk, other, links, incoming.property, isIn: false) {
          context.edits.endUndoneList(of: object, list)
          context.observers.notifyLater(object, list)
        }
      }
    }
    for child in context.lineage.children.live {
      child.lists.endMemberships(of: pk, model)
      guard let copy = child.unsaved.changed[model.number][pk], copy._$state.isDeleting else { continue }
      child.merging.markDeleted(copy)
    }
  }

  /// Ends the edits of the lists on both sides of a membership, if they have no unsaved membership left.
  func endUndoneLists(with link: LinkRow) {
    let properties = link._$state.model.ends
    for side in properties.indices {
      guard case .toOne(let entity, let list?, _) = properties[side].kind,
        let object = context.loaded.objects[entity][link[side]]
      else { continue }
      context.edits.endUndoneList(of: object, list)
    }
  }

  func settleMembership(_ link: any ManagedEntity) {
    let state = link._$state
    guard !state.isBeingSaved, !context.saving.isDeletedByASave(link) else { return }
    context.edits.willChange(link)
    state.dirty = ColumnMask()
    state.lostRow()
    context.unsaved.letGo(of: state)
    context.overlay.rowPending(state.model, state.pk)
  }

  /// The unsaved memberships in lists of an object, and the side of the object in each.
  private func unsavedMemberships(of object: any ManagedEntity, _ lists: ColumnMask) -> [(link: LinkRow, side: Int)] {
    let state = object._$state
    return state.model.lists.intersection(lists).indices.flatMap { property -> [(link: LinkRow, side: Int)] in
      guard let membership = state.model.properties[property].membership else { return [] }
      return context.unsaved.changed[membership.links].memberships(membership.side, of: state.pk)
        .filter { !$0.isOnlyMoved }.map { ($0, membership.side) }
    }
  }

  /// Tells the observers of the lists that the object is in by unsaved links and pairs. These have no row. So the
  /// summary of the deletion of the object's row does not mention them.
  func tellUnsavedLists(with object: any ManagedEntity) {
    let state = object._$state
    guard context.kind == .main, !context.news.observed.isEmpty || !context.lineage.children.isEmpty else { return }
    for property in state.model.properties where state.unsaved.contains(property.index) {
      guard case .toOne(let target, let list?, _) = property.kind else { continue }
      context.family.tell(
        context.core.schema.entities[target], object.values(ColumnMask(property.index)).link(property.index), list)
    }
    for incoming in state.model.incoming {
      guard let end = incoming.otherEnd, let list = end.list else { continue }
      for link in context.unsaved.changed[incoming.entity].memberships(incoming.property, of: state.pk) {
        context.family.tell(context.core.schema.entities[end.entity], link[end.property], list)
      }
    }
  }

  /// Tells the observers of the lists that the object is in, when the object is deleted or comes back.
  func tellLists(with object: any ManagedEntity) {
    let state = object._$state
    for child in context.lineage.children.live where !child.news.observed.isEmpty {
      child.lists.tellLists(with: child.reading.object(state.model, state.pk))
      context.family.root.family.deliverLater()
    }
    guard context.kind == .main, !context.news.observed.isEmpty else { return }
    for incoming in state.model.incoming {
      guard let end = incoming.otherEnd, let list = end.list else { continue }
      let links = context.core.schema.entities[incoming.entity]
      guard let others = try? memberships(of: state.pk, links, incoming.property) else {
        // The lists that have the object are unknown. The observers of any such list read it again, and get the error
        // there.
        context.news.telling.beginAll(of: end.entity)
        context.observers.tellSome()
        continue
      }
      for pk in others.keys {
        if let other = context.reading.observable(context.core.schema.entities[end.entity], pk) {
          context.observers.notifyLater(other, list)
        }
      }
    }
  }
}
