public import EntityStore

/// The results of the parts of a response, by entity.
struct PartOutcomes: Sendable {
  struct Outcome: Sendable {
    var pks: [Int64] = []
    var counts = EntityCounts()
  }

  private var outcomes: [ObjectIdentifier: Outcome] = [:]
  /// The row ids in `outcomes`, kept when several responses are summed up. Two entities never have the same row id.
  private var seen: Set<Int64> = []
  /// The objects of lists of several entities, in their order, each once.
  private(set) var items: [Item] = []
  private var seenItems: Set<Int64> = []

  struct Item: Sendable {
    let type: any ManagedEntity.Type
    let id: AnyEntityID
  }

  subscript(_ type: any ManagedEntity.Type) -> Outcome {
    get { outcomes[ObjectIdentifier(type)] ?? Outcome() }
    set { outcomes[ObjectIdentifier(type)] = newValue }
  }

  var total: EntityCounts { outcomes.values.reduce(into: EntityCounts()) { $0.add($1.counts) } }

  mutating func addItems(_ new: [Item]) {
    for item in new where seenItems.insert(item.id.pk).inserted { items.append(item) }
  }

  /// Adds the outcomes of a later page.
  mutating func add(_ other: PartOutcomes) {
    for (type, new) in other.outcomes {
      for pk in new.pks where seen.insert(pk).inserted { outcomes[type, default: Outcome()].pks.append(pk) }
      outcomes[type, default: Outcome()].counts.add(new.counts)
    }
    addItems(other.items)
  }
}

/// The objects of the parts that the request named besides its own objects; see ``ResponsePart``.
extension EntityResponse {
  /// The objects of an entity in the parts of the response, in their order, each once.
  public func ids<T: ManagedEntity>(of type: T.Type) -> [EntityID<T>] { parts[type].pks.map { EntityID(pk: $0) } }

  /// The counts of these objects. `rowsWritten` includes the rows of their nested objects.
  public func counts<T: ManagedEntity>(of type: T.Type) -> EntityCounts { parts[type].counts }

  /// These objects as the main context has them. Objects that were deleted since are left out. Isolation: the main
  /// actor.
  ///
  /// - Throws: `StoreError`; ``RequestError`` of kind `storeGone`.
  @MainActor public func objects<T: ManagedEntity>(of type: T.Type) throws -> [T] {
    guard let store else { throw RequestError(.storeGone, "The store of this response is gone.") }
    return try store.main.objects(ids(of: type))
  }

  /// The objects of the parts that hold several entities, in their order, each once; see
  /// ``ResponsePart/list(of:at:isRequired:)``. `EntityID<Image>(id)` is the id of an image, and `nil` for a video.
  public var items: [AnyEntityID] { parts.items.map(\.id) }

  /// ``items`` as the main context has them. Objects that were deleted since are left out. Isolation: the main actor.
  ///
  /// - Throws: `StoreError`; ``RequestError`` of kind `storeGone`.
  @MainActor public var itemObjects: [any ManagedEntity] {
    get throws {
      guard let store else { throw RequestError(.storeGone, "The store of this response is gone.") }
      var types: [ObjectIdentifier: any ManagedEntity.Type] = [:]
      for item in parts.items { types[ObjectIdentifier(item.type)] = item.type }
      var found: [AnyEntityID: any ManagedEntity] = [:]
      for type in types.values { try load(type, from: store, into: &found) }
      return parts.items.compactMap { found[$0.id] }
    }
  }

  /// Loads the items of an entity at once.
  @MainActor private func load<T: ManagedEntity>(
    _ type: T.Type, from store: EntityStore, into found: inout [AnyEntityID: any ManagedEntity]
  ) throws {
    let ids = parts.items.compactMap { EntityID<T>($0.id) }
    for object in try store.main.objects(ids) { found[object.entityID.untyped] = object }
  }
}
