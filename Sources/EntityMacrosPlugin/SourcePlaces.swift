import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Makes the lines of an expansion count as the lines of the source for which they were written. The compiler then
/// reports mistakes in them at the property, and not somewhere in an expansion.
struct SourcePlaces {
  /// A line to write, and the node of the source to which it belongs.
  struct Line {
    let node: Syntax
    let text: String
    /// The number of columns before the place to which the compiler points; `nil` where the node's line must do.
    let lead: Int?

    init(_ text: String, for node: some SyntaxProtocol, lead: Int? = nil) {
      self.node = Syntax(node)
      self.text = text
      self.lead = lead
    }
  }

  private struct Place {
    let file: ExprSyntax
    let line: Int
    let column: Int
  }

  private static let end = "#sourceLocation()"

  private let context: any MacroExpansionContext

  init(_ context: some MacroExpansionContext) { self.context = context }

  /// Statements, each at the place of its node.
  ///
  /// - Parameters:
  ///   - head: The line before them. `foot` is the line after them.
  ///   - indentation: The least indentation of a line.
  ///   - separator: The text between two statements on the same line.
  ///   - ends: Whether the next line belongs to the expansion again; otherwise the caller adds ``end(for:)``.
  func block(
    _ lines: [Line], head: String? = nil, foot: String? = nil, indentation: Int = 2, separator: String,
    ends: Bool = true
  ) -> String {
    var text = head.map { $0 + "\n" } ?? ""
    text += rows(lines, indentation: indentation, separator: separator)
    if let foot { text += "\n" + foot }
    guard let start = lines.first.flatMap({ place(of: $0.node) }) else { return text }
    return directive(start, line: start.line - (head == nil ? 0 : 1)) + "\n" + text + (ends ? "\n" + Self.end : "")
  }

  /// The lines, as far from each other as their nodes.
  func rows(_ lines: [Line], indentation: Int = 2, separator: String) -> String {
    let start = lines.first.flatMap { place(of: $0.node) }
    var text = ""
    var current = start?.line ?? 1
    for (index, line) in lines.enumerated() {
      let place = start == nil ? nil : place(of: line.node)
      let gap = index == 0 ? 0 : (place?.line ?? current + 1) - current
      if index > 0, gap <= 0 {
        text += separator
      } else {
        text += String(repeating: "\n", count: gap)
        current += gap
        let column = line.lead.flatMap { lead in place.map { $0.column - 1 - lead } } ?? 0
        text += String(repeating: " ", count: max(column, indentation))
      }
      text += line.text
      current += line.text.utf8.count { $0 == UInt8(ascii: "\n") }
    }
    return text
  }

  /// A member whose line with the number `line` counts as the line of `node`.
  ///
  /// The body of a type must not have a directive. The compiler treats its text as part of the interface on which other
  /// files depend, so one more line above would compile all these files again. The bodies of functions are not treated
  /// so.
  func member(_ member: DeclSyntax, line: Int = 1, for node: some SyntaxProtocol) -> [DeclSyntax] {
    guard let place = place(of: node) else { return [member] }
    // The members of an expansion have an empty line between them.
    return declarations(directive(place, line: place.line - line)) + [member] + end(for: node)
  }

  /// Ends the directive that a block of lines for `node` began.
  func end(for node: some SyntaxProtocol) -> [DeclSyntax] { place(of: node) == nil ? [] : declarations(Self.end) }

  private func declarations(_ text: String) -> [DeclSyntax] {
    MemberBlockItemListSyntax("\(raw: text)").map(\.decl)
  }

  private func directive(_ place: Place, line: Int) -> String {
    "#sourceLocation(file: \(place.file), line: \(max(line, 1)))"
  }

  private func place(of node: some SyntaxProtocol) -> Place? {
    guard let location = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath),
      let line = Int(location.line.trimmedDescription), let column = Int(location.column.trimmedDescription),
      // The directive accepts no string with its own delimiters, which a path with a quotation mark would need.
      !location.file.trimmedDescription.hasPrefix("#")
    else { return nil }
    return Place(file: location.file, line: line, column: column)
  }
}
