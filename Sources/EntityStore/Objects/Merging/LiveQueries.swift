/// The results that a context keeps up to date, held weakly.
struct LiveQueries {
  private struct Box {
    weak var result: LiveResult?
  }

  private var boxes: [Box] = []
  /// The number of boxes at which those of results that are gone are looked for.
  private var limit = 16
  /// All that the results which are up to date depend on, and maybe more; `nil` where that is not known.
  private var watched: ReadRegion?

  var isEmpty: Bool { boxes.isEmpty }

  mutating func add(_ result: LiveResult) {
    if boxes.count >= limit {
      boxes.removeAll { $0.result == nil }
      limit = max(16, boxes.count * 2)
    }
    boxes.append(Box(result: result))
  }

  /// The context takes over commits.
  ///
  /// - Parameter crowded: The entities of which too many rows changed to name them.
  mutating func note(_ news: CommitNews, _ crowded: Set<Int>, in context: EntityContext) {
    guard !isEmpty else { return }
    let reach = CommitReach(news, crowded, of: context.lineage.id)
    let changed = ChangedRows(news, crowded, in: context)
    var gone = 0
    for box in boxes {
      guard let result = box.result else {
        gone += 1
        continue
      }
      guard result.isWaiting else { continue }
      guard result.hasFailed || result.region.isTouched(by: reach) else { continue }
      if !result.hasFailed, let narrow = result.narrow, !changed.canTouch(narrow) { continue }
      result.touch()
    }
    if gone > boxes.count / 2 { boxes.removeAll { $0.result == nil } }
  }

  /// Unsaved changes of a row are others than before.
  ///
  /// - Parameters:
  ///   - pk: The row; `nil` for any row.
  ///   - columns: The columns that may have other values; `nil` where the row may have come or gone.
  mutating func noteEdit(_ entity: Int, _ pk: Int64?, _ columns: ColumnMask?) {
    // A loop that edits one column of many objects goes through the results once.
    if let watched, !watched.contains(entity, pk, columns) { return }
    var left = ReadRegion()
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.hasFailed || result.region.contains(entity, pk, columns) {
        result.touch()
      } else {
        left.formUnion(result.region)
      }
    }
    watched = left
  }

  /// A save has ended: rows of these entities have marks that they did not have before, with the values that they had.
  func noteMarks(of entities: Set<Int>) {
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.region.containsMarks(of: entities) { result.touch() }
    }
  }

  /// A result was read, or could not be.
  mutating func resultChanged() { watched = nil }
}

/// A result of a query, as the context knows of it: whether it is out of date.
final class LiveResult {
  /// The columns that decide on the result.
  private(set) var region = ReadRegion()
  /// The value that each of its objects has in a column; `nil` where there is none, or it is not known.
  private(set) var narrow: NarrowResult?
  /// Whether the query is to be run again.
  private(set) var isOutOfDate = true
  /// Whether the query was run last without success: whatever changes next has it run again.
  private(set) var hasFailed = false
  /// Called when the result gets out of date.
  var outdated: () -> Void = {}

  /// Whether it is to be told of changes: one that is to be run again anyway is not.
  var isWaiting: Bool { !isOutOfDate || hasFailed }

  func touch() {
    isOutOfDate = true
    hasFailed = false
    outdated()
  }

  /// The result is that of the rows as they are now.
  func settle(_ region: ReadRegion, _ narrow: NarrowResult?) {
    self.region = region
    self.narrow = narrow
    isOutOfDate = false
    hasFailed = false
  }

  /// The query could not be run.
  func fail() {
    isOutOfDate = true
    hasFailed = true
  }
}
