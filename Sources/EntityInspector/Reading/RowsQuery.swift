import EntityStore

/// A part of the rows of an entity, which a URL names: conditions, an order, and the row after which it begins.
///
/// A page goes on behind a row and not behind a number of rows, so that the thousandth page takes no longer than the first one.
struct RowsQuery {
  static let size = 100

  enum Only: String, CaseIterable, Encodable { case all, edited, new, placeholders }

  let entity: StoreFileSchema.Entity
  var only = Only.all
  /// The conditions as they were typed, by property.
  var filters: [String: String] = [:]
  /// The property of the order that was asked for; `nil` for none.
  var sort: String?
  var isDescending = false
  /// The row id of the last row before the page.
  var after: Int64?
  /// A many-to-many list, of which the rows are the members of one object, or the objects with one member.
  var pairs: Pairs?

  struct Pairs {
    let list: StoreFileSchema.List
    let pk: Int64
    /// Whether the rows are members of the object's list.
    let isOfOwner: Bool
  }

  init(_ entity: StoreFileSchema.Entity) { self.entity = entity }

  init(_ entity: StoreFileSchema.Entity, _ request: ServerRequest, _ schema: StoreFileSchema) {
    self.entity = entity
    only = request["only"].flatMap(Only.init) ?? .all
    for (name, value) in request.query where name.hasPrefix("where.") && !value.isEmpty {
      let name = String(name.dropFirst(6))
      if entity[name] != nil { filters[name] = value }
    }
    if let text = request["sort"] {
      let name = text.hasPrefix("-") ? String(text.dropFirst()) : text
      if name == Self.rowID || entity[name]?.isSortable == true { (sort, isDescending) = (name, text.hasPrefix("-")) }
    }
    after = request["after"].flatMap { Int64($0) }
    if let key = request["list"], let list = schema.lists.first(where: { $0.key == key }) {
      if let pk = request["owner"].flatMap({ Int64($0) }) { pairs = Pairs(list: list, pk: pk, isOfOwner: true) }
      if let pk = request["member"].flatMap({ Int64($0) }) { pairs = Pairs(list: list, pk: pk, isOfOwner: false) }
    }
  }

  /// The query as parameters of a URL.
  var parameters: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = filters.sorted { $0.key < $1.key }
      .map { ("where.\($0.key)", $0.value) }
    if only != .all { result.append(("only", only.rawValue)) }
    if let sort { result.append(("sort", "\(isDescending ? "-" : "")\(sort)")) }
    if let pairs {
      result.append(("list", pairs.list.key))
      result.append((pairs.isOfOwner ? "owner" : "member", "\(pairs.pk)"))
    }
    if let after { result.append(("after", "\(after)")) }
    return result
  }

  static let rowID = "_pk"

  /// The property of the order; `nil` for the row id. Rows within a range stand in the order of the range where nobody asks
  /// for another one: the index that finds them has that order.
  var order: StoreFileSchema.Property? {
    if let sort { return entity[sort] }
    return entity.properties.first { property in
      property.isIndexed && property.isSortable && filters[property.name].map { "<>".contains($0.first ?? " ") } == true
    }
  }

  func sorted(by name: String, descending: Bool) -> RowsQuery {
    var query = self
    (query.sort, query.isDescending, query.after) = (name, descending, nil)
    return query
  }

  func starting(after pk: Int64?) -> RowsQuery {
    var query = self
    query.after = pk
    return query
  }

  func showing(_ only: Only) -> RowsQuery {
    var query = self
    (query.only, query.after) = (only, nil)
    return query
  }

  // MARK: Statements

  /// A statement and its values. The result is one for ``ObjectRow``.
  typealias Statement = (sql: String, values: [StoredValue])

  /// - Throws: ``RowFilter/Problem``.
  private func conditions() throws -> (sql: [String], values: [StoredValue]) {
    var result: (sql: [String], values: [StoredValue]) = ([], [])
    for property in entity.properties {
      guard let text = filters[property.name] else { continue }
      let filter = try RowFilter(text, on: property, alias: "t")
      result.sql.append(filter.sql)
      result.values += filter.values
    }
    switch only {
    case .all: break
    // The notes have an index, and the marks have none.
    case .edited, .new:
      let isNew = only == .new ? " AND property = ''" : ""
      result.sql.append("t._pk IN (SELECT pk FROM main._entity_edits WHERE entity = ?\(isNew))")
      result.values.append(.text(entity.name))
    case .placeholders: result.sql.append("t._placeholder = 1")
    }
    if let pairs {
      let (own, other) =
        pairs.isOfOwner
        ? (pairs.list.memberColumn, pairs.list.ownerColumn) : (pairs.list.ownerColumn, pairs.list.memberColumn)
      result.sql.append("t._pk IN (SELECT \(own) FROM \(pairs.list.table) WHERE \(other) = ?)")
      result.values.append(.integer(pairs.pk))
    }
    return result
  }

  /// The parts of the page, each in the order of an index. Rows without a value are a part of their own, because no comparison
  /// finds them, and so are the further rows with the value of the last one.
  ///
  /// - Parameter last: The value of the row ``after`` in the column of the order.
  /// - Throws: ``RowFilter/Problem``.
  func statements(_ schema: StoreFileSchema, after last: StoredValue?) throws -> [Statement] {
    let (sign, direction) = isDescending ? ("<", "DESC") : (">", "ASC")
    func behind(_ pk: Int64) -> Statement { ("t._pk \(sign) ?", [.integer(pk)]) }
    guard let column = order?.column else {
      return [try statement(schema, after.map { [behind($0)] } ?? [], order: "t._pk \(direction)")]
    }
    let (byRow, byValue) = ("t._pk \(direction)", "t.\(column) \(direction), t._pk \(direction)")
    let nulls: Statement = ("t.\(column) IS NULL", [])
    let others: Statement = ("t.\(column) IS NOT NULL", [])
    var parts: [(places: [Statement], order: String)]
    switch (after, last) {
    case (let after?, .null): parts = [([nulls, behind(after)], byRow)] + (isDescending ? [] : [([others], byValue)])
    case (let after?, let last?):
      parts = [
        ([("t.\(column) = ?", [last]), behind(after)], byRow), ([("t.\(column) \(sign) ?", [last])], byValue),
      ]
      if isDescending { parts.append(([nulls], byRow)) }
    default: parts = isDescending ? [([others], byValue), ([nulls], byRow)] : [([nulls], byRow), ([others], byValue)]
    }
    return try parts.map { try statement(schema, $0.places, order: $0.order) }
  }

  private func statement(_ schema: StoreFileSchema, _ places: [Statement], order: String) throws -> Statement {
    let conditions = try conditions()
    let all = conditions.sql + places.map(\.sql)
    let sql =
      "SELECT \(ObjectRow.columns(entity, characters: StoreFileSchema.Property.tableCharacters, schema)) FROM \(entity.table) AS t"
      + (all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))") + " ORDER BY \(order) LIMIT \(Self.size + 1)"
    return (sql, conditions.values + places.flatMap(\.values))
  }
}
