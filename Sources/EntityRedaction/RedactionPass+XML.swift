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

  /// The elements that are open, from the outermost one, which stands for the whole text, to the innermost one.
  private struct OpenElements {
    private var all = [Element(name: "")]
    /// How many have a name. A text may close any number of elements that it never opened.
    private var counts: [String: Int] = [:]

    var last: Element {
      get { all[all.count - 1] }
      set { all[all.count - 1] = newValue }
    }

    /// The label in the element around the last one.
    mutating func setOuterLabel(_ label: String) {
      if all.count > 1 { all[all.count - 2].label = label }
    }

    mutating func open(_ element: Element) {
      all.append(element)
      counts[element.name, default: 0] += 1
    }

    /// HTML may leave out the end tags of the elements within.
    mutating func close(_ name: String) {
      guard counts[name, default: 0] > 0 else { return }
      while all.count > 1, let element = all.popLast() {
        counts[element.name, default: 0] -= 1
        if element.name == name { return }
      }
    }
  }

  /// Finds the ends of pieces, by bytes: an accent behind a sign makes another character of it.
  ///
  /// A text that somebody made may have any number of beginnings without an end. Each end is missed once: behind a place where it is
  /// missing, it is missing as well.
  private struct Ends {
    private var missing: Set<String> = []
    private var hasStrayQuote = false

    /// The text between a beginning and an end, if the rest begins with it. The text is removed from the rest.
    mutating func piece(of rest: inout Substring, from start: String, to end: String) -> String? {
      guard rest.utf8.starts(with: start.utf8), !missing.contains(end) else { return nil }
      let inner = rest.utf8.dropFirst(start.utf8.count)
      guard let found = inner.firstRange(of: end.utf8) else {
        missing.insert(end)
        return nil
      }
      defer { rest = rest[found.upperBound...] }
      return String(rest[inner.startIndex..<found.lowerBound])
    }

    /// The place behind the `>` that ends the tag; `nil` where the text is cut in it.
    mutating func tag(_ text: Substring) -> String.Index? {
      if !hasStrayQuote {
        let (end, quote) = Self.scan(text)
        if let end { return end }
        // No value has a `<` (XML 1.0, section 3.1): the quote begins none.
        hasStrayQuote = quote.map { text.utf8[$0...].contains(UInt8(ascii: "<")) } ?? false
        guard hasStrayQuote else { return nil }
      }
      return text.utf8.firstIndex(of: UInt8(ascii: ">")).map(text.utf8.index(after:))
    }

    /// The place behind the first `>` outside of quotes; without one, the quote that is still open.
    static func scan(_ text: Substring) -> (end: String.Index?, quote: String.Index?) {
      let bytes = text.utf8
      var quote: String.Index?
      for index in bytes.indices {
        switch (bytes[index], quote) {
        case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = index
        case (UInt8(ascii: ">"), nil): return (bytes.index(after: index), nil)
        case (let byte, let start?) where byte == bytes[start]: quote = nil
        default: break
        }
      }
      return (nil, quote)
    }
  }

  /// The elements of HTML without an end tag.
  private static let endless: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]

  /// Whether a text begins like a tag; `<https://example.com>` does not.
  static func isTag(_ text: some StringProtocol) -> Bool {
    // A name of more bytes is none.
    let bytes = Array(text.utf8.prefix(200))
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "<") else { return false }
    if [UInt8(ascii: "!"), UInt8(ascii: "?")].contains(bytes[1]) { return true }
    var rest = bytes.dropFirst(bytes[1] == UInt8(ascii: "/") ? 2 : 1)
    guard let first = rest.first, isLetter(first) || first == UInt8(ascii: "_") else { return false }
    rest = rest.drop(while: isOfName)
    if rest.first == UInt8(ascii: ":"), rest.dropFirst().first.map(isOfName) == true {
      rest = rest.dropFirst().drop(while: isOfName)
    }
    guard let next = rest.first else { return false }
    return [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ">")].contains(next) || rest.starts(with: "/>".utf8)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "_.-".utf8.contains(byte)
  }

  mutating func xml(_ text: String) -> String {
    var result = ""
    var open = OpenElements()
    var ends = Ends()
    var rest = text[...]
    while let tag = Self.nextTag(in: rest) {
      result += content(String(rest[..<tag]), in: &open)
      rest = rest[tag...]
      if let comment = ends.piece(of: &rest, from: "<!--", to: "-->") {
        result += "<!--" + value(comment) + "-->"
      } else if let data = ends.piece(of: &rest, from: "<![CDATA[", to: "]]>") {
        result += "<![CDATA[" + self.data(data, in: &open) + "]]>"
      } else if let start = ["<!--", "<![CDATA["].first(where: { rest.utf8.starts(with: $0.utf8) }) {
        // Without an end, perhaps because the text is cut: the rest is read as if the start were not there.
        result += start
        rest = Substring(rest.utf8.dropFirst(start.utf8.count))
      } else if let end = ends.tag(rest) {
        result += self.tag(String(rest[..<end]), in: &open)
        rest = rest[end...]
      } else {
        return result + cutTag(rest, in: &open)
      }
    }
    return result + content(String(rest), in: &open)
  }

  /// The place at which the next tag begins. In a broken text, not each `<` begins one.
  private static func nextTag(in text: Substring) -> String.Index? {
    var rest = text
    while let sign = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
      if isTag(rest[sign...]) { return sign }
      rest = rest[rest.utf8.index(after: sign)...]
    }
    return nil
  }

  /// A tag at the end of a text that is cut, perhaps within a value. It is read as if it were whole, and stays cut.
  private mutating func cutTag(_ text: Substring, in open: inout OpenElements) -> String {
    let quote = Ends.scan(text).quote.map { String(text.unicodeScalars[$0]) } ?? ""
    let found = tag(text + quote + ">", in: &open)
    return String(found.dropLast(quote.count + 1))
  }

  // MARK: Texts

  /// The text between two tags.
  private mutating func content(_ text: String, in open: inout OpenElements) -> String {
    let decoded = XMLReference.decoded(text)
    let found = data(decoded, in: &open)
    return found == decoded ? text : XMLReference.encoded(found)
  }

  /// A text without references.
  private mutating func data(_ text: String, in open: inout OpenElements) -> String {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty else { return text }
    let element = open.last
    if ["key", "name"].contains(element.name.lowercased()) { open.setOuterLabel(trimmed) }
    return secret(text, named: [element.secret ?? element.name]) ?? value(text)
  }

  /// The mark in place of a value, if the names say that it is a secret.
  private mutating func secret(_ text: String, named path: [String]) -> String? {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let isNumber = Double(trimmed) != nil
    guard !Self.isEmpty(trimmed),
      names.contain(path, isNumber: isNumber) || names.contain(path.last ?? "", trimmed, in: .xml)
    else { return nil }
    note(trimmed)
    note(text)
    return text.replacing(trimmed, with: isNumber ? "0" : RedactionPass.mark)
  }

  // MARK: Tags

  private mutating func tag(_ tag: String, in open: inout OpenElements) -> String {
    if tag.hasPrefix("</") {
      let closed = tag.dropFirst(2).prefix { !$0.isWhitespace && $0 != ">" }
      open.close(String(closed))
      return text(tag)
    }
    guard Self.isTag(tag), !tag.hasPrefix("<!"), !tag.hasPrefix("<?") else { return text(tag) }
    let name = String(tag.dropFirst().prefix { !$0.isWhitespace && $0 != "/" && $0 != ">" })
    // `<input name="csrf" value="…">`, `<string name="api_key">…</string>`
    let named = tag.matches(of: attribute).first {
      $0.output.2 != nil && ["id", "key", "name", "property"].contains($0.output.1.lowercased())
    }.map { Self.value($0.output) }
    let outer = open.last
    let isSecret = [outer.secret, outer.label, name, named].compactMap { $0 }.last { names.contain([$0]) }
    if !["key", "name"].contains(name.lowercased()) { open.last.label = nil }
    if !tag.hasSuffix("/>"), !Self.endless.contains(name.lowercased()) {
      open.open(Element(name: name, secret: isSecret))
    }
    let found = tag.replacing(attribute) { match -> String in
      guard let sign = match.output.2 else { return String(match.output.0) }
      let attribute = String(match.output.1)
      let value = Self.value(match.output)
      let takesName = ["content", "value"].contains(attribute.lowercased())
      let found = secret(value, named: [takesName ? isSecret ?? attribute : attribute]) ?? self.value(value)
      guard found != value else { return String(match.output.0) }
      let quote = match.output.4 == nil ? "\"" : "'"
      return attribute + sign + quote + XMLReference.encoded(found) + quote
    }
    return without(found)
  }

  typealias Attribute = (Substring, Substring, Substring?, Substring?, Substring?, Substring?)

  private static func value(_ attribute: Attribute) -> String {
    XMLReference.decoded(String(attribute.3 ?? attribute.4 ?? attribute.5 ?? ""))
  }
}
