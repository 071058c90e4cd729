// The schema of the classes of entities: each property finds its target, and each relationship its other side.

extension SchemaModel {
  /// - Throws: ``StoreError`` of kind `invalidSchema` that names the entity, the property and the remedy.
  package convenience init(_ types: [any ManagedEntity.Type], keyStyle: KeyStyle) throws {
    let numbers = try Self.numbers(types)
    let entities = try Self.resolve(types, numbers, keyStyle)
    try Self.checkSearches(entities)
    self.init(entities, numbers: numbers)
  }

  /// - Throws: ``StoreError`` of kind `unknownEntity`.
  package func model(_ type: any ManagedEntity.Type) throws -> EntityModel {
    guard let number = numbers[ObjectIdentifier(type)] else {
      throw StoreError(
        .unknownEntity, "The store was opened without '\(type.entityName)'. Add it to `entities:` where it is opened.")
    }
    return entities[number]
  }

  private static func numbers(_ types: [any ManagedEntity.Type]) throws -> [ObjectIdentifier: Int] {
    var numbers: [ObjectIdentifier: Int] = [:]
    var names: Set<String> = []
    for (number, type) in types.enumerated() {
      guard numbers.updateValue(number, forKey: ObjectIdentifier(type)) == nil else {
        throw invalid("The entity '\(type.entityName)' is listed twice.")
      }
      // SQLite compares names of tables and columns without regard to case.
      guard names.insert(type.entityName.lowercased()).inserted else {
        throw invalid(
          "Two entities are named '\(type.entityName)'. Give one of them another `entityName`.")
      }
      try checkName(type.entityName, "entity")
    }
    try checkFormerNames(types)
    return numbers
  }

  private static func resolve(
    _ types: [any ManagedEntity.Type], _ numbers: [ObjectIdentifier: Int], _ keyStyle: KeyStyle
  ) throws -> [EntityModel] {
    var declared = DeclaredEntities(types: types, numbers: numbers, keyStyle: keyStyle)
    for (type, list) in zip(types, declared.descriptors) { try check(list, of: type) }
    try declared.findInverses()
    try declared.findLinks()
    var properties = try types.indices.map { number in
      try declared.descriptors[number].map { try declared.property($0, of: number) }
    }
    let incoming = declared.incoming(properties)
    for (number, type) in types.enumerated() { try addComposite(type, &properties[number]) }
    try declared.arrange(&properties)
    for (number, type) in types.enumerated() { try addOwn(type, &properties[number]) }
    var entities: [EntityModel] = []
    for (number, type) in types.enumerated() {
      entities.append(
        EntityModel(
          EntityClass(type), number: number, properties: properties[number], uid: try uid(of: type, properties[number]),
          incoming: incoming[number], indexes: try indexes(of: type, properties[number])))
    }
    for link in declared.links { entities.append(link.model(number: entities.count)) }
    for entity in entities {
      try checkStore(entity)
      if let problem = entity.lazyProblem { throw invalid(problem) }
    }
    return entities
  }
}

extension SchemaModel {
  /// Adds the columns of ``ManagedEntity/tracksCoverage`` and ``ManagedEntity/expires``.
  private static func addOwn<E: ManagedEntity>(_ type: E.Type, _ properties: inout [PropertyModel]) throws {
    func next(_ declaration: String) throws -> Int {
      guard properties.count < ColumnMask.capacity else {
        throw invalid(
          "'\(type.entityName)' has \(properties.count) properties; '\(declaration)' needs one more than there can be.")
      }
      return properties.count
    }
    if type.tracksCoverage { properties.append(.coverage(try next("tracksCoverage"), of: type)) }
    if type.expires != nil { properties.append(.age(try next("expires"))) }
  }
}

