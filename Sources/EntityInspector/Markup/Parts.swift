// The parts that several pages have.

extension HTML {
  /// A table. Its body is replaced when the store changes.
  ///
  /// - Parameter name: The name of the live part, one for each table of a page; `nil` within another live part.
  static func table(_ name: String?, head: [String], rows: [HTML]) -> HTML {
    table(name, heads: [head.map { "<th scope=\"col\">\($0)</th>" }], rows: rows)
  }

  /// The same with the cells of several lines of the head.
  static func table(_ name: String?, heads: [[HTML]], rows: [HTML]) -> HTML {
    let lines: [HTML] = heads.map { "<tr>\($0)</tr>" }
    let width = heads.first?.count ?? 1
    let live: HTML? = name.map { " data-live=\"\($0)\"" }
    let none: HTML? = rows.isEmpty ? "<tr><td class=\"note\" colspan=\"\(width)\">none</td></tr>" : nil
    return """
      <div class="scroll"><table><thead>\(lines)</thead>
      <tbody\(live)>\(rows)\(none)</tbody></table></div>
      """
  }

  static func cell(_ cell: Cell) -> HTML {
    var classes = [cell.kind.rawValue]
    if cell.edit != nil { classes.append("edited") }
    let title = cell.edit.map { edit in
      "server: \(edit.base ?? "not known")" + (edit.since.map { ", edited \($0)" } ?? "")
    }
    let tooltip: HTML? = title.map { "title=\"\($0)\"" }
    return """
      <td class="\(classes.joined(separator: " "))" data-key="\(cell.key)" \(tooltip)>\(content(cell))</td>
      """
  }

  /// The content of a cell, without its element.
  static func content(_ cell: Cell) -> HTML {
    if let link = cell.link { return Self.link(link.label, PageLink.object(link)) }
    return "\(cell.text)\(cell.isCut ? "…" : "")"
  }

  static func link(_ object: ObjectLink, isRow: Bool = false) -> HTML {
    guard object.hasPage else { return "\(object.entity) \(object.label)" }
    let row: HTML = isRow ? " class=\"row\"" : ""
    return "<a\(row) href=\"\(PageLink.object(object))\">\(object.entity) \(object.label)</a>"
  }

  static func link(_ text: String, _ link: PageLink) -> HTML { "<a href=\"\(link)\">\(text)</a>" }

  /// The tags of a row.
  static func tags(isNew: Bool, isPlaceholder: Bool) -> [HTML] {
    (isNew ? [.tag("made here")] : []) + (isPlaceholder ? [.tag("placeholder")] : [])
  }

  /// The attribute of the one link among several that leads to the present page.
  static func current(_ isCurrent: Bool) -> HTML { isCurrent ? " aria-current=\"page\"" : "" }

  /// A part of the page that is replaced when the store changes, also where it is empty.
  static func live(_ name: String, _ content: HTML?) -> HTML { "<div data-live=\"\(name)\">\(content)</div>" }

  /// Names with their values.
  ///
  /// - Parameter name: The name of the live part; `nil` for facts that do not change.
  static func facts(_ facts: [(String, String)], live name: String? = nil) -> HTML {
    let lines: [HTML] = facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }
    let live: HTML? = name.map { " data-live=\"\($0)\"" }
    return "<dl\(live)>\(lines)</dl>"
  }

  /// A list with a title; `nil` for an empty one.
  static func list(_ title: String, _ items: [HTML]) -> HTML? {
    guard !items.isEmpty else { return nil }
    let lines: [HTML] = items.map { "<li>\($0)</li>" }
    return "<h2>\(title)</h2><ul>\(lines)</ul>"
  }

  static func tag(_ text: String) -> HTML { "<span class=\"tag\">\(text)</span>" }

  static func note(_ text: String) -> HTML { "<p class=\"note\">\(text)</p>" }

  static func problem(_ text: String) -> HTML { "<p class=\"problem\" role=\"alert\">\(text)</p>" }
}
