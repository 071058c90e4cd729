import EntityJSON
import EntityStore

extension ObjectMapper {
  // MARK: The declared mapping

  /// The object that a to-one value names: a nested object, an id, or nothing. Throws where nothing can't be.
  func linked(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue, of object: any ManagedEntity
  ) throws -> (any ManagedEntity)? {
    let old = target.uidType == nil ? object.link(property) : 0
    let wasGone = isGone
    isGone = false
    defer { isGone = isGone || wasGone }
    let new = try linkTarget(plan, property, target, value, embedded: old)
    if new == nil, !isGone, plan.model.properties[property].isRequired { throw plan.requiredError(property, value) }
    return new
  }

  private func linkTarget(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue, embedded: Int64
  ) throws -> (any ManagedEntity)? {
    if value.isNull { return nil }
    if let response = value.object {
      do {
        let nested = try upsert(target, response, target: embedded == 0 ? nil : embedded)
        if nested == nil { isGone = true }
        return nested
      } catch let error as MappingError {
        throw error.nested(in: plan.model.properties[property].key)
      }
    }
    return try plan.link(property, to: target, value).flatMap { try reference(target, $0) }
  }

  /// The object with a uid; for one that is not known a placeholder, or an object where that is all of it; `nil` for one that a newer answer deleted.
  private func reference(_ plan: MappingPlan, _ uid: StoredValue) throws -> (any ManagedEntity)? {
    guard session.newer(plan.model, uid) != nil else {
      session.skips?.noteGone(plan.model, uid: uid)
      isGone = true
      return nil
    }
    let object: any ManagedEntity
    if let known = try self.object(plan, uid: uid, target: nil) {
      object = known
    } else {
      object = try context.insert(plan.model, isPlaceholder: plan.model.hasPlaceholders)
      if let index = plan.model.uid {
        context.updating(object, .keepingEdits, newer: ColumnMask()) {
          _ = plan.model.properties[index].set(object, uid)
        }
      }
      if !plan.model.hasPlaceholders { session.noteInserted(plan.model, object._$state.pk) }
      if context.kind == .unit { try context.flush() }
    }
    session.mention(plan.model, object._$state.pk)
    return object
  }

  func setMembers(
    _ plan: MappingPlan, _ property: Int, _ value: JSONValue, of object: any ManagedEntity
  ) throws {
    guard value.isNull || value.kind == .array else {
      throw plan.error(property, "an array was expected, and there is \(value.kindName)")
    }
    let isOlder = updating.last?.newer.contains(property) == true
    switch plan.model.properties[property].kind {
    case .attribute, .toOne: return
    case .toMany(let target, let inverse, _):
      let target = session.plan(target)
      if target.uidType == nil, try isKept(property, of: object) { return }
      try setHolders(plan, property, target, inverse, value, of: object, isOlder: isOlder)
    case .manyToMany(let membership, _):
      let target = session.plan(membership.target)
      if target.uidType == nil, try isKept(property, of: object) { return }
      var after: Set<Int64> = []
      let embedded = target.uidType == nil ? try members(of: object, property) : []
      try forEachMember(plan, property, target, value, embedded: embedded, link: nil) { member, _ in
        after.insert(member._$state.pk)
      }
      guard !isOlder else {
        return context.noteSkippedList(object, .init(newer: .single(property)), property, after)
      }
      try context.setMemberships(of: object, property, after)
    }
  }

  /// Upserts the objects of a list, and hands each to `body` with its uid where it was no more than that.
  private func forEachMember(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue, embedded: [Int64],
    link: (property: Int, object: any ManagedEntity)?,
    _ body: (_ member: any ManagedEntity, _ reference: StoredValue?) throws -> Void
  ) throws {
    var place = 0
    var position = 0
    for element in value.array.map(AnySequence.init) ?? AnySequence([]) {
      defer { position += 1 }
      if position % 64 == 63 { try Task.checkCancellation() }
      if element.isNull { continue }
      if let response = element.object {
        let known = target.uidType == nil && place < embedded.count ? embedded[place] : nil
        place += 1
        do {
          if let member = try upsert(target, response, target: known, link: link) { try body(member, nil) }
        } catch let error as MappingError {
          throw error.nested(in: plan.model.properties[property].key, at: position)
        }
      } else if let uid = try plan.link(property, to: target, element), let member = try reference(target, uid) {
        try body(member, uid)
      }
    }
  }

