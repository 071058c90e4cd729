import EntityStore

/// A hundred rows of an entity, in an order and with conditions.
struct RowsPage: Page {
  struct Column: Encodable {
    let name: String
    let type: String
    let isOptional: Bool
    let isUID: Bool
    let isDerived: Bool

    init(_ property: StoreFileSchema.Property) {
      (name, type, isOptional) = (property.name, property.type, property.isOptional)
      (isUID, isDerived) = (property.isUID, property.isDerived)
    }
  }

  let entity: String
  let columns: [Column]
  var rows: [ObjectRow] = []
  /// The row id after which the next page begins; `nil` on the last one.
  var next: Int64?
  /// The limit that ended the query.
  var cut: String?
  /// Why there are no rows.
  var problem: String?
  private let query: RowsQuery

  enum CodingKeys: String, CodingKey { case entity, columns, rows, next, cut, problem }

  var title: String { query.pairs.map { "\(entity) in \($0.list.owner).\($0.list.name)" } ?? entity }
  var current: String? { entity }

  init(_ query: RowsQuery, _ reader: StoreFileReader) throws {
    self.query = query
    entity = query.entity.name
    columns = query.entity.properties.map(Column.init)
    do { try read(reader) } catch let error as RowFilter.Problem { problem = error.message }
  }

  private mutating func read(_ reader: StoreFileReader) throws {
    var last: StoredValue?
    if let after = query.after, let sort = query.order {
      last = try reader.rows(
        "SELECT \(sort.column) FROM \(query.entity.table) WHERE _pk = ?", [.integer(after)]
      ).rows.first?.first
      guard last != nil else {
        problem = "The row \(after), behind which this page began, is gone. Begin with the first page."
        return
      }
    }
    var found: [[StoredValue]] = []
    for statement in try query.statements(reader.schema, after: last) where found.count <= RowsQuery.size {
      let part = try reader.rows(statement.sql, statement.values, within: .init(rows: RowsQuery.size + 1))
      found += part.rows
      cut = cut ?? part.cut?.rawValue
    }
    if found.count > RowsQuery.size {
      found = Array(found.prefix(RowsQuery.size))
      next = found.last?.first?.integer
    }
    rows = try ObjectRow.all(
      found, of: query.entity, characters: StoreFileSchema.Property.tableCharacters, reader)
  }
}

extension RowsPage {
  var content: HTML {
    let limits: HTML? = cut.map { cut in
      .problem(
        cut == "time"
          ? "The query was ended after a second, so that rows are missing here. An index on the column would help."
          : "The values are longer than 8 MB together, so that rows are missing here.")
    }
    let problems: HTML? = problem.map(HTML.problem)
    let table: HTML = """
      <form id="filters" action="\(PageLink.entity(entity))" method="get">\(query.hiddenFields)</form>
      \(HTML.table("rows", heads: [head, filterRow], rows: rows.map(row)))
      """
    return "\(bar)\(problems)\(limits)\(table)<p class=\"bar\" data-live=\"pages\">\(pages)</p>"
  }

  private var bar: HTML {
    let choices: [HTML] = RowsQuery.Only.allCases.map { only in
      """
      <a href="\(PageLink.rows(query.showing(only)))" data-only="\(only.rawValue)"\(HTML.current(only == query.only))>\
      \(only.title)</a>
      """
    }
    return "<p class=\"bar\">\(choices)</p>"
  }

  private var head: [HTML] {
    [header(RowsQuery.rowID, "row", "")]
      + query.entity.properties.map { header($0.isSortable ? $0.name : nil, $0.name, Self.type($0)) } + ["<th></th>"]
  }

  /// - Parameter sort: The name by which the rows are sorted; `nil` where they can't be.
  private func header(_ sort: String?, _ name: String, _ type: String) -> HTML {
    guard let sort else { return "<th scope=\"col\">\(name)<small>\(type)</small></th>" }
    let isSorted = sort == query.order?.name ?? RowsQuery.rowID
    let arrow = isSorted ? (query.isDescending ? " ↓" : " ↑") : ""
    let link = PageLink.rows(query.sorted(by: sort, descending: isSorted && !query.isDescending))
    return "<th scope=\"col\"><a href=\"\(link)\">\(name)\(arrow)<small>\(type)</small></a></th>"
  }

  static func type(_ property: StoreFileSchema.Property) -> String {
    let marks = [
      property.isUID ? "uid" : nil, property.isUnique && !property.isUID ? "unique" : nil,
      property.isDerived ? "derived" : nil,
    ].compactMap(\.self)
    return ([(property.target ?? property.type) + (property.isOptional && !property.isUID ? "?" : "")] + marks)
      .joined(separator: ", ")
  }

  private var filterRow: [HTML] {
    ["<th></th>"]
      + query.entity.properties.map { property in
        """
        <th><input form="filters" name="where.\(property.name)" value="\(query.filters[property.name] ?? "")" \
        aria-label="\(property.name)" autocomplete="off" spellcheck="false"></th>
        """
      } + ["<th></th>"]
  }

  private func row(_ row: ObjectRow) -> HTML {
    """
    <tr><td class="number"><a class="row" href="\(PageLink.object(entity, row.pk))">\(row.pk)</a></td>\
    \(row.cells.map(HTML.cell))<td>\(HTML.tags(isNew: row.isNew, isPlaceholder: row.isPlaceholder))</td></tr>
    """
  }

  private var pages: [HTML] {
    var parts: [HTML] = []
    if query.after != nil { parts.append(.link("first page", .rows(query.starting(after: nil)))) }
    if let next {
      parts.append("<a rel=\"next\" href=\"\(PageLink.rows(query.starting(after: next)))\">next page</a>")
    }
    return parts
  }
}

extension RowsQuery.Only {
  fileprivate var title: String {
    switch self {
    case .all: "all rows"
    case .edited: "edited"
    case .new: "made here"
    case .placeholders: "placeholders"
    }
  }
}

extension RowsQuery {
  /// The parameters that a form with conditions keeps.
  fileprivate var hiddenFields: [HTML] {
    starting(after: nil).parameters.filter { !$0.name.hasPrefix("where.") }.map {
      "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">"
    }
  }
}
