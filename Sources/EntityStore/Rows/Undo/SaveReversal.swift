/// Goes from the rows after a save back to those before it, within a transaction of its own.
///
/// It is a conflict where a column that the save changed has another value by now, and where a row came or went since.
/// Local edits that the server does not have yet end with their values. An edit that the server has, or that a request
/// carries, becomes an edit back to the old value. A deletion that the server has can't be taken back.
struct SaveReversal {
  let rows: RowWriter
  let image: SaveImage
  /// The rows of objects whose edits a request carries.
  let sending: Set<RowKey>
  private var tables: [Int: ImageTable] = [:]
  /// The marks of the pairs that the save took out, by the number of their entity, and by their two ends.
  private(set) var takenOut: [Int: [[StoredValue]: StoredValue]] = [:]
  /// The objects whose notes of deletions the save changed.
  let deletions: Set<RowKey>
  /// The rows that the save made.
  private let inserted: Set<RowKey>
  /// The objects that others changed since.
  var conflicts: [AnyEntityID] = []
  /// Pairs that the server has otherwise than before the save, with the sides of the new edits.
  var removedAgain: [(links: EntityModel, ends: RowValues, mark: ColumnMask)] = []
  var removed: [(model: EntityModel, pk: Int64)] = []
  /// Lists that their rows no longer name as edited.
  var left: [(model: EntityModel, pk: Int64, list: Int)] = []

  init(_ rows: RowWriter, _ image: SaveImage, sending: Set<RowKey>) {
    self.rows = rows
    self.image = image
    self.sending = sending
    deletions = Set(image.deletions.map(\.key))
    inserted = Set(image.rows.compactMap { if case .inserted = $0.change { $0.key } else { nil } })
    for removal in image.removals { takenOut[removal.links, default: [:]][removal.ends] = removal.after }
    for (number, names) in image.columns { tables[number] = ImageTable(rows.schema.entities[number], names) }
  }

  /// - Throws: ``StoreError`` of kind `conflict` or `objectDeleted`, which names the objects; the transaction must end with it.
  mutating func run() throws {
    let (rows, image) = (rows, image)
    guard try image.age == rows.connection.age() else { throw Self.emptied }
    var present: [[StoredValue]?] = []
    for row in image.rows { present.append(try check(row)) }
    try checkDeletions()
    try throwConflicts()
    var written: [(table: ImageTable, pk: Int64, values: [StoredValue])] = []
    for (row, values) in zip(image.rows, present) {
      guard case .inserted(let after) = row.change, let values else { continue }
      try remove(row.key.pk, table(row), after, values)
    }
    for (row, values) in zip(image.rows, present) {
      switch row.change {
      case .inserted: continue
      case .updated(let cells):
        guard let values else { continue }
        written.append((table(row), row.key.pk, try change(row.key, table(row), cells, values)))
      case .deleted(let before):
        try insert(row.key, table(row), before)
        written.append((table(row), row.key.pk, before))
      }
    }
    try revertRemovals()
    try revertDeletions()
    try revertNotes()
    for (model, pk, list) in left { try markIfPairsAre(model, pk, list) }
    for (table, pk, values) in written { try checkLinks(table, pk, values) }
    for (model, pk) in removed { try checkReferences(model, pk) }
    try throwConflicts()
    do {
      try rows.uniqueness.settleUniqueValues()
    } catch let error as StoreError where error.kind == .uniqueViolation {
      throw StoreError(
        .conflict,
        "Another object has a value by now that an object would get back. Nothing was undone. \(error.message)",
        objects: error.objects)
    }
  }

  private func table(_ row: SaveImage.Row) -> ImageTable {
    // Each entity with a row in the image has its columns there.
    tables[row.key.entity] ?? ImageTable(rows.schema.entities[row.key.entity], [])
  }

  // MARK: Checks

  /// - Returns: The values that a row has now.
  private mutating func check(_ row: SaveImage.Row) throws -> [StoredValue]? {
    let table = table(row)
    var values = try rows.connection.values(table.select, row.key.pk)
    let lazies = LazyCells(table.model, row.key.pk, rows)
    func differs(_ column: Int, from value: StoredValue) -> Bool {
      guard column != table.marks, !table.isDerived(column), column != table.coverage, column != table.age else {
        return false
      }
      if let index = table.properties[column], table.isLazy(column) { return !lazies.has(value, index) }
      return values?[column].isIdentical(to: value) != true
    }
    switch row.change {
    case .inserted(let after):
      // The answer to its insertion may have filled properties in.
      let isFilled = values.map { table.marks(of: after).isNew && !table.marks(of: $0).isNew } ?? false
      if after.indices.contains(where: { !(isFilled && after[$0].isNull) && differs($0, from: after[$0]) }) {
        conflicts += ids(table, row.key.pk, after)
      }
    case .updated(let cells):
      if values == nil || cells.contains(where: { differs($0.column, from: $0.after) }) {
        conflicts += ids(table, row.key.pk, values ?? [])
      }
      // The lazy values were compared, and are not read.
      for cell in cells where table.isLazy(cell.column) { values?[cell.column] = cell.after }
    case .deleted(let before):
      // The same pair may have been made anew: by others, or by a later save of the group, which goes first.
      let pair = try rows.pairs.membership(table.model, table.values(before))
      if values != nil || pair.map({ !inserted.contains(RowKey(entity: row.key.entity, pk: $0)) }) ?? false {
        conflicts += ids(table, row.key.pk, before)
      }
    }
    try rows.checks.checkLazies()
    return values
  }

