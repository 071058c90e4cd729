import EntityStore

// The descriptions of results, for a log: one line for any number of objects, without values of the objects and without
// headers.

extension EntityResponse: CustomStringConvertible, CustomReflectable {
  /// Status, URL without the query's values, counts and the first ids.
  public var description: String {
    "\(Entity.entityName): \(isDryRun ? "dry run, " : "")status \(status)\(url.map { " from \($0.shown)" } ?? ""), "
      + "\(counts), \(EntityID.shown(ids))"
      + skipped.shown + (lacksUID ? ", no uid came" : "")
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension ResponseContext: CustomStringConvertible, CustomReflectable {
  /// Status and URL of the response, with no values of the query and nothing of the body.
  public var description: String {
    status.map { "in a response with status \($0)\(url.map { " from \($0.shown)" } ?? "")" } ?? "in no response"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension ResponseObject: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["json": json, "context": context]) }
}

extension EntityCounts: CustomStringConvertible {
  /// The counts that are not zero.
  public var description: String {
    let counts = [
      ("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("deleted", deleted), ("denied", denied),
      ("refused", refused), ("rows written", rowsWritten),
    ].filter { $0.1 != 0 }
    return counts.isEmpty ? "no objects" : counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
  }
}

extension SkippedChanges {
  /// The number of skipped changes, if there are any.
  var shown: String { total == 0 ? "" : ", \(total) skipped" }
}

extension EntityID {
  /// A few ids of many.
  static func shown(_ ids: [EntityID]) -> String {
    let few = ids.prefix(5).map { String($0.pk) }.joined(separator: ", ")
    return "ids [\(few)\(ids.count > 5 ? ", … and \(ids.count - 5) more" : "")]"
  }
}
