/// The changes of one commit, or of several that came before somebody asked for them.
public struct StoreCommit: Sendable {
  /// The numbers of the commits, which the file counts.
  public let generations: ClosedRange<Int64>
  private let schema: SchemaModel
  /// `nil` where only the commit is known, and not its changes.
  private let entities: [Int: CommitSummary.EntityChanges]?

  init(
    generations: ClosedRange<Int64>, schema: SchemaModel, changes: [Int: CommitSummary.EntityChanges]?
  ) {
    self.generations = generations
    self.schema = schema
    entities = changes
  }

  /// Whether the changes are unknown, so that any object may have changed. Mostly another process made the commit, and
  /// the file keeps no history: see ``StoreOptions/history``.
  public var isUnknown: Bool { entities == nil }

  /// The names of the entities whose objects changed; all entities where the changes are unknown.
  public var entityNames: Set<String> {
    schema.names(of: entities.map { Array($0.keys) } ?? Array(schema.entities.indices))
  }

  /// The changes of one entity's objects; empty for an entity that the store was opened without.
  public func changes<E: ManagedEntity>(of type: E.Type) -> CommittedChanges<E> {
    guard let model = try? schema.model(type) else { return CommittedChanges() }
    guard let entities else { return CommittedChanges(mayBeAny: true) }
    switch entities[model.number] {
    case nil: return CommittedChanges()
    case .all: return CommittedChanges(mayBeAny: true)
    case .rows(let rows): return CommittedChanges(rows, model)
    }
  }
}

extension StoreCommit: CustomStringConvertible, CustomReflectable {
  /// The numbers of the commits, and the entities whose objects changed: `commits 3 to 5: Ticket, User`.
  public var description: String {
    let (first, last) = (generations.lowerBound, generations.upperBound)
    let names = entityNames.sorted().joined(separator: ", ")
    let changed = isUnknown ? "any object may have changed" : names.isEmpty ? "no objects" : names
    return "\(first == last ? "commit \(first)" : "commits \(first) to \(last)"): \(changed)"
  }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The changes of an entity's objects by a commit, each list in the order of the ids.
public struct CommittedChanges<E: ManagedEntity>: Sendable {
  /// Whether any object may have come, changed or gone, and none is named. The commit changed more than 10,000 objects
  /// of the entity, was undone in part before it was committed, or came from another process without a history.
  public internal(set) var mayBeAny = false
  /// New objects, placeholders that became objects, and new placeholders: see ``ManagedEntity/isPlaceholder``.
  public internal(set) var inserted: [EntityID<E>] = []
  public internal(set) var updated: [Update] = []
  /// Objects that were deleted, or merged into another object.
  public internal(set) var deleted: [EntityID<E>] = []

  public struct Update: Sendable {
    public let id: EntityID<E>
    public let columns: ChangedColumns<E>
  }

  /// Whether no object changed.
  public var isEmpty: Bool { !mayBeAny && inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  init(mayBeAny: Bool = false) { self.mayBeAny = mayBeAny }

  init(_ rows: [Int64: CommitSummary.RowChange], _ model: EntityModel) {
    for (pk, change) in rows.sorted(by: { $0.key < $1.key }) {
      let id = EntityID<E>(pk: pk)
      switch change.kind {
      case .inserted: inserted.append(id)
      case .deleted: deleted.append(id)
      case .updated where !model.isNews(change.mask): break
      case .updated: updated.append(Update(id: id, columns: ChangedColumns(model: model, mask: change.mask)))
      }
    }
  }
}
