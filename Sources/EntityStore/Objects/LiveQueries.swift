/// The results that a context keeps up to date, held weakly.
struct LiveQueries {
  private struct Box {
    weak var result: LiveResult?
  }

  private var boxes: [Box] = []

  var isEmpty: Bool { boxes.isEmpty }

  mutating func add(_ result: LiveResult) {
    boxes.removeAll { $0.result == nil }
    boxes.append(Box(result: result))
  }

  /// The context takes over commits.
  func note(_ news: CommitNews, in context: ContextID) {
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.hasFailed || result.region.isTouched(by: news, of: context) { result.touch() }
    }
  }

  /// Unsaved changes of a row are others than before.
  ///
  /// - Parameter columns: The columns that may have other values; `nil` where the row may have come or gone.
  func noteEdit(_ entity: Int, _ columns: ColumnMask?) {
    for box in boxes {
      guard let result = box.result, result.isWaiting else { continue }
      if result.hasFailed || result.region.contains(entity, columns) { result.touch() }
    }
  }
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
