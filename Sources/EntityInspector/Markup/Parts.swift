// The parts that several pages have.

extension HTML {
  /// A table. Its body is replaced when the store changes.
  ///
  /// - Parameter name: The name of the live part; one for each table of a page.
  static func table(_ name: String, head: [String], rows: [HTML]) -> HTML {
    let cells: [HTML] = head.map { "<th scope=\"col\">\($0)</th>" }
    let none: HTML? = rows.isEmpty ? "<tr><td class=\"note\" colspan=\"\(head.count)\">none</td></tr>" : nil
    return """
      <div class="scroll"><table><thead><tr>\(cells)</tr></thead>
      <tbody data-live="\(name)">\(rows)\(none)</tbody></table></div>
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

  static func tag(_ text: String) -> HTML { "<span class=\"tag\">\(text)</span>" }

  static func note(_ text: String) -> HTML { "<p class=\"note\">\(text)</p>" }

  static func problem(_ text: String) -> HTML { "<p class=\"problem\" role=\"alert\">\(text)</p>" }
}
