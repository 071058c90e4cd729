// Ordered relationships in rows; see ListArrangement.swift.

/// The order of ordered relationships.
package struct RowOrder {
  let rows: RowWriter

  var connection: Connection { rows.connection }
  var schema: SchemaModel { rows.schema }
}

extension RowOrder {
  /// The rows whose to-one property `property` holds `pk`, in a fixed order, and whether any of them has local edits.
  package func holders(
    _ model: EntityModel, _ property: Int, of pk: Int64
  ) throws -> (rows: [Int64], areEdited: Bool) {
    var areEdited = false
    let rows = try connection.rows(
      "SELECT _pk, _edited FROM \(model.table) WHERE \(model.properties[property].name.quoted) = ? "
        + "ORDER BY \(model.linkOrder(property))",
      [.integer(pk)]
    ) { row in
      areEdited = areEdited || !row.isNull(1)
      return row.int64(0)
    }
    return (rows, areEdited)
  }

  /// The members in a list of the row `pk`, in a fixed order, and whether any of them has local edits.
  package func members(of list: PropertyModel.ListRows, _ pk: Int64) throws -> (rows: [Int64], areEdited: Bool) {
    let model = schema.entities[list.entity]
    guard list.member != nil else { return try holders(model, list.owner, of: pk) }
    let members = try connection.rows(model.selectLinks(list.owner, from: model.table), [.integer(pk)]) { $0.int64(1) }
    return (members, try rows.edits.areEdited(schema.entities[list.target], members))
  }

  /// The members of an ordered relationship of the row `pk` in their places.
  package func places(_ model: EntityModel, _ list: Int, of pk: Int64) throws -> [ListPlace] {
    guard let (holders, sql, position) = schema.selectPlaces(model.properties[list], source: \.table) else { return [] }
    return try connection.rows(sql, [.integer(pk)]) { ListPlace($0, holders, position) }
  }

  /// Gives the members of an ordered relationship the order of a response. Some members may stay that the response
  /// lacks, as they were added here: each stays behind the same member as before.
  ///
  /// An order that was edited here stays, where the policy keeps edits. A member that the response adds then comes behind
  /// the member that it follows in the response.
  ///
  /// - Parameter before: The members before the response, in their order.
  /// - Returns: Whether members got other places.
  package func set(
    _ model: EntityModel, _ list: Int, of pk: Int64, _ wanted: [Int64], before: [Int64], _ policy: MergePolicy
  ) throws -> Bool {
    let places = try places(model, list, of: pk)
    let members = places.map(\.member)
    let isEdited = try policy.keepsEdits && isOrderEdited(model, list, of: pk, places)
    let order = isEdited ? ListOrder.merged(before, wanted) : wanted
    let target = ListOrder.places(ListOrder.merged(order, members), of: places)
    let isChanged = try move(model, list, target)
    if isChanged { rows.notes.repeats?.noteOrder(model, pk, list, isChanged: true) }
    guard isEdited else { return isChanged }
    if target.map(\.member) == wanted { try rows.edits.hearOrder(model, list, of: pk) }
    if !ListOrder.isSame(target, as: wanted) {
      let column = ColumnMask(list)
      rows.notes.skips?.note(
        model, pk, policy.staying(of: column, edited: column, newer: ColumnMask()), answered: column)
    }
    return isChanged
  }

  /// Sets the positions so that the rows of an ordered relationship are read in the order of `places`.
  @discardableResult
  func move(_ model: EntityModel, _ list: Int, _ places: [ListPlace]) throws -> Bool {
    let property = model.properties[list]
    guard let position = property.position, let holders = schema.listRows(property) else { return false }
    let moves = ListOrder.moves(places)
    for (row, place) in moves {
      guard let found = try rows.find(holders, pk: row) else { continue }
      var values = RowValues(count: holders.properties.count)
      values[position] = .integer(place)
      _ = try rows.update(holders, found, values, .effect, .leavesPlaceholder)
    }
    return !moves.isEmpty
  }

  private func isOrderEdited(
    _ model: EntityModel, _ list: Int, of pk: Int64, _ places: [ListPlace]
  ) throws -> Bool {
    if case .toMany = model.properties[list].kind { return try rows.edits.isEdited(model, pk, list) }
    return places.contains(where: \.isMoved)
  }

  /// Tells the observers of lists in which a row has another place.
  func noteMoves(_ model: EntityModel, _ moves: [(link: Int, pk: Int64)], _ source: RowSource) {
    for move in moves where move.pk != 0 {
      guard case .toOne(let target, let list?, _) = model.properties[move.link].kind else { continue }
      rows.tell(schema.entities[target], move.pk, .updated, ColumnMask(list), isDirect: source.isDirect)
    }
  }
}