  private func setHolders(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ inverse: Int, _ value: JSONValue,
    of object: any ManagedEntity, isOlder: Bool
  ) throws {
    if !isOlder { context.confirm(object, property) }
    let isNested = session.beginList(plan.model, property, object._$state.pk)
    var before = try context.members(of: object, property)
    let known = Set(before.map(\._$state.pk))
    let pk = object._$state.pk
    var after: Set<Int64> = []
    var isChanged = false
    try forEachMember(
      plan, property, target, value, embedded: session.ordered(before.map(\._$state.pk), plan.model, property, of: pk),
      link: isOlder ? nil : (property: inverse, object: object)
    ) { member, reference in
      after.insert(member._$state.pk)
      if !isOlder, let reference { relink(target, member, reference, inverse, to: object) }
      if !known.contains(member._$state.pk), member.link(inverse) == pk { isChanged = true }
    }
    let wasNested = !isNested && session.endList(plan.model, property, object._$state.pk)
    guard !isOlder else {
      return context.noteSkippedList(object, .init(newer: .single(property)), property, after)
    }
    if wasNested {
      before = try context.members(of: object, property)
      for pk in after.subtracting(before.map(\._$state.pk)).sorted() {
        let member = context.existing(target.model, pk: pk)
        relink(target, member, session.isOrdered ? member.serverUID : nil, inverse, to: object)
      }
    }
    for member in before where !after.contains(member._$state.pk) {
      relink(target, member, session.isOrdered ? member.serverUID : nil, inverse, to: nil)
      if member.link(inverse) != pk { isChanged = true }
    }
    if isChanged { object._$state.hasChangedLists = true }
  }

  /// Sets the way back of a member, where no newer answer and no local edit has its word on it. A required one is kept
  /// until the server says where the member went.
  private func relink(
    _ target: MappingPlan, _ member: any ManagedEntity, _ uid: StoredValue?, _ inverse: Int,
    to object: (any ManagedEntity)?
  ) {
    if object == nil, target.model.properties[inverse].isRequired { return }
    guard let newer = session.newer(target.model, uid) else { return }
    context.updating(member, session.policy, newer: newer) {
      target.model.properties[inverse].link(member, object)
    }
    session.touch(target.model, uid, ColumnMask.single(inverse))
  }

  // MARK: Objects without uid

  /// Whether a relationship to objects without uid stays as it is: it was edited here, or a newer answer has its word on
  /// it. Nothing tells which of this answer's objects those in it are.
  ///
  /// - Parameter isEmpty: Whether the answer has no object in it.
  func isKept(_ property: Int, of object: any ManagedEntity, isEmpty: Bool = false) throws -> Bool {
    let column = ColumnMask.single(property)
    let isEdited = try session.policy.keepsEdits && isEdited(property, of: object)
    let staying = session.policy.staying(
      of: column, edited: isEdited ? column : ColumnMask(), newer: updating.last?.newer ?? ColumnMask())
    if staying.isEmpty { return false }
    if !isEmpty || object.link(property) != 0 { context.noteSkipped(object, staying, answered: column) }
    return true
  }

  private func isEdited(_ property: Int, of object: any ManagedEntity) throws -> Bool {
    let model = object._$state.model
    if session.isUnsettled(model, property, of: object._$state.pk) || object.hasLocalEdit(of: property) { return true }
    if case .toOne = model.properties[property].kind { return false }
    return try context.members(of: object, property).contains { $0.hasLocalEdits }
  }

  /// The rows without uid in a list, in the order in which the answer has them.
  private func members(of object: any ManagedEntity, _ property: Int) throws -> [Int64] {
    let rows = try context.members(of: object, property).map(\._$state.pk)
    return session.ordered(rows, object._$state.model, property, of: object._$state.pk)
  }

  /// The objects that live in an object, having no uid of their own.
  func embedded(_ plan: MappingPlan, in object: any ManagedEntity) throws -> [any ManagedEntity] {
    try plan.embedding.flatMap { index -> [any ManagedEntity] in
      guard case .toOne(let number, _, _) = plan.model.properties[index].kind else {
        return try context.members(of: object, index)
      }
      let pk = object.link(index)
      return pk == 0 ? [] : [context.existing(session.core.schema.entities[number], pk: pk)]
    }
  }

  /// Deletes an object without uid that its parent let go of, unless another one holds it.
  func release(_ object: any ManagedEntity) throws {
    guard let rows = context.rows else {
      if try !context.hasParent(object) { try object.deleteFromContext() }
      return
    }
    try context.flush()
    try rows.deleteEmbedded(object._$state.model, object._$state.pk)
  }

  // MARK: What an update by hand asks for

  /// Upserts an object that an update by hand found in its response.
  func nested<E: ManagedEntity>(_ type: E.Type, _ response: JSONObject, key: String) throws -> E? {
    let plan = session.plan(try session.core.schema.model(type))
    let (embedded, isKept) = try self.embedded(plan, key: key, isList: false)
    if isKept { return embedded.first.flatMap { context.existing(plan.model, pk: $0) as? E } }
    return try nested(plan, response, target: embedded.first, key: key, position: nil) as? E
  }

