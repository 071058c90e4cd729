import EntityOutbox
import EntityRequests
import EntityStore

/// One object: its values with their bases, both sides of its links, and its history.
struct ObjectPage: Page {
  struct PropertyRow: Encodable {
    let name: String
    let type: String
    let cell: Cell
    /// The last commit that changed the property, as far as the history goes.
    var writer: Writer?
  }

  struct Writer: Encodable {
    let generation: Int64
    let time: String
    let author: String
    /// The request whose response the commit took in, where the inspector has heard of it.
    var request: Request?
  }

  struct Request: Encodable {
    let number: Int
    let title: String
  }

  /// Objects that are linked to this one.
  struct Related: Encodable {
    let title: String
    let count: Int
    /// Whether there are more than were counted.
    let isMore: Bool
    let path: String
    fileprivate let link: PageLink

    enum CodingKeys: String, CodingKey { case title, count, isMore, path }
  }

  let entity: String
  let pk: Int64
  let label: String
  let isPlaceholder: Bool
  let isNew: Bool
  let properties: [PropertyRow]
  let related: [Related]
  let history: ObjectHistory
  /// The part of the outbox's plan about the object; `nil` without an outbox.
  let plan: PlanPart?
  let outbox: [OutboxLine]

  var title: String { "\(entity) \(label)" }
  var current: String? { entity }
  /// A pause ends, and a request begins, without a commit.
  var changesByItself: Bool { plan?.isEmpty == false }

  /// The most characters of a text on the page of one object.
  private static let characters = 20_000
  private static let counted = 1000

  /// - Returns: `nil` where there is no such row.
  init?(
    _ model: StoreFileSchema.Entity, _ pk: Int64, _ app: AppKnowledge, _ plan: AppAnswer<OutboxPlan>?,
    _ reader: StoreFileReader
  ) throws {
    let columns = ObjectRow.columns(model, characters: Self.characters, reader.schema)
    let found = try reader.rows(
      "SELECT \(columns) FROM \(model.table) AS t WHERE t._pk = ?", [.integer(pk)], within: .init(bytes: 64 << 20)
    ).rows
    guard let row = try ObjectRow.all(found, of: model, characters: Self.characters, reader).first else { return nil }
    (entity, self.pk) = (model.name, pk)
    (isPlaceholder, isNew) = (row.isPlaceholder, row.isNew)
    label = try reader.object(model.name, pk).label
    let history = try ObjectHistory(model.name, pk, reader)
    properties = zip(model.properties, row.cells).map { property, cell in
      PropertyRow(
        name: property.name, type: RowsPage.type(property), cell: cell,
        writer: history.writer(of: property.name)?.with(app.requests))
    }
    self.history = history
    let names = ListNames(reader.schema)
    related = try Self.links(to: model, pk, names, reader) + Self.lists(of: model, pk, names, reader)
    self.plan = try plan.map { try PlanPart($0, reader) }
    outbox = try OutboxLine.all(reader, of: (model.name, pk), most: 50).lines
  }

  /// The objects whose to-one relationship leads here.
  private static func links(
    to model: StoreFileSchema.Entity, _ pk: Int64, _ names: ListNames, _ reader: StoreFileReader
  ) throws -> [Related] {
    try reader.schema.entities.flatMap { other in
      try other.properties.filter { $0.target == model.name }.map { property in
        try related(
          names[model.name, other.name, property.name] ?? "\(other.name) whose \(property.name) this is",
          "\(other.table) WHERE \(property.column) = ?", pk,
          .entity(other.name, [("where.\(property.name)", "\(pk)")]), reader)
      }
    }
  }

