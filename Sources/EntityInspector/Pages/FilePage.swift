import EntityStore

/// The file itself: sizes, entities with their columns, steps, and a check on request.
struct FilePage: Page {
  struct Entity: Encodable {
    let name: String
    /// `nil` where the rows could not be counted in time.
    let rows: Int64?
    let columns: [RowsPage.Column]
  }

  struct Check: Encodable {
    /// The damage that SQLite found; empty for a sound file.
    let damage: [String]
    /// Whether the check came to its end in time.
    let isComplete: Bool
  }

  let path: String
  let database: Int64
  let log: Int64
  let free: Int64
  let facts: [String: String]
  let entities: [Entity]
  let lists: [String]
  /// The relationships that rows of other entities hold.
  let reverses: [String]
  let removed: [String]
  let steps: [String]
  let check: Check?
  private let diagram: SchemaDiagram

  enum CodingKeys: String, CodingKey {
    case path, database, log, free, facts, entities, lists, reverses, removed, steps, check
  }

  var title: String { "File" }
  var current: String? { "file" }

  init(_ path: String, checks: Bool, _ reader: StoreFileReader) throws {
    self.path = path
    let sizes = try reader.sizes()
    (database, log, free) = (sizes.database, sizes.log, sizes.free)
    let keys = ["format", "generation", "id", "history", "age"]
    facts = try Dictionary(
      reader.rows("SELECT key, value FROM main._entity_store WHERE key IN ('\(keys.joined(separator: "', '"))')").rows
        .map { ($0[0].string ?? "", ValueText($0[1], type: nil).text) }, uniquingKeysWith: { first, _ in first })
    let deadline = ContinuousClock.now + .seconds(1)
    entities = try reader.schema.entities.map { entity in
      let count = try reader.rows(
        "SELECT count(*) FROM \(entity.table)", within: .init(time: ContinuousClock.now.duration(to: deadline)))
      return Entity(
        name: entity.name, rows: count.cut == nil ? count.rows.first?.first?.integer : nil,
        columns: entity.properties.map(RowsPage.Column.init))
    }
    lists = reader.schema.lists.map { "\($0.owner).\($0.name) → \($0.member)" }
    reverses = reader.schema.reverses.map { "\($0.owner).\($0.name) ← \($0.entity).\($0.property)" }
    removed = reader.schema.removed
    steps = try reader.rows("SELECT step FROM main._entity_migrations WHERE step IS NOT NULL ORDER BY number").rows
      .compactMap { $0[0].string }
    check =
      checks
      ? try reader.damage(within: .seconds(10)).map { Check(damage: $0, isComplete: true) }
        ?? Check(damage: [], isComplete: false) : nil
    diagram = SchemaDiagram(reader.schema)
  }

  var content: HTML {
    let named: [(String, String)] =
      [
        ("path", path), ("database", Self.size(database)), ("log", Self.size(log)),
        ("free in the database", Self.size(free)),
      ] + facts.sorted { $0.key < $1.key }
    let rows: [HTML] = entities.map { entity in
      let columns = entity.columns.map { "\($0.name): \($0.type)\($0.isOptional && !$0.isUID ? "?" : "")" }
      return """
        <tr><td><a class="row" href="\(PageLink.entity(entity.name))">\(entity.name)</a></td>\
        <td class="number" data-key="\(entity.name)">\(entity.rows.map(String.init) ?? "too many to count")</td>\
        <td class="wide">\(columns.joined(separator: ", "))</td></tr>
        """
    }
    return """
      \(HTML.facts(named, live: "facts"))<p class="bar">\(HTML.link("check the file", PageLink(["file"], [("check", "1")])))</p>
      \(check?.html)<h2>Entities</h2>\(HTML.table("entities", head: ["entity", "rows", "columns"], rows: rows))
      \(Self.list("Many-to-many relationships", lists))\(Self.list("Relationships that other rows hold", reverses))
      \(Self.list("Removed entities whose rows the file keeps", removed))
      \(Self.list("Steps of migrations", steps))<h2>Diagram</h2>\(diagram.html)
      """
  }

  private static func list(_ title: String, _ names: [String]) -> HTML? {
    .list(title, names.map { "\($0)" as HTML })
  }

  private static func size(_ bytes: Int64) -> String {
    bytes < 10_000 ? "\(bytes) bytes" : bytes < 10_000_000 ? "\(bytes / 1000) KB" : "\(bytes / 1_000_000) MB"
  }
}

extension FilePage.Check {
  fileprivate var html: HTML {
    guard isComplete else { return .note("The check did not end within ten seconds.") }
    guard !damage.isEmpty else { return .note("SQLite finds no damage.") }
    let items: [HTML] = damage.map { "<li>\($0)</li>" }
    return "\(HTML.problem("SQLite finds damage:"))<ul>\(items)</ul>"
  }
}
