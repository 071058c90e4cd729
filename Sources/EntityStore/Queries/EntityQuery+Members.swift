/// The members of a stored collection, as the source of a query.
struct ListedMembers: Sendable {
  let key: String
  /// Whether nothing but the membership decides which rows the query finds.
  var isAlone = true
  private(set) var alias = RowAlias()

  init(key: String) { self.key = key }

  /// The same members under another name in the SQL: the query may stand within another one.
  func renamed() -> Self {
    var members = self
    members.alias = RowAlias()
    return members
  }

  // No property has such names, so that the columns of the rows can be named alone.
  private static let (placeName, pkName): (SQLFragment, SQLFragment) = (
    "\(name: "_member,place")", "\(name: "_member,pk")"
  )

  /// The members as a table with a name.
  var rows: SQLFragment {
    "(SELECT place AS \(Self.placeName), pk AS \(Self.pkName) FROM \(sql: CollectionTables.memberTable) WHERE collection = \(collection: key)) AS \(alias)"
  }

  var pk: SQLFragment { "\(alias).\(Self.pkName)" }
  var place: SQLFragment { "\(alias).\(Self.placeName)" }

  func contains(_ row: RowAlias) -> EntityPredicate { .isMember(row, of: key) }
}

extension EntityPredicate {
  /// The condition that a row is a member of a stored collection.
  static func isMember(_ row: RowAlias, of key: String) -> EntityPredicate {
    EntityPredicate(
      "\(row)._pk IN (SELECT m.pk FROM \(sql: CollectionTables.memberTable) AS m WHERE m.collection = \(collection: key))"
    )
  }

  /// A mistake that the query throws when it runs.
  package static func invalid(_ error: StoreError) -> EntityPredicate { EntityPredicate("\(invalid: error)") }
}

extension QueryRow {
  /// Whether the object is a member of the stored collection with a key.
  package func isMember(ofCollection key: String) -> EntityPredicate { .isMember(alias, of: key) }
}

extension EntityQuery {
  /// The members of a stored collection, in its order. A commit that does not change the collection runs no live query
  /// for them.
  package init(membersOf key: String) {
    self.init()
    members = ListedMembers(key: key)
    let place: SQLFragment =
      "(SELECT m.place FROM \(sql: CollectionTables.memberTable) AS m WHERE m.pk = \(row)._pk AND m.collection = \(collection: key))"
    order = [SortKey(sql: place, isDescending: false)]
  }

  /// A query that throws a mistake when it runs.
  package init(invalid error: StoreError) { self.init(predicate: .invalid(error)) }
}
