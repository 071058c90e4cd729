// Each relationship gets its target, its inverse and, if it is many-to-many, its memberships.

extension DeclaredEntities {
  /// Finds the relationships that others name as their inverse.
  ///
  /// Lists name their inverse. A to-one relationship takes its inverse from the list.
  mutating func findInverses() throws {
    for (number, type) in types.enumerated() {
      for descriptor in descriptors[number] {
        let (targetType, inverse): (any ManagedEntity.Type, String)
        switch descriptor.kind {
        case .toMany(let type, let name, _): (targetType, inverse) = (type, name)
        case .manyToMany(let type, let name?, _): (targetType, inverse) = (type, name)
        default: continue
        }
        let other = try entityNumber(of: targetType, in: descriptor, of: type)
        let back = descriptors[other].first { $0.name == inverse }
        guard let back, Self.isInverse(back, of: descriptor, in: type) else {
          throw SchemaModel.invalid(
            "The inverse of '\(type.entityName).\(descriptor.name)' is '\(targetType.entityName).\(inverse)', "
              + "which is no relationship to '\(type.entityName)' that could be one. An inverse is named on one side only."
          )
        }
        guard inverses.updateValue(descriptor.index, forKey: Link(entity: other, property: back.index)) == nil else {
          throw SchemaModel.invalid("'\(targetType.entityName).\(inverse)' is the inverse of two relationships.")
        }
      }
    }
  }

  /// Whether `back` can be the other side of `descriptor`, a list of `type` that names it.
  private static func isInverse(
    _ back: PropertyDescriptor, of descriptor: PropertyDescriptor, in type: any ManagedEntity.Type
  ) -> Bool {
    switch (descriptor.kind, back.kind) {
    case (.toMany, .toOne(let backType, _)): backType == type
    // A list that is its own other side would have to report its own changes to itself.
    case (.manyToMany(let target, _, _), .manyToMany(let backType, nil, _)):
      backType == type && !(target == type && back.index == descriptor.index)
    default: false
    }
  }

  /// Finds the many-to-many relationships, in order: each by its side that names no inverse.
  mutating func findLinks() throws {
    for (number, type) in types.enumerated() {
      for descriptor in descriptors[number] {
        guard case .manyToMany(let targetType, nil, _) = descriptor.kind else { continue }
        let other = try entityNumber(of: targetType, in: descriptor, of: type)
        try checkIsNoOtherSide(descriptor, of: number, to: other)
        links.append(
          LinkModel(
            name: "\(type.entityName),\(descriptor.name)",
            ends: [
              .init(type: type, entity: number, property: descriptor.index),
              .init(
                type: targetType, entity: other,
                property: inverses[Link(entity: number, property: descriptor.index)]),
            ]))
      }
    }
  }

  /// Refuses a list and a relationship back to it where neither names the other. As two relationships, the list would
  /// stay empty where one relationship was meant.
  private func checkIsNoOtherSide(_ list: PropertyDescriptor, of number: Int, to other: Int) throws {
    let (type, target) = (types[number], types[other])
    guard !list.isWithoutInverse, inverses[Link(entity: number, property: list.index)] == nil else { return }
    let back = descriptors[other].first { candidate in
      guard case .toOne(let backType, _) = candidate.kind, backType == type else { return false }
      return inverses[Link(entity: other, property: candidate.index)] == nil
    }
    guard let back else { return }
    throw SchemaModel.invalid(
      "'\(type.entityName).\(list.name)' and '\(target.entityName).\(back.name)' may be one relationship or two. For one "
        + "write `@Relationship(inverse: \\\(target.entityName).\(back.name))` before '\(list.name)'; for a many-to-many "
        + "relationship of its own write `@Relationship(inverse: nil)`. By hand: `inverse:` of `property`, or "
        + "`withoutInverse()`.")
  }

  /// The number of the entity that a relationship leads to.
  ///
  /// - Throws: ``StoreError`` of kind `invalidSchema` where the store does not have it.
  func entityNumber(
    of type: any ManagedEntity.Type, in property: PropertyDescriptor, of owner: any ManagedEntity.Type
  ) throws -> Int {
    guard let number = numbers[ObjectIdentifier(type)] else {
      throw SchemaModel.invalid(
        "'\(owner.entityName).\(property.name)' refers to '\(type.entityName)', which is not among the store's entities. "
          + "Add it to `entities:`.")
    }
    return number
  }
}
