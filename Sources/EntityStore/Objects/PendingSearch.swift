// Unsaved changes take part in a full-text search: the rows that lie over a table have an index of their own, which is made
// with the first search over them.

extension EntityContext {
  /// The indexes to search, those of unsaved rows over those of the rows that they hide.
  func searchLayers(_ model: EntityModel, _ search: SearchModel) throws -> [SearchLayer] {
    let isOverlaid = try source(model) != (parent?.source(model) ?? model.table)
    let below = try parent?.searchLayers(model, search) ?? [SearchLayer(search)]
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
