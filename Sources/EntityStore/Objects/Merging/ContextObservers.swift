// A commit that changed too many rows to name them, or one of another process, may have changed every row of an entity. The
// objects are not gone through for that: each one finds out when it is next used, and who observes one is told by and by.

/// Those who observe the objects of a context, and the turns in which they are told.
struct ContextObservers {
  let context: EntityContext
}

extension ContextObservers {
  /// Marks all objects of an entity stale. The cost is that of the changed ones.
  func markAllStale(_ model: EntityModel) {
    context.news.epoch &+= 1
    context.news.markedEpochs[model.number] = context.news.epoch
    // For an edited object the changes that are unsaved at this moment count.
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

  /// Marks an object stale where all of its entity was since it last was asked.
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

  /// Whether there is a registrar for a row.
  func hasObservers(_ model: EntityModel, _ pk: Int64) -> Bool {
    context.news.observed.observers(model.number, pk) != nil
      || context.loaded.objects[model.number][pk]?._$state.observers != nil
  }

  /// Notes that an object has an observer, or had one.
  func keepTelling(_ state: ObjectState) {
    context.news.telling.add(state.pk, of: state.model.number) { pk in
      hasObservers(state.model, pk)
    }
  }

  /// Goes on with the observers that ``tellSome()`` left, those of children too.
  func tellMore() {
    context.news.telling.isScheduled = false
    if !context.news.telling.isOver {
      tellSome()
      deliver()
    }
    for child in context.lineage.children.live { child.observers.tellMore() }
  }

  /// Tells some of the observers of stale objects, those first that began last. The others are told in later turns of
  /// the main actor, each of which is short.
  func tellSome() {
    // The store has the turns, for its main context. An object may outlive it.
    guard let store = context.core.store else {
      while !context.news.telling.isOver { tellSlice() }
      return
    }
    tellSlice()
    guard !context.news.telling.isOver, !context.family.root.news.telling.isScheduled else { return }
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
      // Each object that was ever read has a registrar. Few have an observer.
      guard !context.lineage.children.isEmpty || context.news.observerQuestion.isObserved(observers.registrar) else {
        continue
      }
      left -= tell(news, known ?? context.reading.fault(model, news.pk))
    }
  }

  /// - Returns: How many notifications that takes.
  private func tell(_ news: Telling.News, _ object: any ManagedEntity) -> Int {
    let state = object._$state
    if news.isOfAll {
      guard state.life != .deleted else { return 0 }
      notifyLater(object, nil)
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

/// The rows whose observers are to be told that they changed, or that all of their entity may have changed.
struct Telling {
  /// The news of a row.
  struct News {
    let entity: Int
    let pk: Int64
    /// The columns that changed; `nil` for a deletion.
    let columns: ColumnMask?
    /// Whether all of the entity may have changed, the row may be gone too.
    var isOfAll = false
  }

  /// How many notifications a turn has at most, but for one object's: some milliseconds.
  static let slice = 2_048
  /// A list of fewer rows is not looked through.
  private static let fewest = 16_384

  /// The rows that have a registrar, by entity; some of them gone, some twice.
  private var rows: [[Int64]]
  private var limits: [Int]
  /// Those to be told of.
  private var queue: [(entity: Int, rows: [Int64])] = []
  /// The news of single rows, which are told first.
  private var news: [News] = []
  /// How many of them were told.
  private var told = 0
  /// The properties of each entity.
  private let columns: [ColumnMask]

  /// - Parameter columns: The properties of each entity.
  init(_ columns: [ColumnMask]) {
    let entities = columns.count
    self.columns = columns
    rows = Array(repeating: [], count: entities)
    limits = Array(repeating: Self.fewest, count: entities)
    hands = Array(repeating: 0, count: entities)
  }

  /// Whether a turn of the main actor is to go on with it.
  var isScheduled = false

  var isOver: Bool { queue.isEmpty && news.isEmpty }

  mutating func add(_ new: News) { news.append(new) }

  /// - Parameter isObserved: Whether there is a registrar for a row.
  mutating func add(_ pk: Int64, of entity: Int, where isObserved: (Int64) -> Bool) {
    rows[entity].append(pk)
    // Rows that nobody can observe any more go when the list is four times as long: a third of a look-up for each that is
    // added.
    guard rows[entity].count > limits[entity] else { return }
    rows[entity] = Array(Set(rows[entity].lazy.filter(isObserved)))
    limits[entity] = max(Self.fewest, rows[entity].count * 4)
  }

  // MARK: Rounds

  /// The rows before it, by entity, are to be looked at in the round that runs; 0 where none does.
  private var hands: [Int]

  func isInRound(_ entity: Int) -> Bool { hands[entity] > 0 }

  /// Begins a round where there are many more rows than have a registrar.
  mutating func beginRound(_ entity: Int, of observed: Int) {
    if !isInRound(entity), rows[entity].count > 1_024 + observed * 4 { hands[entity] = rows[entity].count }
  }

  /// Goes on with the round.
  ///
  /// - Parameter most: How many rows are looked at, at most.
  /// - Returns: How many were.
  mutating func goOn(_ entity: Int, _ most: Int, where isObserved: (Int64) -> Bool) -> Int {
    var seen = 0
    hands[entity] = min(hands[entity], rows[entity].count)
    while hands[entity] > 0, seen < most {
      hands[entity] -= 1
      seen += 1
      guard !isObserved(rows[entity][hands[entity]]) else { continue }
      rows[entity].swapAt(hands[entity], rows[entity].count - 1)
      rows[entity].removeLast()
    }
    if hands[entity] == 0, rows[entity].capacity > max(1_024, rows[entity].count * 4) {
      rows[entity] = rows[entity].map(\.self)
      limits[entity] = max(Self.fewest, rows[entity].count * 4)
    }
    return seen
  }

  /// How many rows of an entity are to be told of next time.
  func count(_ entity: Int) -> Int { rows[entity].count }

  /// A row stays observed.
  mutating func keep(_ pk: Int64, of entity: Int) { rows[entity].append(pk) }

  mutating func beginAll(of entity: Int) {
    guard !rows[entity].isEmpty else { return }
    queue.append((entity, rows[entity]))
    // They come back as they are told.
    rows[entity] = []
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
