// A loop that reads a related object of each object would run a statement for each. To avoid this, the context records
// through which relationship each unloaded object came into use. From the second one of a relationship on, it reads the
// related objects of the next objects as well: 8, then 32, then 100 at a time, so that a short loop reads few. The next
// objects are those that were made after the owner. For a result whose objects were new, this is the order of the result.

/// The link through which an unloaded object last came into use.
struct LoadOrigin {
  /// The entity and the row of the object that has the link.
  let entity: Int
  let owner: Int64
  /// The entity and the row of the unloaded object.
  let target: Int
  let pk: Int64
}

/// Objects that are loaded one after the other through the same relationship.
struct LoadStreaks {
  struct Key: Hashable {
    let entity: Int
    /// `nil` for objects of the entity that are loaded through no relationship.
    let property: Int?
  }

  /// How many objects the first, second, third and each later load of a loop reads.
  private static let sizes = [1, 8, 32, 100]

  var origin: LoadOrigin?
  private var streaks: [Key: (count: Int, position: Int)] = [:]
  private var reads: [Key: Int] = [:]
  /// At this number of statements, a loop should have had its objects prefetched.
  static let manyReads = 50

  /// Records that an unloaded object was used through a relationship.
  ///
  /// - Parameter position: The position of the link's owner.
  /// - Returns: How many objects to load, and in which direction the owners of the others are.
  mutating func next(_ key: Key, at position: Int) -> (size: Int, isBackward: Bool) {
    let last = streaks[key]
    let count = min(last?.count ?? 0, Self.sizes.count - 1)
    streaks[key] = (count + 1, position)
    return (Self.sizes[count], last.map { position < $0.position } ?? false)
  }

  /// Records a statement that reads a relationship of one object, or of a few.
  ///
  /// - Returns: `true` when the number of statements in a loop reaches the limit.
  mutating func noteRead(_ key: Key) -> Bool {
    reads[key, default: 0] += 1
    return reads[key] == Self.manyReads
  }

  /// Ends the loops so far: later uses count anew.
  mutating func end() {
    if !streaks.isEmpty { streaks = [:] }
    if !reads.isEmpty { reads = [:] }
  }
}

extension ContextReading {
  /// Counts a statement that reads a relationship, and reports a loop of such statements to the log.
  func noteRead(_ model: EntityModel, _ property: Int) {
    context.loaded.counters.note(model.number, property)
    guard let log = context.core.options.log,
      context.loaded.streaks.noteRead(.init(entity: model.number, property: property))
    else { return }
    log.tell(
      .repeatedReads(
        RepeatedReads(
          relationship: "\(model.name).\(model.properties[property].name)", statements: LoadStreaks.manyReads)))
  }

  /// Loads an object, and with it the unloaded ones that are likely to be used next.
  func loadUnloaded(_ object: any ManagedEntity) throws {
    let state = object._$state
    let ahead = try unloadedAhead(of: state)
    if ahead.count > 1 {
      context.loaded.counters.counts.batches += 1
      context.loaded.prefetched.holdBatch(try loadRows(state.model, ahead))
      // The row may be deleted.
      guard state.life == .unloaded else { return }
    }
    context.loaded.counters.counts.faults += 1
    try load(object)
  }

  /// The objects of rows as the tables have them, without unsaved changes, like objects that were loaded.
  func loadRows(_ model: EntityModel, _ pks: [Int64]) throws -> [any ManagedEntity] {
    try context.connection.rows(
      "SELECT \(model.columnList) FROM \(model.table) WHERE _pk IN (SELECT value FROM _entity_values(?))",
      [.list(pks.map { .integer($0) })]
    ) { object(model, from: $0) }
  }

  /// The row ids of an unloaded object and of those that are likely to be used next; empty where nothing suggests any.
  private func unloadedAhead(of state: ObjectState) throws -> [Int64] {
    // While a response is taken in, each object is used once, and is held for a moment only. And unsaved changes of a
    // context above are not in the row.
    guard !context.isOfResponse, context.arrival.update == nil, isUnloaded(state.model, state.pk) else { return [] }
    guard let origin = context.loaded.streaks.origin, origin.pk == state.pk, origin.target == state.model.number else {
      return unloadedBeside(state)
    }
    context.loaded.streaks.origin = nil
    let map = context.loaded.objects[origin.entity]
    let model = context.core.schema.entities[origin.entity]
    guard let owner = map[origin.owner], let position = map.position(of: origin.owner),
      let link = model.properties.first(where: { property in
        guard case .toOne(state.model.number, _, _) = property.kind else { return false }
        return owner.values(ColumnMask(property.index)).link(property.index) == state.pk
      })
    else { return [] }
    noteRead(model, link.index)
    guard context.batchesFaults else { return [] }
    let (size, isBackward) = context.loaded.streaks.next(
      .init(entity: model.number, property: link.index), at: position)
    guard size > 1 else { return [] }
    var pks = [state.pk]
    var seen: Set = [state.pk]
    map.visit(from: position, backward: isBackward, most: size * 4) { other in
      let own = other._$state
      context.observers.catchUp(own)
      guard own.life != .unloaded, !own.isGone, !own.stale.contains(link.index) else { return true }
      let pk = other.values(ColumnMask(link.index)).link(link.index)
      if pk != 0, seen.insert(pk).inserted, isUnloaded(state.model, pk) { pks.append(pk) }
      return pks.count < size
    }
    return pks
  }

  /// The row ids of an unloaded object that somebody holds, as in `posts.map(\.author)`, and of those that were made
  /// after it.
  private func unloadedBeside(_ state: ObjectState) -> [Int64] {
    let map = context.loaded.objects[state.model.number]
    guard context.batchesFaults, let position = map.position(of: state.pk) else { return [] }
    let (size, isBackward) = context.loaded.streaks.next(.init(entity: state.model.number, property: nil), at: position)
    guard size > 1 else { return [] }
    var pks: [Int64] = []
    map.visit(from: position, backward: isBackward, most: size * 4) { other in
      if other._$state.life == .unloaded, isUnloaded(state.model, other._$state.pk) { pks.append(other._$state.pk) }
      return pks.count < size
    }
    return pks
  }

  /// True when only the row id of an object is known, here and in the contexts above.
  func isUnloaded(_ model: EntityModel, _ pk: Int64) -> Bool {
    if let known = self.context.loaded.objects[model.number][pk], known._$state.life != .unloaded { return false }
    var above = self.context.lineage.parent
    while let context = above {
      if context.unsaved.changed[model.number][pk] != nil { return false }
      above = context.lineage.parent
    }
    return true
  }
}
