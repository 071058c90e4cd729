import EntityJSON

/// Reads a document from its beginning to its end, as XML 1.0 has it without a document type declaration.
struct XMLParsing {
  private(set) var scanner: XMLScanner
  private(set) var tree: XMLTree
  private let limits: JSONLimits

  init(_ scanner: XMLScanner, _ tree: XMLTree, _ limits: JSONLimits) {
    self.scanner = scanner
    self.tree = tree
    self.limits = limits
  }

  /// The names of the elements that are open.
  var path: [String] { tree.open.map { String(decoding: scanner.bytes[$0.range], as: UTF8.self) } }

  /// - Parameter charset: That of the content type, which has precedence over the declaration (RFC 7303 §3).
  mutating func parse(charset: String?) throws(XMLFault) {
    try beginning(charset: charset)
    try scanner.checkCharacters()
    try misc()
    guard !scanner.isAtEnd else { throw scanner.fault(.emptyInput, "the document has no element") }
    guard scanner.next == UInt8(ascii: "<") else { throw scanner.expected("an element") }
    try startTag()
    while !tree.open.isEmpty {
      if scanner.next == UInt8(ascii: "<") { try markup() } else { try text() }
    }
    try misc()
    guard scanner.isAtEnd else {
      throw scanner.fault(.trailingContent, "something stands behind the root element")
    }
  }

  // MARK: Around the root element

