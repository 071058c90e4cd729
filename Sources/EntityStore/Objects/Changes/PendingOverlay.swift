// Unsaved changes take part in queries: they are put into a temporary table that lies over the entity's own, so that
// SQLite alone decides which objects a query finds, in which order, by its own rules.

/// The tables of the values of a context that are not saved: its queries see them in place of the rows.
struct ContextOverlay {
  let context: EntityContext
}

extension ContextOverlay {
  /// The source to select an entity's rows from: its table, with this context's unsaved changes over it if there are
  /// any, and in a unit the unique values that rows are about to give up.
  ///
  /// Where unsaved changes lie over the table, lazy values are left out: SQLite may put all columns of such a source together
  /// for each row that it meets.
  func source(_ model: EntityModel) throws -> String { try source(model, hasLazies: false) }

  /// As ``source(_:)``, with the lazy values: for a query that names one, and for SQL of an app, which may.
  func lazySource(_ model: EntityModel) throws -> String { try source(model, hasLazies: true) }

  private func source(_ model: EntityModel, hasLazies: Bool) throws -> String {
    let number = model.number
    // A unit's changes go to its own transaction first: then the table has them.
    if context.kind == .unit {
      if context.hasChanges { try context.saving.flush(isForQuery: true) }
      // A unique value that changes hands is not in the row that is to lose it.
      return try context.rows?.uniqueness.sourceWithDisplaced(model) ?? model.table
    }
    let base = try context.lineage.parent?.overlay.source(model, hasLazies: hasLazies) ?? model.table
    if context.unsaved.changed[number].isEmpty && context.unsaved.pending[number].isNeutral { return base }
    try overlay(model)
    return context.unsaved.pending[number].isOverlaid ? overlaid(model, base, hasLazies: hasLazies) : base
  }

  /// Notes that a row's unsaved changes are others than the overlay has.
  ///
  /// - Parameters:
  ///   - leavesLists: Whether the row is in the same lists as before, or the kept lists know by other means.
  ///   - columns: The columns that may have other values; `nil` where the row may have come or gone.
  ///   - tellsQueries: Whether live queries are to hear of it: not of a row without unsaved changes, of which its commit
  ///     tells them.
  func rowPending(
    _ model: EntityModel, _ pk: Int64, leavesLists: Bool = false, columns: ColumnMask? = nil, tellsQueries: Bool = true
  ) {
    let columns = columns.map(model.withDerived)
    if !leavesLists, !context.unsaved.keptLists.isEmpty {
      context.unsaved.keptLists.drop(model.number)
      context.lists.dropListsIfSaved()
    }
    if !context.loaded.prefetched.hasNoLists { context.loaded.prefetched.rowPending(model, columns: columns) }
    // A unit has no overlay, no live queries and no children.
    guard context.kind == .main else { return }
    if tellsQueries, !context.news.liveQueries.isEmpty { context.news.liveQueries.noteEdit(model.number, pk, columns) }
    context.unsaved.pending[model.number].changed.insert(pk)
    if !context.lineage.children.isEmpty {
      for child in context.lineage.children.live { child.family.parentChanged(model, pk, columns) }
    }
  }

  /// A transaction that may have written to the overlay was rolled back, and the overlay with it.
  func overlayRolledBack() {
    // Those that are neutral may have become so in the transaction.
    for number in context.unsaved.pending.indices { context.unsaved.pending[number].isDoubtful = true }
    for child in context.lineage.children.live { child.overlay.overlayRolledBack() }
  }

  /// - Parameter base: The source that the unsaved changes lie over.
  private func overlaid(_ model: EntityModel, _ base: String, hasLazies: Bool) -> String {
    let columns = Self.columns(model)
    var (below, above) = (columns, columns)
    for index in hasLazies ? model.lazy.indices : ColumnMask().indices {
      let name = model.properties[index].name.quoted
      below += ", \(name)"
      // One that was not set here is in no overlay.
      above += ", CASE WHEN \(Self.presence(model, index)) THEN \(name) "
      above += "ELSE (SELECT b.\(name) FROM \(base) AS b WHERE b._pk = o._pk) END AS \(name)"
    }
    return "(SELECT \(below) FROM \(base) WHERE _pk NOT IN (SELECT _pk FROM \(table(model)))"
      + " UNION ALL SELECT \(above) FROM \(table(model))\(hasLazies ? " AS o" : "") WHERE _hidden = 0)"
  }