  private static func lists(
    of model: StoreFileSchema.Entity, _ pk: Int64, _ names: ListNames, _ reader: StoreFileReader
  ) throws -> [Related] {
    try reader.schema.lists.flatMap { list in
      var found: [Related] = []
      if list.owner == model.name {
        found.append(
          try related(
            list.name, "\(list.table) WHERE \(list.ownerColumn) = ?", pk,
            .entity(list.member, [("list", list.key), ("owner", "\(pk)")]), reader))
      }
      if list.member == model.name {
        found.append(
          try related(
            names[model.name, list.owner, list.name] ?? "\(list.owner) whose \(list.name) have this",
            "\(list.table) WHERE \(list.memberColumn) = ?", pk,
            .entity(list.owner, [("list", list.key), ("member", "\(pk)")]), reader))
      }
      return found
    }
  }

  private static func related(
    _ title: String, _ rows: String, _ pk: Int64, _ link: PageLink, _ reader: StoreFileReader
  ) throws -> Related {
    let found = try reader.rows(
      "SELECT count(*) FROM (SELECT 1 FROM \(rows) LIMIT \(counted + 1))", [.integer(pk)],
      within: .init(time: .milliseconds(200)))
    let count = Int(found.rows.first?.first?.integer ?? 0)
    return Related(
      title: title, count: min(count, counted), isMore: count > counted || found.cut != nil, path: link.path, link: link
    )
  }
}

extension ObjectPage.Writer {
  fileprivate func with(_ requests: RequestLog?) -> Self {
    var writer = self
    writer.request = requests?.entry(ofCommit: generation).map {
      ObjectPage.Request(number: $0.number, title: "\($0.report.method) \($0.report.url)")
    }
    return writer
  }
}

extension ObjectPage {
  var content: HTML {
    // Without a history nobody can say who wrote a property.
    let head = ["property", "type", "value", "the server's value"] + (hasWriters ? ["written by"] : [])
    let sql = "SELECT * FROM \"\(entity.replacing(scalar: "\"", with: "\"\""))\" WHERE _pk = \(pk)"
    return """
      <p class="bar"><span>row \(pk)</span>\(HTML.tags(isNew: isNew, isPlaceholder: isPlaceholder))\(HTML.link("as SQL", .sql(sql)))</p>
      \(HTML.table("properties", head: head, rows: properties.map(row)))
      <h2>Linked objects</h2>\(HTML.table("related", head: ["relationship", "objects"], rows: related.map(Self.row)))
      \(HTML.live("sending", sending))<h2>History</h2>\(history.html)
      """
  }

  private var sending: HTML? {
    guard plan?.isEmpty == false || !outbox.isEmpty else { return nil }
    let entries: HTML? = outbox.isEmpty ? nil : .table(nil, head: OutboxLine.head, rows: outbox.map(\.html))
    return "<h2>Sending</h2>\(plan?.html)\(entries)"
  }

  private var hasWriters: Bool { properties.contains { $0.writer != nil } }

  private func row(_ property: PropertyRow) -> HTML {
    let cell = property.cell
    let base: HTML? = cell.edit.map { edit in
      "\(edit.base ?? "not known")\(edit.since.map { since in "<small> edited \(since)</small>" as HTML })"
    }
    let writer: HTML? = property.writer.map { writer in
      let request: HTML? = writer.request.map {
        ", \(HTML.link("request \($0.number)", PageLink(["requests", "\($0.number)"])))<br><small>\($0.title)</small>"
      }
      return "\(HTML.link("commit \(writer.generation)", .commit(writer.generation))) by \(writer.author)\(request)"
    }
    let isEdited: HTML = cell.edit == nil ? "" : " edited"
    return """
      <tr><th scope="row">\(property.name)</th><td>\(property.type)</td>\
      <td class="wide \(cell.kind.rawValue)\(isEdited)" data-key="\(cell.key)">\(HTML.content(cell))</td>\
      <td class="wide">\(base)</td>\(hasWriters ? "<td class=\"wide\">\(writer)</td>" as HTML : nil)</tr>
      """
  }

  private static func row(_ related: Related) -> HTML {
    """
    <tr><td><a class="row" href="\(related.link)">\(related.title)</a></td>\
    <td class="number" data-key="related.\(related.path)">\(related.count)\(related.isMore ? "+" : "")</td></tr>
    """
  }
}
