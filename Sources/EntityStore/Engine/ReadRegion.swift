/// The columns that a read saw, by entity: a commit that changed none of them can't change its result.
struct ReadRegion: Sendable, Equatable {
  private var columns: [Int: ColumnMask] = [:]

  init() {}

  /// - Parameter reads: The columns as SQLite tells of them. Which rows an entity has counts as read with any of them.
  init(_ reads: Set<ColumnRead>, _ schema: SchemaModel) {
    for read in reads {
      guard let model = schema.entity(ofTable: read.table) else { continue }
      var mask = columns[model.number] ?? ColumnMask()
      if let index = model.index(of: read.column) {
        mask.insert(index)
      } else if read.column == "_edited" {
        // The marks of all columns.
        mask = model.all
      }
      columns[model.number] = mask
    }
  }

  /// Whether a change of a row can touch the result.
  ///
  /// - Parameter changed: The columns that changed; `nil` where the row came or went.
  func contains(_ entity: Int, _ changed: ColumnMask?) -> Bool {
    guard let read = columns[entity] else { return false }
    guard let changed else { return true }
    return !read.intersection(changed).isEmpty
  }

  /// Whether commits can touch the result.
  ///
  /// - Parameter context: A context whose own changes were in the result before it saved them.
  func isTouched(by news: CommitNews, of context: ContextID? = nil) -> Bool {
    news.hasUnknown
      || news.summaries.contains { isTouched(by: $0, isOwn: context != nil && $0.origin == context) }
  }

  private func isTouched(by summary: CommitSummary, isOwn: Bool) -> Bool {
    summary.entities.contains { entity, changes in
      guard let read = columns[entity] else { return false }
      switch changes {
      case .all: return true
      case .rows(let rows):
        return rows.values.contains { change in
          let changed = isOwn ? change.mask.subtracting(change.direct) : change.mask
          switch change.kind {
          case .inserted: return !isOwn || !changed.isEmpty
          case .deleted: return true
          case .updated: return !read.intersection(changed).isEmpty
          }
        }
      }
    }
  }
}
