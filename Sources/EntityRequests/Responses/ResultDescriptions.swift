import EntityStore

// Results as a log shows them: one line, however many objects there are, with no values of theirs and no headers.

extension EntityResponse: CustomStringConvertible {
  /// Status, URL without the query's values, counts and the first ids.
  public var description: String {
    "\(Entity.entityName): status \(status)\(url.map { " from \($0.shown)" } ?? ""), \(counts), \(ids.shown())"
      + skipped.shown
  }
}

extension EntityPages.Summary: CustomStringConvertible {
  /// The number of pages, counts and the first ids.
  public var description: String {
    "\(Entity.entityName): \(pages) \(pages == 1 ? "page" : "pages"), \(counts), \(ids.shown())"
      + skipped.shown + (next.map { ", next \($0)" } ?? "")
  }
}

extension EntityCounts: CustomStringConvertible {
  /// Those that are not zero.
  public var description: String {
    let counts = [
      ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("deleted", deleted), ("denied", denied),
      ("rows written", rowsWritten),
    ].filter { $0.1 != 0 }
    return counts.isEmpty ? "no objects" : counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
  }
}

extension PageToken: CustomStringConvertible {
  /// The URL without user info and the values of its query.
  public var description: String { url.shown }
}

extension SkippedChanges {
  /// Their number, where there are any.
  fileprivate var shown: String { total == 0 ? "" : ", \(total) skipped" }
}

extension Array {
  /// A few ids of many.
  fileprivate func shown<E>() -> String where Element == EntityID<E> {
    let few = prefix(5).map { String($0.pk) }.joined(separator: ", ")
    return "ids [\(few)\(count > 5 ? ", … and \(count - 5) more" : "")]"
  }
}
