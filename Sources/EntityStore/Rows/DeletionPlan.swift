/// The rows that a deletion takes with it by the delete rules, and the rows that stand in its way. The plan is read
/// from the rows before any of them goes. So it does not depend on their order, and a denied deletion costs nothing to
/// undo.
///
/// A plan may have a million rows: for each it keeps a few numbers, in lists that all rows have in common.
struct DeletionPlan {
  typealias RowKey = RowWriter.RowKey

  /// Where the parts of a row begin in the common lists; they end where those of the next row begin.
  private struct Start {
    var links: Int32 = 0
    var cascades: Int32 = 0
    var holders: Int32 = 0
    var memberships: Int32 = 0
  }

  struct Link {
    let property: Int
    let pk: Int64
  }

  struct Blocker {
    /// The place of the row that is held.
    let place: Int
    let key: RowKey
    let relationship: String
    let isRequired: Bool
  }

  /// A row whose to-one relationship loses the row.
  struct Holder {
    let key: RowKey
    let property: Int
  }

  struct Membership {
    let pk: Int64
    let other: Int64
    let entity: Int32
    /// The property of it that holds the row.
    let side: Int8
  }

  let roots: [RowKey]
  /// Parents before the rows that go with them.
  private(set) var order: [RowKey] = []
  private var places: [RowKey: Int32] = [:]
  private var starts: [Start] = []
  /// The rows that are not there: they were never saved, but rows of the same save may hold links to them.
  private var unsaved: Set<RowKey> = []

  /// The to-one relationships of the rows that have a target.
  fileprivate(set) var links: [Link] = []
  fileprivate(set) var cascades: [RowKey] = []
  fileprivate(set) var holders: [Holder] = []
  fileprivate(set) var memberships: [Membership] = []
  fileprivate(set) var blockers: [Blocker] = []
  /// Of a row without uid that lives in others: all of those.
  fileprivate(set) var parents: [RowKey: [RowKey]] = [:]

  fileprivate init(_ roots: [RowKey]) {
    self.roots = roots
    order.reserveCapacity(roots.count)
  }

  func contains(_ key: RowKey) -> Bool { places[key] != nil }
  func place(of key: RowKey) -> Int? { places[key].map { Int($0) } }
  func isThere(_ key: RowKey) -> Bool { !unsaved.contains(key) }

  /// Begins a row; all entries that are added to the lists from here on are its own.
  fileprivate mutating func begin(_ key: RowKey) {
    places[key] = Int32(truncatingIfNeeded: order.count)
    order.append(key)
    starts.append(
      Start(
        links: Int32(truncatingIfNeeded: links.count), cascades: Int32(truncatingIfNeeded: cascades.count),
        holders: Int32(truncatingIfNeeded: holders.count), memberships: Int32(truncatingIfNeeded: memberships.count)))
  }

  fileprivate mutating func noteUnsaved(_ key: RowKey) { unsaved.insert(key) }

  func links(of place: Int) -> ArraySlice<Link> { links[range(place, links.count, \.links)] }
  func cascades(of place: Int) -> ArraySlice<RowKey> { cascades[range(place, cascades.count, \.cascades)] }
  func holders(of place: Int) -> ArraySlice<Holder> { holders[range(place, holders.count, \.holders)] }
  func memberships(of place: Int) -> ArraySlice<Membership> {
    memberships[range(place, memberships.count, \.memberships)]
  }

  private func range(_ place: Int, _ end: Int, _ part: (Start) -> Int32) -> Range<Int> {
    Int(part(starts[place]))..<(place + 1 < starts.count ? Int(part(starts[place + 1])) : end)
  }

  /// The first row that stands in the way, if all of the plan is to go.
  var denial: (key: RowKey, blocker: Blocker)? {
    blockers.first { !contains($0.key) }.map { (order[$0.place], $0) }
  }

  /// The objects that a denial is about: the root whose deletion takes the row with it, the row, and the row that holds
  /// it. A root that was never saved has no deletion that could be taken back: then the holder comes first.
  func named(in key: RowKey, _ blocker: Blocker) -> [RowKey] {
    // A plan may have many roots: only those that lead to the row are gone through.
    let above = leading(to: key, by: dependents)
    let root = roots.first { above.contains($0) && reached(from: [$0]).contains(key) } ?? key
    let going = root == key ? [key] : [root, key]
    return !isThere(root) ? [blocker.key] + going : going + [blocker.key]
  }