  /// Upserts the objects of a list that an update by hand found in its response. Nulls are passed over.
  func list<E: ManagedEntity>(_ type: E.Type, _ array: JSONArray, key: String) throws -> [E] {
    let plan = session.plan(try session.core.schema.model(type))
    let (embedded, isKept) = try self.embedded(plan, key: key, isList: true)
    if isKept { return embedded.compactMap { context.existing(plan.model, pk: $0) as? E } }
    var objects: [E] = []
    var place = 0
    for (position, element) in array.enumerated() where !element.isNull {
      if position % 64 == 63 { try Task.checkCancellation() }
      if let response = element.object {
        let target = place < embedded.count ? embedded[place] : nil
        place += 1
        if let object = try nested(plan, response, target: target, key: key, position: position) as? E {
          objects.append(object)
        }
      } else if let object = try reference(type, element, key: "\(key)[\(position)]") {
        objects.append(object)
      }
    }
    return objects
  }

  /// Sets the to-many relationship that is read from `key`, or the only one to the entity, as the declared mapping does.
  ///
  /// - Returns: Its objects; `nil` when there is no such relationship.
  func members<E: ManagedEntity>(_ type: E.Type, _ value: JSONValue?, key: String) throws -> [E]? {
    guard let value, let parent = updating.last else { return nil }
    let target = session.plan(try session.core.schema.model(type))
    let candidates = parent.plan.model.properties.filter {
      switch $0.kind {
      case .attribute, .toOne: false
      case .toMany(let number, _, _): number == target.model.number
      case .manyToMany(let membership, _): membership.target == target.model.number
      }
    }
    guard let property = candidates.first(where: { $0.key == key }) ?? (candidates.count == 1 ? candidates[0] : nil)
    else { return nil }
    guard value.isNull || value.kind == .array else {
      throw error(key, "an array was expected, and there is \(value.kindName)")
    }
    try setMembers(parent.plan, property.index, value, of: parent.object)
    return try context.members(of: parent.object, property.index).compactMap { $0 as? E }
  }

  private func nested(
    _ plan: MappingPlan, _ response: JSONObject, target: Int64?, key: String, position: Int?
  ) throws -> (any ManagedEntity)? {
    do {
      let nested = try upsert(plan, response, target: target)
      if nested == nil { isGone = true }
      return nested
    } catch let error as MappingError {
      throw error.nested(in: key, at: position)
    }
  }

  /// The object that an update by hand found an id of.
  func reference<E: ManagedEntity>(_ type: E.Type, _ value: JSONValue, key: String) throws -> E? {
    let plan = session.plan(try session.core.schema.model(type))
    guard plan.uidType != nil, value.kind == .number || value.kind == .string else {
      throw error(key, "an object of '\(plan.model.name)' was expected, and there is \(value.kindName)")
    }
    do {
      return try plan.uid(value).flatMap { try reference(plan, $0) } as? E
    } catch let error as MappingError {
      throw self.error(key, error.reason)
    }
  }

  /// The rows without uid that the object being updated holds already: in the relationship that is read from `key`, or
  /// in the only one to their entity. And whether they stay as they are.
  private func embedded(_ plan: MappingPlan, key: String, isList: Bool) throws -> (rows: [Int64], isKept: Bool) {
    guard plan.uidType == nil, let parent = updating.last else { return ([], false) }
    let candidates = parent.plan.embedding.map { parent.plan.model.properties[$0] }.filter {
      switch $0.kind {
      case .attribute: false
      case .toOne(let number, _, _): !isList && number == plan.model.number
      case .toMany(let number, _, _): isList && number == plan.model.number
      case .manyToMany(let membership, _): isList && membership.target == plan.model.number
      }
    }
    guard
      let property = candidates.first(where: { $0.key == key || $0.name == key })
        ?? (candidates.count == 1 ? candidates[0] : nil)
    else { return ([], false) }
    let isKept = try isKept(property.index, of: parent.object)
    if isList { return (try members(of: parent.object, property.index), isKept) }
    let pk = parent.object.link(property.index)
    return (pk == 0 ? [] : [pk], isKept)
  }

  /// The error of an update by hand: of the entity that it is written for.
  func error(_ key: String, _ reason: String) -> MappingError {
    let model = updating.last?.plan.model
    let property = model?.properties.first { $0.key == key || $0.name == key }
    return MappingError(model?.name ?? "ResponseObject", property?.name ?? "", key, reason)
  }
}
