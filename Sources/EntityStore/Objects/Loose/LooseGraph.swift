import Observation
import Synchronization

/// Loose objects, made with `User()` and in no context yet, with all that they are linked to.
///
/// The graph keeps their values, and the objects hold the graph, not one another. So an object that nobody holds is made
/// again when a link to it is followed, and all of them end with the last object that somebody holds: a circle of links is
/// no leak.
final class LooseGraph {
  /// An object: of a loose one the row id is negative, of one of a context it is that of its row.
  struct Key: Hashable {
    let type: ObjectIdentifier
    let pk: Int64

    init(_ state: ObjectState) { self.init(state.model.type, state.pk) }

    init(_ type: any ManagedEntity.Type, _ pk: Int64) {
      self.type = ObjectIdentifier(type)
      self.pk = pk
    }
  }

  var records: [Key: Record] = [:]
  /// Objects that were inserted, and that loose ones lead to without a way back; all are of one context.
  var attached: [Key: any ManagedEntity] = [:]
  /// Mistakes in setters, which can't throw: the insertion does.
  var refusals = Refusals()
  /// The object that holds the array of its list, and the list; see ``held(of:_:_:)``.
  weak var listOwner: ObjectState?
  var listIndex = 0
  /// The object whose relationship lacks its target, where the graph is that of the object that stands for it.
  private let holder: ObjectState?

  /// Never used twice in a process, so that two graphs can become one.
  private static let lastPK = Atomic<Int64>(0)

  // MARK: Making

  init(holder: ObjectState? = nil) { self.holder = holder }

  /// The state of a new object.
  static func newState<E: ManagedEntity>(_ type: E.Type) -> ObjectState {
    let graph = LooseGraph()
    let pk = lastPK.wrappingSubtract(1, ordering: .relaxed).newValue
    let model: EntityModel
    do {
      model = try LooseSchemas.model(type)
    } catch {
      // No store opens with the entity.
      model = EntityModel(detached: type)
      graph.refusals.append(error)
    }
    graph.records[Key(type, pk)] = Record(Key(type, pk), model, graph)
    return ObjectState(model, pk: pk, loose: graph)
  }

  /// The object of the state that ``newState(_:)`` made.
  func adopt(_ object: any ManagedEntity) {
    let model = object._$state.model
    if !model.presets.mask.isEmpty { object.loadColumns(RowReader(model.presets, model.presets.mask)) }
    records[Key(object._$state)]?.object = object
  }

  // MARK: Objects

  func object<T: ManagedEntity>(_ type: T.Type, _ pk: Int64) -> T? { object(Key(type, pk)) as? T }

  /// An object that is here, or one of a context; `nil` for one of a context that was deleted.
  func object(_ key: Key) -> (any ManagedEntity)? {
    if let object = attached[key] {
      let state = object._$state
      guard state.isGone else { return object }
      // It turned out to be another object.
      guard state.forwardedTo != 0, let context = state.context else { return nil }
      return context.reading.fault(state.model, state.forwardedTo)
    }
    guard let record = records[key] else { return nil }
    if let object = record.object { return object }
    let state = ObjectState(record.model, pk: key.pk, loose: self, observers: record.observers)
    let object = record.model.makeObject(state)
    if !record.model.presets.mask.isEmpty {
      object.loadColumns(RowReader(record.model.presets, record.model.presets.mask))
    }
    object.loadColumns(RowReader(record.values, record.model.stored))
    record.object = object
    return object
  }

  /// The registrar of an object, which is kept for the next object of the same record.
  func registrar(of state: ObjectState) -> ObservationRegistrar {
    if let registrar = state.registrar { return registrar }
    let observers = RowObservers()
    state.observers = observers
    records[Key(state)]?.observers = observers
    return observers.registrar
  }

  /// Remembers the value of an attribute that was set.
  func set(_ state: ObjectState, _ index: Int, _ value: StoredValue) {
    guard let record = records[Key(state)] else { return }
    record.values[index] = value
    record.attributes.insert(index)
  }

