// The end of a response that changed rows more than once: a row counts as changed where it differs from the row before
// the unit.

extension RepeatedWrites {
  /// The rows that the unit wrote, and that are as they were before it.
  package struct UnchangedRows {
    // No two rows have the same row id, whatever their entities.
    /// Whether rows were written more than once at all.
    package fileprivate(set) var isSettled = false
    package fileprivate(set) var pks: Set<Int64> = []

    package init() {}

    fileprivate init(unchanged pks: Set<Int64>) { (isSettled, self.pks) = (true, pks) }
  }

  /// Takes the changes that the unit itself has undone out of the count, the summary and the history: nobody is told of
  /// them.
  ///
  /// Nothing may be written for the response afterwards.
  ///
  /// - Throws: ``StoreError``.
  package func settle(_ rows: RowWriter) throws -> UnchangedRows {
    rows.observers.remove(self)
    guard !isEmpty else { return UnchangedRows() }
    // Without the rows from before the unit, everything counts as changed.
    guard let before = try? Self.snapshot(rows) else { return UnchangedRows() }
    defer { before.rollback() }
    var settling = RepeatSettling(rows, self, before)
    let unchanged = try settling.settle()
    rows.edits.noteChanges -= try settling.unchangedBases()
    try rows.history.retract(settling.retracted, rows.schema)
    rows.retract(settling.retracted, writes: writes(without: unchanged))
    let untold = try unchanged.union(settling.retracted.keys).filter { key in
      try !(rows.changes?.summary.names(key) ?? !settling.isAsBefore(key, unchanged))
    }
    return UnchangedRows(unchanged: Set(untold.map(\.pk)))
  }

  /// The second connection, in a transaction that sees the rows before the unit.
  private static func snapshot(_ rows: RowWriter) throws -> Connection {
    let connection = try rows.writer.earlier()
    try connection.begin("DEFERRED")
    do {
      // The first read begins the snapshot (https://sqlite.org/lang_transaction.html).
      _ = try connection.generation()
      return connection
    } catch {
      connection.rollback()
      throw error
    }
  }
}

/// Compares the rows that a unit wrote more than once with the rows before the unit.
private struct RepeatSettling {
  let rows: RowWriter
  let repeats: RepeatedWrites
  let before: Connection
  /// The columns, and the lists, that are as they were.
  var retracted: [RowKey: CommitSummary.Retraction] = [:]

  init(_ rows: RowWriter, _ repeats: RepeatedWrites, _ before: Connection) {
    (self.rows, self.repeats, self.before) = (rows, repeats, before)
  }

  private var after: Connection { rows.connection }
  private var schema: SchemaModel { rows.schema }

  /// - Returns: The rows that are as they were.
  mutating func settle() throws -> Set<RowKey> {
    var unchanged = repeats.vanished
    for key in unchanged { retracted[key] = .row }
    var candidates = Set(repeats.rows.keys)
    // Computed before any row gets its row id back, which may be its place.
    var orders = try repeats.disordered.union(orderedLists(of: candidates.union(repeats.pairs.keys)))
    let moved = try orders.intersection(repeats.ordered).filter { try !isInOrder($0) }
    orders.subtract(moved)
    for (pair, first) in repeats.pairs where !unchanged.contains(pair) {
      guard try moved.isDisjoint(with: orderedLists(of: [pair])), try restore(pair, as: first) else { continue }
      unchanged.insert(pair)
      retracted[pair] = .row
      candidates.insert(RowKey(entity: pair.entity, pk: first))
    }
    for list in orders { candidates.formUnion(try restorePositions(of: list)) }
    var lists = repeats.lists
    for key in candidates {
      let model = schema.entities[key.entity]
      let select = Self.select(model)
      let old = try before.values(select, key.pk)
      lists.formUnion(self.lists(model, old))
      let new = try after.values(select, key.pk)
      guard old != nil || new != nil else { continue }
      guard let difference = Difference(model, old, new) else {
        unchanged.insert(key)
        retracted[key] = .columns(model.stored, wasThere: true, left: ColumnMask())
        continue
      }
      if !difference.isOfWholeRow {
        retracted[key] = .columns(
          model.stored.subtracting(difference.columns), wasThere: true, left: difference.columns)
      }
    }
    for list in lists where try hasSameMarks(list) && isUnchanged(list) {
      let key = RowKey(entity: list.entity, pk: list.pk)
      switch retracted[key] {
      case .row: continue
      case .columns(let columns, let wasThere, let left):
        retracted[key] = .columns(columns.union(ColumnMask(list.property)), wasThere: wasThere, left: left)
      case nil: retracted[key] = .columns(ColumnMask(list.property), wasThere: false, left: nil)
      }
    }
    return unchanged
  }

  /// - Returns: The number of changes of bases that are as they were before the unit.
  func unchangedBases() throws -> Int {
    var count = 0
    for (base, changes) in repeats.bases {
      let model = schema.entities[base.key.entity]
      let name = model.properties[base.property].name
      if try rows.edits.editNote(model, base.key.pk, name) == rows.edits.editNote(model, base.key.pk, name, on: before)
      {
        count += changes
      }
    }
    return count
  }

  // MARK: Rows

  private static func select(_ model: EntityModel) -> String {
    let columns =
      ["_edited", "_placeholder"] + model.properties.map { $0.isStored ? $0.name.quoted : "NULL" }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(model.table) WHERE _pk = ?"
  }

  private static let offset = 2

  private struct Difference {
    var columns = ColumnMask()
    /// Whether the row came or went, or its marks differ.
    var isOfWholeRow = false