  /// A deletion that the server has heard of is final.
  private func checkDeletions() throws {
    let coming = Set(image.rows.compactMap { if case .deleted = $0.change { $0.key } else { nil } })
    let gone = try image.deletions.filter { deletion in
      try deletion.after != nil && coming.contains(deletion.key)
        && rows.connection.deletion(rows.schema.entities[deletion.key.entity], deletion.key.pk) == nil
    }
    guard !gone.isEmpty else { return }
    throw StoreError(
      .objectDeleted,
      "The server has deleted objects that would come back, or has them under another row. Nothing was undone. Insert new "
        + "objects with their values, and drop what can be undone with `removeAll()`.",
      objects: gone.map { rows.schema.entities[$0.key.entity].id($0.key.pk) })
  }

  /// The object of a row, or the two objects of a membership.
  private func ids(_ table: ImageTable, _ pk: Int64, _ values: [StoredValue]) -> [AnyEntityID] {
    guard table.model.isLinks else { return [table.model.id(pk)] }
    let links = table.links(values)
    return links.mask.indices.compactMap { index in
      guard case .toOne(let target, _, _) = table.model.properties[index].kind, links.link(index) != 0 else {
        return nil
      }
      return rows.schema.entities[target].id(links.link(index))
    }
  }

  private func throwConflicts() throws {
    guard !conflicts.isEmpty else { return }
    var known: Set<AnyEntityID> = []
    let objects = conflicts.filter { known.insert($0).inserted }
    let named = objects.prefix(3).map(\.description).joined(separator: ", ")
    let others = objects.count > 3 ? " and \(objects.count - 3) more" : ""
    throw StoreError(
      .conflict,
      "Others have changed since what would be changed back: \(named)\(others). Nothing was undone. Edit the objects instead, "
        + "and drop what can be undone with `removeAll()`.", objects: objects)
  }

  private static var emptied: StoreError {
    StoreError(.conflict, "The store was emptied or restored since. Nothing was undone.")
  }

  /// Checks the targets of links: a target may be gone, and another row may have got the target of a one-to-one link.
  private mutating func checkLinks(_ table: ImageTable, _ pk: Int64, _ values: [StoredValue]) throws {
    let links = table.links(values)
    for index in links.mask.indices {
      guard case .toOne(let target, _, _) = table.model.properties[index].kind, links.link(index) != 0 else { continue }
      if try !rows.exists(rows.schema.entities[target], links.link(index)) { conflicts += ids(table, pk, values) }
      guard table.model.oneToOne.contains(index) else { continue }
      let others = try rows.order.holders(table.model, index, of: links.link(index)).rows.filter { $0 != pk }
      if !others.isEmpty { conflicts += ids(table, pk, values) + others.map { table.model.id($0) } }
    }
  }

  /// Checks that no row of others links to a row that went.
  private mutating func checkReferences(_ model: EntityModel, _ pk: Int64) throws {
    for incoming in model.incoming {
      let other = rows.schema.entities[incoming.entity]
      let sql = "SELECT _pk FROM \(other.table) WHERE \(other.properties[incoming.property].name.quoted) = ? LIMIT 1"
      guard let holder = try rows.connection.rows(sql, [.integer(pk)], read: { $0.int64(0) }).first else { continue }
      conflicts.append(model.id(pk))
      if incoming.otherEnd == nil { conflicts.append(other.id(holder)) }
    }
  }

  // MARK: Notes

  /// Reverts the notes of rows that did not change: an edit that was made again has a later time.
  private func revertNotes() throws {
    let changed = Set(image.rows.map(\.key))
    for (key, notes) in image.notes where !changed.contains(key) {
      let model = rows.schema.entities[key.entity]
      guard try notes.areAfter(rows.connection.notes(model, key.pk)) else { continue }
      try rows.edits.replaceNotes(model, key.pk, notes)
    }
  }

  private func revertDeletions() throws {
    let leaving = Set(image.deletions.lazy.filter { $0.before == nil }.map(\.key))
    // Those that come back are first: they take over from those that go.
    for deletion in image.deletions where deletion.before != nil { try revert(deletion, leaving) }
    for deletion in image.deletions where deletion.before == nil { try revert(deletion, leaving) }
  }

  private func revert(_ deletion: SaveImage.Deletion, _ leaving: Set<RowKey>) throws {
    let model = rows.schema.entities[deletion.key.entity]
    try rows.edits.replaceTombstone(model, deletion.key.pk, deletion.before, leaving: leaving)
  }
}
