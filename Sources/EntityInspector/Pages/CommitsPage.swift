import EntityStore

/// The commits that the file keeps, the newest first, a hundred on a page.
struct CommitsPage: Page {
  struct Commit: Encodable {
    let generation: Int64
    let time: String
    let author: String
    var changes: [Count] = []
  }

  /// The changed rows of one entity in one commit.
  struct Count: Encodable {
    let entity: String
    let kind: ChangeKind
    let rows: Int64
  }

  var commits: [Commit]
  /// The generation before which the next page begins; `nil` on the last one.
  let next: Int64?
  /// Whether not all changes could be counted in time.
  let isCut: Bool

  var title: String { "History" }
  var current: String? { "commits" }

  private static let size = 100

  init(before: Int64?, _ reader: StoreFileReader) throws {
    let found = try reader.rows(
      "SELECT generation, time, author FROM main._entity_commits WHERE generation < ? ORDER BY generation DESC LIMIT ?",
      [.integer(before ?? .max), .integer(Int64(Self.size) + 1)])
    commits = found.rows.prefix(Self.size).map { row in
      Commit(
        generation: row[0].integer ?? 0, time: row[1].number.map(ValueText.date) ?? "", author: row[2].string ?? "")
    }
    next = found.rows.count > Self.size ? commits.last?.generation : nil
    guard let first = commits.last?.generation, let last = commits.first?.generation else {
      isCut = false
      return
    }
    let counts = try reader.rows(
      "SELECT number >> 30, entity, kind, count(*) FROM main._entity_changes WHERE number BETWEEN ? AND ? GROUP BY 1, 2, 3",
      [.integer(CommitPage.first(first)), .integer(CommitPage.last(last))],
      within: .init(rows: 20_000, time: .milliseconds(500)))
    var byCommit: [Int64: [Count]] = [:]
    for row in counts.rows {
      byCommit[row[0].integer ?? 0, default: []].append(
        Count(entity: row[1].string ?? "", kind: ChangeKind(row[2]), rows: row[3].integer ?? 0))
    }
    isCut = counts.cut != nil
    for place in commits.indices { commits[place].changes = byCommit[commits[place].generation] ?? [] }
  }

  var content: HTML {
    guard !commits.isEmpty else {
      return .note(
        "The file keeps no history: open the store with StoreOptions.history, and each commit has a line here.")
    }
    let rows: [HTML] = commits.map { commit in
      let changes = commit.changes.map { "\($0.rows) \($0.entity.replacing(",", with: ".")) \($0.kind.rawValue)" }
        .joined(separator: ", ")
      return """
        <tr><td class="number"><a class="row" href="\(PageLink.commit(commit.generation))">\(commit.generation)</a></td>\
        <td>\(commit.time)</td><td>\(commit.author)</td><td class="wide" data-key="\(commit.generation)">\(changes)</td></tr>
        """
    }
    let more: HTML? = next.map {
      "<p class=\"bar\"><a rel=\"next\" href=\"\(PageLink(["commits"], [("before", "\($0)")]))\">older commits</a></p>"
    }
    let cut: HTML? = isCut ? .note("Not all changes were counted: the commits have too many.") : nil
    return "\(HTML.table("commits", head: ["commit", "time", "author", "changed rows"], rows: rows))\(cut)\(more)"
  }
}

/// One commit: the rows that it changed, with the values that stand now.
struct CommitPage: Page {
  struct Line: Encodable {
    let object: ObjectLink
    let kind: ChangeKind
    /// The changed properties; `nil` for all of them.
    let columns: [String]?
    /// The values that the changed properties have now.
    let values: [Cell]
    /// The row that this one was merged into.
    let survivor: Int64?
  }

  let generation: Int64
  let time: String
  let author: String
  let lines: [Line]
  let isCut: Bool

  var title: String { "Commit \(generation)" }
  var current: String? { "commits" }

  private static let most = 500
  private static let shownValues = 8

  /// The numbers of the lines of a commit; see `HistoryTables`.
  static func first(_ generation: Int64) -> Int64 { generation.multipliedReportingOverflow(by: 1 << 30).partialValue }

  static func last(_ generation: Int64) -> Int64 { first(generation) | (1 << 30 - 1) }

  /// - Returns: `nil` where the file does not keep the commit.
  init?(_ generation: Int64, _ reader: StoreFileReader) throws {
    let commit = try reader.rows(
      "SELECT time, author FROM main._entity_commits WHERE generation = ?", [.integer(generation)]
    ).rows.first
    guard let commit else { return nil }
    self.generation = generation
    (time, author) = (commit[0].number.map(ValueText.date) ?? "", commit[1].string ?? "")
    let found = try reader.rows(
      "SELECT number, entity, pk, kind, columns, survivor, uid FROM main._entity_changes WHERE number BETWEEN ? AND ? "
        + "ORDER BY number",
      [.integer(Self.first(generation)), .integer(Self.last(generation))], within: .init(rows: Self.most))
    lines = try found.rows.map { try Self.line($0, reader) }
    isCut = found.cut != nil
  }

  private static func line(_ row: [StoredValue], _ reader: StoreFileReader) throws -> Line {
    let (entity, pk, kind) = (row[1].string ?? "", row[2].integer ?? 0, ChangeKind(row[3]))
    let columns = row[4].string.map { $0.split(separator: ",").map(String.init) }
    var object = try reader.object(entity, pk)
    // The row of a deleted object is gone, and its uid is here.
    if kind == .deleted, object.hasPage {
      let named = ObjectLink(entity, pk, row[6])
      object = ObjectLink(entity: entity, pk: pk, label: named.label, hasPage: false)
    }
    return Line(
      object: object, kind: kind, columns: columns, values: try values(columns ?? [], of: entity, pk, reader),
      survivor: row[5].integer)
  }

  private static func values(
    _ columns: [String], of entity: String, _ pk: Int64, _ reader: StoreFileReader
  ) throws -> [Cell] {
    guard let model = reader.schema[entity] else { return [] }
    let properties = columns.compactMap { model[$0] }.prefix(shownValues)
    guard !properties.isEmpty else { return [] }
    let shown = properties.map { $0.value("t", characters: 100) }.joined(separator: ", ")
    let row = try reader.rows("SELECT \(shown) FROM \(model.table) AS t WHERE t._pk = ?", [.integer(pk)]).rows.first
    return zip(properties, row ?? []).map { $0.cell($1, key: "\(pk).\($0.name)", characters: 100) }
  }

  var content: HTML {
    let rows: [HTML] = lines.map { line in
      let values: [HTML] = line.values.map { cell in
        let name = cell.key.split(separator: ".", maxSplits: 1).last.map(String.init) ?? ""
        return "<span class=\"tag\">\(name)</span><span data-key=\"\(cell.key)\">\(HTML.content(cell))</span> "
      }
      let survivor: HTML? = line.survivor.map { "into \(HTML.link("row \($0)", .object(line.object.entity, $0)))" }
      return """
        <tr><td>\(HTML.link(line.object, isRow: true))</td>\
        <td>\(line.kind.rawValue) \(survivor)</td><td class="wide">\(line.columns?.joined(separator: ", ") ?? "all")</td>\
        <td class="wide">\(values)</td></tr>
        """
    }
    let cut: HTML? = isCut ? .note("The commit changed more rows than the \(Self.most) of this page.") : nil
    return """
      <p class="bar"><span>\(time)</span><span>\(author)</span>\(HTML.link("all commits", PageLink("commits")))</p>
      \(HTML.table("lines", head: ["object", "change", "properties", "values now"], rows: rows))\(cut)
      """
  }
}
