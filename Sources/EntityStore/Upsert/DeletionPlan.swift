/// What a deletion takes with it by the delete rules, and what stands in its way. Read from the rows as they are, before
/// any of them goes: so it doesn't depend on their order, and what is denied costs nothing to undo.
struct DeletionPlan {
  typealias RowKey = RowWriter.RowKey

  struct Row {
    var isThere = false
    /// Its to-one relationships.
    var links: RowValues
    var cascades: [RowKey] = []
    var blockers: [Blocker] = []
    /// The rows whose to-one relationships lose it.
    var holders: [(key: RowKey, property: Int)] = []
    var memberships: [Membership] = []
    /// Of a row without uid that lives in others: all of those.
    var parents: [RowKey] = []
  }

  struct Blocker {
    let key: RowKey
    let relationship: String
    let isRequired: Bool
  }

  struct Membership {
    let entity: Int
    let pk: Int64
    /// The property of it that holds the row.
    let side: Int
    let other: RowKey
  }

  let roots: [RowKey]
  fileprivate(set) var rows: [RowKey: Row] = [:]
  /// Parents before what goes with them.
  fileprivate(set) var order: [RowKey] = []

  fileprivate init(_ roots: [RowKey]) { self.roots = roots }

  /// What stands in the way first, if all of it is to go.
  var denial: (key: RowKey, blocker: Blocker)? {
    for key in order {
      if let blocker = rows[key]?.blockers.first(where: { rows[$0.key] == nil }) { return (key, blocker) }
    }
    return nil
  }

  /// The objects that a denial is about: the root whose deletion takes the row with it, the row, and what holds it. A root
  /// that was never saved has no deletion that could be taken back: then what holds the row comes first.
  func named(in key: RowKey, _ blocker: Blocker) -> [RowKey] {
    let root = roots.first { reached(from: [$0]).contains(key) } ?? key
    let going = root == key ? [key] : [root, key]
    return rows[root]?.isThere == false ? [blocker.key] + going : going + [blocker.key]
  }

  /// Leaves out the roots that something holds, with all that would go with them alone: what stays may hold others in turn.
  ///
  /// - Returns: The rows that go.
  func possible() -> Set<RowKey> {
    var going = Set(order)
    guard denial != nil else { return going }
    var dependents: [RowKey: [RowKey]] = [:]
    for (key, row) in rows {
      for cascade in row.cascades { dependents[cascade, default: []].append(key) }
      for blocker in row.blockers { dependents[blocker.key, default: []].append(key) }
      dependents[key, default: []] += row.parents
    }
    var left = roots
    while true {
      var pending = order.filter { key in
        going.contains(key) && rows[key]?.blockers.contains { !going.contains($0.key) } ?? false
      }
      guard !pending.isEmpty else { return going }
      // Whatever takes a row with it that stays, stays too, and so does what that one holds.
      var staying = Set(pending)
      while let key = pending.popLast() {
        for other in dependents[key] ?? [] where going.contains(other) && staying.insert(other).inserted {
          pending.append(other)
        }
      }
      left.removeAll(where: staying.contains)
      going = reached(from: left)
    }
  }

  private func reached(from roots: [RowKey]) -> Set<RowKey> {
    var reached: Set<RowKey> = []
    var pending = roots
    let embedded = order.filter { rows[$0]?.parents.isEmpty == false }
    repeat {
      while let key = pending.popLast() {
        guard let row = rows[key], reached.insert(key).inserted else { continue }
        pending += row.cascades
      }
      pending = embedded.filter { !reached.contains($0) && rows[$0]?.parents.allSatisfy(reached.contains) ?? false }
    } while !pending.isEmpty
    return reached
  }
}

extension RowWriter {
  /// Plans the deletion of rows. Rows that are gone already are passed over.
  func deletionPlan(of keys: [RowKey]) throws -> DeletionPlan {
    try checkOpen()
    var plan = DeletionPlan(keys)
    // Rows without uid that those in the plan have: they go when all that have them do.
    var embedded: [RowKey] = []
    for key in keys { try add(key, to: &plan, &embedded) }
    while true {
      var isComplete = true
      embedded.removeAll { plan.rows[$0] != nil }
      for key in embedded where plan.rows[key] == nil {
        guard let parents = try parents(of: key, within: plan) else { continue }
        isComplete = false
        try add(key, to: &plan, &embedded)
        plan.rows[key]?.parents = parents
      }
      if isComplete { return plan }
    }
  }

