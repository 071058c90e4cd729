// Unsaved changes take part in a full-text search: the rows that lie over a table have an index of their own, which is made
// with the first search over them.

extension EntityContext {
  /// The index of an entity's table.
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery` where the file has none, or another one, and is only read.
  func tableIndex(_ model: EntityModel, _ search: SearchModel) throws -> [SearchLayer] {
    guard !core.unsearchable.contains(model.name) else {
      throw StoreError(
        .invalidQuery,
        "The file at \(core.location) was opened only to be read, and has no index for the full-text search of "
          + "'\(model.name)', or one of other texts or another tokenizer. Open it once to write it.")
    }
    return [SearchLayer(search)]
  }

  /// The indexes to search, those of unsaved rows over those of the rows that they hide.
  func searchLayers(_ model: EntityModel, _ search: SearchModel) throws -> [SearchLayer] {
    guard kind != .unit else { return try tableIndex(model, search) }
    let isOverlaid = try source(model) != (parent?.source(model) ?? model.table)
    let below = try parent?.searchLayers(model, search) ?? tableIndex(model, search)
    guard isOverlaid else { return below }
    let overlay = overlayName(model)
    let name = SearchModel.prefix + overlay
    if !pending[model.number].isSearched {
      try connection.execute("DROP TABLE IF EXISTS temp.\(name.quoted)")
      for event in ["insert", "delete", "update"] {
        try connection.execute("DROP TRIGGER IF EXISTS temp.\("\(name),\(event)".quoted)")
      }
      for sql in search.ddl(name, of: overlay, isTemporary: true) { try connection.execute(sql) }
      try connection.execute(SearchModel.rebuild(name, isTemporary: true))
      pending[model.number].isSearched = true
    }
    return below.map { $0.under("temp.\(overlay.quoted)") } + [SearchLayer(name, in: "temp")]
  }
}
