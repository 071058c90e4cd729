import EntityStore

/// One SELECT that a person types, its plan, and at most 1,000 rows within a second.
struct SQLPage: Page {
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
      plan = PlanLine.lines(result.plan)
    } catch let error as StoreError {
      problem = error.message
    } catch {
      problem = "\(error)"
    }
  }

  var content: HTML {
    let problems: HTML? = problem.map(HTML.problem)
    let limits: HTML? = cut.map { cut in
      let texts = ["rows": "These are the first 1,000 rows.", "time": "The query was ended after a second."]
      return .note(texts[cut] ?? "The values are longer than 8 MB together: these are the first ones.")
    }
    let found: [HTML] = rows.enumerated().map { number, row in
      let cells: [HTML] = row.enumerated().map { "<td data-key=\"\(number).\($0)\">\($1)</td>" }
      return "<tr>\(cells)</tr>"
    }
    return """
      <form action="sql" method="get"><textarea name="q" aria-label="SQL" spellcheck="false" \
      placeholder="SELECT … FROM …">\(sql)</textarea><p class="bar"><button>Run</button>\
      <span class="note">one SELECT, at most 1,000 rows and a second</span></p></form>
      \(problems)<div class="plan" data-live="plan">\(plan.map(\.html))</div><div data-live="limits">\(limits)</div>
      \(columns.isEmpty ? nil : HTML.table("result", head: columns, rows: found))
      """
  }
}
