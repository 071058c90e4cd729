import EntityJSON
import EntityStore

extension Mapper {
  /// The lists and embedded objects in a response object, which are no values of its row.
  struct Draft {
    /// The columns that the answer leaves to newer answers.
    let newer: ColumnMask
    var lists: [(property: Int, value: JSONValue)] = []
    var embedded: [Embedded] = []
    /// The properties whose keys the object has.
    var present = ColumnMask()
    /// Required relationships whose targets were deleted, by a newer answer or by their own update.
    var gone = ColumnMask()
    /// Properties that stay as they are.
    var staying = MergePolicy.Staying()
  }

  /// A to-one property whose object has no uid: the object lives in its parent, and ends with the parent.
  struct Embedded {
    let property: Int
    let entity: Int
    let old: Int64
    let new: Int64
    /// True when the link has an inverse. Then the target is the owner of the object, and does not live in it.
    var isOwner: Bool
  }

  /// Reads the attributes and links of an object, and upserts the objects that are nested in the links.
  ///
  /// - Parameters:
  ///   - newer: The columns that the answer leaves to newer answers.
  ///   - context: The context of the object, for properties that are filled from it.
  func draft(
    _ plan: MappingPlan, _ object: JSONObject, of known: Target.Known?, _ newer: ColumnMask,
    into row: inout RowValues, in context: @autoclosure () -> ResponseContext
  ) throws -> Draft {
    var draft = Draft(newer: newer)
    let model = plan.model
    var replaces = session.options.mode == .replace && session.nesting.depth == 1
    try plan.forEachProperty(of: object) { property, value in
      draft.present.insert(property)
      if let read = session.read {
        let isAttribute = if case .attribute = model.properties[property].kind { true } else { false }
        read.read(value, isWhole: isAttribute)
      }
      switch model.properties[property].kind {
      case .attribute(let type, let isOptional):
        do {
          row[property] = try plan.attribute(property, value, type, isOptional: isOptional)
        } catch let error as MappingError {
          try keep(error)
        }
      case .toOne:
        if let link = try link(plan, property, value, of: known, &draft) { row.setLink(link, property) }
      case .toMany, .manyToMany:
        if session.kept != nil, try !isReadable(plan, property, value) { return }
        if model.properties[property].isCounterpart, let target = model.properties[property].target,
          try passesOver(session.plan(target), value, in: model.properties[property].key)
        {
          return
        }
        draft.lists.removeAll { $0.property == property }
        draft.lists.append((property, value))
      }
    }
    // An answer without any key of the entity says nothing about the object.
    if replaces { replaces = !draft.present.isEmpty || plan.uidType != nil && plan.hasUIDKey(object) }
    if let origins = plan.origins {
      if let read = session.read { for value in origins.values(in: context()) { read.read(value) } }
      try origins.forEachValue(in: context(), plan) { property, value in
        row[property] = value
      } keep: {
        try keep($0)
      }
    }
    let absent = try plan.absent(besides: draft.present, replaces: replaces, isOutermost: session.nesting.depth == 1)
    if !absent.isEmpty { try clear(plan, absent, of: known, into: &row, &draft) }
    return draft
  }

  /// The row that a to-one property leads to, 0 for none; what is nested in the value is upserted.
  ///
  /// - Returns: `nil` when the property stays as it is.
  private func link(
    _ plan: MappingPlan, _ property: Int, _ value: JSONValue, of known: Target.Known?, _ draft: inout Draft
  ) throws -> Int64? {
    let model = plan.model
    guard let nested = model.properties[property].target.map(session.plan) else { return nil }
    if try passesOver(nested, value, in: model.properties[property].key) { return nil }
    if let found = try named(plan, property, nested, value) { return found }
    guard try isReadable(plan, property, nested, value) else { return nil }
    guard nested.uidType == nil else {
      let new = try linkTarget(plan, property, nested, value)
      if new == nil, model.required.contains(property) {
        draft.gone.insert(property)
        return nil
      }
      return new ?? 0
    }
    let old = try known.map { try target.link(model, property, of: $0) } ?? HeldLink()
    return try embedded(plan, property, nested, value, over: old, &draft)?.new
  }

