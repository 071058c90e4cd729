import Foundation

extension EntityContext {
  /// The saved changes that the server has not acknowledged, in the order of the commits that made them, whatever the
  /// clock said. An object that was made here has the place of its insertion, and edits have the place of the last
  /// one. Unsaved changes are in ``changes``. In `background` this includes the unit's own changes.
  ///
  /// The cost depends on the number of pending changes, and not on the number of rows.
  ///
  /// - Throws: ``StoreError``.
  public func pendingChanges() throws -> [PendingChange] { try pendingEdits.pendingChanges(of: nil) }

  /// The pending changes of one entity.
  public func pendingChanges<E: ManagedEntity>(of type: E.Type) throws -> [PendingChange] {
    try pendingEdits.pendingChanges(of: core.schema.model(type))
  }

  /// How many objects have pending changes.
  public func pendingCount() throws -> Int {
    try merging.entry {
      try pendingEdits.flushForPending()
      return try connection.rows(EditNotes.count) { Int($0.int64(0)) }.first ?? 0
    }
  }
}

/// The edits of a context, saved and unsaved, that the server does not have yet.
@usableFromInline package struct ContextPendingEdits {
  @usableFromInline let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextPendingEdits {
  /// How many objects of one entity have pending changes.
  package func pendingCount<E: ManagedEntity>(of type: E.Type) throws -> Int {
    try context.merging.entry {
      try flushForPending()
      let name = StoredValue.text(try context.core.schema.model(type).name)
      return try context.connection.rows(EditNotes.countOfEntity, [name, name]) { Int($0.int64(0)) }.first ?? 0
    }
  }

  /// The facts of objects with pending changes, by which the outbox decides when the changes are sent.
  ///
  /// - Parameter keys: The objects; `nil` for all. An embedded object stands for the object that it is sent with. An
  ///   object without pending changes has no facts.
  package func outboxFacts(of keys: Set<RowKey>? = nil) throws -> [RowKey: PendingFacts] {
    try context.merging.entry {
      try flushForPending()
      var facts = OutboxFacts(context.connection, context.core.schema)
      return try facts.facts(of: keys)
    }
  }

  fileprivate func flushForPending() throws {
    if context.kind == .unit, context.hasChanges { try context.saving.flush(isForQuery: true) }
  }

  fileprivate func pendingChanges(of wanted: EntityModel?) throws -> [PendingChange] {
    try context.merging.entry {
      try flushForPending()
      var changes: [Numbered] = []
      for model in context.core.schema.declared where wanted == nil || wanted === model {
        changes += try edited(model) + deleted(model)
      }
      return changes.sorted { ($0.number, $0.change.id.pk) < ($1.number, $1.change.id.pk) }.map(\.change)
    }
  }

  /// A change, and the number of the commit by which it has its place.
  private typealias Numbered = (change: PendingChange, number: Int64)

  private func edited(_ model: EntityModel) throws -> [Numbered] {
    let rows = try context.connection.rows(
      "SELECT base, has_base, time, number, pk, property, made FROM \(EditNotes.table) WHERE entity = ? ORDER BY pk",
      [.text(model.name)]
    ) { (note: EditNote($0), pk: $0.int64(4), property: $0.text(5) ?? "", made: $0.int64(6)) }
    var changes: [Numbered] = []
    var notes: [Int: EditNote] = [:]
    var insert: EditNote?
    var number = Int64.min
    for (position, row) in rows.enumerated() {
      if row.property.isEmpty { insert = row.note }
      number = max(number, row.property.isEmpty ? row.made : row.note.number ?? 0)
      if let index = model.index(of: row.property) { notes[index] = row.note }
      guard position + 1 == rows.count || rows[position + 1].pk != row.pk else { continue }
      if let change = try edited(model, row.pk, notes, insert) { changes.append((change, number)) }
      (notes, insert, number) = ([:], nil, .min)
    }
    return changes
  }

  /// - Parameter insert: The edit note of an object that was made here.
  private func edited(
    _ model: EntityModel, _ pk: Int64, _ notes: [Int: EditNote], _ insert: EditNote?
  ) throws -> PendingChange? {
    let statement = try context.connection.prepare(model.selectByPK)
    try statement.bind(pk, at: 1)
    guard try statement.step() else {
      statement.reset()
      return nil
    }
    let marks = model.edited(statement)
    var values = RowValues(count: model.properties.count)
    for index in model.stored.indices { values[index] = statement.value(index + EntityModel.resultOffset) }
    statement.reset()
    for index in marks.known.intersection(model.lazy).indices {
      values[index] = try context.edits.storedLazy(model, pk, index) ?? .null
    }
    let uid = model.uid.flatMap { index in model.uidType.flatMap { values[index].uidText($0) } }
    let edits = try marks.known.indices.map { index in
      let note = notes[index]
      let (base, value, listed) = try pendingValues(model, index, of: pk, values, note)
      return PendingChange.Edit(
        property: model.properties[index].name, base: marks.isNew ? nil : base, value: value, time: note?.date,
        marks: listed, form: ShownProperty(model.properties[index]))
    }
    guard marks.isNew || !edits.isEmpty else { return nil }
    return PendingChange(
      kind: marks.isNew ? .insert : .edit, id: model.id(pk), uid: uid,
      time: marks.isNew ? insert?.date : edits.compactMap(\.time).max(), edits: edits,
      parent: try outermostParent(.init(entity: model.number, pk: pk)), key: .init(entity: model.number, pk: pk))
  }

  /// The object that an embedded object is sent with; `nil` for any other object, and for one without a parent.
  private func outermostParent(_ key: RowKey) throws -> AnyEntityID? {
    var owners = EmbeddedOwners(context.connection, context.core.schema)
    try owners.read(CollectionOfOne(key))
    return owners.owner(of: key).map { context.core.schema.entities[$0.key.entity].id($0.key.pk) }
  }

  /// The values of a property before and after its edits.
  private func pendingValues(
    _ model: EntityModel, _ index: Int, of pk: Int64, _ values: RowValues, _ note: EditNote?
  ) throws -> (base: PendingValue?, value: PendingValue, marks: Set<Int64>) {
    switch model.properties[index].kind {
    case .attribute: return (note?.base.map { .attribute($0) }, .attribute(values[index]), [])
    case .toOne(let target, _, _):
      let target = context.core.schema.entities[target]
      func object(_ value: StoredValue) -> PendingValue {
        if case .integer(let pk) = value { .object(target.id(pk)) } else { .object(nil) }
      }
      return (note?.base.map(object), object(values[index]), [])
    case .toMany(let target, let link, _):
      let target = context.core.schema.entities[target]
      let members = try context.connection.rows(
        "SELECT _pk FROM \(target.table) WHERE \(target.properties[link].name.quoted) = ? "
          + "ORDER BY \(target.linkOrder(link))", [.integer(pk)]
      ) { target.id($0.int64(0)) }
      return (nil, model.properties[index].isCounterpart ? .object(members.first) : .list(members), [])
    case .manyToMany(let membership, _):
      let (links, target) = (
        context.core.schema.entities[membership.links], context.core.schema.entities[membership.target]
      )
      let side = ColumnMask(membership.side)
      let members = try context.connection.rows(links.selectPairs(membership.side, from: links.table), [.integer(pk)]) {
        (marks: links.edited($0), link: $0.int64(0), pk: $0.int64(2))
      }
      let removed = try context.connection.rows(
        links.selectPairs(membership.side, from: links.removedTable, key: "rowid"), [.integer(pk)]
      ) { (marks: links.edited($0), row: $0.int64(0), pk: $0.optionalInt64(2)) }
      .filter { !$0.marks.known.intersection(side).isEmpty }
      let value = PendingValue.list(members.map { target.id($0.pk) })
      let marks = Set(members.map(\.link)).union(removed.map(\.row))
      // A removed pair without an end stands for all pairs that are not in the list.
      guard !removed.contains(where: { $0.pk == nil }) else { return (nil, value, marks) }
      let before = Set(
        members.filter { $0.marks.known.intersection(side).isEmpty || $0.marks.isBack }.map(\.pk)
      ).union(removed.filter { !$0.marks.isBack }.compactMap(\.pk))
      return (.list(before.sorted().map { target.id($0) }), value, marks)
    }
  }

  /// Whether an object was deleted here, without an acknowledgement by the server yet.
  package func isDeletedHere<E: ManagedEntity>(_ id: EntityID<E>) throws -> Bool {
    try isDeletedHere(context.core.schema.model(E.self), "pk", .integer(id.pk))
  }

  /// Like ``isDeletedHere(_:)``, for the object with a uid.
  package func isDeletedHere<E: ManagedEntity>(_ type: E.Type, uid: StoredValue) throws -> Bool {
    try isDeletedHere(context.core.schema.model(type), "uid", uid)
  }

  private func isDeletedHere(_ model: EntityModel, _ column: String, _ value: StoredValue) throws -> Bool {
    return try !context.connection.rows(
      "SELECT 1 FROM \(Tombstones.table) WHERE entity = ? AND \(column) = ?", [.text(model.name), value]
    ) { _ in true }.isEmpty
  }

  private func deleted(_ model: EntityModel) throws -> [Numbered] {
    try context.connection.rows(
      "SELECT pk, uid, time, number FROM \(Tombstones.table) WHERE entity = ?", [.text(model.name)]
    ) { row in
      var time: Date?
      if case .real(let seconds) = row.value(2) { time = Date(timeIntervalSince1970: seconds) }
      let pk = row.int64(0)
      let uid = row.value(1)
      let change = PendingChange(
        kind: .deletion, id: model.id(pk), uid: model.uidType.flatMap { uid.uidText($0) }, time: time, edits: [],
        parent: nil, key: .init(entity: model.number, pk: pk))
      return (change, row.int64(3))
    }
  }
}

extension EditNote {
  fileprivate var date: Date? { time.map { Date(timeIntervalSince1970: $0) } }
}
