import EntityJSON
import EntityStore

// The calls of an update by hand.

extension Mapper<ObjectTarget> {
  /// Sets the declared properties of an object from the keys that are present.
  func assignDeclared(_ response: ResponseObject, to object: any ManagedEntity) throws {
    let plan = session.plan(object._$state.model)
    context.edits.expect(absentKey: false)
    let newer = newer(of: object)
    var row = emptyRow(plan.model)
    defer { reuse(&row, plan.model) }
    let draft = try draft(plan, response.fields, of: object, newer, into: &row, in: response.context)
    if !draft.gone.isEmpty { target.isGone = true }
    context.answers.noteSkipped(object, draft.staying, answered: draft.staying.all)
    // A required link keeps its old target when the new target was deleted.
    context.answers.noteSkipped(object, .init(gone: draft.gone), answered: ColumnMask())
    // The object's identity was settled before.
    try target.set(plan, object, row)
    for embedded in draft.embedded {
      try settle(embedded, of: object._$state.pk, isTaken: object.link(embedded.property) == embedded.new)
    }
    if try setLists(plan, draft.lists, of: object._$state.pk, newer) { object._$state.noteChangedList() }
    touch(object, draft.lists.map(\.property), newer)
  }

  /// Notes that the answer has lists of an object. Members are set one by one, so no setter reports the list.
  private func touch(_ object: any ManagedEntity, _ lists: [Int], _ newer: ColumnMask) {
    guard session.isOrdered else { return }
    for list in lists where !newer.contains(list) { target.touch(object, list) }
  }

  /// The columns of the object being updated that newer answers wrote.
  private func newer(of object: any ManagedEntity) -> ColumnMask {
    updating.last.flatMap { $0.object === object ? $0.newer : nil } ?? ColumnMask()
  }

  /// Upserts an object that an update by hand found in its response.
  func nested<E: ManagedEntity>(_ type: E.Type, _ response: JSONObject, key: String) throws -> E? {
    let plan = session.plan(try session.core.schema.model(type).number)
    let (embedded, isKept) = try self.embedded(plan, key: key, isList: false)
    if isKept { return embedded.first.flatMap { context.answers.existing(plan.model, pk: $0) as? E } }
    if plan.isOther(response) { return nil }
    return try nested(plan, response, GivenIdentity(row: embedded.first), key: key, position: nil) as? E
  }

  /// Upserts the objects of a list that an update by hand found in its response. Nulls are passed over.
  func list<E: ManagedEntity>(_ type: E.Type, _ array: JSONArray, key: String) throws -> [E] {
    let plan = session.plan(try session.core.schema.model(type))
    let (embedded, isKept) = try self.embedded(plan, key: key, isList: true)
    if isKept { return embedded.compactMap { context.answers.existing(plan.model, pk: $0) as? E } }
    var objects: [E] = []
    let unnamed = try unnamed(plan, key: key)
    var staying = (unnamed?.staying.isEmpty ?? true ? [] : unnamed?.rows ?? [])[...]
    func stay(_ rows: some Sequence<Int64>) {
      objects += rows.compactMap { context.answers.existing(plan.model, pk: $0) as? E }
    }
    let takes: ((JSONObject) throws -> Bool)? = plan.discriminator == nil ? nil : { !plan.isOther($0) }
    try array.forEachElement(
      embedded: unnamed?.places ?? embedded, isPlaced: unnamed.map { _ in { try plan.uid(of: $0) == nil } },
      where: takes
    ) { element, position in
      switch element {
      case .object(let response, let place):
        let isUnnamed = unnamed != nil && place != .named
        // Nothing tells which member this object is.
        if isUnnamed, unnamed?.staying.isEmpty == false { return stay(staying.popFirst().map { [$0] } ?? []) }
        let given = GivenIdentity(row: place.row, isNew: isUnnamed && place.row == nil)
        if let object = try nested(plan, response, given, key: key, position: position) as? E {
          objects.append(object)
        }
      case .reference(let value):
        if let object = try reference(type, value, key: "\(key)[\(position)]") { objects.append(object) }
      }
    }
    stay(staying)
    return objects
  }

  /// Sets the to-many relationship that is read from `key`, or the only one to the entity, as the declared mapping does.
  ///
  /// - Returns: Its objects; `nil` when there is no such relationship.
  func members<E: ManagedEntity>(_ type: E.Type, _ value: JSONValue?, key: String) throws -> [E]? {
    guard let value, let parent = updating.last else { return nil }
    let target = session.plan(try session.core.schema.model(type))
    let candidates = parent.plan.model.properties.filter { !$0.isCounterpart && $0.list?.target == target.model.number }
    guard let property = candidates.first(where: { $0.key == key }) ?? (candidates.count == 1 ? candidates[0] : nil)
    else { return nil }
    guard value.isNull || value.list != nil else {
      throw error(key, "an array was expected, and there is \(value.kindName)")
    }
    let state = parent.object._$state
    if try setLists(parent.plan, [(property.index, value)], of: state.pk, parent.newer) { state.noteChangedList() }
    touch(parent.object, [property.index], parent.newer)
    return try context.answers.members(of: parent.object, property.index).compactMap { $0 as? E }
  }