  /// Upserts the object without uid that a to-one property has.
  ///
  /// - Parameter old: The link that the property has so far.
  /// - Returns: `nil` when the property stays as it is.
  private func embedded(
    _ plan: MappingPlan, _ property: Int, _ nested: MappingPlan, _ value: JSONValue, over old: HeldLink,
    _ draft: inout Draft
  ) throws -> Embedded? {
    let isOwner = !plan.embedding.contains(property)
    draft.embedded.removeAll { $0.property == property }
    let staying = try staying(
      plan.model, property, of: old.owner,
      isEdited: old.isEdited || losesWork(nested, old.row, isOwner: isOwner, to: value), newer: draft.newer)
    guard staying.isEmpty else {
      if old.row != 0 || !value.isNothing { draft.staying.formUnion(staying) }
      return nil
    }
    let place = session.places(of: old.owner, property, old.row == 0 ? [] : [old.row]).first ?? 0
    let new = try linkTarget(plan, property, nested, value, row: place) ?? 0
    let embedded = Embedded(
      property: property, entity: nested.model.number, old: old.row, new: new, isOwner: isOwner)
    draft.embedded.append(embedded)
    return embedded
  }

  private func isReadable(_ plan: MappingPlan, _ property: Int, _ value: JSONValue) throws -> Bool {
    guard let list = plan.model.properties[property].list else { return true }
    return try isReadable(plan, property, session.plan(list.target), value)
  }

  /// Sets absent properties to their defaults, or to no value.
  private func clear(
    _ plan: MappingPlan, _ absent: ColumnMask, of known: Target.Known?, into row: inout RowValues,
    _ draft: inout Draft
  ) throws {
    let model = plan.model
    for property in absent.indices {
      switch model.properties[property].kind {
      case .attribute:
        row[property] = model.defaulted.contains(property) ? model.properties[property].defaultValue : .null
      case .toOne(let number, let inverse, _):
        if session.plan(number).uidType == nil {
          let old = try known.map { try target.link(model, property, of: $0) } ?? HeldLink()
          let staying = try staying(
            model, property, of: old.owner,
            isEdited: old.isEdited || losesWork(session.plan(number), old.row, isOwner: inverse != nil),
            newer: draft.newer)
          guard staying.isEmpty else {
            if old.row != 0 { draft.staying.formUnion(staying) }
            continue
          }
          draft.embedded.append(
            Embedded(property: property, entity: number, old: old.row, new: 0, isOwner: inverse != nil))
        }
        row.setLink(0, property)
      case .toMany, .manyToMany: draft.lists.append((property, nil))
      }
    }
  }

  /// The object that a to-one value names: a nested object, an id, or nothing.
  ///
  /// - Parameter old: The present or former row of a nested object without uid.
  /// - Returns: 0 for none; `nil` for an object that a newer answer, or its own update, deleted.
  private func linkTarget(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue, row old: Int64 = 0
  ) throws -> Int64? {
    if !value.isNothing {
      if let object = value.object {
        if try takes(object, plan, property, target) {
          let given = GivenIdentity(row: old == 0 ? nil : old)
          return try nested(target, object, given, key: plan.model.properties[property].key, at: nil)
        }
      } else if let uid = try plan.link(property, to: target, value) {
        try checkReference(plan, property, target)
        return try reference(target, uid)
      }
    }
    if plan.model.required.contains(property) { throw plan.requiredError(property, value) }
    return 0
  }

  /// Upserts an object that is nested in another object.
  func nested(
    _ plan: MappingPlan, _ object: JSONObject, _ given: GivenIdentity, key: String, at position: Int?
  ) throws -> Int64? {
    session.trail.position = position
    let (noted, passed) = (session.kept?.count ?? 0, session.passed?.count ?? 0)
    do {
      guard let nested = try upsert(plan, object, given) else { return nil }
      session.kept?.nest(since: noted, in: key, at: position)
      session.passed?.nest(since: passed, in: key, at: position)
      if nested.isInserted { session.noteInserted(plan.model, nested.pk) }
      return nested.pk
    } catch let error as MappingError {
      throw error.nested(in: key, at: position)
    }
  }

