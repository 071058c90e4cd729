// A commit with too many changed rows to name each, or a commit of another process, may have changed every row of an
// entity. The context does not visit all objects then. Each object finds out at its next use, and observers are told
// little by little.

/// The observers of a context's objects, and the turns in which they are told.
struct ContextObservers {
  let context: EntityContext
}

extension ContextObservers {
  /// Marks all objects of an entity stale. The cost depends only on the number of changed objects.
  func markAllStale(_ model: EntityModel) {
    context.news.epoch &+= 1
    context.news.markedEpochs[model.number] = context.news.epoch
    // For an edited object, the unsaved changes at this moment decide, so it catches up now.
    for object in context.unsaved.changed[model.number].all.values {
      context.loaded.rowsVisited += 1
      let state = object._$state
      catchUp(state)
      guard state.life != .deleted else { continue }
      context.overlay.rowPending(model, state.pk)
      context.lists.listsChanged(of: object, model.lists)
    }
    context.news.telling.beginAll(of: model.number)
  }

  /// Marks an object stale if its whole entity was marked stale since the object last caught up.
  func catchUp(_ state: ObjectState) {
    guard state.epoch != context.news.epoch else { return }
    let isMarked = context.news.markedEpochs[state.model.number] > state.epoch
    state.epoch = context.news.epoch
    guard isMarked, state.life != .deleted else { return }
    state.forgetRowValues(state.model.stored)
    state.stale.formUnion(state.model.stored.subtracting(state.unsaved).union(state.model.lists))
    state.staleAfterSave.formUnion(state.saving)
  }

  // MARK: Observers

  /// Whether a row has a registrar.
  func hasObservers(_ model: EntityModel, _ pk: Int64) -> Bool {
    context.news.observed.observers(model.number, pk) != nil
      || context.loaded.objects[model.number][pk]?._$state.observers != nil
  }

  /// Records that an object has a registrar.
  func keepTelling(_ state: ObjectState) {
    context.news.telling.add(state.pk, of: state.model.number) { pk in
      hasObservers(state.model, pk)
    }
  }

  /// Has the observers hear of merged commits in a later turn of the main actor.
  ///
  /// A read merges, and the read may be within the closure of `withObservationTracking`, as that of a view's body is. The
  /// observer of a value that the closure has read counts only when the closure has ended: it would miss a change that is
  /// told now.
  ///
  /// - Parameter own: The first of the notifications that the merge made.
  func tellLater(from own: Int) {
    // An object may outlive the store, which schedules the turns.
    guard context.core.store != nil else { return tellMore() }
    hold(from: own)
    let isOver =
      context.news.telling.isOver && context.news.held.isEmpty && context.lineage.children.isEmpty
      && context.saves.saveUndo?.hasNews != true
    if !isOver { scheduleTelling() }
  }

  private func hold(from own: Int) {
    context.news.held += context.news.notifications[own...]
    context.news.notifications.removeSubrange(own...)
    for child in context.lineage.children.live { child.observers.hold(from: 0) }
  }

  /// The turn of the main actor that ``tellLater(from:)`` or ``tellSome()`` has asked for.
  func goOnTelling() {
    context.news.telling.isScheduled = false
    tellMore()
  }

  /// Continues with the observers that ``tellLater(from:)`` and ``tellSome()`` left, here and in the children.
  func tellMore() {
    context.saves.saveUndo?.tellNews()
    if !context.news.telling.isOver { tellSome() }
    if !context.news.held.isEmpty {
      context.news.notifications = context.news.held + context.news.notifications
      context.news.held = []
    }
    deliver()
    for child in context.lineage.children.live { child.observers.tellMore() }
  }

  /// Tells some of the observers of stale objects; those that began to observe last come first. The other observers are
  /// told in later, short turns of the main actor.
  func tellSome() {
    // The store schedules the turns of its main context. An object may outlive the store.
    guard context.core.store != nil else {
      while !context.news.telling.isOver { tellSlice() }
      return
    }
    tellSlice()
    if !context.news.telling.isOver { scheduleTelling() }
  }

  private func scheduleTelling() {
    guard !context.family.root.news.telling.isScheduled, let store = context.core.store else { return }
    context.family.root.news.telling.isScheduled = true
    store.scheduleTelling()
  }

  private func tellSlice() {
    var left = Telling.slice
    while left > 0, let news = context.news.telling.next() {
      context.loaded.rowsVisited += 1
      left -= 1
      let model = context.core.schema.entities[news.entity]
      let known = context.loaded.objects[news.entity][news.pk]
      guard let observers = known?._$state.observers ?? context.news.observed.observers(news.entity, news.pk) else {
        if !context.lineage.children.isEmpty, let known { left -= tell(news, known) }
        continue
      }
      if news.isOfAll { context.news.telling.keep(news.pk, of: news.entity) }
      // Each object that was read has a registrar, but few have an observer.
      guard !context.lineage.children.isEmpty || context.news.observerQuestion.isObserved(observers.registrar) else {
        continue
      }
      left -= tell(news, known ?? context.reading.object(model, news.pk))
    }
  }

