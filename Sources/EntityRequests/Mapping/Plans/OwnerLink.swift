import EntityStore

/// The object whose relationship a response has.
package struct RelationshipOwner: Sendable {
  /// The number of its entity.
  let entity: Int
  let pk: Int64
  let property: Int
}

/// The way back from the objects of a response to the object whose relationship they are.
///
/// The objects that the response lacks keep theirs: it may be one page of many.
final class OwnerLink {
  private let mapper: Mapper<RowTarget>
  private let model: EntityModel
  private let pk: Int64
  private let property: Int
  /// The columns that newer answers have of the owner.
  private let newer: ColumnMask
  private var members: [Int64] = []

  /// - Returns: `nil` for an owner that is gone, whose relationships have ended.
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

  /// The to-one property of each object that leads back, where the relationship is one.
  var wayBack: ParentLink? {
    guard case .toMany(_, let inverse, _) = model.properties[property].kind, !newer.contains(property) else {
      return nil
    }
    return ParentLink(property: inverse, pk: pk)
  }

  func add(_ pk: Int64) { members.append(pk) }

  /// Sets the relationships that are no column of the objects.
  func set() throws {
    switch model.properties[property].kind {
    case .attribute, .toMany: return
    case .manyToMany(let membership, _):
      try mapper.target.addMembers(model, property, membership, of: pk, members, newer: newer)
    case .toOne:
      guard let member = members.last else { return }
      _ = try mapper.target.setLink(model, pk, property, to: member, newer: newer)
      mapper.session.touch(model, try mapper.target.uid(model, pk), ColumnMask(property))
    }
  }
}