  /// Brings the temporary table up to date with the rows that changed since it last was.
  private func overlay(_ model: EntityModel) throws {
    let number = model.number
    let table = table(model)
    if context.unsaved.pending[number].isDoubtful {
      try context.connection.execute("DROP TABLE IF EXISTS \(table)")
      context.unsaved.pending[number] = PendingRows(changed: Set(context.unsaved.changed[number].all.lazy.map(\.key)))
    }
    if context.unsaved.changed[number].isEmpty {
      if context.unsaved.pending[number].isOverlaid { try context.connection.execute("DELETE FROM \(table)") }
      context.unsaved.pending[number] = PendingRows()
      return
    }
    if !context.unsaved.pending[number].isOverlaid {
      try makeTable(model)
      context.unsaved.pending[number].isOverlaid = true
    }
    try writeRows(model, context.unsaved.pending[number].changed)
    context.unsaved.pending[number].changed = []
  }

  /// Makes the temporary table of an entity, with the indexes of the entity's own.
  private func makeTable(_ model: EntityModel) throws {
    let name = overlayName(model)
    // The same declared types, for the same affinity in comparisons.
    let columns =
      ["_pk INTEGER PRIMARY KEY", "_edited TEXT", "_placeholder INTEGER", "_hidden INTEGER"]
      + model.stored.indices.map { model.properties[$0].name.quoted + " " + model.properties[$0].sqlType }
      + model.lazy.indices.map { "\(Self.presence(model, $0)) INTEGER" }
    try context.connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS \(name.quoted) (\(columns.joined(separator: ", ")))")
    for property in model.properties where property.isIndexed || property.isUnique {
      var columns = property.name.quoted
      // One pair is found however many unsaved ones either side has.
      if model.isLinks { columns += ", " + model.properties[1 - property.index].name.quoted }
      try context.connection.execute(
        "CREATE INDEX IF NOT EXISTS temp.\("\(name),\(property.name)".quoted) ON \(name.quoted) (\(columns))")
    }
    for index in model.indexes {
      try context.connection.execute(
        "CREATE INDEX IF NOT EXISTS temp.\("\(name)\(index.suffix)".quoted) ON \(name.quoted) "
          + "(\(index.list))\(index.condition.map { " WHERE \($0)" } ?? "")")
    }
  }

  /// Writes changed rows to the temporary table, and takes out of it those that are changed no longer.
  private func writeRows(_ model: EntityModel, _ pks: Set<Int64>) throws {
    let table = table(model)
    let remove = try context.connection.prepare("DELETE FROM \(table) WHERE _pk = ?")
    let columns =
      ["_pk", "_edited", "_placeholder", "_hidden"] + model.stored.indices.map { model.properties[$0].name.quoted }
      + model.lazy.indices.map { Self.presence(model, $0) }
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    let insert = try context.connection.prepare(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
    for pk in pks {
      guard let object = context.unsaved.changed[model.number][pk] else {
        try remove.run([.integer(pk)])
        continue
      }
      // Loaded before the row is taken: stale values are older than the table.
      let state = object._$state
      context.observers.catchUp(state)
      if state.life == .fault || !state.stale.isEmpty { try context.reading.load(object) }
      let lazies = state.isInserted ? model.lazy : model.lazy.intersection(state.unsaved)
      let values = object.values(model.stored.subtracting(model.lazy).union(lazies))
      try remove.run([.integer(pk)])
      try insert.run(
        [
          .integer(pk),
          model.names(EditMarks(known: state.edited, isNew: state.flags.contains(.madeHere))),
          .integer(state.flags.contains(.placeholder) ? 1 : 0),
          .integer(state.isGone ? 1 : 0),
        ] + model.stored.indices.map { values[$0] }
          + model.lazy.indices.map { .integer(lazies.contains($0) ? 1 : 0) })
    }
  }

  /// The name of the temporary table of unsaved rows.
  func overlayName(_ model: EntityModel) -> String {
    context.family.isChild ? "_pending,\(context.lineage.overlayNumber),\(model.name)" : "_pending_\(model.name)"
  }

  private func table(_ model: EntityModel) -> String { "temp.\(overlayName(model).quoted)" }

  private static func columns(_ model: EntityModel) -> String {
    (["_pk", "_edited", "_placeholder"]
      + model.stored.subtracting(model.lazy).indices.map { model.properties[$0].name.quoted })
      .joined(separator: ", ")
  }

  /// The column of an overlay that says whether it has a lazy value of the row.
  private static func presence(_ model: EntityModel, _ lazy: Int) -> String {
    "_has,\(model.properties[lazy].name)".quoted
  }
}

/// The unsaved changes that a fetch must know: the rows that changed since they were last written to the overlay table.
struct PendingRows {
  var changed: Set<Int64> = []
  /// Whether the overlay table has rows, or may have.
  var isOverlaid = false
  /// Whether the overlay table may be another one than was written.
  var isDoubtful = false
  /// Whether there is an index of the overlay's words.
  var isSearched = false

  var isNeutral: Bool { changed.isEmpty && !isOverlaid && !isDoubtful }
}
