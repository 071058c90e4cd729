/// The objects that a context has, and the reads that made them.
final class LoadedObjects {
  /// The objects by entity and row id.
  let objects: [IdentityMap]
  /// Related objects that were read ahead of their use.
  let prefetched = Prefetched()
  var batchesFaults = true
  var streaks = FaultStreaks()
  var counters = ReadCounters()
  /// How many rows and objects merges have gone through: the cost of merges.
  var rowsVisited = 0

  init(_ entities: [EntityModel], holdsYoung: Bool) {
    objects = entities.map { _ in IdentityMap(holdsYoung: holdsYoung) }
  }
}
