import EntityStore
import Foundation

/// The live queries of an app's main context: what each one asks, and how often.
struct LivePage: Page {
  struct Query: Encodable {
    /// The number stays the same as long as the query lives.
    let number: Int
    let entity: String
    let sql: String
    /// The values in place of the question marks, the first ones, each with its beginning.
    let values: [String]
    let rows: Int
    let runs: Int
    /// A time in UTC; `nil` before the first run.
    let last: String?
    /// The duration of the last run.
    let milliseconds: Double?
    let failure: String?
    /// SQLite's plan as the page's own connection makes it; empty where that lacks a function of the query.
    let plan: [PlanLine]

    init(_ facts: LiveQueryFacts, _ reader: StoreFileReader) {
      (number, entity) = (facts.number, facts.entity)
      (rows, runs, failure) = (facts.rows, facts.runs, facts.failure)
      sql = String(facts.sql.prefix(2_000))
      values = facts.values.prefix(20).map { String(ValueText($0, type: nil).text.prefix(60)) }
      plan = (try? reader.plan(of: facts.sql)).map(PlanLine.lines) ?? []
      last = facts.last.map { ValueText.date($0.time.timeIntervalSince1970) }
      milliseconds = facts.last.map { ($0.duration / .microseconds(10)).rounded() / 100 }
    }
  }

  let queries: [Query]
  /// How many queries the page leaves out.
  let left: Int
  /// Why there are no queries.
  let problem: String?

  var title: String { "Live queries" }
  var current: String? { "live" }
  var changesByItself: Bool { true }

  private static let most = 200

  init(_ answer: AppAnswer<[LiveQueryFacts]>, _ reader: StoreFileReader) {
    let all = answer.value ?? []
    queries = all.prefix(Self.most).map { Query($0, reader) }
    (left, problem) = (max(0, all.count - Self.most), answer.problem)
  }

  var content: HTML {
    let problems: HTML? = problem.map(HTML.problem)
    let more: HTML? = left > 0 ? .note("\(left) more live queries are not shown.") : nil
    let head = ["entity", "SQL", "values", "rows", "runs", "last run", "took", "problem"]
    return """
      \(HTML.note("The queries of the main context that keep their results up to date."))\
      \(HTML.live("problem", problems))\(HTML.table("live", head: head, rows: queries.map(Self.row)))\(HTML.live("left", more))
      """
  }

  private static func row(_ query: Query) -> HTML {
    """
    <tr><td><a class="row" href="\(PageLink.entity(query.entity))">\(query.entity)</a></td>\
    <td class="wide json">\(query.sql)<div class="plan">\(query.plan.map(\.html))</div></td><td class="wide">\(query.values.joined(separator: ", "))</td>\
    <td class="number" data-key="rows.\(query.number)">\(query.rows)</td><td class="number" data-key="runs.\(query.number)">\(query.runs)</td>\
    <td title="\(query.last ?? "")">\(query.last.map(ValueText.clock) ?? "not yet")</td>\
    <td class="number">\(query.milliseconds.map { "\($0) ms" } ?? "")</td>\
    <td class="wide problem">\(query.failure ?? "")</td></tr>
    """
  }
}
