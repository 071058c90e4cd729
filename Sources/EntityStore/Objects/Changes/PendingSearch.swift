// Unsaved changes take part in a full-text search: the rows that lie over a table have an index of their own, which is made
// with the first search over them.

extension ContextOverlay {
  /// The index of an entity's table.
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery` where the file has none, or another one, and is only read.
  func tableIndex(_ model: EntityModel, _ search: SearchModel) throws -> [SearchLayer] {
    guard !context.core.unsearchable.contains(model.name) else {
      throw StoreError(
        .invalidQuery,
        "The file at \(context.core.location) was opened only to be read, and has no index for the full-text search of "
          + "'\(model.name)', or one of other texts or another tokenizer. Open it once to write it.")
    }
    return [SearchLayer(search)]
  }

  /// The indexes to search, those of unsaved rows over those of the rows that they hide.
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
