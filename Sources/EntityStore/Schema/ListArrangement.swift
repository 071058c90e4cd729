// The order of a to-many relationship. The place of a member in an ordered one is a position: a number in a column of the
// store's own, `_position_LINK`, in the row with the link. Of a to-many relationship that is the row of the member, of a
// many-to-many relationship that of the membership. Such a column is an attribute of the entity like others, so that it is
// saved, rolled back, merged and read by the same code, but no property that a user, a response or a query names.

/// The order in which a to-many relationship has its members.
package enum ListArrangement: Sendable, Equatable {
  /// The order of the row ids.
  case none
  /// The order of the positions: the property that has them, of the entity with the link.
  case ordered(position: Int)
  /// The order of an attribute of the members. The row id decides between members with equal values.
  case sorted(by: Int, descending: Bool)
}

/// The order as a declaration says it.
enum DeclaredArrangement: Sendable {
  case none, ordered
  case sorted(any ManagedEntity.Type, by: String, descending: Bool)
}

/// Which value comes first.
public enum SortDirection: Sendable {
  /// The least one.
  case ascending
  /// The greatest one.
  case descending
}

extension PropertyDescriptor {
  /// The same to-many relationship with an order of its own: that of the array which it was set to, or of the list in a
  /// response.
  ///
  /// ```swift
  /// .property(\Post.tags, columns.tags).ordered()
  /// ```
  /// The store refuses a property that is no to-many relationship when it is opened.
  public func ordered(_ isOrdered: Bool = true) -> PropertyDescriptor {
    guard isOrdered else { return self }
    var descriptor = self
    descriptor.arrangements.append(.ordered)
    return descriptor
  }

  /// The same to-many relationship, read in the order of an attribute of its members; those with equal values in the order of
  /// their row ids.
  ///
  /// ```swift
  /// .property(\Post.comments, columns.comments, inverse: Comment.columns.post).sorted(by: Comment.columns.createdAt)
  /// ```
  /// The store refuses a property that is no to-many relationship to the entity of the column when it is opened.
  ///
  /// - Parameters:
  ///   - column: The attribute.
  ///   - order: Whether the least or the greatest value comes first. SQLite decides which value is greater: none is the least
  ///     (https://sqlite.org/datatype3.html#sort_order).
  public func sorted<T: ManagedEntity, V>(by column: Column<T, V>, _ order: SortDirection = .ascending)
    -> PropertyDescriptor
  {
    var descriptor = self
    descriptor.arrangements.append(.sorted(T.self, by: column.name, descending: order == .descending))
    return descriptor
  }

  /// The column with the positions of an ordered relationship.
  fileprivate static func position(_ index: Int, of link: PropertyModel) -> PropertyDescriptor {
    PropertyDescriptor(
      index: index, name: PropertyModel.positionName(of: link.name), key: nil,
      kind: .attribute(PropertyModel.positionType, isOptional: true), isUID: false, isUnique: false, isIndexed: false,
      defaultValue: .null, isPreset: false, keyPath: \LinkRow.isDeleted, notify: { _, _, _ in }, set: { _, _ in false },
      link: { _, _ in })
  }
}

extension PropertyModel {
  static let positionType = AttributeType.integer(bits: 64, isSigned: true)

  static func positionName(of link: String) -> String { "_position_\(link)" }

  static func position(_ index: Int, of link: PropertyModel) -> PropertyModel {
    let descriptor = PropertyDescriptor.position(index, of: link)
    return PropertyModel(
      index: index, name: descriptor.name, key: "", kind: .attribute(positionType, isOptional: true), isUID: false,
      isUnique: false, isIndexed: false, defaultValue: .null, descriptor: descriptor, positionOf: link.index)
  }

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

  /// The order in which the rows with a link are read.
  func linkOrder(_ link: Int) -> String { position(of: link).map { "\(placeKey($0)), _pk" } ?? "_pk" }

  /// Of a membership, the sides that a mark is of: a mark of the position is one of the list on its side.
  func sides(_ mark: ColumnMask) -> [Int] {
    guard !mark.intersection(positions).isEmpty else { return Array(mark.indices) }
    return Set(mark.indices.map { properties[$0].positionOf ?? $0 }).sorted()
  }
}