  /// For each row that goes with others, those others.
  private var dependents: [RowKey: [RowKey]] {
    var dependents: [RowKey: [RowKey]] = [:]
    for (place, key) in order.enumerated() {
      for cascade in cascades(of: place) { dependents[cascade, default: []].append(key) }
      if let parents = parents[key] { dependents[key, default: []] += parents }
    }
    return dependents
  }

  /// A row, and all that take it with them.
  private func leading(to key: RowKey, by dependents: [RowKey: [RowKey]]) -> Set<RowKey> {
    var above: Set<RowKey> = [key]
    var pending = [key]
    while let key = pending.popLast() {
      for other in dependents[key] ?? [] where above.insert(other).inserted { pending.append(other) }
    }
    return above
  }

  /// Leaves out the roots that something holds, with all rows that would go with them alone. A row that stays may hold
  /// others in turn.
  ///
  /// - Returns: The rows that go; `nil` for all.
  func possible() -> Set<RowKey>? {
    guard denial != nil else { return nil }
    var going = Set(order)
    var dependents = dependents
    for blocker in blockers { dependents[blocker.key, default: []].append(order[blocker.place]) }
    var left = roots
    while true {
      var staying: Set<RowKey> = []
      for blocker in blockers where going.contains(order[blocker.place]) && !going.contains(blocker.key) {
        staying.insert(order[blocker.place])
      }
      guard !staying.isEmpty else { return going }
      // A row that would take a staying row with it stays too, and so do the rows that it holds.
      var pending = Array(staying)
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
    repeat {
      while let key = pending.popLast() {
        guard let place = place(of: key), reached.insert(key).inserted else { continue }
        pending += cascades(of: place)
      }
      pending = parents.filter { !reached.contains($0.key) && $0.value.allSatisfy(reached.contains) }.map(\.key)
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
      embedded.removeAll { plan.contains($0) }
      for key in embedded where !plan.contains(key) {
        guard let parents = try parents(of: key, within: plan) else { continue }
        isComplete = false
        try add(key, to: &plan, &embedded)
        if !parents.isEmpty { plan.parents[key] = parents }
      }
      if isComplete { return plan }
    }
  }

  private func add(_ first: RowKey, to plan: inout DeletionPlan, _ embedded: inout [RowKey]) throws {
    // A chain of cascades may be long; a list of pending rows takes no stack.
    var pending = [first]
    while let key = pending.popLast() {
      guard !plan.contains(key) else { continue }
      let count = plan.cascades.count
      plan.begin(key)
      try addParts(of: key, to: &plan, &embedded)
      pending += plan.cascades[count...]
    }
  }

  private func addParts(of key: RowKey, to plan: inout DeletionPlan, _ embedded: inout [RowKey]) throws {
    let model = schema.entities[key.entity]
    let place = plan.order.count - 1
    if let found = try find(model, pk: key.pk) {
      for property in model.properties {
        guard case .toOne(let target, _, let rule) = property.kind else { continue }
        let pk = found.link(property.index)
        guard pk != 0 else { continue }
        plan.links.append(.init(property: property.index, pk: pk))
        let other = RowKey(entity: target, pk: pk)
        guard other != key, !model.isLinks else { continue }
        switch rule {
        case .cascade: plan.cascades.append(other)
        case .nullify: if schema.entities[target].uid == nil { embedded.append(other) }
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
      if other.isLinks {
        try addMemberships(other, incoming.property, of: key, rule, relationship, to: &plan)
        continue
      }
      let property = other.properties[incoming.property]
      let statement = try statements.statement(
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

  /// The memberships of a row go with it; the rows that they link to it go, or stand in the way, if the rule of its
  /// list says so.
  private func addMemberships(
    _ links: EntityModel, _ side: Int, of key: RowKey, _ rule: DeleteRule, _ relationship: String,
    to plan: inout DeletionPlan
  ) throws {
    guard case .toOne(let target, _, _) = links.properties[1 - side].kind else { return }
    let statement = try statements.statement(
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
        [.integer(key.pk), .integer(Int64(plan.order.count + 1))]
      ) { RowKey(entity: parent, pk: $0.int64(0)) }
      guard found.allSatisfy({ plan.contains($0) }) else { return nil }
      parents += found
    }
    guard let found = try find(model, pk: key.pk) else { return nil }
    for property in model.properties {
      guard case .toOne(let target, .some, _) = property.kind, found.link(property.index) != 0 else { continue }
      let parent = RowKey(entity: target, pk: found.link(property.index))
      guard plan.contains(parent) else { return nil }
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
