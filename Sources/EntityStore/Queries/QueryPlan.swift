/// The way that SQLite takes for a query: the lines of `EXPLAIN QUERY PLAN` (https://sqlite.org/eqp.html).
///
/// ```swift
/// let plan = try context.explain(User.all.sorted(by: \.age))
/// print(plan)
/// // SCAN t0
/// // USE TEMP B-TREE FOR ORDER BY
/// ```
/// The words are SQLite's, and may be others in another version of it.
public struct QueryPlan: Sendable, CustomStringConvertible {
  /// A line.
  public struct Step: Sendable, Hashable {
    /// SQLite's number of the step.
    public let id: Int
    /// The `id` of the step that this one is a part of; 0 for none.
    public let parent: Int
    /// The step in SQLite's words: `SEARCH t0 USING INDEX User,email (email=?)`.
    public let text: String
  }

  /// The statement, in which `?` stands for each value.
  public let sql: String
  /// The lines in their order.
  public let steps: [Step]

  /// The steps that go through all rows of a table or of an index, or of the result of another step. A full-text search is none,
  /// nor is a list of values.
  public var scans: [String] {
    steps.map(\.text).filter { text in
      guard text.hasPrefix("SCAN "), text != "SCAN CONSTANT ROW" else { return false }
      guard text.contains(" VIRTUAL TABLE INDEX ") else { return true }
      // FTS5 is read whole where SQLite hands it no pattern: then nothing stands behind the colon.
      return text.hasSuffix(":") && !text.contains("_entity_values")
    }
  }

  /// Whether the rows are sorted, or grouped, after they are found: the first one comes when all are read.
  public var sorts: Bool { steps.contains { $0.text.hasPrefix("USE TEMP B-TREE") } }

  /// The steps as a tree: the parts of a step stand beneath it, two blanks further in.
  public var description: String {
    var depths: [Int: Int] = [:]
    return steps.map { step in
      let depth = depths[step.parent].map { $0 + 1 } ?? 0
      depths[step.id] = depth
      return String(repeating: "  ", count: depth) + step.text
    }.joined(separator: "\n")
  }
}