extension SchemaModel {
  /// The members of an ordered relationship in their order: row, marks, member and place; see ``ListPlace``.
  ///
  /// - Parameter isLast: Whether only the last one is wanted.
  /// - Returns: The entity of the rows, and the query; `nil` where the relationship is not ordered.
  func selectPlaces(
    _ property: PropertyModel, isLast: Bool = false, source: (EntityModel) throws -> String
  ) rethrows -> (model: EntityModel, sql: String, position: Int)? {
    guard let position = property.position else { return nil }
    let (model, link, member): (EntityModel, Int, String)
    switch property.kind {
    case .attribute, .toOne: return nil
    case .toMany(let target, let inverse, _): (model, link, member) = (entities[target], inverse, "_pk")
    case .manyToMany(let membership, _):
      (model, link) = (entities[membership.links], membership.side)
      member = model.properties[membership.otherSide].name.quoted
    }
    let sql =
      "SELECT _pk, _edited, \(member), \(model.placeKey(position)) FROM \(try source(model)) "
      + "WHERE \(model.properties[link].name.quoted) = ? "
      + (isLast ? "ORDER BY 4 DESC, 1 DESC LIMIT 1" : "ORDER BY 4, 1")
    return (model, sql, position)
  }

  /// The entity whose rows have the places of a to-many relationship: the members, or the memberships.
  package func listRows(_ list: PropertyModel) -> EntityModel? {
    switch list.kind {
    case .attribute, .toOne: nil
    case .toMany(let target, _, _): entities[target]
    case .manyToMany(let membership, _): entities[membership.links]
    }
  }

  /// The entity of the objects in a relationship.
  func target(of property: PropertyModel) -> EntityModel? {
    switch property.kind {
    case .attribute: nil
    case .toOne(let target, _, _), .toMany(let target, _, _): entities[target]
    case .manyToMany(let membership, _): entities[membership.target]
    }
  }

  // MARK: Resolving

  /// Resolves the orders of to-many relationships, and gives the entities with the links their columns.
  static func arrange(
    _ types: [any ManagedEntity.Type], _ numbers: [ObjectIdentifier: Int], _ properties: inout [[PropertyModel]],
    _ links: inout [LinkModel]
  ) throws {
    for (number, type) in types.enumerated() {
      for index in properties[number].indices {
        let property = properties[number][index]
        let name = "'\(type.entityName).\(property.name)'"
        guard let arrangement = property.descriptor.arrangements.first else { continue }
        guard property.descriptor.arrangements.count == 1 else {
          throw StoreError(
            .invalidSchema, "\(name) is said to have two orders: an order of its own, or that of an attribute, is one.")
        }
        let target: Int
        switch property.kind {
        case .attribute, .toOne:
          throw StoreError(.invalidSchema, "\(name) is said to have an order, and is no to-many relationship.")
        case .toMany(let entity, _, _): target = entity
        case .manyToMany(let membership, _): target = membership.target
        }
        switch arrangement {
        case .none: continue
        case .sorted(let entity, let key, let isDescending):
          guard numbers[ObjectIdentifier(entity)] == target,
            let key = properties[target].first(where: { $0.name == key }), case .attribute = key.kind
          else {
            throw StoreError(
              .invalidSchema,
              "\(name) is said to be sorted by '\(entity.entityName).\(key)', which is no attribute of its objects.")
          }
          properties[number][index].arrangement = .sorted(by: key.index, descending: isDescending)
          if case .toMany(_, let inverse, _) = property.kind { properties[target][inverse].sortKey = key.index }
        case .ordered:
          switch property.kind {
          case .attribute, .toOne: continue
          case .toMany(_, let inverse, _):
            let position = properties[target].count
            guard position < ColumnMask.capacity else {
              throw StoreError(
                .invalidSchema,
                "'\(types[target].entityName)' has \(position) properties; the order of \(name) needs one more than there "
                  + "can be.")
            }
            properties[target].append(.position(position, of: properties[target][inverse]))
            properties[number][index].arrangement = .ordered(position: position)
          case .manyToMany(let membership, _):
            properties[number][index].arrangement = .ordered(
              position: links[membership.links - types.count].order(membership.side))
          }
        }
      }
    }
  }
}
