public import EntityStore

extension EntityPages {
  /// The result of a walk through all pages.
  public struct Summary: Sendable {
    /// The objects of all pages in their order, each once.
    public internal(set) var ids: [EntityID<Entity>] = []
    /// The sums of the pages' counts: an object that stands on two pages counts twice.
    public internal(set) var counts = EntityCounts()
    /// The changes of the pages that the store did not take.
    public internal(set) var skipped = SkippedChanges()
    /// The objects of the pages that were skipped, with the reasons.
    public internal(set) var refused = RefusedValues()
    public internal(set) var pages = 0
    var parts = PartOutcomes()
    /// The token of the next page, when the limit ended the walk.
    public internal(set) var next: PageToken?
  }
}

/// The objects of the parts of all pages.
extension EntityPages.Summary {
  /// The objects of an entity that the pages' parts have, each once.
  public func ids<T: ManagedEntity>(of type: T.Type) -> [EntityID<T>] { parts[type].pks.map { EntityID(pk: $0) } }

  /// The sums of the pages' counts: an object that stands on two pages counts twice.
  public func counts<T: ManagedEntity>(of type: T.Type) -> EntityCounts { parts[type].counts }

  /// The objects of the parts that hold several entities, in the order of the pages, each once; see
  /// ``EntityResponse/items``.
  public var items: [AnyEntityID] { parts.items.map(\.id) }
}

extension EntityPages.Summary: CustomStringConvertible {
  /// The number of pages, counts and the first ids.
  public var description: String {
    "\(Entity.entityName): \(pages) \(pages == 1 ? "page" : "pages"), \(counts), \(EntityID.shown(ids))"
      + skipped.shown + (next.map { ", next \($0)" } ?? "")
  }
}
