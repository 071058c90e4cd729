// A full-text search includes unsaved changes: the overlay of a table has an index of its own. The first search over
// unsaved changes makes it.

extension ContextOverlay {
  /// The index of the entity's own table.
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery` if the file is open only for reading and its index is missing or
  ///   outdated.
  func tableIndex(_ model: EntityModel, _ search: SearchModel) throws -> [SearchLayer] {
    guard !context.core.unsearchable.contains(model.name) else {
      throw StoreError(
        .invalidQuery,
        "The file at \(context.core.location) was opened only to be read, and has no index for the full-text search of "
          + "'\(model.name)', or one of other texts or another tokenizer. Open it once to write it.")
    }
    return [SearchLayer(search)]
  }

  /// The indexes to search: those of unsaved rows lie over those of the rows that they hide.
  func searchLayers(_ model: EntityModel, _ search: SearchModel) throws -> [SearchLayer] {
    guard context.kind != .unit else { return try tableIndex(model, search) }
    let isOverlaid = try source(model) != (context.lineage.parent?.overlay.source(model) ?? model.table)
    let below = try context.lineage.parent?.overlay.searchLayers(model, search) ?? tableIndex(model, search)
    guard isOverlaid else { return below }
    let overlay = overlayName(model)
    let name = SearchModel.prefix + overlay
    if !context.unsaved.pending[model.number].isSearched {
      try context.connection.execute("DROP TABLE IF EXISTS temp.\(name.quoted)")
      for event in ["insert", "delete", "update"] {
        try context.connection.execute("DROP TRIGGER IF EXISTS temp.\("\(name),\(event)".quoted)")
      }
      for sql in search.ddl(name, of: overlay, isTemporary: true) { try context.connection.execute(sql) }
      try context.connection.execute(SearchModel.rebuild(name, isTemporary: true))
      context.unsaved.pending[model.number].isSearched = true
    }
    return below.map { $0.under("temp.\(overlay.quoted)") } + [SearchLayer(name, in: "temp")]
  }
}
