extension EntityContext {
  /// A page of the objects that a query finds: a part of them, from the beginning or from the end of another page.
  ///
  /// ```swift
  /// var page = try context.fetch(query, page: 50)
  /// while let next = page.next { page = try context.fetch(query, page: 50, after: next) }
  /// ```
  /// The next page begins after the sort keys of the last object, and not after a number of objects. So each page costs
  /// as much as the first one, and objects that come or go before the page do not shift it. An object whose sort key
  /// changes between two pages may be in both, or in neither.
  ///
  /// `context.fetch(User.all.sorted(by: \.age), page: 50, after: next)`
  /// // SELECT …, t0."age" FROM "User" AS t0
  /// //   WHERE ((t0."age" >= ? AND (t0."age" > ? OR t0._pk > ?)) AND t0._placeholder = 0) ORDER BY t0."age", t0._pk
  /// //   LIMIT ? OFFSET ?
  ///
  /// An index on the first sort key finds the place. Without an index, each page sorts all remaining objects.
  ///
  /// - Parameters:
  ///   - query: The query. Its limit counts: the pages have only the objects within the limit.
  ///   - size: The largest number of objects in the page; less than 1 counts as 1.
  ///   - cursor: ``Page/next`` of another page. That page's query must have the same order, and may have another
  ///     condition.
  /// - Throws: ``StoreError``, of kind `invalidQuery` for a cursor of another order.
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
        // One object more than the page shows whether there is a next page.
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
          // The keys come after the columns of the object.
          let keys = query.order.indices.map { statement.value(EntityModel.resultOffset + model.properties.count + $0) }
          last = PageCursor(keys: keys, row: statement.int64(0), order: order)
        }
      }
      try reading.prefetch(query.prefetches, of: objects)
      return Page(objects: objects, next: hasMore ? last : nil)
    }
  }
}
