/// How often a context has read rows, and why; see ``EntityContext/statistics``.
public struct ContextStatistics: Sendable, Equatable {
  /// Queries for objects: the calls of `fetch`, queries for a page, searches for an object by its uid, and the queries
  /// of live queries.
  public internal(set) var fetches = 0
  /// Queries for values: projections, groups, aggregates, `count`, `exists`, `ids` and values of SQL. An update or a
  /// deletion by query adds its queries for rows and values. `count()` of all entities is one query for each entity.
  public internal(set) var valueQueries = 0
  /// Objects that were read one by one when they were first used: `post.author.name`.
  public internal(set) var faults = 0
  /// Statements that read many such objects at once, without being asked to.
  public internal(set) var batches = 0
  /// Objects that were read again, one by one, after a commit changed their rows.
  public internal(set) var refreshes = 0
  /// Lists that were read one by one, `post.comments`, and their counts and first objects,
  /// ``ManagedEntity/count(of:)``. A list is not read while the context still has its objects.
  public internal(set) var lists = 0
  /// Lazy properties that were read; see ``LazyValue``.
  public internal(set) var lazyValues = 0
  /// Statements that read related objects with the result of a query, see ``EntityQuery/prefetching(_:)``.
  public internal(set) var prefetches = 0
  /// How many of the faults, batches and lists are due to each relationship: `["Post.author": 14, "Post.comments": 1_000]`.
  public internal(set) var relationships: [String: Int] = [:]

  /// The sum of these counts. Each is one statement, with two exceptions. A further page may take two statements: one
  /// for objects with the first sort key, and one for objects without it. A `fetch` of objects by SQL may take two as
  /// well, as it also reads their rows.
  public var statements: Int {
    fetches + valueQueries + faults + batches + refreshes + lists + lazyValues + prefetches
  }
}

/// The counts of a context.
struct ReadCounters {
  var counts = ContextStatistics()
  /// By relationship, without its name: building a name for each of many objects would be slow.
  private var relationships: [LoadStreaks.Key: Int] = [:]

  mutating func note(_ entity: Int, _ property: Int) {
    relationships[.init(entity: entity, property: property), default: 0] += 1
  }

  func statistics(_ schema: SchemaModel) -> ContextStatistics {
    var statistics = counts
    for (key, count) in relationships {
      let model = schema.entities[key.entity]
      let name = key.property.map { ".\(model.properties[$0].name)" } ?? ""
      statistics.relationships[model.name + name] = count
    }
    return statistics
  }
}

extension EntityContext {
  /// How often the context has read rows since it was made, or since ``resetStatistics()``.
  ///
  /// One statement for each object of a result ("N+1") shows as a relationship with as many statements:
  ///
  /// ```swift
  /// context.resetStatistics()
  /// for post in try context.fetch(Post.all) { print(post.comments.count) }
  /// print(context.statistics.relationships)  // ["Post.comments": 1000]: say prefetching { $0.comments }
  /// ```
  /// Writes are not counted. The reads that a save needs are not counted either. A child context counts its own reads.
  public var statistics: ContextStatistics { loaded.counters.statistics(core.schema) }

  /// Counts from zero again.
  public func resetStatistics() { loaded.counters = ReadCounters() }
}
