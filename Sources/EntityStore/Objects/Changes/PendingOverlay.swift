// Queries include unsaved changes: a temporary table with the changes lies over the entity's own table. So SQLite alone
// decides, by its own rules, which objects a query finds and in which order.

/// The temporary tables with a context's unsaved values. Its queries see these values in place of the rows.
struct ContextOverlay {
  let context: EntityContext
}

extension ContextOverlay {
  /// The source to select an entity's rows from: its table, with this context's unsaved changes over it, if there are
  /// any. In a unit, the source also has the unique values that rows are about to give up.
  ///
  /// A source with unsaved changes leaves lazy values out, because SQLite may build all columns of such a source for
  /// each row.
  func source(_ model: EntityModel) throws -> String { try source(model, hasLazies: false) }

  /// Like ``source(_:)``, with the lazy values: for a query that names one, and for an app's SQL, which may name one.
  func lazySource(_ model: EntityModel) throws -> String { try source(model, hasLazies: true) }

  private func source(_ model: EntityModel, hasLazies: Bool) throws -> String {
    let number = model.number
    // A unit sends its changes to its own transaction first, so that the table has them.
    if context.kind == .unit {
      if context.hasChanges { try context.saving.flush(isForQuery: true) }
      // The row that is to lose a unique value no longer has it in the table.
      return try context.rows?.uniqueness.sourceWithDisplaced(model) ?? model.table
    }
    let base = try context.lineage.parent?.overlay.source(model, hasLazies: hasLazies) ?? model.table
    if context.unsaved.changed[number].isEmpty && context.unsaved.pending[number].isNeutral { return base }
    try overlay(model)
    return context.unsaved.pending[number].isOverlaid ? overlaid(model, base, hasLazies: hasLazies) : base
  }

  /// Records that the unsaved changes of a row differ from the overlay.
  ///
  /// - Parameters:
  ///   - leavesLists: Whether the row stays in its lists, or the kept lists are updated by other code.
  ///   - columns: The columns that may have changed; `nil` where the row may have been inserted or deleted.
  ///   - tellsQueries: Whether to tell live queries. Not needed for a row without unsaved changes that a commit
  ///     changed, because the commit tells them.
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

  /// A transaction was rolled back, and with it its changes of the overlay.
  func overlayRolledBack() {
    // This includes neutral tables, which may have become neutral in the transaction.
    for number in context.unsaved.pending.indices { context.unsaved.pending[number].isDoubtful = true }
    for child in context.lineage.children.live { child.overlay.overlayRolledBack() }
  }

  /// - Parameter base: The source below the unsaved changes.
  private func overlaid(_ model: EntityModel, _ base: String, hasLazies: Bool) -> String {
    let columns = Self.columns(model)
    var (below, above) = (columns, columns)
    for index in hasLazies ? model.lazy.indices : ColumnMask().indices {
      let name = model.properties[index].name.quoted
      below += ", \(name)"
      // A lazy value that was not set here is not in the overlay.
      above += ", CASE WHEN \(Self.presence(model, index)) THEN \(name) "
      above += "ELSE (SELECT b.\(name) FROM \(base) AS b WHERE b._pk = o._pk) END AS \(name)"
    }
    return "(SELECT \(below) FROM \(base) WHERE _pk NOT IN (SELECT _pk FROM \(table(model)))"
      + " UNION ALL SELECT \(above) FROM \(table(model))\(hasLazies ? " AS o" : "") WHERE _hidden = 0)"
  }

  /// Updates the temporary table with the rows that changed since the last update.
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

  /// Makes the temporary table of an entity, with the same indexes as the entity's table.
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
      // Two columns, so that one pair is found quickly even if both sides have many unsaved pairs.
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

  /// Writes changed rows to the temporary table, and removes rows that are no longer changed.
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
      // Loaded first: stale values of the object are older than those in the table.
      let state = object._$state
      context.observers.catchUp(state)
      if state.life == .unloaded || !state.stale.isEmpty { try context.reading.load(object) }
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

  /// The column of an overlay that tells whether the overlay has the row's lazy value.
  private static func presence(_ model: EntityModel, _ lazy: Int) -> String {
    "_has,\(model.properties[lazy].name)".quoted
  }
}

/// The state of an entity's overlay table, with the rows that changed since the table was last written.
struct PendingRows {
  var changed: Set<Int64> = []
  /// Whether the overlay table has rows, or may have.
  var isOverlaid = false
  /// Whether the overlay table may differ from what was last written.
  var isDoubtful = false
  /// Whether the overlay table has a full-text index.
  var isSearched = false

  var isNeutral: Bool { changed.isEmpty && !isOverlaid && !isDoubtful }
}
