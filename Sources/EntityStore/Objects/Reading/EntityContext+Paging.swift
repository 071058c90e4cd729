extension EntityContext {
  /// A page of the objects that a query finds: a part of them, from the beginning or from where another page ended.
  ///
  /// ```swift
  /// var page = try context.fetch(query, page: 50)
  /// while let next = page.next { page = try context.fetch(query, page: 50, after: next) }
  /// ```
  /// The next page begins after the values that the last object had, and not after a number of objects. So it costs as
  /// much as the first one, and an object that comes or goes before it moves nothing. An object whose sort key changes
  /// between two pages may be in both, or in neither.
  ///
  /// `context.fetch(User.all.sorted(by: \.age), page: 50, after: next)`
  /// // SELECT …, t0."age" FROM "User" AS t0
  /// //   WHERE ((t0."age" >= ? AND (t0."age" > ? OR t0._pk > ?)) AND t0._placeholder = 0) ORDER BY t0."age", t0._pk
  /// //   LIMIT ? OFFSET ?
  ///
  /// An index of the first sort key finds the place. Without an index each page sorts all objects that are left.
  ///
  /// - Parameters:
  ///   - query: The query. A limit of it counts: the pages are those of the objects within the limit.
  ///   - size: The most objects of the page; less than 1 counts as 1.
  ///   - cursor: ``Page/next`` of a page of a query in the same order; its condition may be another one.
  /// - Throws: ``StoreError``, of kind `invalidQuery` for a place in another order.
  public func fetch<E: ManagedEntity>(
    _ query: EntityQuery<E>, page size: Int, after cursor: PageCursor<E>? = nil
  ) throws -> Page<E> {
    let model = try core.schema.model(E.self)
    let query = query.unlimited()
    let order = try query.orderNumber(core.schema)
    if let cursor, cursor.order != order || cursor.keys.count != query.order.count {
      throw StoreError(
        .invalidQuery,
        "The place is not one in the order of this query of '\(model.name)'. A page begins where one of a query with the same "
          + "sort keys ended: fetch the first page again.")
    }
    let size = max(1, size)
    loaded.streaks.end()
    return try merging.entry {
      loaded.counters.counts.fetches += 1
      var objects: [E] = []
      var last: PageCursor<E>?
      var hasMore = false
      parts: for part in cursor.map({ query.parts(after: $0).map(Optional.some) }) ?? [nil] {
        // One more than the page tells whether there is a next one.
        let (more, isOver) = (size - objects.count).addingReportingOverflow(1)
        let statement = try query.page(model.columnList, where: part, limit: isOver ? .max : more)
          .rendered(core.schema, search: overlay.searchLayers, lazies: overlay.lazySource, overlay.source).prepared(
            on: connection)
        defer { statement.reset() }
        while try statement.step() {
          hasMore = objects.count == size
          if hasMore { break parts }
          guard let object = reading.object(model, from: statement) as? E else { continue }
          objects.append(object)
          guard objects.count == size else { continue }
          // The keys are behind the columns of the object.
          let keys = query.order.indices.map { statement.value(EntityModel.resultOffset + model.properties.count + $0) }
          last = PageCursor(keys: keys, row: statement.int64(0), order: order)
        }
      }
      try reading.prefetch(query.prefetches, of: objects)
      return Page(objects: objects, next: hasMore ? last : nil)
    }
  }
}
