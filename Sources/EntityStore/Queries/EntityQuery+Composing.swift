// Queries made from queries. A query stands for the objects that it finds. With a limit, these are the objects within
// the limit, and a later condition chooses among them.

extension EntityQuery {
  /// The objects that the query finds and that also meet a condition.
  ///
  /// `User.where { $0.age > 21 }.where { $0.email == nil }`
  /// // … WHERE ((t0."age" > ? AND t0."email" IS NULL) AND t0._placeholder = 0) ORDER BY t0._pk
  ///
  /// `User.all.sorted(by: \.age).limited(to: 10).where { $0.email == nil }`, of the ten youngest ones
  /// // … WHERE ((t0._pk IN (SELECT t1._pk FROM "User" AS t1 WHERE t1._placeholder = 0
  /// //   ORDER BY t1."age", t1._pk LIMIT ? OFFSET ?) AND t0."email" IS NULL) AND t0._placeholder = 0)
  /// //   ORDER BY t0."age", t0._pk
  ///
  /// - Parameter condition: The condition, of the object `$0`.
  /// - Returns: A query in the same order, without the limit.
  public func `where`<C: QueryCondition>(_ condition: (QueryRow<E>) -> C) -> Self {
    // The row is a new one: the closure may stand within the closure of another condition, and may name that
    // condition's rows too.
    var query = unlimited().renamed(RowAlias())
    let condition = condition(QueryRow(alias: query.row))._predicate
    query.predicate = query.predicate.map { $0 && condition } ?? condition
    query.members?.isAlone = false
    return query
  }

  /// The objects that both queries find.
  ///
  /// `adults.and(User.where { $0.email == nil })`
  /// // … WHERE ((t0."age" > ? AND t0."email" IS NULL) AND t0._placeholder = 0) ORDER BY t0._pk
  ///
  /// - Parameter other: The other query. Its order matters only for its limit.
  /// - Returns: A query in the order of this one, without a limit.
  public func and(_ other: Self) -> Self { combined(with: other) { $0 && $1 } }

  /// The objects that at least one of the two queries finds.
  ///
  /// `adults.or(User.where { $0.email == nil })`
  /// // … WHERE ((t0."age" > ? OR t0."email" IS NULL) AND t0._placeholder = 0) ORDER BY t0._pk
  ///
  /// - Parameter other: The other query. Its order matters only for its limit.
  /// - Returns: A query in the order of this one, without a limit.
  public func or(_ other: Self) -> Self { combined(with: other) { $0 || $1 } }

  /// The objects that the query does not find. Of a query for placeholders, the result has placeholders.
  ///
  /// `User.where { $0.age > 21 }.inverted()`
  /// // … WHERE ((t0."age" > ?) IS NOT TRUE AND t0._placeholder = 0) ORDER BY t0._pk
  ///
  /// - Returns: A query in the same order, without a limit.
  public func inverted() -> Self {
    var query = unlimited().withoutMembers()
    query.predicate = query.predicate.map { !$0 } ?? EntityPredicate("0")
    return query
  }

  /// The same objects in the opposite order, also where all keys are equal.
  ///
  /// `Message.all.sorted(by: \.date, .descending).limited(to: 20).reversed()`, the last messages, the newest one last
  /// // … WHERE (t0._pk IN (SELECT t1._pk FROM "Message" AS t1 WHERE t1._placeholder = 0
  /// //   ORDER BY t1."date" DESC, t1._pk LIMIT ? OFFSET ?) AND t0._placeholder = 0) ORDER BY t0."date", t0._pk DESC
  public func reversed() -> Self {
    var query = unlimited()
    query.order = query.order.map(\.reversed)
    query.isReversed.toggle()
    return query
  }

  /// The same objects in the order of their row ids.
  ///
  /// `User.all.sorted(by: \.age).unsorted()`
  /// // SELECT … FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  public func unsorted() -> Self {
    var query = unlimited().withoutMembers()
    query.order = []
    query.isReversed = false
    return query
  }

  private func combined(with other: Self, _ combine: (EntityPredicate, EntityPredicate) -> EntityPredicate) -> Self {
    var query = unlimited().withoutMembers()
    let other = other.unlimited().renamed(query.row).withoutMembers()
    let all = EntityPredicate("1")
    if query.visible == other.visible {
      query.predicate = combine(query.predicate ?? all, other.predicate ?? all)
    } else {
      // Each query states itself which rows it sees.
      query.predicate = combine(query.condition(), other.condition())
      query.visible = .all
    }
    return query
  }

  /// The same objects, found by a condition without a limit.
  func unlimited() -> Self {
    guard limit != nil else { return self }
    var query = self
    query.predicate = EntityPredicate("\(row)._pk IN (\(subselect()))")
    query.limit = nil
    query.members?.isAlone = false
    return query
  }

  /// The same objects in the same order, with the membership as a part of the condition.
  private func withoutMembers() -> Self {
    guard let members else { return self }
    var query = self
    query.predicate = query.predicate.map { members.contains(row) && $0 } ?? members.contains(row)
    query.members = nil
    return query
  }

  /// The row ids of the objects, as a query within another one.
  func subselect() -> SQLFragment {
    // Its row has a name of its own: the same query may also stand within the other query.
    let query = renamed(RowAlias())
    return "SELECT \(query.row)._pk \(query.limited)"
  }

  /// The condition that a row of another query is one of the found objects.
  func contains(_ other: RowAlias) -> EntityPredicate {
    guard limit == nil else { return EntityPredicate("\(other)._pk IN (\(subselect()))") }
    return renamed(other).condition()
  }
}

extension QueryReference {
  /// Whether a query finds the object of the link.
  ///
  /// `$0.author.isIn(User.where { $0.age > 21 })`
  /// // t0."author" IN (SELECT t1._pk FROM "User" AS t1 WHERE (t1."age" > ? AND t1._placeholder = 0))
  ///
  /// - Parameter query: The query. Its order matters only for its limit.
  public func isIn(_ query: EntityQuery<Target>) -> EntityPredicate {
    EntityPredicate("\(_sql.sql) IN (\(query.subselect()))")
  }
}

extension QueryList {
  /// Whether a query finds some member.
  ///
  /// `$0.posts.any(in: Post.where { $0.title.hasPrefix("A") })`
  /// // EXISTS (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0._pk AND (… AND t1._placeholder = 0))
  ///
  /// - Parameter query: The query. Its order matters only for its limit.
  public func any(in query: EntityQuery<T>) -> EntityPredicate { any { query.contains($0.alias) } }
}
