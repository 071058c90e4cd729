/// The results that a context keeps up to date, held weakly.
struct LiveQueries {
  private struct Box {
    weak var result: LiveResult?
  }

  private var boxes: [Box] = []
  /// All that the results which are up to date depend on, and maybe more; `nil` where that is not known.
  private var watched: ReadRegion?

  var isEmpty: Bool { boxes.isEmpty }

  mutating func add(_ result: LiveResult) {
    boxes.removeAll { $0.result == nil }
    boxes.append(Box(result: result))
  }

  /// The context takes over commits.
  func note(_ news: CommitNews, in context: ContextID) {
    guard !isEmpty else { return }
    let reach = CommitReach(news, of: context)
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.hasFailed || result.region.isTouched(by: reach) { result.touch() }
    }
  }

  /// Unsaved changes of a row are others than before.
  ///
  /// - Parameter columns: The columns that may have other values; `nil` where the row may have come or gone.
  mutating func noteEdit(_ entity: Int, _ columns: ColumnMask?) {
    // A loop that edits one column of many objects goes through the results once.
    if let watched, !watched.contains(entity, columns) { return }
    var left = ReadRegion()
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.hasFailed || result.region.contains(entity, columns) {
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
  var region = ReadRegion()
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
  func settle(_ region: ReadRegion) {
    self.region = region
    isOutOfDate = false
    hasFailed = false
  }

  /// The query could not be run.
  func fail() {
    isOutOfDate = true
    hasFailed = true
  }
}
