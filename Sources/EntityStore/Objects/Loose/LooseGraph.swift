import Observation
import Synchronization

/// Loose objects, made with `User()` and in no context yet, with everything that they are linked to.
///
/// The graph keeps their values. Each object holds the graph; no object holds another. So an object that nobody holds
/// is made again when a link to it is followed. The whole graph ends with the last object that somebody holds, so a
/// circle of links is no leak.
final class LooseGraph {
  /// The key of an object. The row id is negative for a loose object; for an object of a context it is that of its row.
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
  /// Inserted objects that loose objects link to, where no link leads back. All are in one context.
  var attached: [Key: any ManagedEntity] = [:]
  /// Mistakes in setters. A setter can't throw, so the insertion throws them.
  var refusals = Refusals()
  /// The object that holds the array of one of its lists; see ``held(of:_:_:)``. `listIndex` names the list.
  weak var listOwner: ObjectState?
  var listIndex = 0
  /// For the graph of a stand-in for a missing target: the object whose relationship lacks the target.
  private let holder: ObjectState?

  /// Row ids of loose objects. None is used twice in a process, so that two graphs can become one.
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

  /// An object of this graph or of a context; `nil` for a deleted object of a context.
  func object(_ key: Key) -> (any ManagedEntity)? {
    if let object = attached[key] {
      let state = object._$state
      guard state.isGone else { return object }
      // The object was merged into another one.
      guard state.forwardedTo != 0, let context = state.context else { return nil }
      return context.reading.object(state.model, state.forwardedTo)
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

  /// The registrar of an object. The record keeps it for the next object that is made from it.
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

  /// Remembers a mistake in a setter. A mistake of a stand-in for a missing target counts as a mistake of the object
  /// that lacks the target.
  func refuse(_ mistake: StoreError) {
    guard let holder else { return refusals.append(mistake) }
    if let graph = holder.loose { graph.refuse(mistake) } else { holder.context?.unsaved.refusals.append(mistake) }
  }

  // MARK: Joining

  /// Whether objects of some graphs can be linked with one another: all graphs together may link to one context at
  /// most.
  static func canJoin(_ graphs: [LooseGraph]) -> Bool {
    if agree(graphs) { return true }
    for graph in graphs { graph.prune() }
    return agree(graphs)
  }

  private static func agree(_ graphs: [LooseGraph]) -> Bool {
    guard let first = graphs.first(where: { !$0.attached.isEmpty }) else { return true }
    guard let common = first.context else {
      // The store of the linked objects is gone.
      return graphs.allSatisfy { $0 === first || $0.attached.isEmpty }
    }
    return graphs.allSatisfy { $0.attached.isEmpty || $0.context === common }
  }

  /// Some graphs, each once.
  static func unique(_ graphs: [LooseGraph]) -> [LooseGraph] {
    var known: Set<ObjectIdentifier> = []
    return graphs.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// Joins two graphs that ``canJoin(_:)`` allows, so that their objects can be linked.
  static func joined(_ first: LooseGraph, _ second: LooseGraph) -> LooseGraph {
    guard first !== second else { return first }
    // The smaller one moves, so joining a graph of n objects costs n log n at most.
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

  /// Lets go of objects of a context that no loose object is linked to any more.
  private func prune() {
    guard !attached.isEmpty else { return }
    let linked = Set(records.values.flatMap { $0.targets })
    attached = attached.filter { linked.contains($0.key) }
  }
}

/// The entities of loose objects. They know no store. Their relationships are resolved among the entities that they
/// reach.
enum LooseSchemas {
  private static let models = Mutex<[ObjectIdentifier: EntityModel]>([:])

  /// - Throws: ``StoreError`` of kind `invalidSchema`: no store opens with the entity.
  static func model(_ type: any ManagedEntity.Type) throws(StoreError) -> EntityModel {
    if let model = models.withLock({ $0[ObjectIdentifier(type)] }) { return model }
    // Outside the lock: the properties of an entity run the user's code.
    let schema: SchemaModel
    do {
      schema = try SchemaModel(reachable(from: type), keyStyle: .snakeCase)
      let model = try schema.model(type)
      models.withLock { models in
        for model in schema.declared {
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
