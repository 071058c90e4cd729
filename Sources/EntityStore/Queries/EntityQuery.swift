/// The objects of an entity to fetch, with their order and their number. The query is Sendable and makes no object.
public struct EntityQuery<E: ManagedEntity>: Sendable {
  public enum Order: Sendable {
    /// From the smallest; rows without a value come first.
    case ascending
    /// From the largest; rows without a value come last.
    case descending
  }

  /// Where objects without a value in a sort key come, in both sort orders.
  public enum NilOrder: Sendable {
    /// Before all others.
    case first
    /// After all others.
    case last
  }

  /// Rows that a query leaves out by default.
  public enum Hidden: Sendable {
    /// Rows of which only the uid is known yet, see ``ManagedEntity/isPlaceholder``.
    case placeholders
  }

  /// The name of the row in the conditions and the order: `t0` in the SQL.
  private(set) var row: RowAlias
  var predicate: EntityPredicate?
  var visible: VisibleRows
  var order: [SortKey] = []
  /// Whether objects that are equal in all keys come in the reverse order of their row ids.
  var isReversed = false
  var limit: RowLimit?
  /// The stored collection whose members the query finds, in its order.
  var members: ListedMembers?
  /// See ``prefetching(_:)``.
  var prefetches = PrefetchTree()

  /// - Parameter predicate: A condition on the row `QueryRow.root`.
  package init(predicate: EntityPredicate? = nil, includesPlaceholders: Bool = false) {
    self.init(predicate, on: .root, includesPlaceholders ? .all : .objects)
  }

  fileprivate init(_ predicate: EntityPredicate? = nil, on row: RowAlias, _ visible: VisibleRows = .objects) {
    self.row = row
    self.predicate = predicate
    self.visible = visible
  }

  /// The same query, with another name of its row.
  func renamed(_ other: RowAlias) -> Self {
    var query = self
    query.row = other
    query.predicate = predicate?.renaming(row, to: other)
    query.order = order.map { $0.renaming(row, to: other) }
    query.members = members?.renamed()
    return query
  }

  /// Includes rows that the query would leave out.
  ///
  /// `User.all.including(.placeholders)`
  /// // SELECT … FROM "User" AS t0 WHERE 1 ORDER BY t0._pk
  public func including(_ hidden: Hidden) -> Self {
    var query = self
    switch hidden {
    case .placeholders: if visible == .objects { query.visible = .all }
    }
    return query
  }

  /// Adds a sort key. The key that is added first counts first. Objects that are equal in all keys come in the order of
  /// their row ids: within one context, the order in which they were made.
  ///
  /// `User.where { $0.active == true }.sorted(by: \.age, .descending)`
  /// // … ORDER BY t0."age" DESC, t0._pk
  ///
  /// `User.all.sorted(by: \.email, nils: .last)`
  /// // … ORDER BY t0."email" NULLS LAST, t0._pk
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - order: Which values come first.
  ///   - nils: Where objects without a value come; `nil` means as in ``Order``.
  public func sorted<V: AttributeValue>(
    by column: KeyPath<E.Columns, Column<E, V>>, _ order: Order = .ascending, nils: NilOrder? = nil
  ) -> Self where V._Unwrapped: ScalarValue {
    sorted(order, nils: nils) { $0[dynamicMember: column] }
  }

  /// Sorts by the raw values, not by the type's own `<`.
  ///
  /// `User.all.sorted(by: \.role)`
  /// // … ORDER BY t0."role", t0._pk
  ///
  /// `Member.all.sorted(by: \.role, nils: .last)`
  /// // … ORDER BY t0."role" NULLS LAST, t0._pk
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - order: Which raw values come first.
  ///   - nils: Where objects without a value come; `nil` means as in ``Order``.
  @_disfavoredOverload
  public func sorted<V: AttributeValue>(
    by column: KeyPath<E.Columns, Column<E, V>>, _ order: Order = .ascending, nils: NilOrder? = nil
  ) -> Self where V._Unwrapped: RawRepresentable, V._Unwrapped.RawValue: ScalarValue {
    sorted(order, nils: nils) { $0[dynamicMember: column] }
  }

