import EntityOutbox
import EntityStore

/// All that the server is yet to hear of: edits and new objects, deletions, pairs that were taken out, the entries of the outbox,
/// and its plan.
struct PendingPage: Page {
  struct Edit: Encodable {
    let object: ObjectLink
    /// The name of the property; `nil` for an object that was made here.
    let property: String?
    /// The server's last value; `nil` where it is not known.
    let base: String?
    let value: String?
    /// A time in UTC.
    let since: String?
    let generation: Int64
  }

  struct Deletion: Encodable {
    let entity: String
    let pk: Int64
    let uid: String
    let since: String
    /// The row id of the object whose deletion took this one along.
    let cause: Int64?
  }

  struct RemovedPair: Encodable {
    let list: String
    let owner: ObjectLink
    let member: ObjectLink
  }

  let edits: [Edit]
  let deletions: [Deletion]
  let removedPairs: [RemovedPair]
  /// The plan of the outbox; `nil` where a file is shown, or where the app has no outbox.
  let plan: PlanPart?
  let outbox: [OutboxLine]
  /// Whether there is more than the page has.
  let isCut: Bool

  private let isOfApp: Bool

  enum CodingKeys: String, CodingKey { case edits, deletions, removedPairs, plan, outbox, isCut }

  var title: String { "Pending changes" }
  var current: String? { "pending" }
  /// An outbox is made, a pause ends, and a request begins, without a commit.
  var changesByItself: Bool { isOfApp }

  private static let most = 500

  /// - Parameter plan: The answer of the app's outbox; `nil` without one.
  init(_ plan: AppAnswer<OutboxPlan>?, isOfApp: Bool, _ reader: StoreFileReader) throws {
    self.plan = try plan.map { try PlanPart($0, reader) }
    self.isOfApp = isOfApp
    let limits = StoreFileReader.Limits(rows: Self.most)
    let notes = try reader.rows(
      "SELECT entity, pk, property, base, has_base, time, number FROM main._entity_edits ORDER BY number DESC, entity, pk",
      within: limits)
    edits = try notes.rows.map { try Self.edit($0, reader) }
    let gone = try reader.rows(
      "SELECT entity, pk, uid, time, cause FROM main._entity_deletions ORDER BY number DESC", within: limits)
    deletions = gone.rows.map { row in
      Deletion(
        entity: row[0].string ?? "", pk: row[1].integer ?? 0, uid: ValueText(row[2], type: nil).text,
        since: row[3].number.map(ValueText.date) ?? "", cause: row[4].integer)
    }
    removedPairs = try reader.schema.lists.flatMap { list in
      try reader.rows(
        "SELECT \(list.ownerColumn), \(list.memberColumn) FROM \(list.removedTable)", within: .init(rows: 100)
      ).rows.map { row in
        RemovedPair(
          list: "\(list.owner).\(list.name)", owner: try reader.object(list.owner, row[0].integer ?? 0),
          member: try reader.object(list.member, row[1].integer ?? 0))
      }
    }
    let entries = try OutboxLine.all(reader, most: Self.most)
    (outbox, isCut) = (entries.lines, entries.isCut || notes.cut != nil || gone.cut != nil)
  }

  private static func edit(_ row: [StoredValue], _ reader: StoreFileReader) throws -> Edit {
    let (entity, pk, name) = (row[0].string ?? "", row[1].integer ?? 0, row[2].string ?? "")
    let property = reader.schema[entity]?[name]
    func shown(_ value: StoredValue) -> String { String(ValueText(value, type: property?.type).text.prefix(200)) }
    var value: String?
    if let property, let model = reader.schema[entity] {
      value = try reader.rows(
        "SELECT \(property.value("t", characters: 200)) FROM \(model.table) AS t WHERE t._pk = ?", [.integer(pk)]
      ).rows.first.map { shown($0[0]) }
    }
    // The note of a property that the app removed stays: see FileEditor+Removed.
    let removed = name.hasPrefix("_removed,") ? "\(name.dropFirst(9)) (removed by the app)" : name
    return Edit(
      object: try reader.object(entity, pk), property: name.isEmpty ? nil : removed,
      base: row[4] == .integer(1) ? shown(row[3]) : nil, value: value, since: row[5].number.map(ValueText.date),
      generation: row[6].integer ?? 0)
  }
}

extension PendingPage {
  var content: HTML {
    let cut: HTML? = isCut ? .note("There is more; each list ends after \(Self.most) lines.") : nil
    return """
      \(HTML.live("cut", cut))<h2>Edits and new objects</h2>\
      \(HTML.table("edits", head: ["object", "property", "the server's value", "value", "since", "commit"], rows: editRows))\
      <h2>Deletions</h2>\
      \(HTML.table("deletions", head: ["entity", "row", "uid", "since", "because of"], rows: deletionRows))\
      <h2>Pairs that were taken out</h2>\
      \(HTML.table("pairs", head: ["list", "owner", "member"], rows: pairRows))\
      <h2>Plan of the outbox</h2>\(HTML.live("plan", plan?.html ?? .note(isOfApp ? Self.noOutbox : Self.noPlan)))\
      <h2>Entries of the outbox</h2>\(HTML.table("outbox", head: OutboxLine.head, rows: outbox.map(\.html)))
      """
  }

  private static let noOutbox = "The store has no outbox."
  private static let noPlan =
    "A file has no plan. An app that starts the inspector with its client shows in which order its outbox sends, and what each "
    + "change waits for."

  private var editRows: [HTML] {
    edits.map { edit in
      let key = "\(edit.object.entity).\(edit.object.pk).\(edit.property ?? "")"
      let what: HTML = edit.property.map { "\($0)" } ?? .tag("made here")
      return """
        <tr><td>\(HTML.link(edit.object, isRow: true))</td>\
        <td>\(what)</td><td class="wide">\(edit.property == nil ? "" : edit.base ?? "not known")</td>\
        <td class="wide\(edit.value == nil ? "" : " edited")" data-key="\(key)">\
        \(edit.value ?? "")</td><td>\(edit.since ?? "")</td>\
        <td class="number">\(HTML.link("\(edit.generation)", .commit(edit.generation)))</td></tr>
        """
    }
  }

  private var deletionRows: [HTML] {
    deletions.map { deletion in
      """
      <tr><td>\(deletion.entity)</td><td class="number">\(deletion.pk)</td><td>\(deletion.uid)</td>\
      <td>\(deletion.since)</td><td class="number">\(deletion.cause.map(String.init) ?? "")</td></tr>
      """
    }
  }

  private var pairRows: [HTML] {
    removedPairs.map {
      "<tr><td>\($0.list)</td><td>\(HTML.link($0.owner))</td><td>\(HTML.link($0.member))</td></tr>"
    }
  }
}
