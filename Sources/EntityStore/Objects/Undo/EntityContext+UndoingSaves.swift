extension EntityContext {
  /// Undoes and redoes the saves of the main context. It is off until it has a limit: see ``SaveUndoManager/limit``.
  public var undoManager: SaveUndoManager {
    if let saveUndo { return saveUndo }
    let manager = SaveUndoManager(self)
    saveUndo = manager
    return manager
  }

  /// The steps of one undo or redo, on their way to the writer.
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
    try core.blockingUnit(from: id) { try way.go($0) }
    went(way, direction, manager)
    return true
  }

  nonisolated(nonsending) func goBackWhenFree(
    _ direction: SaveUndoManager.Direction, _ manager: SaveUndoManager
  ) async throws -> Bool {
    while isSaving { await withCheckedContinuation { saveWaiters.append($0) } }
    guard let way = try way(direction, manager) else { return false }
    isSaving = true
    defer { endSaving() }
    do {
      try await core.unit(from: id) { try way.go($0) }
    } catch {
      throw atCaller(error)
    }
    went(way, direction, manager)
    return true
  }

  /// - Returns: `nil` where there is nothing to undo or redo.
  private func way(_ direction: SaveUndoManager.Direction, _ manager: SaveUndoManager) throws -> Way? {
    guard !isDetached else { throw detachment }
    // Another context may have emptied the store.
    try merge()
    guard !manager.isGrouping else {
      throw StoreError(.wrongContext, "A group of saves is open: end it with `endGroup()` first.")
    }
    guard let images = manager.images(direction) else { return nil }
    guard !hasChanges, inFlight.isEmpty, !isSaving else {
      throw StoreError(
        .unsavedChanges,
        "The context has changes that are not saved. Save them or roll them back, and then undo or redo.")
    }
    // Objects that came and went since the last save.
    discarded = []
    return Way(
      images: images, sending: sending(images), author: author, box: SaveImageBox(bytes: manager.limit.bytes))
  }

  /// The rows among those of images whose objects have edits under way to the server.
  private func sending(_ images: [SaveImage]) -> Set<RowKey> {
    var sending: Set<RowKey> = []
    for image in images {
      for row in image.rows where isSending(row.key) { sending.insert(row.key) }
      // A pair alone may be changed: it is sent with the objects that have it.
      for row in image.rows where core.schema.entities[row.key.entity].isLinks {
        sending.formUnion(ends(row, image).filter(isSending))
      }
    }
    return sending
  }

  private func isSending(_ key: RowKey) -> Bool {
    if let state = objects[key.entity][key.pk]?._$state, state.sent.contains(where: { !$0.isOver }) { return true }
    return children.live.contains { $0.isSending(key) }
  }

  private func ends(_ row: SaveImage.Row, _ image: SaveImage) -> [RowKey] {
    let table = ImageTable(core.schema.entities[row.key.entity], image.columns[row.key.entity] ?? [])
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
    try? merge()
    // A commit of many rows names none of them.
    for image in way.images {
      for row in image.rows {
        switch row.change {
        case .deleted: revive(core.schema.entities[row.key.entity], row.key.pk)
        case .updated(let cells): noteUndone(row.key, cells, image)
        case .inserted: break
        }
      }
    }
    deliver()
    if !children.isEmpty { deliverLater() }
  }

  /// Columns have their former values: an edit that was made meanwhile does not meet somebody else's.
  private func noteUndone(_ key: RowKey, _ cells: [SaveImage.Cell], _ image: SaveImage) {
    guard let state = objects[key.entity][key.pk]?._$state, !state.bases.isEmpty else { return }
    let table = ImageTable(state.model, image.columns[key.entity] ?? [])
    for cell in cells { if let index = table.properties[cell.column] { state.addOwn(cell.before, of: index) } }
  }

  /// The row of an object that was deleted is there again.
  private func revive(_ model: EntityModel, _ pk: Int64) {
    // A later unit may have deleted it again.
    if let object = objects[model.number][pk], object._$state.life == .deleted, isInTable(object._$state) {
      rowIsBack(object)
    }
    for child in children.live { child.revive(model, pk) }
  }
}