  /// Adds a sort key that is not a column of the entity itself, or that is a text without regard to case or accents.
  ///
  /// `User.all.sorted { $0.address.city }.sorted(.descending) { $0.posts.count }`
  /// // … ORDER BY (SELECT p."city" FROM "Address" AS p WHERE p._pk = t0."address"), (SELECT count(*) …) DESC, t0._pk
  ///
  /// `User.all.sorted { $0.name.ignoringCaseAndAccents }`
  /// // … ORDER BY _entity_fold(t0."name", 1), t0._pk
  ///
  /// Folded texts are sorted by their Unicode scalars; for the order of a language see ``sorted(by:locale:_:nils:)``.
  ///
  /// - Parameters:
  ///   - order: Which values come first.
  ///   - nils: Where objects without a value come; `nil` means as in ``Order``.
  ///   - key: The value of the object `$0`.
  public func sorted<V>(
    _ order: Order = .ascending, nils: NilOrder? = nil, by key: (QueryRow<E>) -> QueryValue<V>
  ) -> Self where V._Unwrapped: ScalarValue {
    sorted(by: key(QueryRow(alias: row)).sql, order, nils)
  }

  /// Adds a sort key with raw values: they decide, not the type's own `<`.
  ///
  /// `User.all.sorted { $0.role }`
  /// // … ORDER BY t0."role", t0._pk
  ///
  /// `Post.all.sorted(nils: .last) { $0.author.role }`
  /// // … ORDER BY (SELECT p."role" FROM "User" AS p WHERE p._pk = t0."author") NULLS LAST, t0._pk
  ///
  /// - Parameters:
  ///   - order: Which raw values come first.
  ///   - nils: Where objects without a value come; `nil` means as in ``Order``.
  ///   - key: The value of the object `$0`.
  @_disfavoredOverload
  public func sorted<V>(
    _ order: Order = .ascending, nils: NilOrder? = nil, by key: (QueryRow<E>) -> QueryValue<V>
  ) -> Self where V._Unwrapped: RawRepresentable, V._Unwrapped.RawValue: ScalarValue {
    sorted(by: key(QueryRow(alias: row)).raw, order, nils)
  }

  // Never run: the use of an unavailable declaration does not compile.
  @available(*, unavailable, message: "SQLite has no order of the value: sort by numbers, texts, dates or raw values")
  @_disfavoredOverload
  public func sorted<X: QueryExpression>(
    _ order: Order = .ascending, nils: NilOrder? = nil, by key: (QueryRow<E>) -> X
  ) -> Self { self }

  func sorted(by key: SQLFragment, _ order: Order, _ nils: NilOrder?) -> Self {
    var query = self
    query.order.append(
      SortKey(sql: key, isDescending: order == .descending, nilsFirst: nils.map { $0 == .first }))
    return query
  }

  /// At most `count` objects, after the first `offset` objects, in the order of all sort keys, also of keys that are
  /// added later. An earlier limit of the query counts first.
  ///
  /// `User.all.sorted(by: \.age).limited(to: 10)`
  /// // … ORDER BY t0."age", t0._pk LIMIT ? OFFSET ?
  public func limited(to count: Int, offset: Int = 0) -> Self {
    var query = self
    query.limit = limit.narrowed(to: RowLimit(count, after: offset))
    return query
  }

  /// The condition alone, on the row ``row``.
  func condition() -> EntityPredicate {
    guard let members else { return ownCondition() }
    return members.contains(row).of(ownCondition())
  }

  /// The condition beside the collection whose members the query finds.
  private func ownCondition() -> EntityPredicate {
    let isVisible = EntityPredicate("\(visible, of: E.self, row)")
    guard let predicate else { return isVisible }
    return visible == .all ? predicate : predicate.of(isVisible)
  }

  /// The value that each object of the result has in a column, where nothing but an object's own row decides whether it
  /// is in the result. Then rows without the value neither come nor go, and do not move others. Rows before an offset
  /// would move others.
  var need: EntityPredicate.ColumnValue? {
    guard let predicate, (limit?.offset ?? 0) == 0, predicate.sql.isOfOneRow, order.allSatisfy(\.sql.isOfOneRow),
      predicate.need?.row == row
    else { return nil }
    return predicate.need
  }

