/// The place of a context among the contexts of its store.
final class ContextLineage {
  let id: ContextID
  /// The context that a child lies over, and saves to.
  let parent: EntityContext?
  var children = ChildContexts()
  /// The numbers of the tables of all children, at every level; `nil` where a context can have no children.
  let overlayNumbers: OverlayNumbers?
  /// The number of a child's tables.
  let overlayNumber: Int
  /// Whether rows of an earlier child may be left in its tables.
  let isOverlayUsed: Bool
  /// Whether a turn of the main actor is scheduled to tell the observers of the children. Only the context at the top
  /// uses this.
  var isDeliveryScheduled = false

  init(_ id: ContextID, _ kind: EntityContext.Kind, parent: EntityContext?) {
    self.id = id
    self.parent = parent
    overlayNumbers = parent?.lineage.overlayNumbers ?? (kind == .main ? OverlayNumbers() : nil)
    (overlayNumber, isOverlayUsed) = parent?.lineage.overlayNumbers?.take() ?? (number: 0, isUsed: false)
  }

  deinit { if overlayNumber > 0 { overlayNumbers?.give(back: overlayNumber) } }
}