  /// Remembers a mistake in a setter. That of an object that stands for a missing target is a mistake in the setter of the
  /// one that it is missing in.
  func refuse(_ mistake: StoreError) {
    guard let holder else { return refusals.append(mistake) }
    if let graph = holder.loose { graph.refuse(mistake) } else { holder.context?.unsaved.refusals.append(mistake) }
  }

  // MARK: Joining

  /// Whether objects of some graphs can be linked with one another: one context at most is linked to.
  static func canJoin(_ graphs: [LooseGraph]) -> Bool {
    if agree(graphs) { return true }
    for graph in graphs { graph.prune() }
    return agree(graphs)
  }

  private static func agree(_ graphs: [LooseGraph]) -> Bool {
    guard let first = graphs.first(where: { !$0.attached.isEmpty }) else { return true }
    guard let common = first.context else {
      // The store of the objects that it is linked to is gone.
      return graphs.allSatisfy { $0 === first || $0.attached.isEmpty }
    }
    return graphs.allSatisfy { $0.attached.isEmpty || $0.context === common }
  }

  /// Some graphs, each once.
  static func unique(_ graphs: [LooseGraph]) -> [LooseGraph] {
    var known: Set<ObjectIdentifier> = []
    return graphs.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// One graph of two that ``canJoin(_:)``, whose objects are to be linked.
  static func joined(_ first: LooseGraph, _ second: LooseGraph) -> LooseGraph {
    guard first !== second else { return first }
    // The smaller one moves, so that a graph of n objects costs n log n at most.
    let (target, source) = first.records.count < second.records.count ? (second, first) : (first, second)
    source.dropHeldList()
    for (key, record) in source.records {
      target.records[key] = record
      record.graph = target
      record.object?._$state.loose = target
    }
    target.attached.merge(source.attached) { own, _ in own }
    for mistake in source.refusals.all { target.refusals.append(mistake) }
    source.records = [:]
    return target
  }

  private var context: EntityContext? { attached.values.first?._$state.context }

  /// Lets go of objects of a context that nothing is linked to any more, where they are in the way.
  private func prune() {
    guard !attached.isEmpty else { return }
    let linked = Set(records.values.flatMap { $0.targets })
    attached = attached.filter { linked.contains($0.key) }
  }
}

/// The entities of loose objects. They know no store, and resolve their relationships among those that they lead to.
enum LooseSchemas {
  private static let models = Mutex<[ObjectIdentifier: EntityModel]>([:])

  /// - Throws: ``StoreError`` of kind `invalidSchema`: no store opens with the entity.
  static func model(_ type: any ManagedEntity.Type) throws(StoreError) -> EntityModel {
    if let model = models.withLock({ $0[ObjectIdentifier(type)] }) { return model }
    // Without the lock: the properties of an entity are code of the user's.
    let schema: SchemaModel
    do {
      schema = try SchemaModel(reachable(from: type), keyStyle: .snakeCase)
      let model = try schema.model(type)
      models.withLock { models in
        for model in schema.entities where !model.isLinks {
          if models[ObjectIdentifier(model.type)] == nil { models[ObjectIdentifier(model.type)] = model }
        }
      }
      return model
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.invalidSchema, "\(error)")
    }
  }

  private static func reachable(from type: any ManagedEntity.Type) -> [any ManagedEntity.Type] {
    var found: [any ManagedEntity.Type] = [type]
    var known: Set = [ObjectIdentifier(type)]
    var next = 0
    while next < found.count {
      for property in found[next].properties {
        switch property.kind {
        case .attribute: continue
        case .toOne(let target, _), .toMany(let target, _, _), .manyToMany(let target, _, _):
          if known.insert(ObjectIdentifier(target)).inserted { found.append(target) }
        }
      }
      next += 1
    }
    return found
  }
}
