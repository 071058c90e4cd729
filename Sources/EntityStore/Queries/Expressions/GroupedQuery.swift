/// The objects that a query finds, in groups of equal values.
///
/// ```swift
/// let byCity = User.all.grouped { $0.address.city }
///   .sorted(.descending) { $0.count }
///   .select { ($0.key, $0.count, $0.average { $0.age }) }
/// ```
public struct GroupedQuery<E: ManagedEntity, each K: QueryExpression>: Sendable {
  private let query: EntityQuery<E>
  private let group: QueryGroup<E, repeat each K>
  private var conditions: [SQLFragment] = []
  private var order: [SortKey] = []

  init(_ query: EntityQuery<E>, in group: QueryGroup<E, repeat each K>) {
    self.query = query
    self.group = group
  }

  /// The groups that meet a condition.
  ///
  /// `User.all.grouped { $0.city }.having { $0.count > 3 }.select { $0.key }`
  /// // SELECT t0."city" FROM "User" AS t0 WHERE t0._placeholder = 0
  /// //   GROUP BY t0."city" HAVING count(*) > ? ORDER BY t0."city"
  ///
  /// - Parameter condition: The condition, of the group `$0`.
  public func having<C: QueryCondition>(_ condition: (QueryGroup<E, repeat each K>) -> C) -> Self {
    var grouped = self
    grouped.conditions.append(condition(group)._predicate.sql)
    return grouped
  }

  /// Adds a sort key. The key that is added first counts first. Groups that are equal in all keys come in the order of
  /// the values by which they are grouped.
  ///
  /// `User.all.grouped { $0.city }.sorted(.descending) { $0.count }.select { $0.key }`
  /// // … GROUP BY t0."city" ORDER BY count(*) DESC, t0."city"
  ///
  /// - Parameters:
  ///   - order: Which groups come first.
  ///   - nils: Where groups without a value come; `nil` means as in ``EntityQuery/Order``.
  ///   - key: The value of the group `$0`.
  public func sorted<V>(
    _ order: EntityQuery<E>.Order = .ascending, nils: EntityQuery<E>.NilOrder? = nil,
    by key: (QueryGroup<E, repeat each K>) -> QueryValue<V>
  ) -> Self where V._Unwrapped: ScalarValue {
    var grouped = self
    grouped.order.append(
      SortKey(sql: key(group).sql, isDescending: order == .descending, nilsFirst: nils.map { $0 == .first }))
    return grouped
  }

  // A single value has a function without a pack, and so does a single key below. With a pack of one, the compiler
  // (6.3.1) does not infer the type within the expression that fetches the values. A single value fits both functions,
  // so the functions with a pack are disfavored.

  /// One value of each group: its key, a count or an aggregate.
  ///
  /// `User.all.grouped { $0.city }.select { $0.count }`
  /// // SELECT count(*) FROM "User" AS t0 WHERE t0._placeholder = 0 GROUP BY t0."city" ORDER BY t0."city"
  ///
  /// - Parameter value: The value of the group `$0`.
  public func select<X: QueryExpression>(
    _ value: (QueryGroup<E, repeat each K>) -> X
  ) -> ValueQuery<E, X.Value> {
    ValueQuery(.of(value(group)), of: selectedRows)
  }

  /// A row of values for each group: its key, counts and aggregates.
  ///
  /// `User.all.grouped { $0.city }.select { ($0.key, $0.count, $0.average { $0.age }) }`
  /// // SELECT t0."city", count(*), avg(t0."age") FROM "User" AS t0 WHERE t0._placeholder = 0
  /// //   GROUP BY t0."city" ORDER BY t0."city"
  ///
  /// - Parameter values: The values of the group `$0`, as a tuple. The keys of a group by several values are `$0.key.0`,
  ///   `$0.key.1` and so on.
  @_disfavoredOverload
  public func select<each X: QueryExpression>(
    _ values: (QueryGroup<E, repeat each K>) -> (repeat each X)
  ) -> ValueQuery<E, (repeat (each X).Value)> {
    let columns = values(group)
    return ValueQuery(.of(repeat each columns), of: selectedRows)
  }

  private var selectedRows: SelectedRows {
    var keys: [SQLFragment] = []
    for key in repeat each group.key { keys.append(key._expression.sql) }
    let list = SQLFragment.joined(keys, ", ")
    var body: SQLFragment = "\(query.found) GROUP BY \(list)"
    if !conditions.isEmpty { body = "\(body) HAVING \(.joined(conditions, " AND "))" }
    let terms = SQLFragment.joined(order.map(\.term) + keys, ", ")
    var rows = SelectedRows(
      row: query.row, body: body, found: body, ordered: " ORDER BY \(terms)",
      number: "row_number() OVER (ORDER BY \(terms))")
    // A closure compiles even if its value can't be a key: the compiler then takes it for a closure of an empty pack.
    rows.lacksKeys = keys.isEmpty
    return rows
  }
}

extension EntityQuery {
  /// The objects in groups: objects with an equal value are in one group. A group is never empty. `nil` counts as a
  /// value.
  ///
  /// `User.all.grouped { $0.city }.select { ($0.key, $0.count) }`
  /// // SELECT t0."city", count(*) FROM "User" AS t0 WHERE t0._placeholder = 0 GROUP BY t0."city" ORDER BY t0."city"
  ///
  /// - Parameter key: The value of the object `$0` that decides its group. Values with the same stored form are equal:
  ///   text byte by byte, JSON as text.
  /// - Returns: The groups, in the order of this value. The order of the query matters only for its limit.
  public func grouped<K: QueryExpression>(by key: (QueryRow<E>) -> K) -> GroupedQuery<E, K> {
    let query = unlimited()
    return GroupedQuery(query, in: QueryGroup(query.row, key: key(QueryRow(alias: query.row))))
  }

  /// The objects in groups: objects with equal values are in one group. A group is never empty. `nil` counts as a
  /// value.
  ///
  /// `User.all.grouped { ($0.city, $0.isActive) }.select { ($0.key.0, $0.key.1, $0.count) }`
  /// // SELECT t0."city", t0."isActive", count(*) FROM "User" AS t0 WHERE t0._placeholder = 0
  /// //   GROUP BY t0."city", t0."isActive" ORDER BY t0."city", t0."isActive"
  ///
  /// - Parameter keys: The values of the object `$0` that decide its group, as a tuple. Values with the same stored
  ///   form are equal: text byte by byte, JSON as text.
  /// - Returns: The groups, in the order of these values. The order of the query matters only for its limit.
  @_disfavoredOverload
  public func grouped<each K: QueryExpression>(
    by keys: (QueryRow<E>) -> (repeat each K)
  ) -> GroupedQuery<E, repeat each K> {
    let query = unlimited()
    let keys = keys(QueryRow(alias: query.row))
    return GroupedQuery(query, in: QueryGroup(query.row, key: repeat each keys))
  }
}