    /// `nil` where there is no difference.
    init?(_ model: EntityModel, _ old: [StoredValue]?, _ new: [StoredValue]?) {
      guard let old, let new else {
        if old == nil, new == nil { return nil }
        isOfWholeRow = true
        return
      }
      isOfWholeRow = (0..<RepeatSettling.offset).contains { !old[$0].isIdentical(to: new[$0]) }
      for index in model.stored.indices
      where !old[index + RepeatSettling.offset].isIdentical(to: new[index + RepeatSettling.offset]) {
        columns.insert(index)
      }
      if columns.isEmpty, !isOfWholeRow { return nil }
    }
  }

  /// Gives a pair that was taken out and made again its former row id, where nothing else differs.
  private func restore(_ pair: RowKey, as first: Int64) throws -> Bool {
    let model = schema.entities[pair.entity]
    guard let old = try before.values(Self.select(model), first),
      let new = try after.values(Self.select(model), pair.pk),
      old[0].isIdentical(to: new[0])
    else { return false }
    try rows.execution.set("_pk", of: model, pair.pk, to: .integer(first))
    return true
  }

  // MARK: Lists

  /// The lists whose members may have other positions in the same order.
  private func orderedLists(of rows: Set<RowKey>) throws -> Set<RepeatedWrites.List> {
    var lists: Set<RepeatedWrites.List> = []
    for key in rows {
      let model = schema.entities[key.entity]
      guard !model.positions.isEmpty else { continue }
      let new = try after.values(Self.select(model), key.pk)
      lists.formUnion(self.lists(model, new).filter { schema.entities[$0.entity].ordered.contains($0.property) })
    }
    return lists
  }

  /// The lists that a row is in by its links.
  private func lists(_ model: EntityModel, _ values: [StoredValue]?) -> [RepeatedWrites.List] {
    guard let values else { return [] }
    return model.links.indices.compactMap { link in
      guard case .toOne(let target, let list?, _) = model.properties[link].kind,
        case .integer(let pk) = values[link + Self.offset], pk != 0
      else { return nil }
      return RepeatedWrites.List(entity: target, pk: pk, property: list)
    }
  }

  /// Whether the members of a list stand in the order that they had.
  private func isInOrder(_ list: RepeatedWrites.List) throws -> Bool {
    try places(list, on: before).map(\.member) == places(list, on: after).map(\.member)
  }

  private func places(_ list: RepeatedWrites.List, on connection: Connection) throws -> [ListPlace] {
    let property = schema.entities[list.entity].properties[list.property]
    guard let (model, sql, position) = schema.selectPlaces(property, source: \.table) else { return [] }
    return try connection.rows(sql, [.integer(list.pk)]) { ListPlace($0, model, position) }
  }

  /// Gives the members of a list their positions from before the unit. Either the members stand in the same order, or
  /// the response does not say the order: then a member that went and came back is where it was.
  ///
  /// - Returns: The rows that got a position.
  private func restorePositions(of list: RepeatedWrites.List) throws -> [RowKey] {
    let property = schema.entities[list.entity].properties[list.property]
    guard let position = property.position, let model = schema.listRows(property) else { return [] }
    let column = model.properties[position].name.quoted
    let link = model.properties[model.properties[position].positionOf ?? position].name.quoted
    var restored: [RowKey] = []
    for place in try places(list, on: after) where repeats.hasWritten(place.row) {
      let value = try before.rows(
        "SELECT \(column) FROM \(model.table) WHERE _pk = ? AND \(link) = ?", [.integer(place.row), .integer(list.pk)]
      ) { $0.value(0) }
      guard let value = value.first else { continue }
      try rows.execution.set(model.properties[position].name, of: model, place.row, to: value)
      restored.append(RowKey(entity: model.number, pk: place.row))
    }
    return restored
  }

  /// Whether the row of a list is there, with the same marks as before. The list of a row that went is a part of its
  /// deletion. A list that is no longer edited has changed.
  private func hasSameMarks(_ list: RepeatedWrites.List) throws -> Bool {
    let select = Self.select(schema.entities[list.entity])
    guard let old = try before.values(select, list.pk), let new = try after.values(select, list.pk) else {
      return false
    }
    return old[0].isIdentical(to: new[0])
  }

  /// Whether a row is as it was, with all of its lists.
  func isAsBefore(_ key: RowKey, _ unchanged: Set<RowKey>) throws -> Bool {
    let model = schema.entities[key.entity]
    guard unchanged.contains(key) || !repeats.hasWritten(key.pk) else { return false }
    return try model.properties.allSatisfy { property in
      try !property.isList || isUnchanged(.init(entity: key.entity, pk: key.pk, property: property.index))
    }
  }

  /// Whether a list has the members, and the order, that it had.
  private func isUnchanged(_ list: RepeatedWrites.List) throws -> Bool {
    let sql: String
    let property = schema.entities[list.entity].properties[list.property]
    guard let rows = property.list else { return false }
    let model = schema.entities[rows.entity]
    if rows.member == nil {
      let key = property.sortKey.map { model.properties[$0].name.quoted } ?? "NULL"
      sql =
        "SELECT _pk, \(key) FROM \(model.table) WHERE \(model.properties[rows.owner].name.quoted) = ? "
        + "ORDER BY \(model.linkOrder(rows.owner))"
    } else {
      sql = model.selectLinks(rows.owner, from: model.table)
    }
    func members(_ connection: Connection) throws -> [[StoredValue]] {
      try connection.rows(sql, [.integer(list.pk)]) { [$0.value(0), $0.value(1)] }
    }
    let (old, new) = (try members(before), try members(after))
    return old.count == new.count
      && zip(old, new).allSatisfy { $0[0].isIdentical(to: $1[0]) && $0[1].isIdentical(to: $1[1]) }
  }
}
