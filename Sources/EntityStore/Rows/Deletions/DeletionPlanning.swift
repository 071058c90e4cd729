// A deletion plan is gathered from the rows.

extension RowDeletion {
  /// Plans the deletion of rows. Rows that are gone already are passed over.
  func deletionPlan(of keys: [RowKey]) throws -> DeletionPlan {
    try rows.checkOpen()
    var plan = DeletionPlan(keys)
    // The embedded rows of rows in the plan: an embedded row goes when all its parents go.
    var embedded = EmbeddedRows()
    for key in keys { try add(key, to: &plan, &embedded) }
    while true {
      var isComplete = true
      embedded.remove { plan.contains($0) }
      for key in embedded.keys where !plan.contains(key) {
        guard let parents = try parents(of: key, within: plan) else { continue }
        isComplete = false
        try add(key, to: &plan, &embedded, parent: parents.first.flatMap(plan.place))
        if !parents.isEmpty { plan.parents[key] = parents }
      }
      if isComplete { return plan }
    }
  }

  /// Rows in the order in which they were found, each once: many rows may have the same embedded row.
  private struct EmbeddedRows {
    private(set) var keys: [RowKey] = []
    private var known: Set<RowKey> = []

    mutating func append(_ key: RowKey) {
      if known.insert(key).inserted { keys.append(key) }
    }

    mutating func remove(where isPlanned: (RowKey) -> Bool) { keys.removeAll(where: isPlanned) }
  }

  private func add(
    _ first: RowKey, to plan: inout DeletionPlan, _ embedded: inout EmbeddedRows, parent: Int? = nil
  ) throws {
    // A chain of cascades may be long; a list of pending rows takes no stack.
    var pending = [(key: first, parent: Int32(truncatingIfNeeded: parent ?? -1))]
    while let (key, parent) = pending.popLast() {
      guard !plan.contains(key) else { continue }
      let (place, count) = (plan.order.count, plan.cascades.count)
      plan.begin(key, parent: parent)
      try addEntries(of: key, to: &plan, &embedded)
      pending += plan.cascades[count...].lazy.map { ($0, Int32(truncatingIfNeeded: place)) }
    }
  }

  private func addEntries(of key: RowKey, to plan: inout DeletionPlan, _ embedded: inout EmbeddedRows) throws {
    let model = schema.entities[key.entity]
    let place = plan.order.count - 1
    if let found = try rows.find(model, pk: key.pk) {
      if found.row.isEdited { plan.noteUnsent(key, isMadeHere: found.row.isMadeHere) }
      for property in model.properties {
        guard case .toOne(let target, let inverse, let rule) = property.kind else { continue }
        let pk = found.link(property.index)
        guard pk != 0 else { continue }
        plan.links.append(.init(property: property.index, pk: pk))
        let other = RowKey(entity: target, pk: pk)
        guard other != key, !model.isLinks else { continue }
        switch rule {
        case .cascade: plan.cascades.append(other)
        // A row with an inverse list is the owner of this row, and no part of it.
        case .nullify: if inverse == nil, schema.entities[target].uid == nil { embedded.append(other) }
        case .deny:
          plan.blockers.append(
            .init(place: place, key: other, relationship: "\(model.name).\(property.name)", isRequired: false))
        }
      }
    } else {
      plan.noteUnsaved(key)
    }
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let (rule, relationship) = self.rule(for: incoming, of: model)
      if incoming.otherEnd != nil {
        try addMemberships(other, incoming.property, of: key, rule, relationship, to: &plan)
        continue
      }
      let property = other.properties[incoming.property]
      let statement = try rows.statements.statement(
        .init(entity: other.number, mask: ColumnMask(property.index), kind: 9), on: connection
      ) { "SELECT _pk FROM \(other.table) WHERE \(property.name.quoted) = ?" }
      defer { statement.reset() }
      try statement.bind(key.pk, at: 1)
      while try statement.step() {
        let holder = RowKey(entity: other.number, pk: statement.int64(0))
        switch rule {
        case .cascade: plan.cascades.append(holder)
        case .deny:
          plan.blockers.append(.init(place: place, key: holder, relationship: relationship, isRequired: false))
        case .nullify where property.isRequired:
          plan.blockers.append(
            .init(place: place, key: holder, relationship: "\(other.name).\(property.name)", isRequired: true))
        case .nullify: plan.holders.append(.init(key: holder, property: incoming.property))
        }
      }
    }
  }

  /// The memberships of a row go with it. The rows at their other ends go too, or stand in the way, if the rule of the
  /// list says so.
  private func addMemberships(
    _ links: EntityModel, _ side: Int, of key: RowKey, _ rule: DeleteRule, _ relationship: String,
    to plan: inout DeletionPlan
  ) throws {
    guard case .toOne(let target, _, _) = links.properties[1 - side].kind else { return }
    let statement = try rows.statements.statement(
      .init(entity: links.number, mask: ColumnMask(side), kind: 9), on: connection
    ) { links.selectLinks(side, from: links.table) }
    defer { statement.reset() }
    try statement.bind(key.pk, at: 1)
    while try statement.step() {
      let other = RowKey(entity: target, pk: statement.int64(1))
      plan.memberships.append(
        .init(
          pk: statement.int64(0), other: other.pk, entity: Int32(truncatingIfNeeded: links.number),
          side: Int8(truncatingIfNeeded: side)))
      guard other != key else { continue }
      switch rule {
      case .nullify: break
      case .cascade: plan.cascades.append(other)
      case .deny:
        plan.blockers.append(
          .init(place: plan.order.count - 1, key: other, relationship: relationship, isRequired: false))
      }
    }
  }

  /// The parents of an embedded row; `nil` when one of them is not in the plan.
  private func parents(of key: RowKey, within plan: DeletionPlan) throws -> [RowKey]? {
    let model = schema.entities[key.entity]
    var parents: [RowKey] = []
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let column = other.properties[incoming.property].name.quoted
      let parent = incoming.otherEnd?.entity ?? other.number
      let result = incoming.otherEnd.map { other.properties[$0.property].name.quoted } ?? "_pk"
      let statement = try connection.prepare("SELECT \(result) FROM \(other.table) WHERE \(column) = ?")
      defer { statement.reset() }
      try statement.bind(key.pk, at: 1)
      while try statement.step() {
        let found = RowKey(entity: parent, pk: statement.int64(0))
        guard plan.contains(found) else { return nil }
        parents.append(found)
      }
    }
    guard let found = try rows.find(model, pk: key.pk) else { return nil }
    for property in model.properties {
      guard case .toOne(let target, .some, _) = property.kind, found.link(property.index) != 0 else { continue }
      let parent = RowKey(entity: target, pk: found.link(property.index))
      guard plan.contains(parent) else { return nil }
      parents.append(parent)
    }
    return parents
  }

  /// The rule for the rows that hold a link: the rule of the to-many relationship on this side, if there is one.
  private func rule(for incoming: EntityModel.Incoming, of model: EntityModel) -> (DeleteRule, String) {
    let property = schema.entities[incoming.entity].properties[incoming.property]
    guard case .toOne(_, let inverse?, _) = property.kind else { return (.nullify, property.name) }
    let name = "\(model.name).\(model.properties[inverse].name)"
    return switch model.properties[inverse].kind {
    case .toMany(_, _, let rule), .manyToMany(_, let rule): (rule, name)
    case .attribute, .toOne: (.nullify, property.name)
    }
  }
}
