/// How the rows of one entity are evicted: the columns that an evicted row keeps, and the conditions of its eviction.
///
/// It is a function of the schema. An evicted row becomes a placeholder: its uid stays, and so does each link by which
/// the row stands in a list. So no link dangles, no to-many relationship loses a member, and an answer that has the object
/// fills the row again.
struct EvictionPlan {
  let model: EntityModel
  let uid: Int
  let age: Int
  /// The columns that stay.
  let kept: ColumnMask
  /// The links among them.
  let links: ColumnMask
  /// The relationships to objects that live in the object.
  let parts: [PropertyModel]

  /// - Returns: `nil` for an entity whose objects do not expire, or whose rows can't be placeholders: several rows
  ///   without values would share a value that only one may have.
  init?(_ model: EntityModel) {
    guard let uid = model.uid, let age = model.age, model.hasPlaceholders, model.together.isEmpty,
      model.unique.subtracting(ColumnMask(uid)).indices.allSatisfy({ model.properties[$0].defaultValue.isNull })
    else { return nil }
    (self.model, self.uid, self.age) = (model, uid, age)
    var links = ColumnMask()
    var parts: [PropertyModel] = []
    for property in model.properties {
      switch property.kind {
      case .attribute: continue
      case .toOne(_, .some, _): links.insert(property.index)
      case .toOne, .toMany, .manyToMany: if property.leadsToEmbedded { parts.append(property) }
      }
    }
    for property in model.properties {
      if let link = property.positionOf, links.contains(link) { links.insert(property.index) }
    }
    self.links = links.intersection(model.links)
    kept = links.union(model.identity).union(ColumnMask(age))
    self.parts = parts
  }

  /// The values of a row of which nothing but the uid is known.
  var values: RowValues {
    var values = InsertionPlan(model, RowValues(count: model.properties.count), edited: ColumnMask(), [.placeholder])
      .whole(model)
    for index in model.stored.subtracting(kept).subtracting(values.mask).indices { values[index] = .null }
    if let coverage = model.coverage { values[coverage] = model.names(model.coverable.subtracting(links)) }
    values.remove(kept)
    return values
  }

  // MARK: Conditions, of a row `t`

  /// Whether nothing that the server does not have hangs on the row: neither an edit of it, nor an entry of the outbox,
  /// nor an edit of another row that links to it, or that linked to it before the edit.
  func isSettled(_ schema: SchemaModel) -> String {
    var conditions = [
      "t._edited IS NULL", "t.\(name(uid)) IS NOT NULL",
      "NOT EXISTS (SELECT 1 FROM \(OutboxTable.table) AS e WHERE e.entity = \(model.name.literal) AND e.pk = t._pk)",
    ]
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let link = other.properties[incoming.property].name.quoted
      conditions.append(
        "NOT EXISTS (SELECT 1 FROM \(other.table) AS o WHERE o.\(link) = t._pk AND o._edited IS NOT NULL)")
      if incoming.otherEnd != nil {
        conditions.append("NOT EXISTS (SELECT 1 FROM \(other.removedTable) AS r WHERE r.\(link) = t._pk)")
      } else {
        conditions.append(
          "t._pk NOT IN (SELECT n.base FROM \(EditNotes.table) AS n WHERE n.entity = \(other.name.literal) "
            + "AND n.property = \(other.properties[incoming.property].name.literal) AND n.base IS NOT NULL)")
      }
    }
    return conditions.joined(separator: " AND ")
  }

  /// Whether no object needs the placeholder: none links to it, and it stands in the list of none. A stored collection has
  /// no evicted row.
  func isUnused(_ schema: SchemaModel) -> String {
    var conditions: [String] = []
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let link = other.properties[incoming.property].name.quoted
      conditions.append(
        "NOT EXISTS (SELECT 1 FROM \(other.table) AS o WHERE o.\(link) = t._pk"
          + (!other.hasPlaceholders ? ")" : " AND o._placeholder = 0)"))
    }
    for link in links.indices {
      guard case .toOne(let target, _, _) = model.properties[link].kind else { continue }
      let other = schema.entities[target]
      conditions.append(
        "NOT EXISTS (SELECT 1 FROM \(other.table) AS g WHERE g._pk = t.\(name(link))"
          + (other.hasPlaceholders ? " AND g._placeholder = 0)" : ")"))
    }
    return (conditions + [isSettled(schema)]).joined(separator: " AND ")
  }

  func name(_ index: Int) -> String { model.properties[index].name.quoted }
}
