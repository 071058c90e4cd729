import EntityJSON
import EntityStore

/// The mapping onto objects: for entities that update by hand, and for upserts in a context.
final class ObjectMapper {
  let context: EntityContext
  let session: UpsertSession
  /// The objects that are being updated, the innermost last.
  private(set) var updating: [Updating] = []

  struct Updating {
    let plan: MappingPlan
    let object: any ManagedEntity
    let uid: StoredValue?
    let newer: ColumnMask
    /// Objects without uid that were made for it.
    var made: [any ManagedEntity] = []
  }

  /// Whether the object being updated refers to one that a newer answer, or its own update, deleted.
  var isGone = false

  init(_ context: EntityContext, _ session: UpsertSession) {
    self.context = context
    self.session = session
  }

  /// Upserts one object.
  ///
  /// - Parameters:
  ///   - given: Its uid, where it is known from elsewhere; it wins over the response's.
  ///   - target: The row that the object is, whatever uid it had.
  ///   - link: A to-one property to set with it, and its object: the parent that it is nested in the list of. It wins over
  ///     what the object itself says of it.
  /// - Returns: `nil` when a newer answer deleted the object, or its own update did.
  func upsert(
    _ plan: MappingPlan, _ response: JSONObject, uid given: StoredValue? = nil, target: Int64? = nil,
    isNew: Bool = false, link: (property: Int, object: any ManagedEntity)? = nil
  ) throws -> (any ManagedEntity)? {
    let model = plan.model
    try session.enter(model)
    defer { session.leave() }
    let uid = try given ?? plan.uid(of: response)
    let known = isNew ? nil : try object(plan, uid: uid, target: target)
    let identity = uid ?? (session.isOrdered ? known?.serverUID : nil)
    guard var newer = session.newer(model, identity) else {
      session.skips?.noteGone(model, uid: identity)
      noteLateArrival(model, uid: uid, target == nil ? nil : known)
      return nil
    }
    if plan.isDeletion(response) {
      if newer.isEmpty {
        try noteDeletion(model, known, identity)
      } else if let known {
        // A newer answer has the object.
        session.skips?.note(model, known._$state.pk, .newerAnswer)
      }
      return nil
    }
    newer = session.heldBack(model, identity, newer, isTarget: target != nil)
    if uid == nil, known == nil, session.needsUIDs, plan.uidType != nil { throw plan.unnamedError() }
    let object = try known ?? context.insert(model)
    if known == nil, plan.uidType == nil, !updating.isEmpty { updating[updating.count - 1].made.append(object) }
    // Loaded first: whether it is a placeholder stands in its row.
    let isPlaceholder = object.isPlaceholder
    if isPlaceholder { context.fill(object) }
    let isNew = known == nil || isPlaceholder
    let outerIsGone = isGone
    defer { isGone = outerIsGone }
    do {
      isGone = false
      let wasUpdating = object._$state.isUpdating
      object._$state.isUpdating = true
      if !wasUpdating { object._$state.hasChangedLists = false }
      var isPostponed = false
      // Until it has what it requires, it is not written as a whole.
      defer { object._$state.isUpdating = wasUpdating || isPostponed }
      try update(plan, object, response, uid: uid, newer: newer, link: link)
      if isNew, !object.isDeleted, let missing = model.required.indices.first(where: { object.link($0) == 0 }) {
        if isGone {
          session.skips?.noteGone(model, uid: identity, .single(missing))
          if known == nil { try object.deleteFromContext() } else { context.unfill(object) }
          return nil
        }
        guard session.awaitsParts else { throw plan.missingError(missing) }
        session.postpone(plan, object._$state.pk, object)
        isPostponed = true
      }
    } catch {
      // Nobody else has the new object: a failure leaves nothing of it.
      if known == nil { try? object.deleteFromContext() }
      throw error
    }
    if object.isDeleted {
      session.touch(model, identity, ColumnMask(), isDeletion: true)
      session.noteDeletion(model, object._$state.pk, identity, isPlaceholder: isNew)
      if context.kind == .unit { try context.flush() }
      return nil
    }
    session.isThere(model, object._$state.pk, identity)
    session.touch(model, identity, model.all)
    session.mention(model, object._$state.pk)
    if known == nil || isPlaceholder { session.noteInserted(model, object._$state.pk) }
    // In a unit the row is written now: what comes next in the response may refer to it by its uid.
    if context.kind == .unit { try context.flush() }
    return object
  }

  /// The response says that an object is deleted. In a response that is taken in as a whole its row goes at the end, as
  /// those of the ``RowMapper`` do.
  private func noteDeletion(_ model: EntityModel, _ known: (any ManagedEntity)?, _ uid: StoredValue?) throws {
    session.touch(model, uid, ColumnMask(), isDeletion: true)
    guard let known, !known.isDeleted else { return }
    let isPlaceholder = known.isPlaceholder
    // What still lacks what it requires has no row that could go later.
    if !context.isOfResponse || known._$state.isUpdating {
      try known.deleteFromContext()
      if context.kind == .unit { try context.flush() }
    }
    session.noteDeletion(model, known._$state.pk, uid, isPlaceholder: isPlaceholder)
  }

