import Observation

/// The class of an entity, for the use of contexts.
final class EntityClass: EntityDeclaration {
  let type: any ManagedEntity.Type
  let name: String
  let callbacks: EntityCallbacks
  let search: @Sendable ([PropertyModel]) -> SearchModel?
  let make: @Sendable (ObjectState) -> any ManagedEntity
  let notifyDeleted: @Sendable (AnyObject, ObservationRegistrar) -> Void
  let notifySent: @Sendable (AnyObject, ObservationRegistrar) -> Void

  var isLinks: Bool { type == LinkRow.self }
  var formerNames: [String] { type.formerEntityNames }
  var removedNames: [String] { type.removedProperties }
  var lifetime: Int64 { type.expires.map { max(1, $0.components.seconds) } ?? 0 }

  /// - Parameter name: The name of the entity; by default that of the class. All memberships are of one class.
  init<E: ManagedEntity>(_ type: E.Type, name: String = E.entityName) {
    self.type = type
    self.name = name
    callbacks = EntityCallbacks(of: type)
    search = { E.fullTextSearch?.model(name, $0) }
    make = { E($0) }
    notifyDeleted = { object, registrar in
      guard let object = object as? E else { return }
      registrar.withMutation(of: object, keyPath: \E.isDeleted) {}
    }
    notifySent = { object, registrar in
      guard let object = object as? E else { return }
      registrar.withMutation(of: object, keyPath: \E.isSending) {}
    }
  }
}

extension EntityModel {
  /// The cast is right: no other class is an `EntityDeclaration`.
  private var entityClass: EntityClass { unsafeDowncast(declaration, to: EntityClass.self) }

  package var type: any ManagedEntity.Type { entityClass.type }

  func makeObject(_ state: ObjectState) -> any ManagedEntity { entityClass.make(state) }

  package func index(of keyPath: AnyKeyPath) -> Int? { properties.first { $0.keyPath == keyPath }?.index }

  func notify(_ object: AnyObject, _ property: Int, _ registrar: ObservationRegistrar) {
    properties[property].access.notify(object, registrar, .change)
  }

  /// Notes a read of all properties of an object.
  func noteRead(of object: AnyObject, _ registrar: ObservationRegistrar) {
    for property in properties { property.access.notify(object, registrar, .read) }
  }

  func notifyDeleted(_ object: AnyObject, _ registrar: ObservationRegistrar) {
    entityClass.notifyDeleted(object, registrar)
  }

  func notifySent(_ object: AnyObject, _ registrar: ObservationRegistrar) {
    entityClass.notifySent(object, registrar)
  }

  /// The entity without a schema, for an object that has neither a row nor a context.
  convenience init<E: ManagedEntity>(detached type: E.Type) {
    let properties = type.properties.map { descriptor in
      let kind: PropertyModel.Kind
      switch descriptor.kind {
      case .attribute(let attribute, let isOptional): kind = .attribute(attribute, isOptional: isOptional)
      case .toOne(_, let rule): kind = .toOne(target: 0, inverse: nil, onDelete: rule)
      case .toMany(_, _, let rule), .manyToMany(_, _, let rule): kind = .toMany(target: 0, inverse: 0, onDelete: rule)
      }
      return PropertyModel(descriptor, key: descriptor.name, kind: kind)
    }
    self.init(EntityClass(type), number: 0, properties: properties)
  }
}

extension PropertyModel {
  /// The property of a declaration.
  init(_ descriptor: PropertyDescriptor, key: String, kind: Kind) {
    self.init(
      index: descriptor.index, name: descriptor.name, key: key, kind: kind, isUID: descriptor.isUID,
      isUnique: descriptor.isUnique, isIndexed: descriptor.isIndexed, defaultValue: descriptor.defaultValue,
      facts: descriptor.facts, leadsToEmbedded: descriptor.kind.target?.isEmbedded ?? false,
      declaration: descriptor.access)
  }
}