/// The declarations of the entities of a store, with the two sides of each relationship.
struct DeclaredEntities {
  let types: [any ManagedEntity.Type]
  let numbers: [ObjectIdentifier: Int]
  /// The properties by the number of their entity.
  let descriptors: [[PropertyDescriptor]]
  /// The relationships that others name as their inverse, with the property that names each.
  var inverses: [Link: Int] = [:]
  /// The many-to-many relationships. The entity of a link has the number that follows those of the types.
  var links: [LinkModel] = []
  private let keyStyle: KeyStyle

  /// A relationship, by its entity and its place there.
  struct Link: Hashable {
    let entity: Int
    let property: Int
  }

  init(types: [any ManagedEntity.Type], numbers: [ObjectIdentifier: Int], keyStyle: KeyStyle) {
    self.types = types
    self.numbers = numbers
    self.keyStyle = keyStyle
    descriptors = types.map { $0.properties }
  }

  func property(_ descriptor: PropertyDescriptor, of number: Int) throws -> PropertyModel {
    let type = types[number]
    let isUID = descriptor.isUID || descriptor.name == type.uidKey
    let isPart = descriptor.isUID && descriptors[number].count(where: \.isUID) > 1
    // A uid named `uid` or `id` has the server's key `id`. Any other name gives the key by the key style.
    let isID = isUID && !isPart && ["uid", "id"].contains(descriptor.name)
    var property = PropertyModel(
      descriptor, key: descriptor.key ?? (isID ? "id" : keyStyle.key(descriptor.name)),
      kind: try kind(of: descriptor, in: number))
    property.isUID = isUID
    if isPart { property.isUnique = false }
    // A row that the server has not named has no uid; a default would be one.
    if descriptor.name == type.uidKey { property.defaultValue = .null }
    if case .toOne(let other, let inverse?, _) = property.kind {
      property.isOneToOne = descriptors[other][inverse].facts.isCounterpart
    }
    return property
  }

  private func kind(of descriptor: PropertyDescriptor, in number: Int) throws -> PropertyModel.Kind {
    let type = types[number]
    switch descriptor.kind {
    case .attribute(let attribute, let isOptional): return .attribute(attribute, isOptional: isOptional)
    case .toOne(let target, let rule):
      let other = try entityNumber(of: target, in: descriptor, of: type)
      let inverse = inverses[Link(entity: number, property: descriptor.index)]
      return .toOne(target: other, inverse: inverse, onDelete: rule)
    case .toMany(let target, let inverse, let rule):
      let other = try entityNumber(of: target, in: descriptor, of: type)
      let back = descriptors[other].first { $0.name == inverse }?.index ?? 0
      return .toMany(target: other, inverse: back, onDelete: rule)
    case .manyToMany(_, _, let rule):
      guard let link = links.firstIndex(where: { $0.side(number, descriptor.index) != nil }),
        let side = links[link].side(number, descriptor.index)
      else { throw SchemaModel.invalid("'\(type.entityName).\(descriptor.name)' has no memberships.") }
      let other = links[link].ends[1 - side]
      return .manyToMany(
        .init(target: other.entity, links: types.count + link, side: side, inverse: other.property), onDelete: rule)
    }
  }

  /// The links that lead to each entity.
  func incoming(_ properties: [[PropertyModel]]) -> [[EntityModel.Incoming]] {
    var incoming: [[EntityModel.Incoming]] = Array(repeating: [], count: types.count)
    for (number, properties) in properties.enumerated() {
      for property in properties {
        switch property.kind {
        case .attribute, .toMany: continue
        case .toOne(let target, _, _): incoming[target].append(.init(entity: number, property: property.index))
        case .manyToMany(let membership, _) where membership.side == 0:
          let ends = links[membership.links - types.count].ends.enumerated().map {
            EntityModel.MembershipEnd(entity: $1.entity, property: $0, list: $1.property)
          }
          for (end, other) in zip(ends, ends.reversed()) {
            incoming[end.entity].append(
              .init(entity: membership.links, property: end.property, otherEnd: other))
          }
        case .manyToMany: continue
        }
      }
    }
    return incoming
  }
}