  /// Ends what was postponed: an object lacked what it requires.
  ///
  /// - Throws: ``MappingError`` when it still does.
  func complete(_ plan: MappingPlan, _ object: any ManagedEntity) throws {
    guard !object.isDeleted else { return }
    if let missing = plan.model.required.indices.first(where: { object.link($0) == 0 }) {
      throw plan.missingError(missing)
    }
    object._$state.isUpdating = false
  }

  private func update(
    _ plan: MappingPlan, _ object: any ManagedEntity, _ response: JSONObject, uid: StoredValue?,
    newer: ColumnMask, link: (property: Int, object: any ManagedEntity)?
  ) throws {
    let model = plan.model
    updating.append(Updating(plan: plan, object: object, uid: uid, newer: newer))
    let level = updating.count - 1
    defer {
      updating.removeLast()
      context.arriving = nil
      context.readsAbsent = false
    }
    context.readsAbsent = false
    var settled = ColumnMask()
    if let index = model.uid {
      if let uid {
        if object.serverUID == nil { try takeOver(model, uid: uid, object, newer) }
        context.updating(object, session.policy, newer: newer) {
          _ = model.properties[index].set(object, uid)
        }
      }
      // Which object it is was settled here. `assign("id", to: &uid)` writes back what it read where the key is absent,
      // and that would be a uid of 0 or "".
      settled.insert(index)
    }
    if let link {
      context.updating(object, session.policy, newer: newer) {
        model.properties[link.property].link(object, link.object)
      }
      settled.insert(link.property)
    }
    let before = try embedded(plan, in: object)
    try context.updating(
      object, session.policy, newer: newer, settled: settled, order: session.isOrdered ? self : nil
    ) {
      if let remote = object as? any RemoteEntity {
        try remote.take(ResponseObject(response, at: session.place))
      } else {
        try applyDeclared(response, to: object)
      }
    }
    // What it made and did not take lives nowhere, as little as what it let go of.
    let made = updating[level].made.filter { plan.embedded.contains($0._$state.model.number) }
    guard !before.isEmpty || !made.isEmpty, !object.isDeleted else { return }
    let after = Set(try embedded(plan, in: object).map(\._$state.pk))
    for object in before + made where !after.contains(object._$state.pk) { try release(object) }
  }

  func object(_ plan: MappingPlan, uid: StoredValue?, target: Int64?) throws -> (any ManagedEntity)? {
    if let target { return context.existing(plan.model, pk: target) }
    guard let uid else { return nil }
    // A child that refers to a parent whose row is not written yet.
    if let parent = updating.last(where: { $0.plan === plan && $0.uid.map { $0.isIdentical(to: uid) } == true }) {
      return parent.object
    }
    return try context.existing(plan.model, uid: uid)
  }

  /// Sets the declared properties of an object from the keys that are present. In the order of ``RowMapper``: what it
  /// refers to, its own values, then its lists.
  func applyDeclared(_ response: JSONObject, to object: any ManagedEntity) throws {
    let plan = session.plan(object._$state.model)
    context.readsAbsent = false
    var links: [(property: Int, object: (any ManagedEntity)?)] = []
    try plan.forEachProperty(of: response) { index, value in
      guard case .toOne(let number, _, _) = plan.model.properties[index].kind else { return }
      let target = session.plan(number)
      if target.uidType == nil, try isKept(index, of: object, isEmpty: value.isNull) { return }
      links.append((index, try linked(plan, index, target, value, of: object)))
    }
    try plan.forEachProperty(of: response) { index, value in
      let property = plan.model.properties[index]
      guard case .attribute(let type, let isOptional) = property.kind else { return }
      let stored = try plan.attribute(index, value, type, isOptional: isOptional)
      guard property.set(object, stored) else { throw plan.error(index, "the value is out of range") }
    }
    for link in links {
      // What a required one refers to was deleted since: it keeps what it has.
      if link.object == nil, plan.model.properties[link.property].isRequired {
        context.noteSkipped(object, .init(gone: .single(link.property)), answered: ColumnMask())
        continue
      }
      plan.model.properties[link.property].link(object, link.object)
    }
    try plan.forEachProperty(of: response) { index, value in
      switch plan.model.properties[index].kind {
      case .attribute, .toOne: return
      case .toMany, .manyToMany: try setMembers(plan, index, value, of: object)
      }
    }
  }
}

extension ObjectMapper: AnswerOrder {
  func newer(of object: any ManagedEntity) -> ColumnMask? { session.newer(object._$state.model, object.serverUID) }

  func touch(_ object: any ManagedEntity, _ property: Int) {
    session.touch(object._$state.model, object.serverUID, ColumnMask.single(property))
  }
}

extension RemoteEntity {
  /// Runs the entity's own update.
  fileprivate func take(_ response: ResponseObject) throws { try update(with: response) }
}

extension ManagedEntity {
  func deleteFromContext() throws { try _$state.context?.delete(self) }
}