  private func nested(
    _ plan: MappingPlan, _ response: JSONObject, _ given: GivenIdentity, key: String, position: Int?
  ) throws -> (any ManagedEntity)? {
    guard let pk = try nested(plan, response, given, key: key, at: position) else {
      target.isGone = true
      return nil
    }
    return context.answers.existing(plan.model, pk: pk)
  }

  /// The object whose id an update by hand found in its response.
  func reference<E: ManagedEntity>(_ type: E.Type, _ value: JSONValue, key: String) throws -> E? {
    let plan = session.plan(try session.core.schema.model(type))
    if let fault = value.fault { throw error(fault.keyPath, fault.reason) }
    if let found = try named(plan, value) {
      if found == nil, let name = plan.name(in: value), let model = updating.last?.plan.model {
        session.unrecognized.note(model.name, model.properties.first { $0.key == key }?.name ?? key, name)
      }
      return found.flatMap { context.answers.existing(plan.model, pk: $0) as? E }
    }
    guard plan.uidType != nil, plan.isReference(value) else {
      throw error(key, "an object of '\(plan.model.name)' was expected, and there is \(value.kindName)")
    }
    let uid: StoredValue?
    do { uid = try plan.uid(value) } catch let error as MappingError { throw self.error(key, error.reason) }
    guard let uid else { return nil }
    guard let pk = try reference(plan, uid) else {
      target.isGone = true
      return nil
    }
    return context.answers.existing(plan.model, pk: pk) as? E
  }

  /// The rows without uid that the updated object holds already, and whether they stay as they are. They are in the
  /// relationship that is read from `key`, or else in the only relationship to their entity.
  private func embedded(_ plan: MappingPlan, key: String, isList: Bool) throws -> (rows: [Int64], isKept: Bool) {
    guard plan.uidType == nil, let parent = updating.last else { return ([], false) }
    let candidates = parent.plan.embedding.map { parent.plan.model.properties[$0] }.filter {
      // The other side of a one-to-one relationship reads as one object, not as a list.
      $0.target == plan.model.number && isList == ($0.list != nil && !$0.isCounterpart)
    }
    guard
      let property = candidates.first(where: { $0.key == key || $0.name == key })
        ?? (candidates.count == 1 ? candidates[0] : nil)
    else { return ([], false) }
    let model = parent.plan.model
    let pk = parent.object._$state.pk
    let members: (rows: [Int64], areEdited: Bool) =
      isList || property.isCounterpart ? try target.members(model, property.index, of: pk) : ([], false)
    let staying = staying(
      model, property.index, of: pk, isEdited: members.areEdited || target.isEdited(model, pk, property.index),
      newer: parent.newer)
    if !staying.isEmpty { context.answers.noteSkipped(parent.object, staying, answered: ColumnMask(property.index)) }
    let rows: [Int64]
    if isList {
      rows = session.ordered(members.rows, model, property.index, of: pk)
    } else if property.isCounterpart {
      rows = members.rows
    } else {
      let row = parent.object.link(property.index)
      rows = row == 0 ? [] : [row]
    }
    return staying.isEmpty ? (session.places(of: pk, property.index, rows), false) : (rows, true)
  }

  /// The members without uid in a list of the updated object, for an entity that has uids. The list is found as in
  /// ``embedded(_:key:isList:)``.
  private func unnamed(_ plan: MappingPlan, key: String) throws -> UnnamedMembers? {
    guard session.embedsUnnamed, plan.uidType != nil, let parent = updating.last else { return nil }
    let candidates = parent.plan.model.properties.filter { $0.listed == plan.model.number }
    guard
      let property = candidates.first(where: { $0.key == key || $0.name == key })
        ?? (candidates.count == 1 ? candidates[0] : nil)
    else { return nil }
    let (model, pk) = (parent.plan.model, parent.object._$state.pk)
    return try unnamed(
      parent.plan, property.index, of: pk, plan, target.members(model, property.index, of: pk).rows, parent.newer)
  }

  /// An error in an update by hand. It names the entity whose update runs.
  func error(_ key: String, _ reason: String) -> MappingError {
    let model = updating.last?.plan.model
    let property = model?.properties.first { !$0.isHidden && ($0.key == key || $0.name == key) }
    return MappingError(model?.name ?? "ResponseObject", property?.name ?? "", key, reason)
  }
}
