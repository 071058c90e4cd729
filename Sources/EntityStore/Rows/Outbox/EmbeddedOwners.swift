/// Finds the objects that embedded objects are sent with: their parents, or the outermost objects where parents are
/// embedded too. Many objects take one query for each relationship.
struct EmbeddedOwners {
  /// An object, and its relationship to embedded objects.
  struct Owner {
    let key: RowKey
    let property: Int
  }

  let connection: Connection
  let schema: SchemaModel
  private var parents: [RowKey: Owner] = [:]
  private var known: Set<RowKey> = []

  init(_ connection: Connection, _ schema: SchemaModel) { (self.connection, self.schema) = (connection, schema) }

  /// The outermost object that an object is sent with, and the relationship that leads from it towards the object; `nil`
  /// for an object that is sent by itself.
  func owner(of key: RowKey) -> Owner? {
    var owner: Owner?
    var seen: Set = [key]
    while let parent = parents[owner?.key ?? key], seen.insert(parent.key).inserted { owner = parent }
    return owner
  }

  /// The object itself, or the outermost object that it is sent with.
  func sender(of key: RowKey) -> RowKey { isEmbedded(key) ? owner(of: key)?.key ?? key : key }

  private func isEmbedded(_ key: RowKey) -> Bool { schema.entities[key.entity].uid == nil }

  /// Reads the parents of objects. Objects with a uid have none.
  mutating func read(_ keys: some Sequence<RowKey>) throws {
    var next = Set(keys.lazy.filter(isEmbedded)).subtracting(known)
    while !next.isEmpty {
      known.formUnion(next)
      let found = try parents(of: next)
      parents.merge(found) { first, _ in first }
      next = Set(found.values.lazy.map(\.key).filter(isEmbedded)).subtracting(known)
    }
  }

  private func parents(of keys: Set<RowKey>) throws -> [RowKey: Owner] {
    var found: [RowKey: Owner] = [:]
    for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
      let model = schema.entities[entity]
      var left = Set(keys.map(\.pk))
      func note(_ pk: Int64, _ owner: Owner) {
        if left.remove(pk) != nil { found[RowKey(entity: entity, pk: pk)] = owner }
      }
      for query in parentQueries(model) where !left.isEmpty {
        for (pk, parent) in try connection.rows(query.sql, [.pks(left)], read: { ($0.int64(0), $0.int64(1)) }) {
          note(pk, Owner(key: RowKey(entity: query.entity, pk: parent), property: query.property))
        }
      }
    }
    return found
  }

  /// A query of the parents of rows: the row id, and that of the parent.
  private typealias ParentQuery = (sql: String, entity: Int, property: Int)

  private func parentQueries(_ model: EntityModel) -> [ParentQuery] {
    var queries: [ParentQuery] = []
    for property in model.properties {
      guard case .toOne(let target, let list?, _) = property.kind, schema.entities[target].embeddedLists.contains(list)
      else { continue }
      queries.append(
        (
          "SELECT _pk, \(property.name.quoted) FROM \(model.table) WHERE _pk IN \(Self.values) "
            + "AND \(property.name.quoted) IS NOT NULL", target, list
        ))
    }
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let column = other.properties[incoming.property].name.quoted
      if let end = incoming.otherEnd {
        guard let list = end.list else { continue }
        let holder = other.properties[end.property].name.quoted
        queries.append(
          (
            "SELECT \(column), \(holder), min(_pk) FROM \(other.table) WHERE \(column) IN \(Self.values) "
              + "GROUP BY 1", end.entity, list
          ))
      } else if case .toOne(_, nil, _) = other.properties[incoming.property].kind {
        // A link with an inverse leads from the member of a list to the parent, and not from a parent.
        queries.append(
          (
            "SELECT \(column), min(_pk) FROM \(other.table) WHERE \(column) IN \(Self.values) GROUP BY 1", other.number,
            incoming.property
          ))
      }
    }
    return queries
  }

  /// The objects, and all objects that are embedded in them.
  func withEmbedded(_ keys: Set<RowKey>) throws -> Set<RowKey> {
    var all = keys
    var next = keys
    while !next.isEmpty {
      var found: Set<RowKey> = []
      for (entity, keys) in Dictionary(grouping: next, by: \.entity) {
        let model = schema.entities[entity]
        for property in model.properties where property.leadsToEmbedded {
          guard let target = property.target else { continue }
          let sql: String
          if let list = property.list {
            let rows = schema.entities[list.entity]
            sql =
              "SELECT \(rows.memberColumn(list)) FROM \(rows.table) "
              + "WHERE \(rows.properties[list.owner].name.quoted) IN \(Self.values)"
          } else {
            if case .toOne(_, .some, _) = property.kind { continue }
            let own = property.name.quoted
            sql = "SELECT \(own) FROM \(model.table) WHERE _pk IN \(Self.values) AND \(own) IS NOT NULL"
          }
          for pk in try connection.rows(sql, [.pks(keys.map(\.pk))], read: { $0.int64(0) }) {
            found.insert(RowKey(entity: target, pk: pk))
          }
        }
      }
      next = found.subtracting(all)
      all.formUnion(next)
    }
    return all
  }

  /// The values of the first parameter, which is ``StoredValue/pks(_:)``.
  static let values = "(SELECT value FROM _entity_values(?1))"
}

extension StoredValue {
  /// Row ids as one parameter.
  static func pks(_ pks: some Sequence<Int64>) -> StoredValue { .list(pks.sorted().map { .integer($0) }) }
}
