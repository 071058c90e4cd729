// Each relationship gets its target, its inverse and, if it is many-to-many, its memberships.

extension SchemaModel {
  /// A relationship, by its entity and its place there.
  struct Link: Hashable {
    let entity: Int
    let property: Int
  }

  /// The relationships that others name as their inverse, with the property that names each.
  ///
  /// Lists name their inverse. A to-one relationship takes its inverse from the list.
  static func inverses(
    _ types: [any ManagedEntity.Type], _ descriptors: [[PropertyDescriptor]], _ numbers: [ObjectIdentifier: Int]
  ) throws -> [Link: Int] {
    var inverses: [Link: Int] = [:]
    for (number, type) in types.enumerated() {
      for descriptor in descriptors[number] {
        let (targetType, inverse): (any ManagedEntity.Type, String)
        switch descriptor.kind {
        case .toMany(let type, let name, _): (targetType, inverse) = (type, name)
        case .manyToMany(let type, let name?, _): (targetType, inverse) = (type, name)
        default: continue
        }
        let other = try target(targetType, numbers, of: type, descriptor.name)
        let back = descriptors[other].first { $0.name == inverse }
        guard let back, isInverse(back, of: descriptor, in: type) else {
          throw invalid(
            "The inverse of '\(type.entityName).\(descriptor.name)' is '\(targetType.entityName).\(inverse)', "
              + "which is no relationship to '\(type.entityName)' that could be one. An inverse is named on one side only."
          )
        }
        guard inverses.updateValue(descriptor.index, forKey: Link(entity: other, property: back.index)) == nil else {
          throw invalid("'\(targetType.entityName).\(inverse)' is the inverse of two relationships.")
        }
      }
    }
    return inverses
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

  /// The memberships of many-to-many relationships, in order: each relationship is found by its side that names no
  /// inverse.
  static func links(
    _ types: [any ManagedEntity.Type], _ descriptors: [[PropertyDescriptor]], _ numbers: [ObjectIdentifier: Int],
    _ inverses: [Link: Int]
  ) throws -> [LinkModel] {
    var links: [LinkModel] = []
    for (number, type) in types.enumerated() {
      for descriptor in descriptors[number] {
        guard case .manyToMany(let targetType, nil, _) = descriptor.kind else { continue }
        let other = try target(targetType, numbers, of: type, descriptor.name)
        try checkIsNoOtherSide(descriptor, number, type, other, targetType, descriptors, inverses)
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
    return links
  }

  /// Refuses a list and a relationship back to it where neither names the other. As two relationships, the list would
  /// stay empty where one relationship was meant.
  private static func checkIsNoOtherSide(
    _ list: PropertyDescriptor, _ number: Int, _ type: any ManagedEntity.Type, _ other: Int,
    _ target: any ManagedEntity.Type, _ descriptors: [[PropertyDescriptor]], _ inverses: [Link: Int]
  ) throws {
    guard !list.isWithoutInverse, inverses[Link(entity: number, property: list.index)] == nil else { return }
    let back = descriptors[other].first { candidate in
      guard case .toOne(let backType, _) = candidate.kind, backType == type else { return false }
      return inverses[Link(entity: other, property: candidate.index)] == nil
    }
    guard let back else { return }
    throw invalid(
      "'\(type.entityName).\(list.name)' and '\(target.entityName).\(back.name)' may be one relationship or two. For one "
        + "write `@Relationship(inverse: \\\(target.entityName).\(back.name))` before '\(list.name)'; for a many-to-many "
        + "relationship of its own write `@Relationship(inverse: nil)`. By hand: `inverse:` of `property`, or "
        + "`withoutInverse()`.")
  }

  /// The number of the entity that a relationship leads to.
  ///
  /// - Throws: ``StoreError`` of kind `invalidSchema` where the store does not have it.
  static func target(
    _ type: any ManagedEntity.Type, _ numbers: [ObjectIdentifier: Int], of owner: any ManagedEntity.Type,
    _ property: String
  ) throws -> Int {
    guard let number = numbers[ObjectIdentifier(type)] else {
      throw invalid(
        "'\(owner.entityName).\(property)' refers to '\(type.entityName)', which is not among the store's entities. "
          + "Add it to `entities:`.")
    }
    return number
  }
}
