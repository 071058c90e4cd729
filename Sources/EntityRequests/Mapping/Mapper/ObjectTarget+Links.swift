import EntityJSON
import EntityStore

// The links and the lists of objects.

extension ObjectTarget {
  func known(_ subject: Subject) -> any ManagedEntity { subject.object }

  func link(_ model: EntityModel, _ property: Int, of known: any ManagedEntity) -> HeldLink {
    HeldLink(owner: known._$state.pk, row: known.link(property), isEdited: known.hasLocalEdit(of: property))
  }

  func link(_ model: EntityModel, _ property: Int, of pk: Int64) -> Int64 {
    context.answers.existing(model, pk: pk).link(property)
  }

  func hasUnsentWork(_ model: EntityModel, _ pk: Int64) throws -> Bool {
    try context.answers.hasUnsentWork(context.answers.existing(model, pk: pk))
  }

  func setLink(_ model: EntityModel, _ pk: Int64, _ property: Int, to target: Int64, newer: ColumnMask) -> Bool {
    let object = context.answers.existing(model, pk: pk)
    let before = object.link(property)
    guard case .toOne(let entity, _, _) = model.properties[property].kind else { return false }
    context.answers.updating(object, session.policy, newer: newer) {
      model.properties[property].link(
        object, target == 0 ? nil : context.answers.existing(session.core.schema.entities[entity], pk: target))
    }
    return object.link(property) != before
  }

  func members(
    _ model: EntityModel, _ property: Int, of pk: Int64
  ) throws -> (rows: [Int64], areEdited: Bool) {
    let members = try context.answers.members(of: context.answers.existing(model, pk: pk), property)
    return (members.map(\._$state.pk), members.contains { $0.hasLocalEdits })
  }

  func unnamed(_ model: EntityModel, _ rows: [Int64]) throws -> (rows: [Int64], areEdited: Bool) {
    let unnamed = rows.map { context.answers.existing(model, pk: $0) }.filter {
      !$0.isGone && $0.serverUID == nil && !$0.isMadeHere
    }
    return (unnamed.map(\._$state.pk), unnamed.contains { $0.hasLocalEdits })
  }

  func setMemberships(
    _ plan: MappingPlan, _ property: Int, _ membership: PropertyModel.Membership, of pk: Int64, _ wanted: [Int64],
    newer: ColumnMask
  ) throws -> Bool {
    let object = context.answers.existing(plan.model, pk: pk)
    let before = try context.lists.places(of: object, property).map(\.member)
    let isChanged = try updating(object, newer) {
      try context.lists.setMemberships(
        of: object, property, Set(wanted), order: plan.model.ordered.contains(property) ? wanted : nil, isHeard: true)
    }
    guard plan.model.ordered.contains(property), !newer.contains(property) else { return isChanged }
    rows?.notes.repeats?.noteOrder(plan.model, pk, property, isChanged: false)
    guard before != wanted else { return isChanged }
    return try setOrder(plan.model, property, of: pk, wanted, before: before) || isChanged
  }

  func setOrder(_ model: EntityModel, _ property: Int, of pk: Int64, _ wanted: [Int64], before: [Int64]) throws -> Bool
  {
    let object = context.answers.existing(model, pk: pk)
    return try updating(object, ColumnMask()) {
      try context.lists.setOrder(of: object, property, wanted, before: before)
    }
  }

  func isEdited(_ model: EntityModel, _ pk: Int64, _ property: Int) -> Bool {
    context.answers.existing(model, pk: pk).hasLocalEdit(of: property)
  }

  func endEdits(_ model: EntityModel, _ pk: Int64, _ lists: ColumnMask) {
    let object = context.answers.existing(model, pk: pk)
    updating(object, ColumnMask()) { for list in lists.indices { context.answers.confirm(object, list) } }
  }

  func delete(_ model: EntityModel, _ pks: [Int64]) throws -> Int {
    guard let rows else {
      for pk in pks { try context.answers.existing(model, pk: pk).deleteFromContext() }
      return pks.count
    }
    try writePending()
    let keys = pks.map { RowKey(entity: model.number, pk: $0) }
    return try keys.count - rows.deletion.deleteWherePossible(keys, keeping: UnsentWork(session.policy)).denied.count
  }

  func release(_ model: EntityModel, _ pk: Int64) throws {
    guard let rows else {
      let object = context.answers.existing(model, pk: pk)
      if try !context.answers.hasParent(object) { try object.deleteFromContext() }
      return
    }
    try writePending()
    try rows.deletion.deleteEmbedded(model, pk, keeping: UnsentWork(session.policy))
  }

  /// Runs `body` as an update from the response.
  ///
  /// - Parameter rules: The columns that `body` must not set or clear.
  func updating<T>(
    _ object: any ManagedEntity, _ newer: ColumnMask, _ rules: UpdateRules = UpdateRules(), _ body: () throws -> T
  ) rethrows -> T {
    try context.answers.updating(
      object, session.policy, newer: newer, rules,
      order: session.isOrdered || session.lists.areAny ? self : nil, body)
  }
}