  /// The object that a response names by its uid.
  ///
  /// - Returns: `nil` when the object was deleted here, or by a newer answer: the link in an older answer does not undo
  ///   that.
  func reference(_ plan: MappingPlan, _ uid: StoredValue) throws -> Int64? {
    guard session.newer(plan.model, uid) != nil else {
      session.skips?.noteGone(plan.model, uid: uid)
      return nil
    }
    if try session.isDeletedHere(plan.model, uid) { return nil }
    if !plan.isByHand, let rows = target.rowMapper { return try rows.reference(plan, uid) }
    let pk = try target.reference(plan.model, uid: uid) { session.noteInserted(plan.model, $0) }
    if session.gone.isUnknown(plan.model, uid) { session.gone.note(plan.model, pk, uid, isPlaceholder: true) }
    session.mention(plan.model, pk)
    return pk
  }

  // MARK: Embedded objects

  /// Why a relationship to embedded objects stays wholly as it is: the relationship was edited here, or a newer answer
  /// wrote it. Embedded objects have no uid, so nothing tells which objects of the answer are the edited ones.
  ///
  /// - Parameters:
  ///   - pk: The row id of the parent.
  ///   - isEdited: Whether the link was edited here, or the list or one of its members.
  ///   - newer: The parent's columns that the answer leaves to newer answers.
  func staying(
    _ model: EntityModel, _ property: Int, of pk: Int64, isEdited: @autoclosure () throws -> Bool,
    newer: ColumnMask = ColumnMask()
  ) rethrows -> MergePolicy.Staying {
    let column = ColumnMask(property)
    let isEdited = try session.policy.keepsEdits && (session.isUnsettled(model, property, of: pk) || isEdited())
    return session.policy.staying(of: column, edited: isEdited ? column : ColumnMask(), newer: newer)
  }

  /// Whether unsent work is lost when a parent lets go of its embedded object. An object in the response is the
  /// embedded object itself, and its edits stay anyway.
  private func losesWork(
    _ nested: MappingPlan, _ row: Int64, isOwner: Bool, to value: JSONValue? = nil
  ) throws -> Bool {
    guard row != 0, !isOwner, value?.object == nil else { return false }
    return try target.hasUnsentWork(nested.model, row)
  }

  /// Deletes the embedded object that the parent does not hold: the old one, or the new one when a local edit of the
  /// link stays. An old object that owns the parent is not deleted.
  ///
  /// - Parameter parent: The parent's row id; `nil` when the parent never held the object.
  func settle(_ embedded: Embedded, of parent: Int64? = nil, isTaken: Bool) throws {
    let loser = isTaken ? embedded.old : embedded.new
    guard embedded.old != embedded.new, loser != 0 else { return }
    if isTaken, let parent { try noteReleased([loser], session.plan(embedded.entity), parent, embedded.property) }
    if isTaken, embedded.isOwner { return }
    try target.release(session.core.schema.entities[embedded.entity], loser)
  }

  /// Notes that an object lets go of objects without uid, and these of the objects that live in them.
  func noteReleased(_ rows: [Int64], _ plan: MappingPlan, _ parent: Int64, _ property: Int) throws {
    var seen: Set<Int64> = []
    try noteReleased(rows, plan, parent, property, &seen)
  }

  /// - Parameter seen: The rows that were noted so far: objects without uid may hold each other.
  private func noteReleased(
    _ rows: [Int64], _ plan: MappingPlan, _ parent: Int64, _ property: Int, _ seen: inout Set<Int64>
  ) throws {
    guard !rows.isEmpty else { return }
    session.noteReleased(parent, property, rows)
    for row in rows where seen.insert(row).inserted {
      for inner in plan.embedding {
        switch plan.model.properties[inner].kind {
        case .attribute: continue
        case .toOne(let number, _, _):
          let link = try target.link(plan.model, inner, of: row)
          try noteReleased(link == 0 ? [] : [link], session.plan(number), row, inner, &seen)
        case .toMany, .manyToMany:
          guard let list = plan.model.properties[inner].list else { continue }
          let members = try target.members(plan.model, inner, of: row).rows
          try noteReleased(members, session.plan(list.target), row, inner, &seen)
        }
      }
    }
  }
}