  private func add(_ first: RowKey, to plan: inout DeletionPlan, _ embedded: inout [RowKey]) throws {
    // A chain of cascades may be long; a list of what is left takes no stack.
    var pending = [first]
    while let key = pending.popLast() {
      guard plan.rows[key] == nil else { continue }
      let row = try self.row(key, &embedded)
      pending += row.cascades
      plan.rows[key] = row
      plan.order.append(key)
    }
  }

  private func row(_ key: RowKey, _ embedded: inout [RowKey]) throws -> DeletionPlan.Row {
    let model = schema.entities[key.entity]
    var row = DeletionPlan.Row(links: RowValues(count: model.properties.count))
    // A row that is not there was never saved; rows of the same save may hold links to it all the same.
    if let found = try find(model, pk: key.pk) {
      defer { found.release() }
      row.isThere = true
      for property in model.properties {
        guard case .toOne(let target, _, let rule) = property.kind else { continue }
        let pk = found.link(property.index)
        row.links.setLink(pk, property.index)
        let other = RowKey(entity: target, pk: pk)
        guard pk != 0, other != key, !model.isLinks else { continue }
        switch rule {
        case .cascade: row.cascades.append(other)
        case .nullify: if schema.entities[target].uid == nil { embedded.append(other) }
        case .deny:
          row.blockers.append(.init(key: other, relationship: "\(model.name).\(property.name)", isRequired: false))
        }
      }
    }
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let (rule, relationship) = self.rule(for: incoming, of: model)
      if other.isLinks {
        try addMemberships(other, incoming.property, of: key, rule, relationship, to: &row)
        continue
      }
      let property = other.properties[incoming.property]
      let holders = try connection.rows(
        "SELECT _pk FROM \(other.table) WHERE \(property.name.quoted) = ?", [.integer(key.pk)]
      ) { RowKey(entity: other.number, pk: $0.int64(0)) }
      switch rule {
      case .cascade: row.cascades += holders
      case .deny: row.blockers += holders.map { .init(key: $0, relationship: relationship, isRequired: false) }
      case .nullify where property.isRequired:
        let name = "\(other.name).\(property.name)"
        row.blockers += holders.map { .init(key: $0, relationship: name, isRequired: true) }
      case .nullify: row.holders += holders.map { ($0, incoming.property) }
      }
    }
    return row
  }

  /// The memberships of a row go with it; what they link it to goes, or stands in the way, if its list says so.
  private func addMemberships(
    _ links: EntityModel, _ side: Int, of key: RowKey, _ rule: DeleteRule, _ relationship: String,
    to row: inout DeletionPlan.Row
  ) throws {
    guard case .toOne(let target, _, _) = links.properties[1 - side].kind else { return }
    let memberships = try connection.rows(links.selectLinks(side, from: links.table), [.integer(key.pk)]) {
      DeletionPlan.Membership(
        entity: links.number, pk: $0.int64(0), side: side, other: RowKey(entity: target, pk: $0.int64(1)))
    }
    row.memberships += memberships
    for other in memberships.lazy.map(\.other) where other != key {
      switch rule {
      case .nullify: break
      case .cascade: row.cascades.append(other)
      case .deny: row.blockers.append(.init(key: other, relationship: relationship, isRequired: false))
      }
    }
  }

  /// The rows that have a row without uid; `nil` when one of them is not in the plan.
  private func parents(of key: RowKey, within plan: DeletionPlan) throws -> [RowKey]? {
    let model = schema.entities[key.entity]
    var parents: [RowKey] = []
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let column = other.properties[incoming.property].name.quoted
      let (parent, result): (Int, String)
      if other.isLinks, case .toOne(let target, _, _) = other.properties[1 - incoming.property].kind {
        (parent, result) = (target, other.properties[1 - incoming.property].name.quoted)
      } else {
        (parent, result) = (other.number, "_pk")
      }
      // One more than the plan has is one that it has not.
      let found = try connection.rows(
        "SELECT \(result) FROM \(other.table) WHERE \(column) = ? LIMIT ?",
        [.integer(key.pk), .integer(Int64(plan.rows.count + 1))]
      ) { RowKey(entity: parent, pk: $0.int64(0)) }
      guard found.allSatisfy({ plan.rows[$0] != nil }) else { return nil }
      parents += found
    }
    guard let found = try find(model, pk: key.pk) else { return nil }
    defer { found.release() }
    for property in model.properties {
      guard case .toOne(let target, .some, _) = property.kind, found.link(property.index) != 0 else { continue }
      let parent = RowKey(entity: target, pk: found.link(property.index))
      guard plan.rows[parent] != nil else { return nil }
      parents.append(parent)
    }
    return parents
  }

  /// The rule for the holders of a link: that of the to-many relationship on this side, if there is one.
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
