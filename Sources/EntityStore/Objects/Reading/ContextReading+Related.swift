// The related objects of several objects, with one query for hundreds of objects instead of one for each.

extension ContextReading {
  private static let rowsOfQuery = 500

  /// The objects of a to-many relationship of several objects, by the row id of the owner, in the order of
  /// ``members(of:_:)``.
  ///
  /// - Parameters:
  ///   - pks: The row ids of the objects.
  ///   - model: The entity of the objects.
  ///   - property: The index of the relationship.
  package func members(
    ofRows pks: [Int64], _ model: EntityModel, _ property: Int
  ) throws -> [Int64: [any ManagedEntity]] {
    let list = model.properties[property]
    return try context.merging.entry {
      var members: [Int64: [any ManagedEntity]] = [:]
      for part in Self.parts(pks) {
        if let membership = list.membership {
          try addMembers(of: part, list, membership, to: &members)
        } else if let rows = list.list {
          let (target, link) = (context.core.schema.entities[rows.entity], rows.owner)
          let condition = "\(target.properties[link].name.quoted) IN (\(Self.marks(part)))"
          for member in try objects(target, where: condition, order(of: list, target, link: link), part) {
            members[member.values(ColumnMask(link)).link(link), default: []].append(member)
          }
        }
      }
      return members
    }
  }

  /// The objects with the given row ids, in ascending order of these ids; objects whose rows are gone are left out.
  package func objects(_ model: EntityModel, ofRows pks: some Sequence<Int64>) throws -> [any ManagedEntity] {
    try context.merging.entry {
      try Self.parts(Set(pks).sorted()).flatMap {
        try objects(model, where: "_pk IN (\(Self.marks($0)))", "_pk", $0)
      }
    }
  }

  private func addMembers(
    of pks: [Int64], _ list: PropertyModel, _ membership: PropertyModel.Membership,
    to members: inout [Int64: [any ManagedEntity]]
  ) throws {
    let (links, target) = (
      context.core.schema.entities[membership.links], context.core.schema.entities[membership.target]
    )
    let (side, other) = (links.properties[membership.side], links.properties[membership.otherSide])
    let pairs = "FROM \(try context.overlay.source(links)) WHERE \(side.name.quoted) IN (\(Self.marks(pks)))"
    let found = try objects(
      target, where: "_pk IN (SELECT \(other.name.quoted) \(pairs))", order(of: list, target, link: nil), pks)
    let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($0.element._$state.pk, $0.offset) })
    let place = list.position.map { "\(links.placeKey($0)), " } ?? ""
    let rows = try context.connection.rows(
      "SELECT \(side.name.quoted), \(other.name.quoted) \(pairs) ORDER BY \(place)_pk", pks.map { .integer($0) }
    ) { (owner: $0.int64(0), member: $0.int64(1)) }
    var owned: [Int64: [Int]] = [:]
    // Two memberships are the same pair while ours is unsaved and others made it too.
    var seen: Set<[Int64]> = []
    for row in rows {
      guard let place = places[row.member], seen.insert([row.owner, row.member]).inserted else { continue }
      owned[row.owner, default: []].append(place)
    }
    for (owner, places) in owned {
      members[owner] = (list.position == nil ? places.sorted() : places).map { found[$0] }
    }
  }

  /// - Parameter link: The link from the members to the owner, if there is one.
  private func order(of list: PropertyModel, _ target: EntityModel, link: Int?) -> String {
    if case .sorted(let key, let isDescending) = list.arrangement {
      return "\(target.properties[key].name.quoted)\(isDescending ? " DESC" : ""), _pk"
    }
    return link.map { target.linkOrder($0) } ?? "_pk"
  }

  private func objects(
    _ model: EntityModel, where condition: String, _ order: String, _ pks: [Int64]
  ) throws -> [any ManagedEntity] {
    try context.connection.rows(
      "SELECT \(model.columnList) FROM \(try context.overlay.source(model)) WHERE \(condition) ORDER BY \(order)",
      pks.map { .integer($0) }
    ) { object(model, from: $0) }
  }

  private static func parts(_ pks: [Int64]) -> [[Int64]] {
    stride(from: 0, to: pks.count, by: rowsOfQuery).map { Array(pks[$0..<min($0 + rowsOfQuery, pks.count)]) }
  }

  private static func marks(_ pks: [Int64]) -> String {
    Array(repeating: "?", count: pks.count).joined(separator: ", ")
  }
}
