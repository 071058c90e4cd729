/// The objects that a context has, and the reads that made them.
final class LoadedObjects {
  /// The objects by entity and row id.
  let objects: [IdentityMap]
  /// The shared facts of each entity's objects, where there are any; empty once the context is over.
  // Read or assigned in one step, so no access needs a check.
  @exclusivity(unchecked) private var homes: [ObjectHome?]
  /// Related objects that were read ahead of their use.
  let prefetched = Prefetched()
  var batchesFaults = true
  var streaks = LoadStreaks()
  var counters = ReadCounters()
  /// How many rows and objects merges have visited: the cost of merges.
  var rowsVisited = 0

  init(_ entities: [EntityModel], holdsYoung: Bool) {
    objects = entities.map { _ in IdentityMap(holdsYoung: holdsYoung) }
    homes = entities.map { _ in nil }
  }

  func home(of model: EntityModel, in context: EntityContext) -> ObjectHome {
    // The model of an entity that the schema lacks has a number, too. After the end of the context there are no shared
    // homes.
    guard homes.indices.contains(model.number), context.core.schema.entities[model.number] === model else {
      return ObjectHome(model, context)
    }
    if let home = homes[model.number] { return home }
    let home = ObjectHome(model, context)
    homes[model.number] = home
    return home
  }

  /// Ends the sharing of homes, as the context is over. An object that outlives the context keeps its home.
  func dropHomes() { homes = [] }
}
