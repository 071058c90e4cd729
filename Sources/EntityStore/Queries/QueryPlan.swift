/// SQLite's plan for a query: the lines of `EXPLAIN QUERY PLAN` (https://sqlite.org/eqp.html).
///
/// ```swift
/// let plan = try context.explain(User.all.sorted(by: \.age))
/// print(plan)
/// // SCAN t0
/// // USE TEMP B-TREE FOR ORDER BY
/// ```
/// The words are SQLite's, and may differ in another version of it.
public struct QueryPlan: Sendable, CustomStringConvertible {
  /// A line.
  public struct Step: Sendable, Hashable {
    /// SQLite's number of the step.
    public let id: Int
    /// The `id` of the step to which this one belongs; 0 for none.
    public let parent: Int
    /// The step in SQLite's words: `SEARCH t0 USING INDEX User,email (email=?)`.
    public let text: String
  }

  /// The statement, in which `?` stands for each value.
  public let sql: String
  /// The lines in their order.
  public let steps: [Step]

  /// The steps that read all rows of a table, of an index, or of the result of another step. A full-text search does
  /// not count, and neither does a list of values.
  public var scans: [String] {
    steps.map(\.text).filter(Self.isScan)
  }

  /// Whether a step, by its text, is one of ``scans``.
  package static func isScan(_ text: String) -> Bool {
    guard text.hasPrefix("SCAN "), text != "SCAN CONSTANT ROW" else { return false }
    guard text.contains(" VIRTUAL TABLE INDEX ") else { return true }
    // FTS5 is read whole where SQLite gives it no pattern: then nothing stands behind the colon.
    return text.hasSuffix(":") && !text.contains("_entity_values")
  }

  /// Whether the rows are sorted, or grouped, after they are found: the first row comes only when all rows are read.
  public var sorts: Bool { steps.contains { $0.text.hasPrefix("USE TEMP B-TREE") } }

  /// The steps as a tree: the parts of a step stand beneath it, indented by two spaces.
  public var description: String {
    var depths: [Int: Int] = [:]
    return steps.map { step in
      let depth = depths[step.parent].map { $0 + 1 } ?? 0
      depths[step.id] = depth
      return String(repeating: "  ", count: depth) + step.text
    }.joined(separator: "\n")
  }
}
