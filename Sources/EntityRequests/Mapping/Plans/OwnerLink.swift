import EntityStore

/// The object whose relationship was asked for, as in `user.get(\.posts)`.
package struct RelationshipOwner: Sendable {
  /// The number of its entity.
  let entity: Int
  let pk: Int64
  let property: Int
}

/// Links the objects of a response to the object whose relationship was asked for.
///
/// Objects that the response lacks keep their links, because the response may be one page of many.
final class OwnerLink {
  private let mapper: Mapper<RowTarget>
  private let model: EntityModel
  private let pk: Int64
  private let property: Int
  /// The owner's columns that newer answers wrote.
  private let newer: ColumnMask
  private var members: [Int64] = []

  /// - Returns: `nil` when the owner is gone: its relationships have ended.
  init?(_ owner: RelationshipOwner, to plan: MappingPlan, _ mapper: Mapper<RowTarget>) throws {
    let rows = mapper.target.writer
    model = rows.schema.entities[owner.entity]
    pk = rows.collisions.survivor(model, owner.pk)
    property = owner.property
    self.mapper = mapper
    let uid = try mapper.session.isOrdered ? mapper.target.uid(model, pk) : nil
    guard try rows.find(model, pk: pk) != nil, let newer = mapper.session.newer(model, uid) else { return nil }
    self.newer = newer
  }

  /// The to-one property of each object that leads back to the owner; `nil` when the owner's relationship has none, and
  /// when a newer answer wrote the relationship.
  var wayBack: ParentLink? {
    guard let list = model.properties[property].list, list.member == nil, !newer.contains(property) else { return nil }
    return ParentLink(property: list.owner, pk: pk)
  }

  func add(_ pk: Int64) { members.append(pk) }

  /// Sets the relationship if it is not a column of the objects.
  func set() throws {
    if let membership = model.properties[property].membership {
      try mapper.target.addMembers(model, property, membership, of: pk, members, newer: newer)
    } else if case .toOne = model.properties[property].kind, let member = members.last {
      _ = try mapper.target.setLink(model, pk, property, to: member, newer: newer)
      mapper.session.touch(model, try mapper.target.uid(model, pk), ColumnMask(property))
    }
  }
}
