extension EntityContext {
  /// The number of the last commit that the context knows of, which the file counts: values with it tell which of two is
  /// newer. ``QueryChange/generation`` and ``StoreCommit/generations`` are the same numbers.
  ///
  /// ```swift
  /// store.observe { context in [context.generation, Int64(try context.count(User.all))] }
  /// ```
  ///
  /// Of the main context it grows with each merge; that of a unit of work is the one before its own commit. It is 0 where
  /// it can't be read, and in a unit that is over.
  public var generation: Int64 {
    guard kind == .unit else { return mergedGeneration }
    return isOver ? 0 : (try? connection.generation()) ?? 0
  }

  /// The result of a query.
  ///
  /// - Parameters:
  ///   - known: The objects of the last result: the query then reads row ids alone, and values of objects that are new or
  ///     out of date.
  ///   - result: Is up to date before any observer is told of what the read found: what an observer changes counts again.
  func liveResult<E: ManagedEntity>(
    of query: EntityQuery<E>, from known: [E]?, settling result: LiveResult
  ) throws -> [E] {
    try entry(isGetter: true) {
      let region = try region(of: query)
      let found: [E]
      if known == nil {
        found = try fetch(query)
      } else {
        counters.counts.fetches += 1
        let rows = try select(query.rowIDs()) { $0.int64(0) }
        found = try objects(try core.schema.model(E.self), rows)
        try prefetch(query.prefetches, of: found)
      }
      result.settle(region, narrow(query, region, found))
      liveQueries.resultChanged()
      return found
    }
  }

  /// The value that all objects of a result have in a column.
  private func narrow<E: ManagedEntity>(_ query: EntityQuery<E>, _ region: ReadRegion, _ found: [E]) -> NarrowResult? {
    guard found.count <= NarrowResult.most, let need = query.need, let model = try? core.schema.model(E.self),
      region.isOf(model.number)
    else { return nil }
    return NarrowResult(
      entity: model.number, column: need.column, value: need.value, rows: Set(found.lazy.map(\._$state.pk)))
  }

  /// The columns that decide which objects a query finds, and in which order. Unsaved changes do not count among them:
  /// each tells of itself.
  func region<E: ManagedEntity>(of query: EntityQuery<E>) throws -> ReadRegion {
    let fragment = query.sql("_pk")
    let sql = try fragment.rendered(core.schema, search: tableIndex) { $0.table }
    return ReadRegion(
      try connection.recordingReads { try sql.statement(on: connection) }.reads,
      targets: try fragment.targets(core.schema),
      core.schema)
  }

  /// The objects of rows that are there, in their order. Those that are to be read are read together.
  private func objects<E: ManagedEntity>(_ model: EntityModel, _ rows: [Int64]) throws -> [E] {
    let known = objects[model.number]
    var found: [Int64: E] = [:]
    var missing: [Int64] = []
    for pk in rows {
      guard let object = known[pk] as? E else {
        missing.append(pk)
        continue
      }
      let state = object._$state
      catchUp(state)
      if state.life == .fault || !state.stale.isEmpty { missing.append(pk) }
      found[pk] = object
    }
    for start in stride(from: 0, to: missing.count, by: 1_000) {
      let part = Array(missing[start..<min(start + 1_000, missing.count)])
      for object in try fetch(EntityQuery<E>(predicate: .rowIDs(part), includesPlaceholders: true)) {
        found[object._$state.pk] = object
      }
    }
    return rows.compactMap { found[$0] }
  }
}
