import EntityStore

/// The objects that an export nests in other objects, found level by level: with one query for each relationship of an
/// entity and level, and not one for each object.
///
/// It holds the objects, so that the context does not read them again.
struct RelatedObjects {
  private struct Key: Hashable {
    let owner: ObjectIdentifier
    let property: Int
  }

  private var lists: [Key: [any ManagedEntity]] = [:]
  private var held: [ObjectIdentifier: any ManagedEntity] = [:]

  init() {}

  /// Reads the related objects of some objects.
  ///
  /// - Parameters:
  ///   - objects: The objects that are exported, all of them of `context`.
  ///   - levels: How many levels of related objects are nested.
  init(of objects: [any ManagedEntity], levels: Int, in context: EntityContext) throws {
    var next = objects
    for left in stride(from: levels, through: 0, by: -1) {
      var level = next
      next = []
      // Embedded objects belong to the level of their parent.
      while !level.isEmpty { level = try read(level, left, context, &next) }
    }
  }

  /// The members of a relationship; `nil` when they were not read.
  func members(of object: any ManagedEntity, _ property: Int) -> [any ManagedEntity]? {
    lists[Key(owner: ObjectIdentifier(object), property: property)]
  }

  /// - Parameter next: Gets the objects of the next level.
  /// - Returns: The embedded objects.
  private mutating func read(
    _ level: [any ManagedEntity], _ left: Int, _ context: EntityContext, _ next: inout [any ManagedEntity]
  ) throws -> [any ManagedEntity] {
    var embedded: [any ManagedEntity] = []
    let new = level.filter { held.updateValue($0, forKey: ObjectIdentifier($0)) == nil && !$0.isGone }
    for objects in Dictionary(grouping: new, by: { $0._$state.model.number }).values {
      guard let model = objects.first?._$state.model else { continue }
      for property in model.properties {
        let related: [any ManagedEntity]
        switch property.kind {
        case .attribute: continue
        case .toOne(let target, _, _):
          let links = objects.map { $0.loadedValues(ColumnMask(property.index)).link(property.index) }
          related = try context.reading.objects(context.core.schema.entities[target], ofRows: links.filter { $0 != 0 })
        case .toMany, .manyToMany:
          guard left > 0 || property.isSentByItself else { continue }
          let members = try context.reading.members(ofRows: objects.map(\._$state.pk), model, property.index)
          for object in objects {
            let key = Key(owner: ObjectIdentifier(object), property: property.index)
            lists[key] = members[object._$state.pk] ?? []
          }
          related = members.values.flatMap(\.self)
        }
        if property.leadsToEmbedded {
          embedded += related
        } else if left > 0 {
          next += related
        } else {
          // The export asks for their uids.
          for object in related { held[ObjectIdentifier(object)] = object }
        }
      }
    }
    return embedded
  }
}