  /// The byte order mark and the XML declaration (§2.8, §4.3.3).
  private mutating func beginning(charset: String?) throws(XMLFault) {
    let start = scanner.bytes.prefix(4)
    if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) || start.prefix(2).contains(0),
      scanner.end >= 2
    {
      throw scanner.fault(.encoding, "the document is in UTF-16 or UTF-32, and has to be in UTF-8")
    }
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.place = 3 }
    if let charset { try check(encoding: charset) }
    guard scanner.begins(with: "<?xml"), isWhitespace(at: 5) else { return }
    scanner.place += 5
    guard let version = try declared("version") else { throw scanner.expected("the version of XML") }
    guard version.wholeMatch(of: /1\.[0-9]+/) != nil else {
      throw scanner.fault(.malformed, "the document is none of XML 1.0")
    }
    if let encoding = try declared("encoding"), charset == nil { try check(encoding: encoding) }
    if let standalone = try declared("standalone"), !["yes", "no"].contains(standalone) {
      throw scanner.fault(.malformed, "'standalone' is 'yes' or 'no'")
    }
    scanner.skipWhitespace()
    guard scanner.skip("?>") else { throw scanner.expected("'?>'") }
  }

  private func isWhitespace(at distance: Int) -> Bool {
    let place = scanner.place + distance
    return place < scanner.end && XMLScanner.isWhitespace(scanner.bytes[place])
  }

  /// A part of the XML declaration; `nil` when another one follows, or none.
  private mutating func declared(_ name: StaticString) throws(XMLFault) -> String? {
    let start = scanner.place
    guard scanner.skipWhitespace(), scanner.skip(name) else {
      scanner.place = start
      return nil
    }
    try equals()
    let quote = try quote()
    let first = scanner.place
    while !scanner.isAtEnd, scanner.next != quote, scanner.next < 0x80 { scanner.place += 1 }
    let value = String(decoding: scanner.bytes[first..<scanner.place], as: UTF8.self)
    guard !scanner.isAtEnd, scanner.next == quote else { throw scanner.expected("the end of a quoted text") }
    scanner.place += 1
    return value
  }

  private func check(encoding: String) throws(XMLFault) {
    guard ["utf-8", "utf8", "us-ascii"].contains(encoding.lowercased()) else {
      throw scanner.fault(.encoding, "the document is declared to be in another encoding than UTF-8")
    }
  }

  /// Comments, processing instructions and whitespace (§2.8).
  private mutating func misc() throws(XMLFault) {
    while true {
      scanner.skipWhitespace()
      if try skipped() { continue }
      guard scanner.begins(with: "<!") else { return }
      if scanner.begins(with: "<!DOCTYPE") {
        throw scanner.fault(.documentType, "a document type declaration is refused: it may declare entities")
      }
      return
    }
  }

  /// - Returns: Whether a comment (§2.5) or a processing instruction (§2.6) was passed over.
  private mutating func skipped() throws(XMLFault) -> Bool {
    if scanner.skip("<!--") {
      try scanner.skip(past: "--", of: "the comment")
      guard scanner.skip(">") else { throw scanner.fault(.malformed, "a comment has two hyphens inside") }
      return true
    }
    guard scanner.begins(with: "<?") else { return false }
    let start = scanner.place
    _ = scanner.skip("<?")
    let name = try scanner.name("the name of a processing instruction")
    guard String(decoding: scanner.bytes[name], as: UTF8.self).lowercased() != "xml" else {
      throw scanner.fault(.malformed, "the XML declaration stands at the beginning, or nowhere", at: start)
    }
    if scanner.skip("?>") { return true }
    guard scanner.skipWhitespace() else { throw scanner.expected("a space or '?>'") }
    try scanner.skip(past: "?>", of: "the processing instruction")
    return true
  }

  // MARK: Elements

  private mutating func markup() throws(XMLFault) {
    if scanner.begins(with: "</") { return try endTag() }
    if try skipped() { return }
    if scanner.begins(with: "<![CDATA[") { return try cdata() }
    if scanner.begins(with: "<!") {
      throw scanner.fault(.malformed, "a declaration stands inside an element")
    }
    try startTag()
  }

  /// §3.1.
  private mutating func startTag() throws(XMLFault) {
    let start = scanner.place
    _ = scanner.skip("<")
    let name = try scanner.name("the name of an element")
    guard tree.open.count < limits.depth else {
      throw scanner.fault(.tooDeep, "elements are nested deeper than \(limits.depth)", at: start)
    }
    try count(at: start)
    tree.begin(scanner.bytes[name])
    while true {
      let isSpaced = scanner.skipWhitespace()
      if scanner.skip(">") { return }
      if scanner.skip("/>") { return tree.end() }
      guard isSpaced else { throw scanner.expected("a space, '>' or '/>'") }
      try attribute()
    }
  }

  private mutating func attribute() throws(XMLFault) {
    let start = scanner.place
    let name = try scanner.name("an attribute, '>' or '/>'")
    try equals()
    let value = try attributeValue()
    try count(at: start)
    guard tree.attribute(scanner.bytes[name], value) else {
      throw scanner.fault(.duplicateAttribute, "the element has the attribute twice", at: start)
    }
  }

  private func count(at place: Int) throws(XMLFault) {
    guard tree.nodes.count <= limits.nodes else {
      throw scanner.fault(
        .tooManyNodes, "the document has more elements, attributes and texts than the limit", at: place)
    }
  }

  private mutating func equals() throws(XMLFault) {
    scanner.skipWhitespace()
    guard scanner.skip("=") else { throw scanner.expected("'='") }
    scanner.skipWhitespace()
  }

  private mutating func quote() throws(XMLFault) -> UInt8 {
    let quote = scanner.next
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw scanner.expected("a quoted text") }
    scanner.place += 1
    return quote
  }

  /// - Returns: Where among the texts it is. Whitespace is spaces (§3.3.3).
  private mutating func attributeValue() throws(XMLFault) -> Range<Int> {
    let quote = try quote()
    let start = tree.texts.count
    while scanner.next != quote {
      guard !scanner.isAtEnd else { throw scanner.expected("the end of the attribute") }
      switch scanner.next {
      case UInt8(ascii: "<"): throw scanner.fault(.malformed, "'<' in an attribute is written as '&lt;'")
      case UInt8(ascii: "&"): try reference()
      case 0x0D where scanner.bytes[scanner.place + 1] == 0x0A: scanner.place += 1
      case 0x09, 0x0A, 0x0D:
        tree.append(0x20)
        scanner.place += 1
      default: run { $0 == quote || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") || $0 < 0x20 }
      }
    }
    scanner.place += 1
    return start..<tree.texts.count
  }

  private mutating func endTag() throws(XMLFault) {
    let start = scanner.place
    _ = scanner.skip("</")
    let name = try scanner.name("the name of an element")
    guard let element = tree.open.last, scanner.bytes[element.range] == scanner.bytes[name] else {
      throw scanner.fault(.mismatchedTag, "the end tag is not that of the element that is open", at: start)
    }
    scanner.skipWhitespace()
    guard scanner.skip(">") else { throw scanner.expected("'>'") }
    tree.end()
  }

  // MARK: Texts

  /// A text up to the next markup, with line breaks as §2.11 has them.
  private mutating func text() throws(XMLFault) {
    let start = tree.texts.count
    while scanner.next != UInt8(ascii: "<") {
      guard !scanner.isAtEnd else {
        throw scanner.fault(.unexpectedEnd, "the document ends in an element that is open")
      }
      switch scanner.next {
      case UInt8(ascii: "&"): try reference()
      case UInt8(ascii: "]"):
        guard !scanner.begins(with: "]]>") else {
          throw scanner.fault(.malformed, "']]>' in a text is written as ']]&gt;'")
        }
        tree.append(scanner.next)
        scanner.place += 1
      case 0x0D: lineBreak()
      default:
        run { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "]") || $0 == 0x0D }
      }
    }
    try count(at: scanner.place)
    tree.piece(from: start)
  }

  /// §2.7.
  private mutating func cdata() throws(XMLFault) {
    let start = tree.texts.count
    _ = scanner.skip("<![CDATA[")
    while !scanner.skip("]]>") {
      guard !scanner.isAtEnd else { throw scanner.fault(.unexpectedEnd, "the section of text has no ']]>'") }
      if scanner.next == 0x0D {
        lineBreak()
      } else if scanner.next == UInt8(ascii: "]") {
        tree.append(scanner.next)
        scanner.place += 1
      } else {
        run { $0 == UInt8(ascii: "]") || $0 == 0x0D }
      }
    }
    try count(at: scanner.place)
    tree.piece(from: start)
  }

  private mutating func lineBreak() {
    tree.append(0x0A)
    scanner.place += 1
    if scanner.next == 0x0A { scanner.place += 1 }
  }

  /// Takes the bytes up to one that ends the run, or the end of the document.
  private mutating func run(_ isEnd: (UInt8) -> Bool) {
    let start = scanner.place
    while !scanner.isAtEnd, !isEnd(scanner.next) { scanner.place += 1 }
    tree.append(scanner.bytes[start..<scanner.place])
  }

  /// A reference to a character, or to one of the five entities that XML has by itself (§4.1, §4.6).
  private mutating func reference() throws(XMLFault) {
    let start = scanner.place
    _ = scanner.skip("&")
    if scanner.skip("#") { return try character(from: start) }
    let name = try scanner.name("the name of an entity")
    let text = String(decoding: scanner.bytes[name], as: UTF8.self)
    guard scanner.skip(";") else { throw scanner.expected("';'") }
    switch text {
    case "lt": tree.append(UInt8(ascii: "<"))
    case "gt": tree.append(UInt8(ascii: ">"))
    case "amp": tree.append(UInt8(ascii: "&"))
    case "apos": tree.append(UInt8(ascii: "'"))
    case "quot": tree.append(UInt8(ascii: "\""))
    default: throw scanner.fault(.unknownEntity, "an entity that XML does not have by itself", at: start)
    }
  }

  private mutating func character(from start: Int) throws(XMLFault) {
    let isHexadecimal = scanner.skip("x")
    let first = scanner.place
    var value: UInt32 = 0
    while let digit = digit(isHexadecimal) {
      // Beyond the last character it stays there, however many digits follow.
      value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
      scanner.place += 1
    }
    guard scanner.place > first else { throw scanner.expected("a digit") }
    guard scanner.skip(";") else { throw scanner.expected("';'") }
    guard XMLCharacters.isCharacter(value), let scalar = Unicode.Scalar(value) else {
      throw scanner.fault(.invalidCharacter, "a reference to a character that XML does not allow", at: start)
    }
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { tree.append(byte) }
  }

  private func digit(_ isHexadecimal: Bool) -> UInt32? {
    switch scanner.next {
    case 0x30...0x39: UInt32(scanner.next - 0x30)
    case 0x41...0x46 where isHexadecimal: UInt32(scanner.next - 0x41 + 10)
    case 0x61...0x66 where isHexadecimal: UInt32(scanner.next - 0x61 + 10)
    default: nil
    }
  }
}
