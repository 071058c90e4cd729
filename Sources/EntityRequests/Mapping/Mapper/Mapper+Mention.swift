import EntityJSON
import EntityStore

extension Mapper<RowTarget> {
  /// Notes the rows that a skipped object names as rows that the response has: its own row, and those of its nested
  /// objects.
  ///
  /// - Returns: False when the object may name further rows. An object without a readable uid may be any row, and so
  ///   may an object that an update by hand finds in it.
  func mention(_ plan: MappingPlan, _ object: JSONObject) throws -> Bool {
    if plan.uidType != nil {
      if let uid = (try? plan.uid(of: object)) ?? nil {
        try mention(plan, uid)
      } else if session.seen.collected.contains(plan.model.number) {
        return false
      }
    }
    if plan.isByHand { return !session.seen.areAnyCollected(around: plan.model, rows: target.writer.schema) }
    var isKnown = true
    try plan.forEachProperty(of: object) { property, value in
      guard isKnown, let target = plan.model.properties[property].target else { return }
      isKnown = try mention(session.plan(target), value)
    }
    return isKnown
  }

  /// Notes the rows that the value of a relationship names.
  private func mention(_ plan: MappingPlan, _ value: JSONValue) throws -> Bool {
    if value.isNothing { return true }
    if let found = try named(plan, value) { return found != nil || !session.seen.collected.contains(plan.model.number) }
    if let object = value.object { return try mention(plan, object) }
    if plan.uidParts != nil, let uid = (try? plan.uid(value)) ?? nil {
      try mention(plan, uid)
      return true
    }
    if let array = value.array { return try array.allSatisfy { try mention(plan, $0) } }
    guard plan.uidType != nil, let uid = (try? plan.uid(value)) ?? nil else {
      return !session.seen.collected.contains(plan.model.number)
    }
    try mention(plan, uid)
    return true
  }

  func mention(_ plan: MappingPlan, _ uid: StoredValue) throws {
    if let pk = try target.row(plan.model, of: .init(uid: uid)) { session.mention(plan.model, pk) }
  }
}

extension SeenRows {
  /// Whether rows are collected for an entity, or for an entity that its relationships lead to.
  func areAnyCollected(atOrAround model: EntityModel, _ schema: SchemaModel) -> Bool {
    collected.contains(model.number) || areAnyCollected(around: model, rows: schema)
  }

  /// Whether rows are collected for an entity that the relationships of another entity lead to, over any number of
  /// steps.
  fileprivate func areAnyCollected(around model: EntityModel, rows schema: SchemaModel) -> Bool {
    var reached: Set<Int> = []
    var open = [model.number]
    while let number = open.popLast() {
      for target in schema.entities[number].properties.compactMap(\.target) where reached.insert(target).inserted {
        open.append(target)
      }
    }
    return !reached.isDisjoint(with: collected)
  }
}