  /// The query for `columns` of the rows.
  func sql(_ columns: String) -> SQLFragment { select("\(sql: columns)") }

  /// The query for the row ids.
  func rowIDs() -> SQLFragment { select("\(row)._pk") }

  /// The query for values of the rows.
  func select(_ columns: SQLFragment) -> SQLFragment {
    "\(first: row)SELECT \(columns)\(keyColumns) FROM \(source())\(ordered)\(limit.sql)"
  }

  /// The rows that meet the condition: `rows WHERE condition`.
  ///
  /// - Parameter part: A further condition.
  func source(and part: EntityPredicate? = nil) -> SQLFragment {
    func both(_ condition: EntityPredicate) -> SQLFragment { part.map { ($0 && condition).sql } ?? condition.sql }
    let rows: SQLFragment = "\(rows: E.self) AS \(row)"
    let plain: SQLFragment = "\(rows) WHERE \(both(condition()))"
    guard let members else { return plain }
    // SQLite goes through the members in their order, and stops at a limit. It can't where unsaved changes lie over the
    // rows, because it would copy all rows for the join.
    return
      "\(over: E.self, plain, otherwise: "\(members.rows) CROSS JOIN \(rows) ON \(row)._pk = \(members.pk) WHERE \(both(ownCondition()))")"
  }

  /// The terms of `ORDER BY`.
  var terms: SQLFragment { .joined(keys.map(\.term), ", ") }

  /// The sort keys, so many that no two rows are equal.
  var keys: [SortKey] {
    var keys = order + [SortKey(sql: "\(row)._pk", isDescending: isReversed)]
    if let members, !order.isEmpty {
      keys[0].sql = "\(over: E.self, order[0].sql, otherwise: members.place)"
      // No two members have one place.
      keys.removeLast(keys.count - 1)
    }
    return keys
  }
}

/// The rows of an entity that a query sees.
enum VisibleRows: Sendable {
  case objects, placeholders, all
}

extension ManagedEntity {
  /// The objects that meet a condition.
  ///
  /// `User.where { $0.email == nil && $0.age > 21 }`
  /// // SELECT … FROM "User" AS t0 WHERE ((t0."email" IS NULL AND t0."age" > ?) AND t0._placeholder = 0) ORDER BY t0._pk
  public static func `where`<C: QueryCondition>(_ condition: (QueryRow<Self>) -> C) -> EntityQuery<Self> {
    // The row is a new one: the closure may stand within the closure of another condition, and may name that
    // condition's rows too.
    let row = RowAlias()
    return EntityQuery(condition(QueryRow(alias: row))._predicate, on: row)
  }

  // Never run: the use of an unavailable declaration does not compile.
  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public static func `where`<X: QueryExpression>(_ value: (QueryRow<Self>) -> X) -> EntityQuery<Self> { all }

  @available(
    *, unavailable,
    message:
      "a value of Swift is no condition: decide before, 'text.isEmpty ? Note.all : Note.where { $0.title == text }'"
  )
  @_disfavoredOverload
  public static func `where`(_ value: (QueryRow<Self>) -> Bool) -> EntityQuery<Self> { all }

  @available(*, unavailable, message: "a text is no condition: write SQL(\"length(\\($0.name)) > 5\")")
  @_disfavoredOverload
  public static func `where`(_ text: (QueryRow<Self>) -> String) -> EntityQuery<Self> { all }

  /// All objects.
  ///
  /// `User.all`
  /// // SELECT … FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  public static var all: EntityQuery<Self> { EntityQuery(on: RowAlias()) }

  /// Only the placeholders: rows that stand for a uid to which another object refers, and which the server has not sent
  /// yet. There are none where the entity has nothing but its uid.
  ///
  /// ```swift
  /// let missing = try context.fetch(User.placeholders).map { "\($0.uid)" }
  /// if !missing.isEmpty { try await User.get(query: ["ids": missing.joined(separator: ",")]) }
  /// ```
  /// `User.placeholders`
  /// // SELECT … FROM "User" AS t0 WHERE t0._placeholder <> 0 ORDER BY t0._pk
  public static var placeholders: EntityQuery<Self> { EntityQuery(on: RowAlias(), .placeholders) }
}
