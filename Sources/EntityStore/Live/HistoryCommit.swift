import EntityJSON
public import Foundation

extension StoreHistory {
  /// A commit in the history: its author, its time and its changes.
  public struct Commit: Sendable {
    /// The place after the commit.
    public let token: StoreHistory.Token
    private let commit: HistoryLog.Commit
    private let schema: SchemaModel

    init(_ commit: HistoryLog.Commit, store: String, _ schema: SchemaModel) {
      token = StoreHistory.Token(store: store, generation: commit.generation)
      self.commit = commit
      self.schema = schema
    }

    /// The number of the commit, which the file counts: see ``StoreCommit/generations``.
    public var generation: Int64 { commit.generation }

    /// The author of the commit: ``EntityContext/author``, or else ``StoreOptions/author``.
    public var author: String { commit.author }

    /// When the commit was made, by the clock of that process.
    public var date: Date { Date(timeIntervalSince1970: commit.time) }

    /// The names of the entities whose objects changed.
    public var entityNames: Set<String> { schema.names(of: commit.entities.keys) }

    /// The changes of one entity's objects.
    ///
    /// - Parameter type: The entity. An entity that the store was opened without has no changes.
    public func changes<E: ManagedEntity>(of type: E.Type) -> StoreHistory.Changes<E> {
      guard let model = try? schema.model(type), let rows = commit.entities[model.number] else {
        return StoreHistory.Changes()
      }
      return StoreHistory.Changes(rows, model)
    }
  }
}

extension StoreHistory.Commit: CustomStringConvertible, CustomReflectable {
  /// The number, author and time of the commit, and the entities whose objects changed.
  public var description: String {
    let time = ISO8601Text.text(of: date) ?? "\(commit.time)"
    let names = entityNames.sorted().joined(separator: ", ")
    return "commit \(generation)\(author.isEmpty ? "" : " by \(author)"), \(time): \(names)"
  }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension StoreHistory {
  /// The changes of an entity's objects by a commit of the history, each list in the order of the ids.
  public struct Changes<E: ManagedEntity>: Sendable {
    /// New objects, placeholders that became objects, and new placeholders: see ``ManagedEntity/isPlaceholder``.
    public private(set) var inserted: [EntityID<E>] = []
    public private(set) var updated: [Update] = []
    /// Objects that were deleted, or merged into another object.
    public private(set) var deleted: [Deletion] = []

    public struct Update: Sendable {
      public let id: EntityID<E>
      /// The properties that changed, or whose local edit ended.
      public let columns: ChangedColumns<E>
    }

    /// The traces of an object that was deleted.
    public struct Deletion: Sendable, Hashable {
      public let id: EntityID<E>
      /// The uid that the object had, as it stands in URLs; `nil` for an object without one.
      public let uid: String?
      /// The object that this one was merged into; `nil` for an object that is gone.
      public let survivor: EntityID<E>?
    }

    /// Whether no object changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    init() {}

    init(_ rows: [Int64: HistoryLog.Change], _ model: EntityModel) {
      for (pk, change) in rows.sorted(by: { $0.key < $1.key }) {
        let id = EntityID<E>(pk: pk)
        switch change.kind {
        case .inserted: inserted.append(id)
        case .deleted:
          let uid = model.uidType.flatMap { change.uid.uidText($0) }
          deleted.append(Deletion(id: id, uid: uid, survivor: change.survivor.map { EntityID(pk: $0) }))
        case .updated where !model.isNews(change.mask): break
        case .updated: updated.append(Update(id: id, columns: ChangedColumns(model: model, mask: change.mask)))
        }
      }
    }
  }

  /// Commits that were read from the history, in their order, and the place after them.
  public struct Commits: Sendable, RandomAccessCollection {
    private let commits: [StoreHistory.Commit]
    /// Where to read on. Commits of authors that were not asked for are passed over too.
    public let token: StoreHistory.Token

    init(_ part: HistoryLog.Part, store: String, _ schema: SchemaModel) {
      commits = part.commits.map { StoreHistory.Commit($0, store: store, schema) }
      token = StoreHistory.Token(store: store, generation: part.end)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { commits.count }
    public subscript(position: Int) -> StoreHistory.Commit { commits[position] }
  }
}
