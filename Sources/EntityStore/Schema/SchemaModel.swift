/// All entities of a store, resolved against each other.
package final class SchemaModel: Sendable {
  package let entities: [EntityModel]
  /// The numbers of the entities, the targets of links before the entities that have the links. Of a circle one comes first.
  ///
  /// SQLite checks a link at once where its target is there. Else it counts it as broken, and searches for such links with
  /// each target that comes (https://sqlite.org/foreignkeys.html#fk_deferred).
  let writeOrder: [Int]
  /// Whether an entity has hooks that a save calls.
  let hasSaveHooks: Bool
  private let numbers: [ObjectIdentifier: Int]
  private let tables: [String: Int]

  /// - Throws: ``StoreError`` of kind `invalidSchema` that names the entity, the property and the mend.
  package init(_ types: [any ManagedEntity.Type], keyStyle: KeyStyle) throws {
    let numbers = try Self.numbers(types)
    entities = try Self.resolve(types, numbers, keyStyle)
    try Self.checkIndexes(entities)
    hasSaveHooks = entities.contains { !$0.hooks.isDisjoint(with: [.validates, .saves]) }
    self.numbers = numbers
    tables = Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    writeOrder = Self.writeOrder(entities)
  }

  /// The entity whose rows a table has; `nil` for a table that is none's.
  func entity(ofTable name: String) -> EntityModel? { tables[name].map { entities[$0] } }

  private static func writeOrder(_ entities: [EntityModel]) -> [Int] {
    var order: [Int] = []
    var seen: Set<Int> = []
    func add(_ number: Int) {
      guard seen.insert(number).inserted else { return }
      for property in entities[number].properties {
        if case .toOne(let target, _, _) = property.kind { add(target) }
      }
      order.append(number)
    }
    for number in entities.indices { add(number) }
    return order
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
    let descriptors = types.map { $0.properties }
    for (type, list) in zip(types, descriptors) { try check(list, of: type) }

    // To-many properties first: they name their inverse, and a to-one learns of it from them.
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

    var links = try links(types, descriptors, numbers, inverses)
    var resolved: [[PropertyModel]] = []
    var incoming: [[EntityModel.Incoming]] = Array(repeating: [], count: types.count)
    for (number, type) in types.enumerated() {
      resolved.append(
        try descriptors[number].map { descriptor in
          let kind: PropertyModel.Kind
          switch descriptor.kind {
          case .attribute(let attribute, let isOptional): kind = .attribute(attribute, isOptional: isOptional)
          case .toOne(let targetType, let rule):
            let other = try target(targetType, numbers, of: type, descriptor.name)
            incoming[other].append(.init(entity: number, property: descriptor.index))
            kind = .toOne(
              target: other, inverse: inverses[Link(entity: number, property: descriptor.index)], onDelete: rule)
          case .toMany(let targetType, let inverse, let rule):
            let other = try target(targetType, numbers, of: type, descriptor.name)
            let back = descriptors[other].first { $0.name == inverse }?.index ?? 0
            kind = .toMany(target: other, inverse: back, onDelete: rule)
          case .manyToMany(_, _, let rule):
            guard let link = links.firstIndex(where: { $0.side(number, descriptor.index) != nil }),
              let side = links[link].side(number, descriptor.index)
            else { throw invalid("'\(type.entityName).\(descriptor.name)' has no memberships.") }
            let ends = links[link].ends
            kind = .manyToMany(
              .init(
                target: ends[1 - side].entity, links: types.count + link, side: side, inverse: ends[1 - side].property),
              onDelete: rule)
            if side == 0 {
              incoming[ends[0].entity].append(.init(entity: types.count + link, property: 0))
              incoming[ends[1].entity].append(.init(entity: types.count + link, property: 1))
            }
          }
          var isOneToOne = false
          if case .toOne(let other, let inverse?, _) = kind { isOneToOne = descriptors[other][inverse].isCounterpart }
          let isUID = descriptor.isUID || descriptor.name == type.uidKey
          let isPart = descriptor.isUID && descriptors[number].count(where: \.isUID) > 1
          // A uid named `uid` or `id` has the server's key `id`. Any other name gives the key by the key style.
          let isID = isUID && !isPart && ["uid", "id"].contains(descriptor.name)
          return PropertyModel(
            index: descriptor.index, name: descriptor.name,
            key: descriptor.key ?? (isID ? "id" : keyStyle.key(descriptor.name)), kind: kind, isUID: isUID,
            isUnique: descriptor.isUnique && !isPart,
            isIndexed: descriptor.isIndexed,
            // A row that the server has not named has no uid; a default would be one.
            defaultValue: descriptor.name == type.uidKey ? .null : descriptor.defaultValue,
            descriptor: descriptor,
            isOneToOne: isOneToOne)
        })
    }
    for (number, type) in types.enumerated() { try addComposite(type, &resolved[number]) }
    try arrange(types, numbers, &resolved, &links)
    var entities: [EntityModel] = []
    for (number, type) in types.enumerated() {
      let uid = try uid(of: type, resolved[number])
      entities.append(try model(type, number, resolved[number], uid, incoming[number]))
    }
    for link in links { entities.append(link.model(number: entities.count)) }
    for entity in entities {
      try checkStore(entity)
      if let problem = entity.lazyProblem { throw invalid(problem) }
    }
    return entities
  }

  /// - Throws: ``StoreError`` of kind `unknownEntity`.
  package func model(_ type: any ManagedEntity.Type) throws -> EntityModel {
    guard let number = numbers[ObjectIdentifier(type)] else {
      throw StoreError(
        .unknownEntity, "The store was opened without '\(type.entityName)'. Add it to `entities:` where it is opened.")
    }
    return entities[number]
  }

  /// Whether `back` can be the other side of `descriptor`, a list of `type` that names it.
  private static func isInverse(
    _ back: PropertyDescriptor, of descriptor: PropertyDescriptor, in type: any ManagedEntity.Type
  ) -> Bool {
    switch (descriptor.kind, back.kind) {
    case (.toMany, .toOne(let backType, _)): backType == type
    // A list that is its own other side would have to be told its own changes.
    case (.manyToMany(let target, _, _), .manyToMany(let backType, nil, _)):
      backType == type && !(target == type && back.index == descriptor.index)
    default: false
    }
  }

  /// The memberships of many-to-many relationships: those of the side that names no inverse, in order.
  private static func links(
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

  /// A list and a relationship to one back, neither of which names the other: as two relationships the list stays empty where
  /// one was meant.
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

  private struct Link: Hashable {
    let entity: Int
    let property: Int
  }

  private static func model<E: ManagedEntity>(
    _ type: E.Type, _ number: Int, _ properties: [PropertyModel], _ uid: Int?, _ incoming: [EntityModel.Incoming]
  ) throws -> EntityModel {
    EntityModel(
      type, number: number, properties: properties, uid: uid, incoming: incoming,
      indexes: try indexes(of: type, properties))
  }

  /// A property that `_$store` leaves out, or one of a superclass, would lose its values without a word.
  private static func checkStore(_ model: EntityModel) throws {
    let object = model.makeObject(ObjectState(model, pk: 0, context: nil, life: .saved))
    guard Mirror(reflecting: object).superclassMirror == nil else {
      throw invalid("'\(model.name)' has a superclass; an entity has none: share code in extensions and protocols.")
    }
    // A derived value would run the app's function, which nothing asked for.
    let own = model.stored.subtracting(model.derived)
    let stored = object.values(own).mask
    guard let missing = own.subtracting(stored).indices.first(where: { _ in true }) else { return }
    throw invalid(
      "'\(model.name).\(model.properties[missing].name)' is not stored: add its line to `_$store(into:)` and to `_$load(_:)`."
    )
  }

  private static func target(
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

  private static func uid(of type: any ManagedEntity.Type, _ properties: [PropertyModel]) throws -> Int? {
    if let composite = properties.first(where: \.isComposite) { return composite.index }
    guard let key = type.uidKey else { return nil }
    guard let property = properties.first(where: { $0.name == key }) else {
      throw invalid("The uidKey of '\(type.entityName)' is '\(key)', which is none of its properties.")
    }
    guard property.isUnique else {
      throw invalid(
        "The uidKey of '\(type.entityName)' is '\(key)', which is not unique: several rows could answer to one uid. "
          + "Declare it as uid or unique.")
    }
    guard property.rules == nil else {
      throw invalid(
        "The uidKey of '\(type.entityName)' is '\(key)'. A uid is no enum, no JSON, and has no transformer: give it the "
          + "type that the server sends.")
    }
    guard case .attribute(let attribute, _) = property.kind, attribute.canBeUID else {
      throw invalid(
        "The uidKey of '\(type.entityName)' is '\(key)'. A uid is an integer, a String or a UUID: other values have "
          + "several forms, or none that a URL can hold.")
    }
    return property.index
  }

  private static func check(_ properties: [PropertyDescriptor], of type: any ManagedEntity.Type) throws {
    let entity = type.entityName
    guard properties.count <= ColumnMask.capacity else {
      throw invalid("'\(entity)' has \(properties.count) properties; \(ColumnMask.capacity) is the most.")
    }
    var names: Set<String> = []
    for (index, property) in properties.enumerated() {
      guard property.index == index else {
        throw invalid("'\(entity).\(property.name)' has index \(property.index), but is listed as number \(index).")
      }
      try checkName(property.name, "property of '\(entity)'")
      guard names.insert(property.name.lowercased()).inserted else {
        throw invalid("'\(entity)' has two properties named '\(property.name)'; case does not tell them apart.")
      }
      if case .attribute(_, isOptional: false) = property.kind, property.defaultValue.isNull, !property.isUID {
        throw invalid("'\(entity).\(property.name)' is not optional, and its default can't be stored.")
      }
    }
    try checkFormerNames(of: type, properties)
    try checkColumns(of: type, properties)
    try checkDerivations(of: type, properties)
    try checkSearch(of: type, properties)
  }

  /// A full-text search reads the values as they are stored, and names its columns as the properties are named.
  private static func checkSearch<E: ManagedEntity>(of type: E.Type, _ properties: [PropertyDescriptor]) throws {
    guard let search = type.fullTextSearch else { return }
    let entity = type.entityName
    guard !search.columns.isEmpty else { throw invalid("The full-text search of '\(entity)' names no property.") }
    guard Set(search.columns).count == search.columns.count else {
      throw invalid("The full-text search of '\(entity)' names a property twice.")
    }
    for name in search.columns {
      let property = properties.first { $0.name == name }
      guard let property, case .attribute(.string, _) = property.kind else {
        throw invalid("The full-text search of '\(entity)' reads attributes that are text, and '\(name)' is none.")
      }
      // Columns that FTS5 has itself.
      guard !["rank", "rowid"].contains(name.lowercased()) else {
        throw invalid(
          "SQLite's full-text search has a '\(name)' of its own: give '\(entity).\(name)' another name, and the server's "
            + "one with `@Key`.")
      }
    }
  }

  /// FTS5 names the tables of an index after it (https://sqlite.org/fts5.html#fts5_data_structures).
  private static func checkIndexes(_ entities: [EntityModel]) throws {
    let searched = entities.filter { $0.search != nil }.map(\.name)
    for name in searched {
      for part in ["data", "idx", "content", "docsize", "config"] {
        guard let other = searched.first(where: { $0.lowercased() == "\(name)_\(part)".lowercased() }) else { continue }
        throw invalid(
          "'\(name)' and '\(other)' both have a full-text search, and SQLite's tables for the first one have the name of the "
            + "second one's index. Give one of them another `entityName`.")
      }
    }
  }

  /// A former name leads to one property, and a removed name to none.
  private static func checkFormerNames(of type: any ManagedEntity.Type, _ properties: [PropertyDescriptor]) throws {
    let entity = type.entityName
    var heirs: [String: String] = [:]
    for property in properties {
      for name in property.formerNames {
        try checkName(name, "property of '\(entity)'")
        guard name != property.name else { throw invalid("'\(entity).\(name)' is said to be renamed from itself.") }
        if let other = heirs.updateValue(property.name, forKey: name) {
          throw invalid(
            "'\(entity).\(other)' and '\(entity).\(property.name)' are both said to be renamed from '\(name)'.")
        }
      }
    }
    for name in type.removedProperties {
      try checkName(name, "property of '\(entity)'")
      guard !properties.contains(where: { $0.name == name }) else {
        throw invalid("'\(entity).\(name)' is said to be removed, and is declared.")
      }
      if let heir = heirs[name] {
        throw invalid("'\(entity).\(name)' is said to be removed, and to be '\(heir)' now.")
      }
    }
  }

  private static func checkFormerNames(_ types: [any ManagedEntity.Type]) throws {
    var heirs: [String: String] = [:]
    for type in types {
      for name in type.formerEntityNames {
        try checkName(name, "entity")
        guard name != type.entityName else { throw invalid("'\(name)' is said to be renamed from itself.") }
        if let other = heirs.updateValue(type.entityName, forKey: name) {
          throw invalid("'\(other)' and '\(type.entityName)' are both said to be renamed from '\(name)'.")
        }
      }
    }
  }

  /// Accessors find what a property is by its column. A column that is not declared, or is declared at another place, would
  /// have no value to give, or another property's.
  private static func checkColumns<E: ManagedEntity>(of type: E.Type, _ properties: [PropertyDescriptor]) throws {
    for child in Mirror(reflecting: E.columns).children {
      guard let column = child.value as? any AnyColumn, column.entity == type else { continue }
      guard properties.indices.contains(column.index), properties[column.index].name == column.name else {
        throw invalid(
          "'\(type.entityName).\(column.name)' has a column with index \(column.index), and `properties` does not declare "
            + "it at that place. Add it there.")
      }
    }
  }

  static func checkName(_ name: String, _ what: String) throws {
    let isReserved =
      name.isEmpty || name.hasPrefix("_") || name.lowercased().hasPrefix("sqlite_") || name.contains("\0")
    // `_edited` lists names separated by commas.
    guard !isReserved, !name.contains(",") else {
      throw invalid(
        "'\(name)' can't be the name of an \(what): names may not be empty, start with '_' or 'sqlite_', or "
          + "hold a comma.")
    }
  }

  private static func invalid(_ message: String) -> StoreError { StoreError(.invalidSchema, message) }
}
