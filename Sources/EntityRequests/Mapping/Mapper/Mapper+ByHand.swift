import EntityJSON
import EntityStore

// Entities with an `update(with:)` of their own: an object is made for each, and its update runs.

extension Mapper<ObjectTarget> {
  var context: EntityContext { target.context }
  /// The objects that are being updated, the innermost last.
  var updating: [ObjectTarget.Updating] { target.updating }

  /// The same as ``upsert(_:_:_:)``, for an entity that updates by hand.
  func updateByHand(_ plan: MappingPlan, _ response: JSONObject, _ given: GivenIdentity) throws -> MappingOutcome? {
    let model = plan.model
    try session.enter(plan, response)
    defer { session.leave(plan) }
    guard let (identity, known) = try identify(plan, response, given) else { return nil }
    var about = identity
    let isHolder = session.enterHolder(plan, about.uid, response, &about.newer)
    defer { if isHolder { session.leaveHolder() } }
    let subject = try target.begin(plan, known, uid: about.uid, row: given.row)
    let object = subject.object
    let outerIsGone = target.isGone
    var isAwaiting = false
    defer {
      target.end(subject, isAwaiting: isAwaiting)
      target.isGone = outerIsGone
    }
    do {
      target.isGone = false
      try run(plan, response, about, subject, given)
      switch try completeness(plan, subject, about) {
      case .whole: break
      case .awaiting:
        session.postponed.add(plan, object._$state.pk, object, at: session.places.current)
        isAwaiting = true
      case .refused:
        try target.abandon(subject, isRefused: true)
        return nil
      }
    } catch {
      try? target.abandon(subject, isRefused: false)
      throw error
    }
    let state = subject.state
    let pk = state.pk
    if state.isGone(object) {
      session.touch(model, about.identity, ColumnMask(), isDeletion: true)
      session.gone.note(model, pk, about.identity, isPlaceholder: subject.isNew)
      session.places.notePending(pk)
      try target.writePending()
      return nil
    }
    session.isThere(model, pk, about.identity)
    // The setters have noted all other columns.
    session.touch(
      model, about.identity,
      about.isOlderVersion
        ? about.newer.subtracting(about.newer(with: given.link)) : model.identity.union(given.link.column))
    session.noteOwnLinks(model, pk, updating.last?.answered ?? ColumnMask()) { object.link($0) }
    session.mention(model, pk)
    try target.noteUpdated(model, about.uid, subject)
    return MappingOutcome(
      pk: pk, isInserted: subject.isNew, isChanged: state.lastReading.hasChangedLists,
      isPending: state.lastReading.hasChangedValues)
  }

  /// Whether a new object has the objects that it requires, after its update.
  private func completeness(
    _ plan: MappingPlan, _ subject: ObjectTarget.Subject, _ about: ResponseIdentity
  ) throws -> MappingPlan.Completeness {
    let object = subject.object
    guard subject.isNew, !plan.model.required.isEmpty, !object.isGone else { return .whole }
    let missing = plan.missingLinks { object.link($0) }
    let completeness = try plan.completeness(
      missing, gone: target.isGone ? missing : ColumnMask(), mayAwait: session.postponed.awaitsParts)
    if completeness == .refused {
      session.skips?.noteGone(
        plan.model, uid: about.identity, missing.indices.first { _ in true }.map { ColumnMask($0) })
    }
    return completeness
  }

  /// Runs `body`, which takes in an object that an update by hand nests, and writes its rows at once.
  ///
  /// An update by hand may catch the error of a nested object, and go on without the object. The embedded objects that
  /// were made for it then have no parent, and are deleted. An error of the store fails the response all the same,
  /// because a row may be written in part.
  func nestingRows(_ body: () throws -> MappingOutcome?) throws -> MappingOutcome? {
    let before = updating.last?.made.count ?? 0
    do {
      let outcome = try body()
      // The other objects that were made live in the nested object.
      let made = target.takeMade(from: before)
      if let object = made.first(where: { $0._$state.pk == outcome?.pk }) { target.noteMade(object) }
      return outcome
    } catch {
      for object in target.takeMade(from: before) { try? target.release(object._$state.model, object._$state.pk) }
      if error is StoreError { target.failure = error }
      throw error
    }
  }

