// The store's own columns, without a property of the class.

extension PropertyModel {
  /// The column of a composite uid. Setting the column sets its parts.
  static func composite(_ index: Int, of parts: [PropertyModel]) -> PropertyModel {
    let uid = UIDParts(uid: index, parts)
    let access = PropertyAccess { object, value in
      guard let values = uid.values(of: value) else { return false }
      return zip(parts, values).allSatisfy { $0.set(object, $1) }
    }
    return PropertyModel(
      index: index, name: compositeName, key: "", kind: .attribute(.string, isOptional: true), isUID: true,
      isUnique: true, isIndexed: false, defaultValue: .null, declaration: access, isComposite: true)
  }

  /// The column with the positions of an ordered relationship.
  static func position(_ index: Int, of link: PropertyModel) -> PropertyModel {
    PropertyModel(
      index: index, name: positionName(of: link.name), key: "", kind: .attribute(positionType, isOptional: true),
      isUID: false, isUnique: false, isIndexed: false, defaultValue: .null, declaration: PropertyAccess(),
      positionOf: link.index)
  }

  /// The column with the names of the properties that no response ever had.
  static func coverage<E: ManagedEntity>(_ index: Int, of type: E.Type) -> PropertyModel {
    PropertyModel(
      index: index, name: coverageName, key: "", kind: .attribute(.string, isOptional: true), isUID: false,
      isUnique: false, isIndexed: false, defaultValue: .null, declaration: PropertyAccess(\E.loaded), isCoverage: true)
  }

  /// The column with the time at which a response last had the object, in whole seconds since 1970.
  static func age(_ index: Int) -> PropertyModel {
    PropertyModel(
      index: index, name: ageName, key: "", kind: .attribute(positionType, isOptional: true), isUID: false,
      isUnique: false, isIndexed: false, defaultValue: .null, declaration: PropertyAccess(), isAge: true)
  }

  /// A link of a membership.
  static func end(_ index: Int, _ name: String, _ end: LinkModel.End) -> PropertyModel {
    PropertyModel(
      index: index, name: name, key: name,
      kind: .toOne(target: end.entity, inverse: end.property, onDelete: .nullify), isUID: false, isUnique: false,
      isIndexed: true, defaultValue: .null, facts: PropertyFacts(isRequired: true),
      leadsToEmbedded: end.type.isEmbedded, declaration: PropertyAccess(target: end.type))
  }
}
