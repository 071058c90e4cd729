extension EntityContext {
  /// Undoes and redoes the saves of the main context. It does nothing until it has a limit: see
  /// ``SaveUndoManager/limit``.
  public var undoManager: SaveUndoManager {
    if let saveUndo = saves.saveUndo { return saveUndo }
    let manager = SaveUndoManager(self)
    saves.saveUndo = manager
    return manager
  }
}

/// The undo and redo of the saves of a context.
struct ContextUndoing {
  let context: EntityContext
}

extension ContextUndoing {
  /// One undo or redo on its way to the writer.
  private struct Way: Sendable {
    let images: [SaveImage]
    let sending: Set<RowKey>
    let author: String?
    let box: SaveImageBox

    func go(_ rows: RowWriter) throws {
      if let author { rows.author = author }
      rows.record(into: box)
      for image in images {
        var reversal = SaveReversal(rows, image, sending: sending)
        try reversal.run()
      }
      rows.afterCommit { [writer = rows.writer, box] in
        if case .image(let image) = box.content { writer.undone.add(image, limit: box.bytes) }
      }
    }
  }

  func goBack(_ direction: SaveUndoManager.Direction, _ manager: SaveUndoManager) throws -> Bool {
    guard let way = try way(direction, manager) else { return false }
    try context.core.blockingUnit(from: context.lineage.id) { try way.go($0) }
    went(way, direction, manager)
    return true
  }

  nonisolated(nonsending) func goBackWhenFree(
    _ direction: SaveUndoManager.Direction, _ manager: SaveUndoManager
  ) async throws -> Bool {
    while context.saves.isSaving { await withCheckedContinuation { context.saves.saveWaiters.append($0) } }
    guard let way = try way(direction, manager) else { return false }
    context.saves.isSaving = true
    defer { context.saving.endSaving() }
    do {
      try await context.core.unit(from: UnitOrigin(context: context.lineage.id)) { try way.go($0) }
    } catch {
      throw atCaller(error)
    }
    went(way, direction, manager)
    return true
  }

  /// - Returns: `nil` if there is nothing to undo or redo.
  private func way(_ direction: SaveUndoManager.Direction, _ manager: SaveUndoManager) throws -> Way? {
    guard !context.isDetached else { throw context.detachment }
    // The merge finds out whether another context has emptied the store.
    try context.merging.merge()
    guard !manager.isGrouping else {
      throw StoreError(.wrongContext, "A group of saves is open: end it with `endGroup()` first.")
    }
    guard let images = manager.images(direction) else { return nil }
    guard !context.hasChanges, context.saves.inFlight.isEmpty, !context.saves.isSaving else {
      throw StoreError(
        .unsavedChanges,
        "The context has changes that are not saved. Save them or roll them back, and then undo or redo.")
    }
    // Drops objects that were inserted and deleted since the last save.
    context.unsaved.discarded = []
    return Way(
      images: images, sending: sending(images), author: context.author, box: SaveImageBox(bytes: manager.limit.bytes))
  }

  /// The rows in images whose objects have edits in a request under way.
  private func sending(_ images: [SaveImage]) -> Set<RowKey> {
    var sending: Set<RowKey> = []
    for image in images {
      for row in image.rows where isSending(row.key) { sending.insert(row.key) }
      // Perhaps only a pair changed: it is sent with the objects that have it.
      for row in image.rows where context.core.schema.entities[row.key.entity].isLinks {
        sending.formUnion(ends(row, image).filter(isSending))
      }
    }
    return sending
  }

  private func isSending(_ key: RowKey) -> Bool {
    if let state = context.loaded.objects[key.entity][key.pk]?._$state, state.sent.contains(where: { !$0.isOver }) {
      return true
    }
    return context.lineage.children.live.contains { $0.undoing.isSending(key) }
  }

  private func ends(_ row: SaveImage.Row, _ image: SaveImage) -> [RowKey] {
    let table = ImageTable(context.core.schema.entities[row.key.entity], image.columns[row.key.entity] ?? [])
    let values: [StoredValue]
    switch row.change {
    case .inserted(let all), .deleted(let all): values = all
    case .updated: return []
    }
    let links = table.links(values)
    return links.mask.indices.compactMap { index in
      guard case .toOne(let target, _, _) = table.model.properties[index].kind else { return nil }
      return .init(entity: target, pk: links.link(index))
    }
  }

  private func went(_ way: Way, _ direction: SaveUndoManager.Direction, _ manager: SaveUndoManager) {
    manager.went(direction, way.images.first?.generation, way.box)
    try? context.merging.merge()
    // The summary of a large commit names no rows, so they are taken from the images.
    for image in way.images {
      for row in image.rows {
        switch row.change {
        case .deleted: revive(context.core.schema.entities[row.key.entity], row.key.pk)
        case .updated(let cells): noteUndone(row.key, cells, image)
        case .inserted: break
        }
      }
    }
    context.observers.deliver()
    if !context.lineage.children.isEmpty { context.family.deliverLater() }
  }

  /// Columns got their former values back. An unsaved edit of them is then no conflict with others.
  private func noteUndone(_ key: RowKey, _ cells: [SaveImage.Cell], _ image: SaveImage) {
    guard let state = context.loaded.objects[key.entity][key.pk]?._$state, !state.bases.isEmpty else { return }
    let table = ImageTable(state.model, image.columns[key.entity] ?? [])
    for cell in cells { if let index = table.properties[cell.column] { state.addOwn(cell.before, of: index) } }
  }

  /// The row of a deleted object exists again.
  private func revive(_ model: EntityModel, _ pk: Int64) {
    // Checked, because a later unit may have deleted the row again.
    if let object = context.loaded.objects[model.number][pk], object._$state.life == .deleted,
      context.merging.isInTable(object._$state)
    {
      context.merging.rowIsBack(object)
    }
    for child in context.lineage.children.live { child.undoing.revive(model, pk) }
  }
}