  /// Sets the uid and the link that identify the object, and runs its update.
  private func run(
    _ plan: MappingPlan, _ response: JSONObject, _ about: ResponseIdentity, _ subject: ObjectTarget.Subject,
    _ given: GivenIdentity
  ) throws {
    let (object, model, link) = (subject.object, plan.model, given.link)
    let newer = about.newer(with: link)
    if !newer.isEmpty { target.setNewer(newer) }
    defer { context.edits.expect(absentKey: false) }
    context.edits.expect(absentKey: false)
    try name(plan, about.uid, subject, newer, given)
    var rules = UpdateRules()
    // The step above settled the object's identity, and the update must not change it. `assign("id", to: &uid)` writes
    // back the value that it read when the key is absent: a uid of 0 or "".
    rules.settled = settledIdentity(plan, response, isNamed: about.uid != nil)
    // An object with a uid may name another parent than the one in whose list it stands.
    if let link {
      if plan.uidType == nil { rules.settled.insert(link.property) } else { rules.placed.insert(link.property) }
    }
    let before = try embedded(plan, in: object)
    target.forgetAnswered()
    var isPlaced = false
    try target.updating(object, newer, rules) {
      try plan.runUpdate?(object, ResponseObject(response, session.trail.context, in: target.token))
      if let failure = target.failure { throw failure }
      if let link { isPlaced = context.answers.isPlaced(object, link.property) }
    }
    if link != nil { session.agree(object._$state.pk) }
    if let link, plan.uidType != nil, !object.isGone, object.link(link.property) != link.pk {
      if isPlaced {
        try setPlace(plan, object, link, newer)
      } else if !newer.contains(link.property), !target.isEdited(model, object._$state.pk, link.property) {
        session.overrule(model, object._$state.pk, ColumnMask(link.property))
      }
    }
    try releaseEmbedded(plan, object, before)
  }

  /// Sets the uid and the link that identify the object of an update.
  private func name(
    _ plan: MappingPlan, _ uid: StoredValue?, _ subject: ObjectTarget.Subject, _ newer: ColumnMask,
    _ given: GivenIdentity
  ) throws {
    let (object, model, pk, link) = (subject.object, plan.model, given.row, given.link)
    // The object was made for the response, and has nothing but its uid.
    let isMade = subject.isMade && pk == nil
    // A new object has its uid, and so has an object that was found by its uid. If the policy overwrites edits, the uid
    // of a found object is set again, which ends a local edit of the uid.
    let isNamed = pk == nil && link == nil && (isMade || session.policy.keepsEdits)
    guard !isNamed, uid != nil || link != nil else { return }
    var row = emptyRow(model)
    defer { reuse(&row, model) }
    var taken = ColumnMask()
    if let uid {
      // The update runs next, and notes the columns of the answer that stay.
      var staying = MergePolicy.Staying()
      if let pk { taken = try takeOver(model, uid: uid, by: pk, newer, into: &row, &staying) }
      if let index = model.uid { row[index] = uid }
    }
    // An object with a uid may name its parent by its own key, so a link that it has stays.
    if let link, isMade || plan.uidType == nil || object.link(link.property) == 0 {
      row.setLink(link.pk, link.property)
    }
    try target.updating(object, newer.subtracting(taken)) { try target.set(plan, object, row) }
  }

