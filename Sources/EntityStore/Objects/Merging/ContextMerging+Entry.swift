extension ContextMerging {
  /// Runs a read of the database: one short read transaction, nested reads within it.
  ///
  /// In the main context, the generation is read first, and exactly the summaries up to it are merged. So objects and
  /// rows are of the same moment. No snapshot is held between entries, so the write-ahead log can be reset. Observers
  /// hear of the merged commits in a later turn of the main actor; see ``ContextObservers/tellLater(from:)``.
  ///
  /// - Parameter isGetter: `true` while a property is being read. A getter can't throw, so an earlier error waits for a
  ///   call that can.
  func entry<T>(isGetter: Bool = false, _ body: () throws -> T) throws -> T {
    guard !context.saves.isOver else { throw StoreError.contextIsOver }
    if context.kind == .main, context.core.phase == .closed { throw StoreError.closed(context.core.location) }
    if !isGetter { try context.saving.throwDeferredError() }
    if let parent = context.lineage.parent {
      defer { context.observers.deliver() }
      return try parent.merging.entry(isGetter: true) {
        context.news.entryDepth += 1
        defer { context.news.entryDepth -= 1 }
        if context.news.entryDepth == 1 { try context.lists.keepEditedLists() }
        return try body()
      }
    }
    if context.news.entryDepth > 0 || context.kind != .main {
      try context.rows?.checkOpen()
      context.news.entryDepth += 1
      defer {
        context.news.entryDepth -= 1
        if context.news.entryDepth == 0 {
          context.observers.noteUse()
          if !context.saves.due.awakening.isEmpty { context.saving.awake() }
        }
      }
      return try body()
    }
    context.news.entryDepth = 1
    defer {
      context.news.entryDepth = 0
      context.observers.deliver()
      if !context.lineage.children.isEmpty { context.family.deliverToChildren() }
      context.observers.noteUse()
    }
    try context.connection.begin("DEFERRED")
    do {
      try mergeCommits()
      // If the file's history can't be read, the merge goes on without it. The error may have made SQLite end the
      // transaction.
      try context.connection.checkTransaction()
      let result = try body()
      try context.connection.commit()
      return result
    } catch {
      context.connection.rollback()
      context.overlay.overlayRolledBack()
      throw error
    }
  }

  /// Brings the objects up to date with everything that was committed, and tells their observers. It does not throw an
  /// earlier error: that waits for another call. No getter calls it.
  func merge() throws {
    defer { context.observers.tellMore() }
    try entry(isGetter: true) {}
  }

  private func mergeCommits() throws {
    let generation = try context.connection.generation()
    let isBehind = generation != context.news.mergedGeneration
    // Changes of this context that its caller is about to tell of.
    let own = context.news.notifications.count
    // Also where the lists can't be read: no other merge has this news.
    defer { if isBehind { context.observers.tellLater(from: own) } }
    if isBehind { mergeCommits(upTo: generation) }
    // Lists may be left from before: after a read that failed, or a save that gave its changes back.
    try context.lists.keepEditedLists()
  }

  private func mergeCommits(upTo generation: Int64) {
    context.reading.drop()
    context.loaded.streaks.end()
    var news = context.core.summaries.drain(after: context.news.mergedGeneration, upTo: generation)
    // Reads commits of other processes from the file's history, unless the context has merged nothing yet.
    if news.hasUnknown, context.news.mergedGeneration > 0 {
      news = news.completed(
        by: HistoryLog(connection: context.connection, schema: context.core.schema),
        after: context.news.mergedGeneration)
    }
    takeOver(news, CommitSummary.crowded(news.summaries, of: context.lineage.id), upTo: generation)
    // Summaries do not report a replacement of all rows: a joined summary would lose it, and the file's history has
    // only rows.
    if let saveUndo = context.saves.saveUndo, let age = try? context.connection.age() { saveUndo.noteAge(age) }
    context.observers.noteUse(Rounds.interval)
  }

  /// Takes over commits, and lets the children take them over.
  ///
  /// - Parameter crowded: The entities with too many changed rows to name each.
  func takeOver(_ news: CommitNews, _ crowded: Set<Int>, upTo generation: Int64) {
    for entity in crowded { context.observers.markAllStale(context.core.schema.entities[entity]) }
    context.news.isTakingOver = true
    for summary in news.summaries { apply(summary, without: crowded) }
    context.news.isTakingOver = false
    // Unknown commits: by another process, or from before this context began.
    if news.hasUnknown {
      for entity in context.core.schema.entities { context.observers.markAllStale(entity) }
    }
    context.news.mergedGeneration = generation
    context.news.liveQueries.note(news, crowded, in: self.context)
    for child in context.lineage.children.live { child.family.parentMerged(news, crowded, upTo: generation) }
  }
}
