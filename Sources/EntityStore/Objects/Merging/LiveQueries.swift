/// The query results that a context keeps up to date, held weakly.
struct LiveQueries {
  private struct Box {
    weak var result: LiveResult?
    let number: Int
  }

  private var boxes: [Box] = []
  /// How many results were added.
  private var added = 0
  /// The number of boxes at which empty boxes are removed.
  private var limit = 16
  /// Everything that the up-to-date results depend on, and maybe more; `nil` where that is unknown.
  private var watched: ReadRegion?

  var isEmpty: Bool { boxes.isEmpty }

  mutating func add(_ result: LiveResult) {
    if boxes.count >= limit {
      boxes.removeAll { $0.result == nil }
      limit = max(16, boxes.count * 2)
    }
    added += 1
    boxes.append(Box(result: result, number: added))
  }

  /// Marks the results that commits can touch.
  ///
  /// - Parameter crowded: The entities with too many changed rows to name each.
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

  /// Marks the results that depend on changed unsaved values of a row.
  ///
  /// - Parameters:
  ///   - pk: The row; `nil` for any row.
  ///   - columns: The columns that may have changed; `nil` where the row may have been inserted or deleted.
  mutating func noteEdit(_ entity: Int, _ pk: Int64?, _ columns: ColumnMask?) {
    // So a loop that edits one column of many objects visits the results only once.
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

  /// Marks results after a save: rows of these entities have new edit marks, with unchanged values.
  func noteMarks(of entities: Set<Int>) {
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.region.containsMarks(of: entities) { result.touch() }
    }
  }

  /// The stored collections that the results show.
  var collections: ReadCollections {
    boxes.reduce(into: .none) { if let result = $1.result { $0.formUnion(result.region.collections) } }
  }

  /// The facts of all queries, in the order in which they were made.
  var facts: [LiveQueryFacts] {
    boxes.compactMap { box in
      var facts = box.result?.facts()
      facts?.number = box.number
      return facts
    }
  }

  /// A result was read, or failed to be read.
  mutating func resultChanged() { watched = nil }
}

/// The result of a query, as far as the context knows it: whether it is out of date.
final class LiveResult {
  /// The columns that decide on the result.
  private(set) var region = ReadRegion()
  /// The one value that all objects of the result have in a column; `nil` if there is none, or if it is unknown.
  private(set) var narrow: NarrowResult?
  /// Whether the query has to run again.
  private(set) var isOutOfDate = true
  /// Whether the last run of the query failed: it runs again after any change.
  private(set) var hasFailed = false
  /// Called when the result becomes out of date.
  var outdated: () -> Void = {}
  /// The facts of the query; `nil` where it is gone.
  var facts: () -> LiveQueryFacts? = { nil }

  /// Whether the result has to hear of changes. A result that will be read again anyway does not.
  var isWaiting: Bool { !isOutOfDate || hasFailed }

  func touch() {
    isOutOfDate = true
    hasFailed = false
    outdated()
  }

  /// The result was read from the present rows.
  func settle(_ region: ReadRegion, _ narrow: NarrowResult?) {
    self.region = region
    self.narrow = narrow
    isOutOfDate = false
    hasFailed = false
  }

  /// The query failed.
  func fail() {
    isOutOfDate = true
    hasFailed = true
  }
}