  /// - Returns: The number of notifications.
  private func tell(_ news: Telling.News, _ object: any ManagedEntity) -> Int {
    let state = object._$state
    if news.isOfAll {
      // A read may have found that the row is gone, and its own notice may have come too early for an observer that was reading.
      notifyLater(object, nil)
      guard state.life != .deleted else { return 1 }
    }
    guard let columns = news.columns else {
      notifyLater(object, nil)
      return 1
    }
    let mask = columns.subtracting(state.unsaved)
    for index in mask.indices { notifyLater(object, index) }
    return mask.count
  }
}

/// The rows whose observers have yet to hear of a change: of the row, or of the whole entity.
struct Telling {
  /// The change of a row.
  struct News {
    let entity: Int
    let pk: Int64
    /// The columns that changed; `nil` for a deletion.
    let columns: ColumnMask?
    /// Whether the whole entity may have changed. Then the row may also be deleted.
    var isOfAll = false
  }

  /// The largest number of notifications in a turn, unless one object alone has more: some milliseconds.
  static let slice = 2_048
  /// A shorter list is not cleared.
  private static let fewest = 16_384

  /// The rows that have a registrar, by entity. Some may be gone.
  private var rows: [RowIndex]
  private var limits: [Int]
  /// The rows of whole entities to tell of.
  private var queue: [(entity: Int, rows: [Int64])] = []
  /// Changes of single rows, which are told first.
  private var news: [News] = []
  /// How many elements of `news` were told.
  private var told = 0
  /// The properties of each entity.
  private let columns: [ColumnMask]

  /// - Parameter columns: The properties of each entity.
  init(_ columns: [ColumnMask]) {
    let entities = columns.count
    self.columns = columns
    rows = Array(repeating: RowIndex(), count: entities)
    limits = Array(repeating: Self.fewest, count: entities)
    hands = Array(repeating: 0, count: entities)
  }

  /// Whether a turn of the main actor is scheduled to continue.
  var isScheduled = false

  var isOver: Bool { queue.isEmpty && news.isEmpty }

  mutating func add(_ new: News) { news.append(new) }

  /// - Parameter isObserved: Returns whether a row has a registrar.
  mutating func add(_ pk: Int64, of entity: Int, where isObserved: (Int64) -> Bool) {
    // A row that is read again and again, through one object after the other, is listed once.
    guard rows[entity].add(pk).isNew else { return }
    // Rows without a registrar are removed when the list has become four times as long. This costs a third of a look-up
    // for each added row.
    guard rows[entity].pks.count > limits[entity] else { return }
    rows[entity].replace(with: rows[entity].pks.filter(isObserved))
    limits[entity] = max(Self.fewest, rows[entity].pks.count * 4)
  }

  // MARK: Rounds

  /// The current round has yet to look at the rows before this index, by entity; 0 where no round runs.
  private var hands: [Int]

  func isInRound(_ entity: Int) -> Bool { hands[entity] > 0 }

  /// Begins a round if many more rows are listed than have a registrar.
  mutating func beginRound(_ entity: Int, of observed: Int) {
    if !isInRound(entity), rows[entity].pks.count > 1_024 + observed * 4 { hands[entity] = rows[entity].pks.count }
  }

  /// Continues the round.
  ///
  /// - Parameter most: The largest number of rows to look at.
  /// - Returns: How many rows were looked at.
  mutating func goOn(_ entity: Int, _ most: Int, where isObserved: (Int64) -> Bool) -> Int {
    var seen = 0
    hands[entity] = min(hands[entity], rows[entity].pks.count)
    while hands[entity] > 0, seen < most {
      hands[entity] -= 1
      seen += 1
      guard !isObserved(rows[entity].pks[hands[entity]]) else { continue }
      rows[entity].remove(at: hands[entity])
    }
    if hands[entity] == 0, rows[entity].isRoomy {
      rows[entity].replace(with: rows[entity].pks)
      limits[entity] = max(Self.fewest, rows[entity].pks.count * 4)
    }
    return seen
  }

  /// How many rows of an entity the next change of the whole entity tells of.
  func count(_ entity: Int) -> Int { rows[entity].pks.count }

  /// Keeps a row in the list of its entity.
  mutating func keep(_ pk: Int64, of entity: Int) { _ = rows[entity].add(pk) }

  mutating func beginAll(of entity: Int) {
    guard !rows[entity].pks.isEmpty else { return }
    queue.append((entity, rows[entity].pks))
    // `keep` puts each row back when it is told.
    rows[entity] = RowIndex()
  }

  mutating func next() -> News? {
    if told < news.count {
      let next = news[told]
      told += 1
      if told == news.count { (news, told) = ([], 0) }
      return next
    }
    while let entity = queue.first?.entity {
      if let pk = queue[0].rows.popLast() {
        if queue[0].rows.isEmpty { queue.removeFirst() }
        return News(entity: entity, pk: pk, columns: columns[entity], isOfAll: true)
      }
      queue.removeFirst()
    }
    return nil
  }
}
