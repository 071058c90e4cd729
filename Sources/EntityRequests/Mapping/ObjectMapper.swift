import EntityStore

/// The mapping onto objects: for entities that update by hand, and for upserts in a context.
final class ObjectMapper {
  let context: EntityContext
  let session: UpsertSession
  /// The objects that are being updated, the innermost last.
  private var updating: [(plan: MappingPlan, object: any ManagedEntity, uid: StoredValue?)] = []

  init(_ context: EntityContext, _ session: UpsertSession) {
    self.context = context
    self.session = session
  }

  /// Upserts one object.
  ///
  /// - Parameter also: Runs with the object in the same update.
  func upsert(
    _ plan: MappingPlan, _ response: ResponseObject, uid given: StoredValue? = nil, target: Int64? = nil,
    newer: ColumnMask? = nil, isNew: Bool = false, also: ((any ManagedEntity) throws -> Void)? = nil
  ) throws -> any ManagedEntity {
    let model = plan.model
    let uid = try given ?? plan.uid(of: response)
    let object =
      try isNew ? context.insert(model) : self.object(plan, uid: uid, target: target) ?? context.insert(model)
    // Loaded first: whether it is a placeholder stands in its row.
    if object.isPlaceholder { context.fill(object) }
    updating.append((plan, object, uid))
    defer { updating.removeLast() }
    try context.updating(object, keepsEdits: session.keepsEdits, newer: newer ?? ColumnMask()) {
      if let index = model.uid, let uid, !uid.isNull { _ = model.properties[index].set(object, uid) }
      try also?(object)
      if let remote = object as? any RemoteEntity {
        try remote.take(response)
      } else {
        try applyDeclared(response, to: object)
      }
    }
    session.touch(model, uid, model.all)
    // In a unit the row is written now: what comes next in the response may refer to it by its uid.
    if context.kind == .unit { try context.flush() }
    return object
  }

  private func object(_ plan: MappingPlan, uid: StoredValue?, target: Int64?) throws -> (any ManagedEntity)? {
    if let target { return context.existing(plan.model, pk: target) }
    guard let uid, !uid.isNull else { return nil }
    // A child that refers to a parent whose row is not written yet.
    if let parent = updating.last(where: { $0.plan === plan && $0.uid.map { $0.isIdentical(to: uid) } == true }) {
      return parent.object
    }
    return try context.existing(plan.model, uid: uid)
  }

  /// Sets the declared properties of an object from the keys that are present.
  func applyDeclared(_ response: ResponseObject, to object: any ManagedEntity) throws {
    let plan = session.plan(object._$state.model)
    try plan.forEachProperty(of: response) { index, value in
      let property = plan.model.properties[index]
      switch property.kind {
      case .attribute(let type, let isOptional):
        let stored = try plan.attribute(index, value, type, isOptional: isOptional)
        // The uid was set from where it was found; a null does not take it away.
        guard index != plan.model.uid else { return }
        guard property.set(object, stored) else { throw plan.error(index, "the value is out of range") }
      case .toOne(let number, _, _):
        property.link(object, try linkTarget(plan, index, session.plan(number), value, of: object))
      case .toMany(let number, let inverse, _):
        try setMembers(plan, index, session.plan(number), inverse, value, of: object)
      }
    }
  }

  // MARK: Relationships

  /// The object that a to-one value names: a nested object, an id, or nothing.
  private func linkTarget(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: ResponseValue, of object: any ManagedEntity
  ) throws -> (any ManagedEntity)? {
    switch value.kind {
    case .null: return nil
    case .object:
      guard let response = value.object else { return nil }
      let embedded = target.uidType == nil ? object.link(property) : 0
      return try upsert(target, response, target: embedded == 0 ? nil : embedded)
    case .number, .string:
      guard let uid = try target.uid(value) else {
        throw plan.error(property, "'\(target.model.name)' has no uid, so an id can't name one")
      }
      return try reference(target, uid)
    case .bool, .array:
      throw plan.error(property, "an object or an id was expected, and there is \(value.kindName)")
    }
  }

  /// The object with a uid; a placeholder for one that is not known.
  private func reference(_ plan: MappingPlan, _ uid: StoredValue) throws -> any ManagedEntity {
    if let object = try object(plan, uid: uid, target: nil) { return object }
    let object = try context.insert(plan.model, isPlaceholder: true)
    if let index = plan.model.uid { _ = plan.model.properties[index].set(object, uid) }
    if context.kind == .unit { try context.flush() }
    return object
  }

  private func setMembers(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ inverse: Int, _ value: ResponseValue,
    of object: any ManagedEntity
  ) throws {
    let link = target.model.properties[inverse]
    let before = try context.members(of: object, property)
    var after: Set<Int64> = []
    if !value.isNull {
      guard let array = value.array else {
        throw plan.error(property, "an array was expected, and there is \(value.kindName)")
      }
      for (position, element) in array.enumerated() {
        let member: any ManagedEntity
        if let response = element.object {
          let embedded = target.uidType == nil && position < before.count ? before[position]._$state.pk : nil
          member = try upsert(target, response, target: embedded) { link.link($0, object) }
        } else if let uid = try target.uid(element), !uid.isNull {
          member = try reference(target, uid)
          context.updating(member, keepsEdits: session.keepsEdits, newer: ColumnMask()) { link.link(member, object) }
        } else {
          throw plan.error(property, "objects or ids were expected, and there is \(element.kindName)")
        }
        after.insert(member._$state.pk)
      }
    }
    for member in before where !after.contains(member._$state.pk) {
      if target.uidType == nil {
        try member.deleteFromContext()
      } else {
        context.updating(member, keepsEdits: session.keepsEdits, newer: ColumnMask()) { link.link(member, nil) }
      }
    }
  }

  // MARK: What an update by hand asks for

  /// Upserts an object that an update by hand found in its response.
  func nested<E: ManagedEntity>(_ type: E.Type, _ response: ResponseObject, key: String) throws -> E? {
    let plan = session.plan(try session.core.schema.model(type))
    var embedded: Int64 = 0
    if plan.uidType == nil, let parent = updating.last {
      embedded = self.embedded(plan, in: parent.object, key: key)
    }
    return try upsert(plan, response, target: embedded == 0 ? nil : embedded) as? E
  }

  /// The object that an update by hand found an id of.
  func reference<E: ManagedEntity>(_ type: E.Type, _ value: ResponseValue, key: String) throws -> E? {
    let plan = session.plan(try session.core.schema.model(type))
    guard let uid = try plan.uid(value) else {
      throw MappingError(plan.model.name, "", key, "an object was expected, and there is \(value.kindName)")
    }
    return try reference(plan, uid) as? E
  }

  /// The object without uid that the parent holds already: in the relationship that is read from `key`, or in the only
  /// one to its entity.
  private func embedded(_ plan: MappingPlan, in parent: any ManagedEntity, key: String) -> Int64 {
    let candidates = parent._$state.model.properties.filter {
      if case .toOne(let number, _, _) = $0.kind { number == plan.model.number } else { false }
    }
    let property = candidates.first { $0.key == key || $0.name == key } ?? (candidates.count == 1 ? candidates[0] : nil)
    return property.map { parent.link($0.index) } ?? 0
  }
}

extension RemoteEntity {
  /// Runs the entity's own update.
  fileprivate func take(_ response: ResponseObject) throws { try update(with: response) }
}

extension ManagedEntity {
  fileprivate func deleteFromContext() throws { try _$state.context?.delete(self) }
}
