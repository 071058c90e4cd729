/// The columns that a read saw, by entity: a commit that changed none of them can't change its result.
struct ReadRegion: Sendable, Equatable {
  private var columns: [Int: ColumnMask] = [:]
  /// Whether the read included the notes of local edits or of deletions, or entries of the outbox.
  private var readsNotes = false
  /// Whether SQL of an app read a table of no entity.
  private var readsOthers = false
  /// The entities whose marks of local edits were read.
  private var marks: Set<Int> = []
  private var targets = LinkTargets()
  private(set) var collections = ReadCollections.none
  /// The entity whose rows a stored collection names, where nothing else decides on the result: a commit that brings or
  /// deletes a member changes the collection.
  var listed: Int?

  init() {}

  /// - Parameters:
  ///   - reads: The columns as SQLite reports them. A read of any column of an entity also counts as a read of which
  ///     rows it has.
  ///   - targets: The rows whose unsaved deletions decide on the result.
  ///   - collections: The keys of the stored collections that the SQL names; `nil` where that is not known.
  init(
    _ reads: Set<ColumnRead>, targets: LinkTargets = LinkTargets(), collections: Set<String>? = nil,
    _ schema: SchemaModel
  ) {
    self.targets = targets
    for read in reads {
      if [CollectionTables.name, CollectionTables.members].contains(read.table) {
        self.collections = collections.map { .some($0) } ?? .any
        continue
      }
      if [EditNotes.name, Tombstones.name, OutboxTable.name].contains(read.table) { readsNotes = true }
      if read.table.hasPrefix(SearchModel.prefix) {
        // The words come from the texts that are searched.
        let entity = String(read.table.dropFirst(SearchModel.prefix.count))
        guard let model = schema.entity(ofTable: entity), let search = model.search else { continue }
        columns[model.number, default: ColumnMask()].formUnion(search.mask)
        continue
      }
      guard let model = schema.entity(ofTable: read.table) else {
        // SQLite itself reads such tables with any statement.
        readsOthers = readsOthers || (read.isOfApp && !read.table.hasPrefix("sqlite_"))
        continue
      }
      var mask = columns[model.number] ?? ColumnMask()
      if let index = model.index(of: read.column) {
        mask.insert(index)
      } else if read.column == "_edited" {
        // The column has the marks of all properties.
        mask = model.all
        marks.insert(model.number)
      }
      columns[model.number] = mask
    }
  }

  /// Whether an unsaved change of a row can touch the result.
  ///
  /// - Parameters:
  ///   - pk: The row; `nil` for any row.
  ///   - changed: The columns that changed; `nil` where the row came or went.
  func contains(_ entity: Int, _ pk: Int64?, _ changed: ColumnMask?) -> Bool {
    if changed == nil, targets.contains(entity, pk) { return true }
    guard let read = columns[entity] else { return false }
    guard let changed else { return true }
    return !read.intersection(changed).isEmpty
  }

  /// Whether nothing but rows of one entity was read.
  func isOf(_ entity: Int) -> Bool {
    !readsNotes && !readsOthers && collections == .none && columns.keys.allSatisfy { $0 == entity }
  }

  /// Whether commits can touch the result.
  func isTouched(by reach: CommitReach) -> Bool {
    reach.isUnknown || readsOthers || (readsNotes && reach.hasNotes)
      || reach.collections.touches(collections)
      || columns.contains { $0.key != listed && reach.touches($0.key, $0.value) }
  }

  /// Whether the marks of local edits of one of the entities decide on the result.
  func containsMarks(of entities: Set<Int>) -> Bool { !marks.isDisjoint(with: entities) }

  mutating func formUnion(_ other: ReadRegion) {
    columns.merge(other.columns) { $0.union($1) }
    readsNotes = readsNotes || other.readsNotes
    readsOthers = readsOthers || other.readsOthers
    marks.formUnion(other.marks)
    targets.formUnion(other.targets)
    collections.formUnion(other.collections)
  }
}

/// The changes of commits, summed up by entity. Many results ask whether the changes touch them, and none of them goes
/// through the rows.
struct CommitReach {
  /// Whether nothing is known of some of the commits.
  let isUnknown: Bool
  /// Whether notes of local edits or of deletions, or entries of the outbox, may have changed.
  private(set) var hasNotes = false
  private(set) var collections = ChangedCollections()
  /// The columns that changed in some row.
  private var columns: [Int: ColumnMask] = [:]
  /// The entities whose rows came or went, or may all have changed.
  private var whole: Set<Int> = []

  /// - Parameters:
  ///   - crowded: The entities with too many changed rows to go through them.
  ///   - context: A context whose own changes were in its results before it saved them.
  init(_ news: CommitNews, _ crowded: Set<Int> = [], of context: ContextID? = nil) {
    isUnknown = news.hasUnknown
    whole = crowded
    guard !isUnknown else { return }
    for summary in news.summaries { add(summary, isOwn: context != nil && summary.origin == context) }
  }

  func touches(_ entity: Int, _ read: ColumnMask) -> Bool {
    whole.contains(entity) || columns[entity].map { !read.intersection($0).isEmpty } ?? false
  }

  private mutating func add(_ summary: CommitSummary, isOwn: Bool) {
    hasNotes = hasNotes || summary.changesNotes
    collections.formUnion(summary.collections)
    for (entity, changes) in summary.entities where !whole.contains(entity) {
      guard case .rows(let rows) = changes, let changed = changedColumns(of: rows, isOwn: isOwn) else {
        whole.insert(entity)
        continue
      }
      columns[entity, default: ColumnMask()].formUnion(changed)
    }
  }

  /// - Returns: `nil` where a row came or went, or its marks alone changed.
  private func changedColumns(of rows: [Int64: CommitSummary.RowChange], isOwn: Bool) -> ColumnMask? {
    var all = ColumnMask()
    for change in rows.values {
      let changed = isOwn ? change.mask.subtracting(change.direct) : change.mask
      switch change.kind {
      case .inserted where !isOwn || !changed.isEmpty: return nil
      case .inserted: break
      case .deleted: return nil
      case .updated where change.mask.isEmpty: return nil
      case .updated: all.formUnion(changed)
      }
    }
    return all
  }
}
