internal import Foundation

extension EntityQuery {
  /// The conditions of the rows after a place. Where there are several conditions, all rows of the first one come
  /// before the rows of the next one.
  ///
  /// Each condition bounds the first key, so that SQLite finds the rows by an index of the key. The exact condition,
  /// with an `OR` for each further key, would be a scan. Rows with and without a first key have different conditions,
  /// because no range has both.
  func parts(after cursor: PageCursor<E>) -> [EntityPredicate] {
    guard let key = order.first, let value = cursor.keys.first else { return [rest(after: cursor, from: 0)] }
    let rest = rest(after: cursor, from: 1)
    let comesFirst = key.nilsComeFirst
    if value.isNull {
      let others: [EntityPredicate] = comesFirst ? [EntityPredicate("\(key.sql) IS NOT NULL")] : []
      return [EntityPredicate("(\(key.sql) IS NULL AND \(rest.sql))")] + others
    }
    let (bound, beyond): (SQLFragment, SQLFragment) = key.isDescending ? ("<=", "<") : (">=", ">")
    let range = EntityPredicate(
      "(\(key.sql) \(bound) \(value) AND (\(key.sql) \(beyond) \(value) OR \(rest.sql)))")
    return comesFirst ? [range] : [range, EntityPredicate("\(key.sql) IS NULL")]
  }

  /// The condition that a row comes after the place, where the row is equal to the place in the first keys.
  private func rest(after cursor: PageCursor<E>, from first: Int) -> EntityPredicate {
    let last: SQLFragment = isReversed ? "\(row)._pk < \(.integer(cursor.row))" : "\(row)._pk > \(.integer(cursor.row))"
    var condition = last
    for (key, value) in zip(order, cursor.keys).dropFirst(first).reversed() {
      condition = "(\(key.isAfter(value)) OR (\(key.sql) IS \(value) AND \(condition)))"
    }
    return EntityPredicate(condition)
  }

  /// The query for a part of the objects: the columns of each object, then its sort keys.
  func page(_ columns: String, where part: EntityPredicate?, limit: Int) -> SQLFragment {
    let list = SQLFragment.joined(["\(sql: columns)"] + order.map(\.sql), ", ")
    return
      "\(first: row)SELECT \(list)\(keyColumns) FROM \(source(and: part))\(ordered)\(RowLimit(limit, after: 0).sql)"
  }
}

extension SortKey {
  /// The condition that a row's key comes after a value.
  fileprivate func isAfter(_ value: StoredValue) -> SQLFragment {
    if value.isNull { return nilsComeFirst ? "\(sql) IS NOT NULL" : "0" }
    let beyond: SQLFragment = isDescending ? "\(sql) < \(value)" : "\(sql) > \(value)"
    return nilsComeFirst ? beyond : "(\(beyond) OR \(sql) IS NULL)"
  }
}

extension StoredValue {
  /// A text that no other value has, even if further values follow it.
  fileprivate var exactText: String {
    switch self {
    case .null: "-"
    case .integer(let integer): "i\(integer)"
    case .real(let double): "r\(double.bitPattern)"
    case .text(let text): "t\(text.utf8.count):\(text)"
    case .blob(let data): "b\(data.count):\(data.base64EncodedString())"
    }
  }
}

extension EntityQuery {
  /// A number that differs for orders with different keys, the same in all processes: FNV-1a of the terms and of the
  /// values in them (http://www.isthe.com/chongo/tech/comp/fnv/).
  func orderNumber(_ schema: SchemaModel) throws -> UInt64 {
    let terms: SQLFragment = "\(first: row)\(terms)"
    let rendered = try terms.rendered(schema) { $0.table }
    let text = "\(E.entityName) \(rendered.sql) \(rendered.values.map(\.exactText).joined())"
    return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}
