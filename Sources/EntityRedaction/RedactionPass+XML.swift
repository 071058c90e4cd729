import Foundation

/// XML and HTML, tag by tag. Everything that is no secret stays as it was written, and a broken text is read as far as
/// possible.
extension RedactionPass {
  private struct Element {
    let name: String
    /// The names of the surrounding elements and of this one, if their values are secrets.
    var secret: String?
    /// The text of a `<key>` or `<name>` before the next element, which it names, as in property lists and XML-RPC.
    var label: String?
  }

  /// The elements of HTML without an end tag.
  private static let endless: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]

  /// Whether a text begins like a tag; `<https://example.com>` does not.
  static func isTag(_ text: some StringProtocol) -> Bool {
    text.utf8.first == UInt8(ascii: "<")
      && String(text.prefix(200)).prefixMatch(of: /<(?:[!?]|\/?[A-Za-z_][\w.\-]*(?::[\w.\-]+)?(?:\s|\/?>))/) != nil
  }

  mutating func xml(_ text: String) -> String {
    var result = ""
    var open: [Element] = [Element(name: "")]
    var rest = text[...]
    while let tag = rest.firstIndex(of: "<") {
      result += content(String(rest[..<tag]), in: &open)
      rest = rest[tag...]
      if let comment = Self.piece(of: &rest, from: "<!--", to: "-->") {
        result += value(comment, between: "<!--", "-->")
      } else if let data = Self.piece(of: &rest, from: "<![CDATA[", to: "]]>") {
        result += "<![CDATA[" + self.data(data, in: &open) + "]]>"
      } else if let end = Self.end(ofTag: rest) {
        result += self.tag(String(rest[..<end]), in: &open)
        rest = rest[end...]
      } else {
        break
      }
    }
    return result + self.text(String(rest))
  }

  /// The text between a beginning and an end, if the rest begins with it. The text is removed from the rest.
  private static func piece(of rest: inout Substring, from start: String, to end: String) -> String? {
    guard rest.hasPrefix(start), let found = rest.dropFirst(start.count).firstRange(of: end) else { return nil }
    defer { rest = rest[found.upperBound...] }
    return String(rest.dropFirst(start.count)[..<found.lowerBound])
  }

  private mutating func value(_ text: String, between start: String, _ end: String) -> String {
    start + value(text) + end
  }

  /// The place behind the `>` that ends a tag. A `>` within quotes does not.
  private static func end(ofTag text: Substring) -> String.Index? {
    var quote: Character?
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == ">" {
        return text.index(after: index)
      }
    }
    return nil
  }

  // MARK: Texts

  /// The text between two tags.
  private mutating func content(_ text: String, in open: inout [Element]) -> String {
    let decoded = XMLReference.decoded(text)
    let found = data(decoded, in: &open)
    return found == decoded ? text : XMLReference.encoded(found)
  }

  /// A text without references.
  private mutating func data(_ text: String, in open: inout [Element]) -> String {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let element = open.last, !trimmed.isEmpty else { return text }
    if ["key", "name"].contains(element.name.lowercased()), open.count > 1 { open[open.count - 2].label = trimmed }
    return secret(text, named: [element.secret ?? element.name]) ?? value(text)
  }

  /// The mark in place of a value, if the names say that it is a secret.
  private mutating func secret(_ text: String, named path: [String]) -> String? {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let isNumber = Double(trimmed) != nil
    guard !Self.isEmpty(trimmed),
      names.contain(path, isNumber: isNumber) || names.contain(path.last ?? "", trimmed)
    else { return nil }
    note(trimmed)
    note(text)
    return text.replacing(trimmed, with: isNumber ? "0" : RedactionPass.mark)
  }

  // MARK: Tags

  private mutating func tag(_ tag: String, in open: inout [Element]) -> String {
    if tag.hasPrefix("</") {
      let closed = tag.dropFirst(2).prefix { !$0.isWhitespace && $0 != ">" }
      // HTML may leave out end tags.
      if let index = open.lastIndex(where: { $0.name == closed }), index > 0 { open.removeSubrange(index...) }
      return text(tag)
    }
    guard Self.isTag(tag), !tag.hasPrefix("<!"), !tag.hasPrefix("<?") else { return text(tag) }
    let name = String(tag.dropFirst().prefix { !$0.isWhitespace && $0 != "/" && $0 != ">" })
    // `<input name="csrf" value="…">`, `<string name="api_key">…</string>`
    let named = tag.matches(of: Self.attribute).first {
      ["id", "key", "name", "property"].contains($0.output.1.lowercased())
    }.map { Self.value($0.output) }
    let outer = open.last
    let isSecret = [outer?.secret, outer?.label, name, named].compactMap { $0 }.last { names.contain([$0]) }
    if !["key", "name"].contains(name.lowercased()) { open[open.count - 1].label = nil }
    if !tag.hasSuffix("/>"), !Self.endless.contains(name.lowercased()) {
      open.append(Element(name: name, secret: isSecret))
    }
    let found = tag.replacing(Self.attribute) { match -> String in
      let attribute = String(match.output.1)
      let value = Self.value(match.output)
      let takesName = ["content", "value"].contains(attribute.lowercased())
      let found = secret(value, named: [takesName ? isSecret ?? attribute : attribute]) ?? self.value(value)
      guard found != value else { return String(match.output.0) }
      let quote = match.output.4 == nil ? "\"" : "'"
      return attribute + match.output.2 + quote + XMLReference.encoded(found) + quote
    }
    return without(found)
  }

  private typealias Attribute = (Substring, Substring, Substring, Substring?, Substring?, Substring?)

  /// HTML may leave out quotes, too.
  private static var attribute: Regex<Attribute> { /([^\s=<>"'\/]+)(\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/ }

  private static func value(_ attribute: Attribute) -> String {
    XMLReference.decoded(String(attribute.3 ?? attribute.4 ?? attribute.5 ?? ""))
  }
}
