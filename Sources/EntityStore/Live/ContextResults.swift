extension EntityContext {
  /// Results that are kept up to date.
  var results: ContextResults { ContextResults(context: self) }

  /// The number of the last commit that the context knows of, as the file counts commits. Of two values, the one with
  /// the larger number is newer. ``QueryChange/generation`` and ``StoreCommit/generations`` are numbers of the same
  /// count.
  ///
  /// ```swift
  /// store.observe { context in [context.generation, Int64(try context.count(User.all))] }
  /// ```
  ///
  /// It grows with each merge of the main context. In a unit of work it is the number before the unit's own commit. It
  /// is 0 where it can't be read, and in a unit that is over.
  public var generation: Int64 {
    guard kind == .unit else { return news.mergedGeneration }
    return saves.isOver ? 0 : (try? connection.generation()) ?? 0
  }
}

/// The results of a context that are kept up to date.
struct ContextResults {
  let context: EntityContext
}

extension ContextResults {
  /// The result of a query.
  ///
  /// - Parameters:
  ///   - known: The objects of the last result. The query then reads row ids alone, and the values of objects that are
  ///     new or out of date.
  ///   - result: It is up to date before any observer hears of what the read found. So a change that an observer makes
  ///     counts again.
  func liveResult<E: ManagedEntity>(
    of query: EntityQuery<E>, from known: [E]?, settling result: LiveResult
  ) throws -> [E] {
    try context.merging.entry(isGetter: true) {
      let region = try region(of: query)
      let found: [E]
      if known == nil {
        found = try context.fetch(query)
      } else {
        context.loaded.counters.counts.fetches += 1
        let rows = try context.reading.select(query.rowIDs()) { $0.int64(0) }
        found = try objects(try context.core.schema.model(E.self), rows)
        try context.reading.prefetch(query.prefetches, of: found)
      }
      result.settle(region, narrow(query, region, found))
      context.news.liveQueries.resultChanged()
      return found
    }
  }

  /// The value that all objects of a result have in a column.
  private func narrow<E: ManagedEntity>(_ query: EntityQuery<E>, _ region: ReadRegion, _ found: [E]) -> NarrowResult? {
    guard found.count <= NarrowResult.most, let need = query.need, let model = try? context.core.schema.model(E.self),
      region.isOf(model.number)
    else { return nil }
    return NarrowResult(
      entity: model.number, column: need.column, value: need.value, rows: Set(found.lazy.map(\._$state.pk)))
  }

  /// The columns that decide which objects a query finds, and in which order. Unsaved changes do not count here: each
  /// of them is reported by itself.
  func region<E: ManagedEntity>(of query: EntityQuery<E>) throws -> ReadRegion {
    let fragment = query.sql("_pk")
    let sql = try fragment.rendered(context.core.schema, search: context.overlay.tableIndex) { $0.table }
    var region = ReadRegion(
      try context.connection.recordingReads { try sql.statement(on: context.connection) }.reads,
      targets: try fragment.targets(context.core.schema), collections: fragment.collections, context.core.schema)
    if query.members?.isAlone == true { region.listed = try context.core.schema.model(E.self).number }
    return region
  }

  /// The objects of rows that are there, in their order. Objects that must be read are read together.
  private func objects<E: ManagedEntity>(_ model: EntityModel, _ rows: [Int64]) throws -> [E] {
    let known = context.loaded.objects[model.number]
    var found: [Int64: E] = [:]
    var missing: [Int64] = []
    for pk in rows {
      guard let object = known[pk] as? E else {
        missing.append(pk)
        continue
      }
      let state = object._$state
      context.observers.catchUp(state)
      if state.life == .unloaded || !state.stale.isEmpty { missing.append(pk) }
      found[pk] = object
    }
    for start in stride(from: 0, to: missing.count, by: 1_000) {
      let part = Array(missing[start..<min(start + 1_000, missing.count)])
      for object in try context.fetch(EntityQuery<E>(predicate: .rowIDs(part), includesPlaceholders: true)) {
        found[object._$state.pk] = object
      }
    }
    return rows.compactMap { found[$0] }
  }
}
