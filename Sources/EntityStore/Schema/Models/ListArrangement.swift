// The order of a to-many relationship. In an ordered relationship, the place of a member is a position: a number in a
// column of the store's own, `_position_LINK`, in the row with the link. In a to-many relationship that is the row of
// the member, in a many-to-many relationship the row of the membership. The column is an attribute of the entity like
// others, so the same code saves it, rolls it back, merges and reads it. But it is no property that a user, a response
// or a query can name.

/// The order in which a to-many relationship has its members.
package enum ListArrangement: Sendable, Equatable {
  /// The order of the row ids.
  case none
  /// The order of the positions. `position` is the property with the positions, in the entity with the link.
  case ordered(position: Int)
  /// The order of an attribute of the members. The row id decides between members with equal values.
  case sorted(by: Int, descending: Bool)
}

extension PropertyModel {
  static let positionType = AttributeType.integer(bits: 64, isSigned: true)

  static func positionName(of link: String) -> String { "_position_\(link)" }

  /// The property with the positions of the relationship; `nil` where it is not ordered.
  package var position: Int? {
    if case .ordered(let position) = arrangement { position } else { nil }
  }

  package var isOrdered: Bool { position != nil }
}

extension EntityModel {
  /// The place of a row in an ordered relationship. A row without a position stands where its row id says.
  func placeKey(_ position: Int) -> String {
    "coalesce(\(properties[position].name.quoted), _pk << \(ListOrder.rowShift))"
  }

  /// The order in which the rows with the same link are read.
  func linkOrder(_ link: Int) -> String { position(of: link).map { "\(placeKey($0)), _pk" } ?? "_pk" }

  /// The sides of a membership to which a mark belongs: a mark of the position belongs to the list on its side.
  func sides(_ mark: ColumnMask) -> [Int] {
    guard !mark.intersection(positions).isEmpty else { return Array(mark.indices) }
    return Set(mark.indices.map { properties[$0].positionOf ?? $0 }).sorted()
  }
}

extension SchemaModel {
  /// The query for the members of an ordered relationship in their order: row, marks, member and place; see
  /// ``ListPlace``.
  ///
  /// - Parameter isLast: Whether only the last member is read.
  /// - Returns: The entity of the rows, and the query; `nil` where the relationship is not ordered.
  func selectPlaces(
    _ property: PropertyModel, isLast: Bool = false, source: (EntityModel) throws -> String
  ) rethrows -> (model: EntityModel, sql: String, position: Int)? {
    guard let position = property.position, let list = property.list else { return nil }
    let (model, link) = (entities[list.entity], list.owner)
    let member = list.member.map { model.properties[$0].name.quoted } ?? "_pk"
    let sql =
      "SELECT _pk, _edited, \(member), \(model.placeKey(position)) FROM \(try source(model)) "
      + "WHERE \(model.properties[link].name.quoted) = ? "
      + (isLast ? "ORDER BY 4 DESC, 1 DESC LIMIT 1" : "ORDER BY 4, 1")
    return (model, sql, position)
  }

  /// The entity whose rows have the places of a to-many relationship: the entity of the members, or of the memberships.
  package func listRows(_ list: PropertyModel) -> EntityModel? {
    list.list.map { entities[$0.entity] }
  }

  /// The entity of the objects in a relationship.
  func target(of property: PropertyModel) -> EntityModel? {
    property.target.map { entities[$0] }
  }
}
