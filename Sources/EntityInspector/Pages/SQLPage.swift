import EntityStore

/// One SELECT that a person types, its plan, and at most 1,000 rows within a second.
struct SQLPage: Page {
  struct PlanLine: Encodable {
    let depth: Int
    let text: String
    /// Whether SQLite reads all rows of a table or an index.
    let isScan: Bool
  }

  let sql: String
  var columns: [String] = []
  var rows: [[String]] = []
  var plan: [PlanLine] = []
  var cut: String?
  var problem: String?

  var title: String { "SQL" }
  var current: String? { "sql" }

  private static let most = 16 << 10

  init(_ sql: String, _ reader: StoreFileReader) {
    self.sql = sql
    guard !sql.isEmpty else { return }
    guard sql.utf8.count <= Self.most else {
      problem = "The SQL is longer than 16 KB."
      return
    }
    do {
      let result = try reader.query(sql)
      columns = result.rows.columns
      rows = result.rows.rows.map { $0.map { String(ValueText($0, type: nil).text.prefix(500)) } }
      cut = result.rows.cut?.rawValue
      plan = Self.lines(result.plan)
    } catch let error as StoreError {
      problem = error.message
    } catch {
      problem = "\(error)"
    }
  }

  /// The lines with their depths: a step stands beneath the one that it belongs to.
  private static func lines(_ plan: QueryPlanLines) -> [PlanLine] {
    var depths: [Int64: Int] = [:]
    return plan.lines.map { line in
      let depth = depths[line.parent].map { $0 + 1 } ?? 0
      depths[line.id] = depth
      return PlanLine(
        depth: depth, text: line.text, isScan: line.text.hasPrefix("SCAN ") && line.text != "SCAN CONSTANT ROW")
    }
  }

  var content: HTML {
    let problems: HTML? = problem.map(HTML.problem)
    let limits: HTML? = cut.map { cut in
      let texts = ["rows": "These are the first 1,000 rows.", "time": "The query was ended after a second."]
      return .note(texts[cut] ?? "The values are longer than 8 MB together: these are the first ones.")
    }
    let lines: [HTML] = plan.map { line in
      let scan: HTML = line.isScan ? " class=\"scan\"" : ""
      return "<div\(scan)>\(String(repeating: "\u{A0}\u{A0}", count: line.depth))\(line.text)</div>"
    }
    let found: [HTML] = rows.enumerated().map { number, row in
      let cells: [HTML] = row.enumerated().map { "<td data-key=\"\(number).\($0)\">\($1)</td>" }
      return "<tr>\(cells)</tr>"
    }
    return """
      <form action="sql" method="get"><textarea name="q" aria-label="SQL" spellcheck="false" \
      placeholder="SELECT … FROM …">\(sql)</textarea><p class="bar"><button>Run</button>\
      <span class="note">one SELECT, at most 1,000 rows and a second</span></p></form>
      \(problems)<div class="plan" data-live="plan">\(lines)</div><div data-live="limits">\(limits)</div>
      \(columns.isEmpty ? nil : HTML.table("result", head: columns, rows: found))
      """
  }
}
