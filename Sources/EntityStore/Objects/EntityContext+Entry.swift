import Observation

extension EntityContext {
  /// Runs a read of the database: one short read transaction, nested reads within it.
  ///
  /// In the main context the generation is read first and the summaries up to just that one are merged, so that objects
  /// and rows are of one moment. No snapshot is held between entries, so the log of the database can be reset.
  ///
  /// - Parameter isGetter: Whether a property is being read, which throws nothing: an earlier error waits for a call
  ///   that can.
  func entry<T>(isGetter: Bool = false, _ body: () throws -> T) throws -> T {
    guard !isOver else { throw Self.over }
    if kind == .main, core.phase == .closed { throw StoreError.closed(core.location) }
    if !isGetter { try throwDeferredError() }
    if let parent {
      defer { deliver() }
      return try parent.entry(isGetter: true) {
        entryDepth += 1
        defer { entryDepth -= 1 }
        if entryDepth == 1 { try keepEditedLists() }
        return try body()
      }
    }
    if entryDepth > 0 || kind != .main {
      try rows?.checkOpen()
      entryDepth += 1
      defer {
        entryDepth -= 1
        if entryDepth == 0 {
          noteUse()
          if !due.awakening.isEmpty { awake() }
        }
      }
      return try body()
    }
    entryDepth = 1
    defer {
      entryDepth = 0
      deliver()
      if !children.isEmpty { deliverToChildren() }
      noteUse()
    }
    try connection.begin("DEFERRED")
    do {
      try mergeCommits()
      // A merge goes on without a log that it can't read, and SQLite may have ended the transaction with that.
      try connection.checkTransaction()
      let result = try body()
      try connection.commit()
      return result
    } catch {
      connection.rollback()
      overlayRolledBack()
      throw error
    }
  }

  /// Brings the objects up to date with all that was committed. An earlier error is none of its business, and waits for
  /// the call that it belongs to.
  func merge() throws { try entry(isGetter: true) {} }

  private func mergeCommits() throws {
    let generation = try connection.generation()
    if generation != mergedGeneration { mergeCommits(upTo: generation) }
    // Lists may have been left over: by a read that failed, or by a save that gave its changes back.
    try keepEditedLists()
  }

  private func mergeCommits(upTo generation: Int64) {
    keptLists.dropAll()
    prefetched.dropAll()
    streaks.end()
    var news = core.summaries.drain(after: mergedGeneration, upTo: generation)
    // Commits of other processes, unless there is nothing yet that they could be merged into.
    if news.hasUnknown, mergedGeneration > 0 {
      news = news.completed(by: HistoryLog(connection: connection, schema: core.schema), after: mergedGeneration)
    }
    takeOver(news, CommitSummary.crowded(news.summaries, of: id), upTo: generation)
    // No summary tells of a replacement: one of many commits may be lost in it, and the log of the file has only rows.
    if let saveUndo, let age = try? connection.age() { saveUndo.noteAge(age) }
    noteUse(Rounds.interval)
  }

  /// Takes over commits, and has the children take them over.
  ///
  /// - Parameter crowded: The entities of which too many rows changed to name them.
  func takeOver(_ news: CommitNews, _ crowded: Set<Int>, upTo generation: Int64) {
    for entity in crowded { markAllStale(core.schema.entities[entity]) }
    isTakingOver = true
    for summary in news.summaries { apply(summary, without: crowded) }
    isTakingOver = false
    // Commits that nobody here summed up: by another process, or before the log was read.
    if news.hasUnknown {
      for entity in core.schema.entities { markAllStale(entity) }
    }
    mergedGeneration = generation
    liveQueries.note(news, crowded, in: self)
    if !telling.isOver { tellSome() }
    for child in children.live { child.parentMerged(news, crowded, upTo: generation) }
  }

  // MARK: Observation

  /// The registrar to tell that a property of an object was read. Only the main context has observers.
  func observer(of state: ObjectState) -> ObservationRegistrar? {
    // An object that stands for a missing target has no row that could change.
    guard kind == .main, state.pk != 0 else { return nil }
    if let registrar = state.registrar { return registrar }
    let observers = RowObservers()
    state.observers = observers
    observed.keep(observers, state.model.number, state.pk)
    keepTelling(state)
    return observers.registrar
  }

  /// - Parameter property: `nil` tells of the deletion.
  func notifyLater(_ object: any ManagedEntity, _ property: Int?) {
    if !children.isEmpty {
      for child in children.live { child.parentTold(object._$state.model, object._$state.pk, property) }
    }
    guard object._$state.observers != nil else { return }
    notifications.append(Notification(object: object, news: property.map { .property($0) } ?? .deletion))
  }

  /// A request begins or ends to carry edits of an object.
  func tellSending(_ object: any ManagedEntity) {
    guard object._$state.observers != nil else { return }
    notifications.append(Notification(object: object, news: .sending))
    deliver()
  }

  /// Tells observers. They may call back: nothing is held here, and changes that they make are delivered too.
  func deliver() {
    guard entryDepth == 0, parent == nil || root.entryDepth == 0 else { return }
    if !due.awakening.isEmpty { awake() }
    while !notifications.isEmpty {
      let batch = notifications
      notifications = []
      for notification in batch {
        let state = notification.object._$state
        guard let registrar = state.registrar else { continue }
        switch notification.news {
        case .property(let property): state.model.notify(notification.object, property, registrar)
        case .deletion: state.model.notifyDeleted(notification.object, registrar)
        case .sending: state.model.notifySent(notification.object, registrar)
        }
      }
    }
  }
}