  /// Releases embedded objects without a parent: those that the update of an object replaced, and those that it made
  /// and did not assign.
  ///
  /// - Parameter before: The embedded objects before the update.
  private func releaseEmbedded(
    _ plan: MappingPlan, _ object: any ManagedEntity, _ before: [(property: Int, object: any ManagedEntity)]
  ) throws {
    let made =
      plan.embedded.isEmpty && !session.embedsUnnamed
      ? []
      : (updating[updating.count - 1].made + updating[updating.count - 1].madeInside).filter {
        $0._$state.model.uid != nil || plan.embedded.contains($0._$state.model.number)
      }
    guard !before.isEmpty || !made.isEmpty, !object.isGone else { return }
    let parent = object._$state.pk
    let after = Set(try embedded(plan, in: object).map(\.object._$state.pk))
    let gone = before.filter { !after.contains($0.object._$state.pk) }
    for (property, gone) in Dictionary(grouping: gone, by: \.property) {
      let rows = gone.map(\.object._$state.pk)
      try noteReleased(rows, session.plan(gone[0].object._$state.model), parent, property)
    }
    for object in before.map(\.object) + made where !after.contains(object._$state.pk) {
      try target.release(object._$state.model, object._$state.pk)
    }
  }

  /// Links an object to the parent in whose list it stands.
  private func setPlace(
    _ plan: MappingPlan, _ object: any ManagedEntity, _ link: ParentLink, _ newer: ColumnMask
  ) throws {
    var row = emptyRow(plan.model)
    defer { reuse(&row, plan.model) }
    row.setLink(link.pk, link.property)
    try target.updating(object, newer) { try target.set(plan, object, row) }
  }

  /// The objects without uid that live in an object.
  private func embedded(
    _ plan: MappingPlan, in object: any ManagedEntity
  ) throws -> [(property: Int, object: any ManagedEntity)] {
    let unnamed = session.embedsUnnamed ? try unnamed(plan, in: object) : []
    if plan.embedding.isEmpty { return unnamed }
    return try unnamed
      + plan.embedding.flatMap { index -> [(property: Int, object: any ManagedEntity)] in
        guard case .toOne(let number, _, _) = plan.model.properties[index].kind else {
          return try context.answers.members(of: object, index).map { (index, $0) }
        }
        let pk = object.link(index)
        return pk == 0 ? [] : [(index, context.answers.existing(session.core.schema.entities[number], pk: pk))]
      }
  }

  /// The members without uid in an object's lists, for entities that have uids.
  private func unnamed(
    _ plan: MappingPlan, in object: any ManagedEntity
  ) throws -> [(property: Int, object: any ManagedEntity)] {
    let entities = session.core.schema.entities
    return try plan.model.properties.flatMap { property -> [(property: Int, object: any ManagedEntity)] in
      guard let listed = property.listed, entities[listed].uid != nil else { return [] }
      let members = try context.answers.members(of: object, property.index).map(\._$state.pk)
      return try target.unnamed(entities[listed], members).rows.map {
        (property.index, context.answers.existing(entities[listed], pk: $0))
      }
    }
  }

  /// Ends the postponed check of an object that lacked a required object.
  ///
  /// - Throws: ``MappingError`` when the object still lacks it.
  func complete(_ plan: MappingPlan, _ object: any ManagedEntity) throws {
    guard !object.isGone else { return }
    try checkRequired(plan, object._$state.pk)
    object._$state.endReading(isUnderWay: false)
  }
}

extension Mapper<ObjectTarget> {
  /// The properties of the uid that an update by hand must not set. If the response does not name an object with a
  /// composite uid, these are only the parts whose keys are absent: a setter would write back the zero or the empty
  /// text that it read.
  private func settledIdentity(_ plan: MappingPlan, _ response: JSONObject, isNamed: Bool) -> ColumnMask {
    guard let parts = plan.uidParts, !isNamed else { return plan.model.identity }
    return parts.parts.reduce(into: ColumnMask(parts.uid)) { settled, part in
      if response.value(for: part.key) == nil { settled.insert(part.index) }
    }
  }
}
