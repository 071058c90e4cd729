import EntityStore

/// The commits that changed one object, the newest first: at most 100 of them, as far as half a second of search goes back.
struct ObjectHistory: Encodable {
  struct Line: Encodable {
    let generation: Int64
    let time: String
    let author: String
    let kind: ChangeKind
    /// The changed properties; `nil` for all of them.
    let columns: [String]?
  }

  let lines: [Line]
  /// Whether older commits were not searched.
  let isCut: Bool
  /// Whether the file keeps any commits.
  let isKept: Bool

  init(_ entity: String, _ pk: Int64, _ reader: StoreFileReader) throws {
    let found = try reader.rows(
      "SELECT g.number >> 30, g.kind, g.columns, c.time, c.author FROM main._entity_changes AS g "
        + "LEFT JOIN main._entity_commits AS c ON c.generation = g.number >> 30 "
        + "WHERE g.pk = ? AND g.entity = ? ORDER BY g.number DESC LIMIT 100",
      [.integer(pk), .text(entity)], within: .init(time: .milliseconds(500)))
    lines = found.rows.map { row in
      Line(
        generation: row[0].integer ?? 0, time: row[3].number.map(ValueText.date) ?? "", author: row[4].string ?? "",
        kind: ChangeKind(row[1]), columns: row[2].string.map { $0.split(separator: ",").map(String.init) })
    }
    isCut = found.cut != nil
    isKept = try !reader.rows("SELECT 1 FROM main._entity_commits LIMIT 1").rows.isEmpty
  }

  /// The last commit that changed a property.
  func writer(of property: String) -> ObjectPage.Writer? {
    lines.first { $0.columns?.contains(property) ?? true }
      .map { ObjectPage.Writer(generation: $0.generation, time: $0.time, author: $0.author) }
  }

  var html: HTML {
    guard isKept else { return .note("The file keeps no history: open the store with StoreOptions.history.") }
    let rows: [HTML] = lines.map { line in
      """
      <tr><td class="number">\(HTML.link("\(line.generation)", .commit(line.generation)))</td><td>\(line.time)</td>\
      <td>\(line.author)</td><td>\(line.kind.rawValue)</td>\
      <td class="wide">\(line.columns?.joined(separator: ", ") ?? "all")</td></tr>
      """
    }
    let note: HTML? = isCut ? .note("Older commits were not searched.") : nil
    return """
      \(HTML.table("history", head: ["commit", "time", "author", "change", "properties"], rows: rows))\(note)
      """
  }
}

/// The kind of a changed row in `_entity_changes`.
enum ChangeKind: String, Encodable {
  case inserted, updated, deleted, merged, unknown

  init(_ value: StoredValue) {
    let kinds: [ChangeKind] = [.inserted, .updated, .deleted, .merged]
    self =
      value.integer.flatMap { kinds.indices.contains(Int(clamping: $0)) ? kinds[Int(clamping: $0)] : nil } ?? .unknown
  }
}
