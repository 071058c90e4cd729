import EntityClient
import Foundation

@testable import EntityStore

extension BatchChange {
  /// Makes the change in a context.
  ///
  /// - Returns: A line about it, which is equal in equal stores.
  func make(in context: EntityContext, _ schema: SchemaModel) throws -> String {
    switch self {
    case .set(let entity, let row, let property, let value):
      let model = schema.entities[entity]
      guard let object = try Self.object(model.type, model, row, context) else { return "none" }
      return "\(model.properties[property].set(object, value))"
    case .link(let entity, let row, let property, let target):
      let model = schema.entities[entity]
      guard let object = try Self.object(model.type, model, row, context),
        case .toOne(let other, _, _) = model.properties[property].kind
      else { return "none" }
      let otherModel = schema.entities[other]
      let linked = try target.flatMap { try Self.object(otherModel.type, otherModel, $0, context) }
      guard linked != nil || !model.properties[property].isRequired else { return "none" }
      model.properties[property].link(object, linked)
      return "linked to \(linked.map { "\($0._$state.pk)" } ?? "nil")"
    case .list(let entity, let row, let property, let members):
      let model = schema.entities[entity]
      guard let object = try Self.object(model.type, model, row, context) else { return "none" }
      let other: EntityModel
      switch model.properties[property].kind {
      case .toMany(let target, _, _): other = schema.entities[target]
      case .manyToMany(let membership, _): other = schema.entities[membership.target]
      default: return "none"
      }
      var objects: [any ManagedEntity] = []
      for member in members {
        guard let new = try Self.object(other.type, other, member, context) else { continue }
        if !objects.contains(where: { $0 === new }) { objects.append(new) }
      }
      Self.set(object, model.properties[property].keyPath, objects, other.type)
      return "\(objects.map { $0._$state.pk })"
    case .insert(let entity, let property, let value):
      let model = schema.entities[entity]
      let object = try Self.insert(model.type, context)
      return "\(object._$state.pk) \(model.properties[property].set(object, value))"
    case .setAll(let entity, let property, let values):
      let model = schema.entities[entity]
      let objects = try Self.objects(model.type, model, context)
      for (place, object) in objects.enumerated() {
        _ = model.properties[property].set(object, values[place % values.count])
      }
      return "\(objects.count)"
    case .update(let entity, let property, let value):
      let model = schema.entities[entity]
      return "\(try Self.update(model.type, context) { $0[property] = value })"
    case .fill(let entity, let uids, let property, let value):
      let model = schema.entities[entity]
      for uid in uids {
        let object = try Self.insert(model.type, context)
        if let index = model.uid { _ = model.properties[index].set(object, uid) }
        _ = model.properties[property].set(object, value)
      }
      return "\(uids.count)"
    case .delete(let entity, let row):
      let model = schema.entities[entity]
      guard let object = try Self.object(model.type, model, row, context) else { return "none" }
      try Self.delete(object, context)
      return "deleted \(object._$state.pk)"
    case .upsert(let entity, let node):
      guard let response = try JSONValue(parsing: Data(node.json.utf8)).object else { return "none" }
      return "\(try Self.upsert(schema.entities[entity].type, response, context)._$state.pk)"
    }
  }

  private static func object<E: ManagedEntity>(
    _ type: E.Type, _ model: EntityModel, _ row: Int, _ context: EntityContext
  ) throws -> (any ManagedEntity)? {
    let objects = try objects(type, model, context)
    return objects.isEmpty ? nil : objects[row % objects.count]
  }

  /// All objects, in the order of their uids.
  private static func objects<E: ManagedEntity>(
    _ type: E.Type, _ model: EntityModel, _ context: EntityContext
  ) throws -> [any ManagedEntity] {
    let uids = model.properties.filter { $0.isUID && !$0.isComposite }
    return try context.fetch(E.all).map { object in
      let uid = object.hasUID ? uids.map { "\((object as Any)[keyPath: $0.keyPath] ?? 0)" } : []
      return (key: uid.joined(separator: " "), pk: object.entityID.pk, object: object)
    }.sorted { ($0.key, $0.pk) < ($1.key, $1.pk) }.map(\.object)
  }

  private static func update<E: ManagedEntity>(
    _ type: E.Type, _ context: EntityContext, _ values: (inout [Int: StoredValue]) -> Void
  ) throws -> Int {
    var given: [Int: StoredValue] = [:]
    values(&given)
    return try context.update(E.all) { $0.values = given.mapValues { .value($0) } }
  }

  private static func insert<E: ManagedEntity>(
    _ type: E.Type, _ context: EntityContext
  ) throws -> any ManagedEntity {
    try context.insert(E.self)
  }

  private static func upsert<E: ManagedEntity>(
    _ type: E.Type, _ response: JSONObject, _ context: EntityContext
  ) throws -> any ManagedEntity {
    try context.upsert(E.self, from: response)
  }

  private static func delete<E: ManagedEntity>(_ object: E, _ context: EntityContext) throws {
    try context.delete(object)
  }

  private static func set<E: ManagedEntity, T: ManagedEntity>(
    _ object: E, _ keyPath: AnyKeyPath, _ members: [any ManagedEntity], _ type: T.Type
  ) {
    guard let keyPath = keyPath as? ReferenceWritableKeyPath<E, [T]> else { return }
    object[keyPath: keyPath] = members.compactMap { $0 as? T }
  }
}
