extension EntityQuery {
  /// Reads related objects with the result: one statement for 500 objects and a relationship, instead of one statement
  /// for each object.
  ///
  /// ```swift
  /// let posts = try context.fetch(Post.all.prefetching { ($0.author.address, $0.comments) })
  /// for post in posts { print(post.author.address?.city, post.comments.count) }  // runs no statement
  /// ```
  /// `Post.all.prefetching { $0.author }`
  /// // SELECT … FROM "Post" AS t0 …
  /// // SELECT … FROM "User" WHERE _pk IN (SELECT value FROM _entity_values(?))
  ///
  /// The context holds the related objects until it next merges a commit, saves or rolls back. It holds a list also
  /// only until a change of the list. After that, and beyond 65,536 objects, a relationship is read when it is used.
  /// The result is the same with and without prefetching. ``EntityContext/statistics`` shows the saved statements. A
  /// ``LiveQuery`` prefetches with each run.
  ///
  /// - Parameter paths: The relationships, of the objects or through other relationships; several as a tuple.
  public func prefetching<each T: ManagedEntity>(
    _ paths: (PrefetchPath<E>) -> (repeat PrefetchPath<each T>)
  ) -> Self {
    var query = self
    for path in repeat each paths(PrefetchPath(steps: [])) { query.prefetches.add(path.steps[...]) }
    return query
  }
}

/// A relationship to be read with the result of a query: the `$0.author` in `Post.all.prefetching { $0.author }`.
@dynamicMemberLookup
public struct PrefetchPath<T: ManagedEntity>: Sendable {
  /// The indices of the relationships on the path.
  let steps: [Int]

  /// A relationship to one.
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, U?>>) -> PrefetchPath<U> {
    PrefetchPath<U>(steps: steps + [T.columns[keyPath: keyPath].index])
  }

  /// A required relationship to one.
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, U>>) -> PrefetchPath<U> {
    PrefetchPath<U>(steps: steps + [T.columns[keyPath: keyPath].index])
  }

  /// The side of a one-to-one relationship without a column.
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Counterpart<T, U>>) -> PrefetchPath<U> {
    PrefetchPath<U>(steps: steps + [T.columns[keyPath: keyPath].index])
  }

  /// A relationship to many. `$0.posts.author` is a relationship of all its objects.
  public subscript<U: ManagedEntity>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, [U]>>) -> PrefetchPath<U> {
    PrefetchPath<U>(steps: steps + [T.columns[keyPath: keyPath].index])
  }
}

/// The relationships to read with a result, as a tree: paths with an equal beginning are read once.
struct PrefetchTree: Sendable {
  /// By the relationship's index.
  private(set) var branches: [Int: PrefetchTree] = [:]

  mutating func add(_ steps: ArraySlice<Int>) {
    guard let first = steps.first else { return }
    branches[first, default: PrefetchTree()].add(steps.dropFirst())
  }
}
