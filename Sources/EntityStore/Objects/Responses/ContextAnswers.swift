// The part of a context that the mapping of responses onto objects uses.

/// The values of responses on their way into the objects of a context.
@usableFromInline package struct ContextAnswers {
  @usableFromInline package let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextAnswers {
  /// A new object of an entity's model.
  ///
  /// - Parameter row: The row id to use, if an object of another context has it already.
  package func insert(
    _ model: EntityModel, isPlaceholder: Bool = false, row: Int64? = nil
  ) throws -> any ManagedEntity {
    guard context.kind != .reading else { throw StoreError.contextIsReadOnly }
    guard !context.saves.isOver else { throw StoreError.contextIsOver }
    if context.kind == .main { try context.core.checkOpen() }
    let pk = try row ?? context.rows?.newPrimaryKey() ?? context.core.newPrimaryKey()
    let state = ObjectState(model, pk: pk, context: context, life: .new)
    if isPlaceholder { state.flags.insert(.placeholder) }
    let object = model.makeObject(state)
    if !model.presets.mask.isEmpty { object.loadColumns(RowReader(model.presets, model.presets.mask)) }
    context.loaded.objects[model.number].insert(object, pk)
    context.edits.wasMade(object)
    context.unsaved.hold(object, state)
    context.overlay.rowPending(model, pk, leavesLists: true)
    return object
  }

  /// Records that a new object without uid comes from a response: the server has it.
  package func noteOfServer(_ object: any ManagedEntity) { object._$state.flags.insert(.isOfServer) }

  /// Gives a new object, whose properties are not set yet, the uid that a response has.
  ///
  /// - Parameter index: The property of the uid. In the unit of a response no row has this uid.
  package func identify(_ object: any ManagedEntity, _ index: Int, _ uid: StoredValue) {
    let state = object._$state
    // From now on, only the unit's own objects can take the uid.
    if context.isOfResponse { state.flags.insert(.hasFreeUID) }
    // Moved out of the context, because a second reference would make the change a copy.
    var row = context.unsaved.spareRow
    context.unsaved.spareRow = RowValues(count: 0)
    if row.count < state.model.properties.count { row = RowValues(count: ColumnMask.capacity) }
    row.removeAll()
    row[index] = uid
    state.model.uidParts?.put(uid, into: &row)
    object.loadColumns(RowReader(row, row.mask))
    context.unsaved.spareRow = row
    state.dirty.formUnion(row.mask)
    state.fromResponse.formUnion(row.mask)
    state.reading.hasChangedValues = true
  }

  /// The object with a uid, placeholders included.
  package func existing(_ model: EntityModel, uid: StoredValue) throws -> (any ManagedEntity)? {
    if let rows = context.rows {
      guard let found = try rows.find(model, uid: uid) else { return nil }
      return found.object(model, in: self.context)
    }
    guard let index = model.uid else { return nil }
    return try context.merging.entry {
      try context.connection.rows(
        "SELECT \(model.columnList) FROM \(try context.overlay.source(model)) WHERE \(model.properties[index].name.quoted) = ?",
        [uid]
      ) { context.reading.object(model, from: $0) }.first
    }
  }

  /// The object of a row of a unit; `nil` when the row is gone.
  package func existing(_ model: EntityModel, pk: Int64, in rows: RowWriter) throws -> (any ManagedEntity)? {
    if let object = context.loaded.objects[model.number][pk], object._$state.isInserted { return object }
    guard let found = try rows.find(model, pk: pk) else { return nil }
    return found.object(model, in: context)
  }

  /// How many objects of an entity have unwritten changes.
  package func changedCount(_ model: EntityModel) -> Int { context.unsaved.changed[model.number].count }

  /// How often changes were sent to the rows.
  package var flushes: Int { context.saves.savesBegun }

  /// The objects of a to-many relationship.
  package func members(of object: any ManagedEntity, _ property: Int) throws -> [any ManagedEntity] {
    let state = object._$state
    guard state.life != .deleted else { return [] }
    return try context.merging.entry {
      let list = state.model.properties[property]
      if let membership = list.membership, let position = list.position {
        return try members(of: state, membership, in: context.core.schema.entities[membership.links], position)
      }
      guard let query = try membersQuery(list) else { return [] }
      return try context.connection.rows(
        "SELECT \(query.model.columnList) \(query.rows) ORDER BY \(query.order)", [.integer(state.pk)]
      ) { context.reading.object(query.model, from: $0) }
    }
  }

  /// The rows of a list's members as SQL; `nil` for another property. The only bound value is the row id of the list's
  /// owner.
  ///
  /// The order of a many-to-many relationship's own positions is not included: the pairs have them, and the order is
  /// that of the row ids.
  func membersQuery(_ list: PropertyModel) throws -> (model: EntityModel, rows: String, order: String)? {
    guard let rows = list.list else { return nil }
    let (model, holders) = (context.core.schema.entities[rows.target], context.core.schema.entities[rows.entity])
    var condition = "\(holders.properties[rows.owner].name.quoted) = ?"
    var order = "_pk"
    if rows.member == nil {
      order = model.linkOrder(rows.owner)
    } else {
      condition =
        "_pk IN (SELECT \(holders.memberColumn(rows)) FROM \(try context.overlay.source(holders)) WHERE \(condition))"
    }
    if case .sorted(let key, let isDescending) = list.arrangement {
      order = "\(model.properties[key].name.quoted)\(isDescending ? " DESC" : ""), _pk"
    }
    return (model, "FROM \(try context.overlay.source(model)) WHERE \(condition)", order)
  }

  /// The objects of an ordered many-to-many relationship.
  ///
  /// - Parameter isFirstEnough: `true` if only the first object is wanted.
  func members(
    of state: ObjectState, _ membership: PropertyModel.Membership, in links: EntityModel, _ position: Int,
    isFirstEnough: Bool = false
  ) throws -> [any ManagedEntity] {
    let model = context.core.schema.entities[membership.target]
    let member = links.properties[membership.otherSide].name.quoted
    // Two memberships are the same pair while ours is unsaved and others made it too.
    var seen: Set<Int64> = []
    let pks = try context.connection.rows(
      "SELECT \(member) FROM \(try context.overlay.source(links)) WHERE \(links.properties[membership.side].name.quoted) = ? "
        + "ORDER BY \(links.placeKey(position)), _pk",
      [.integer(state.pk)]
    ) { $0.int64(0) }.filter { seen.insert($0).inserted }
    // By row id, because SQLite applies the ids to both halves of a source with unsaved changes. For a join it would
    // first build a table of all rows.
    let rows = "SELECT \(model.columnList) FROM \(try context.overlay.source(model)) WHERE _pk"
    if isFirstEnough {
      for pk in pks {
        let found = try context.connection.rows("\(rows) = ?", [.integer(pk)]) {
          context.reading.object(model, from: $0)
        }
        if !found.isEmpty { return found }
      }
      return []
    }
    guard !pks.isEmpty else { return [] }
    var found: [Int64: any ManagedEntity] = [:]
    let members = try context.connection.rows(
      "\(rows) IN (SELECT value FROM _entity_values(?))", [.list(pks.map { .integer($0) })]
    ) { context.reading.object(model, from: $0) }
    for object in members { found[object._$state.pk] = object }
    return pks.compactMap { found[$0] }
  }

  /// The row ids of the objects of a to-many relationship. The objects are not read.
  func memberRows(of object: any ManagedEntity, _ property: Int) throws -> [Int64] {
    let state = object._$state
    guard case .toMany(let target, let inverse, _) = state.model.properties[property].kind,
      state.life != .deleted
    else { return [] }
    let model = context.core.schema.entities[target]
    return try context.merging.entry {
      try context.connection.rows(
        "SELECT _pk FROM \(try context.overlay.source(model)) WHERE \(model.properties[inverse].name.quoted) = ? "
          + "ORDER BY \(model.linkOrder(inverse))",
        [.integer(state.pk)]
      ) { $0.int64(0) }
    }
  }

  /// The objects that a to-many relationship has in the rows, without unsaved changes.
  package func savedMembers(of object: any ManagedEntity, _ property: Int) throws -> [any ManagedEntity] {
    guard case .toMany(let target, let inverse, _) = object._$state.model.properties[property].kind else { return [] }
    let model = context.core.schema.entities[target]
    return try context.merging.entry {
      try context.connection.rows(
        "SELECT _pk FROM \(model.table) WHERE \(model.properties[inverse].name.quoted) = ? ORDER BY _pk",
        [.integer(object._$state.pk)]
      ) { $0.int64(0) }
    }.map { context.reading.object(model, $0) }
  }

  /// The context of the unit that takes in a response, over its writer.
  package static func ofResponse(_ core: StoreCore, _ rows: RowWriter) -> EntityContext {
    EntityContext(core, kind: .unit, connection: rows.connection, rows: rows, isOfResponse: true)
  }

  /// The object of a row, loaded at its first use.
  package func existing(_ model: EntityModel, pk: Int64) -> any ManagedEntity { context.reading.object(model, pk) }

  /// Runs `body` as an update from a response: the values that it sets are no local edits, and the policy decides which
  /// columns stay.
  ///
  /// - Parameters:
  ///   - newer: The columns that newer responses wrote.
  ///   - rules: The columns that `body` must not set or clear.
  package func updating<T>(
    _ object: any ManagedEntity, _ policy: MergePolicy, newer: ColumnMask, _ rules: UpdateRules = UpdateRules(),
    order: (any AnswerOrder)? = nil, _ body: () throws -> T
  ) rethrows -> T {
    let state = object._$state
    let arrival = context.arrival
    let outer = arrival.begin(
      ObjectUpdate(policy: policy, state: state, order: order),
      ColumnRules(object: ObjectIdentifier(state), held: newer.union(rules.settled), rules: rules))
    defer { arrival.end(backTo: outer) }
    return try body()
  }

  /// Whether a link still has the target that the object's place in the response decides. `false` once an update by
  /// hand has set the link.
  package func isPlaced(_ object: any ManagedEntity, _ link: Int) -> Bool {
    context.arrival.isPlaced(link, of: object._$state)
  }

  /// Whether another object links to an object without uid, or has it in a list. Unsaved changes count.
  package func hasParent(_ object: any ManagedEntity) throws -> Bool {
    let model = object._$state.model
    let isListed = model.properties.contains {
      if case .toOne(_, .some, _) = $0.kind { object.link($0.index) != 0 } else { false }
    }
    if isListed { return true }
    return try context.merging.entry {
      try context.connection.isReferred(
        object._$state.pk, of: model, context.core.schema, in: { try context.overlay.source($0) })
    }
  }

  /// Whether an object has edits that the server does not have, saved or not, or was made here. Objects that would be
  /// deleted with it count too.
  package func hasUnsentWork(_ object: any ManagedEntity) throws -> Bool {
    var known: Set<RowKey> = []
    var pending = [object]
    while let next = pending.popLast() {
      let (model, pk) = (next._$state.model, next._$state.pk)
      guard !next.isGone, known.insert(.init(entity: model.number, pk: pk)).inserted else { continue }
      if next.hasLocalEdits { return true }
      for property in model.properties {
        switch property.kind {
        case .attribute: continue
        case .toOne(let target, let inverse, let rule):
          let (other, link) = (context.core.schema.entities[target], next.link(property.index))
          let goesAlong = rule == .cascade || rule == .nullify && inverse == nil && other.uid == nil
          if goesAlong, link != 0 { pending.append(context.reading.object(other, link)) }
        case .toMany(_, _, .cascade), .manyToMany(_, .cascade): pending += try members(of: next, property.index)
        case .toMany, .manyToMany: continue
        }
      }
    }
    return false
  }

  /// Turns a placeholder into an object: more than its uid is known now, even if no value differs.
  package func fill(_ object: any ManagedEntity) {
    let state = object._$state
    guard !context.saves.isOver, state.flags.contains(.placeholder) else { return }
    state.fill()
    context.unsaved.hold(object, state)
    context.overlay.rowPending(state.model, state.pk)
  }

  /// Turns an object into a placeholder again, and drops the values that were set since it was filled.
  package func unfill(_ object: any ManagedEntity) {
    let state = object._$state
    state.unfill()
    context.saving.settle(object, state.dirty)
  }
}

extension ObjectState {
  /// Like ``ManagedEntity/isGone``, for the state of an object.
  package func isGone(_ object: any ManagedEntity) -> Bool {
    if attention.bits != 0 { context?.fulfil(object) }
    return isGone
  }
}

extension ManagedEntity {
  /// Like ``isDeleted``, for code that does not observe: it needs no key path, which takes a look-up.
  package var isGone: Bool { _$state.isGone(self) }

  /// The row id of a to-one property's target; 0 for none.
  package func link(_ property: Int) -> Int64 {
    loadedValues(ColumnMask(property)).link(property)
  }
}

extension FoundRow {
  /// The object of the row. The cursor stays open during the call.
  fileprivate func object(_ model: EntityModel, in context: EntityContext) -> any ManagedEntity {
    context.reading.object(model, from: statement)
  }
}
