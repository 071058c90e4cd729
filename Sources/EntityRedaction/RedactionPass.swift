import EntityJSON
package import EntityRequests
import Foundation

/// One pass through requests and responses, which marks the secrets that it finds by their names, and notes them. A second
/// pass takes the noted secrets out of all texts, because a server may repeat them.
package struct RedactionPass {
  /// The text in place of a secret.
  package static let mark = "REDACTED"
  /// Secrets of fewer bytes appear in texts by chance: they are only taken out where their names stand.
  static let shortest = 8

  let names: SecretNames
  private var noted: Set<String> = []
  private var mask = SecretMask()
  /// The nesting of the current text within texts: JSON in a text of JSON, a URL in the query of a URL.
  var depth = 0
  /// How many bodies, and bodies of parts, came as notices.
  package internal(set) var notices = 0

  static let deepest = 8

  // A literal in a function would be compiled at each call, for each text of a body.
  private let partsOfURLs = /(:\/\/?|\/\/)([^\/?#\s<>"]+)|([?#])([^#\s<>"]+)/
  private let beginningOfForm = /[\w.\-%+\[\]]+=/
  private let beginningOfJSON = /[{\[][\s{\[]*["']/
  // A name without a value matches, too: otherwise a long one would be tried from each of its characters on.
  private let parameter = /([A-Za-z0-9_\-]+)(?:=(?:"([^"]*)"|([^\s,"]+)))?/
  /// An attribute of a tag. HTML may leave out quotes, too.
  let attribute: Regex<Attribute> = /([^\s=<>"'\/]+)(?:(\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/
    .matchingSemantics(.unicodeScalar)

  package init(names: SecretNames = SecretNames()) { self.names = names }

  // MARK: Secrets

  mutating func note(_ secret: String) {
    if secret.utf8.count >= RedactionPass.shortest, secret != RedactionPass.mark { noted.insert(secret) }
  }

  /// From now on, takes out the secrets that were noted so far.
  package mutating func takeOutWhatWasNoted() { mask = SecretMask(noted) }

  /// Whether a value can't be a secret, whatever its name is.
  static func isEmpty(_ value: String) -> Bool { ["", "true", "false"].contains(value.lowercased()) }

  /// A text of unknown format without its secrets and without the secrets to take out: JSON, XML, the fields of a form,
  /// or a text that may have URLs.
  mutating func value(_ text: String) -> String {
    // Each level is decoded once more. A text below that may be a format of its own, which nobody reads.
    guard depth < Self.deepest else {
      return text.utf8.contains { "{[<=?#@".utf8.contains($0) } ? RedactionPass.mark : without(text)
    }
    depth += 1
    defer { depth -= 1 }
    let content = text.drop(while: \.isWhitespace)
    if isJSON(content) { return json(text) }
    if Self.isTag(content) { return xml(text) }
    if text.utf8.contains(UInt8(ascii: "=")), text.prefixMatch(of: beginningOfForm) != nil,
      !text.contains(where: \.isWhitespace)
    {
      return without(form(text))
    }
    return self.text(text)
  }

  /// Whether a text is JSON, or the beginning of some. A text may begin with a bracket and be none: `[login] Session: ended`.
  func isJSON(_ content: Substring) -> Bool {
    guard content.hasPrefix("{") || content.hasPrefix("[") else { return false }
    return content.prefixMatch(of: beginningOfJSON) != nil || (try? JSONValue(parsing: Data(content.utf8))) != nil
  }

  /// A text without the secrets in its URLs, and without the secrets to take out.
  package mutating func text(_ text: String) -> String { without(urls(text)) }

  /// A text without the secrets to take out.
  package func without(_ text: String) -> String { mask.masked(text) }

  /// Bytes that are not a text.
  func without(_ data: Data) -> Data { mask.masked(data) }

  // MARK: URLs

  /// A text whose URLs have no user info, and no secret in their queries and fragments.
  private mutating func urls(_ text: String) -> String {
    guard
      text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
        || text.utf8.contains(UInt8(ascii: "/")) && (text.contains("//") || text.contains(":/"))
    else { return text }
    // Quotes, brackets and spaces end a URL, because a `Link` has several URLs.
    return text.replacing(partsOfURLs) { match -> String in
      guard let slashes = match.output.1, let authority = match.output.2 else {
        return "\(match.output.3 ?? "")\(form(String(match.output.4 ?? "")))"
      }
      let end = authority.lastIndex(of: "@")
      let user = authority[..<(end ?? authority.endIndex)]
      let isSent = Self.mayHaveUser(text[..<match.range.lowerBound])
      let isCut = match.range.upperBound == text.endIndex || ["…", "..."].contains { user.contains($0) }
      // Where the scheme is broken, or the `@` is cut off, the text may be a path with an address of mail, or a host.
      let isSure = end != nil && (slashes == "://" || isSent && !user.isEmpty)
      // A port stands behind the `@`.
      let hasPassword = end != nil && user.contains(":")
      guard isSure || hasPassword || (end != nil || isCut && isSent) && Self.isUser(user) else {
        return String(match.output.0)
      }
      let parts = user.split(separator: ":", maxSplits: 1).map(String.init)
      for part in parts where isSure || parts.count > 1 || SecretNames.isDrawn(part) { note(field: part) }
      return "\(slashes)\(RedactionPass.mark)\(authority[(end ?? authority.endIndex)...])"
    }
  }

  /// Whether a text ends with a scheme whose URLs have user info. `at://did:plc:abc` has none.
  private static func mayHaveUser(_ text: Substring) -> Bool {
    let scheme = text.reversed().drop { $0 == ":" }.prefix { $0.isLetter || $0.isNumber }
    return ["http", "https", "ws", "wss", "ftp"].contains(String(scheme.reversed()).lowercased())
  }

  /// Whether an authority without its `@` is user info: the name of a host has nothing but a port behind its colon.
  private static func isUser(_ text: Substring) -> Bool {
    let name = text.prefix { $0 != ":" }
    let port = text[name.endIndex...].dropFirst()
    let rest = port.drop { $0.isASCII && $0.isNumber }
    let isPort = port.count - rest.count <= 5 && !rest.contains { $0.isLetter || $0.isNumber || $0 == "…" || $0 == "%" }
    return !text.hasPrefix("[") && (!isPort || port.isEmpty && isToken(name))
  }

  /// Whether a text is rather a token than the name of a host. A name without a dot is no word that is cut, has no underscore, and
  /// rarely has letters and digits in one of its words. Some tokens have dots, and letters in upper and lower case.
  private static func isToken(_ text: Substring) -> Bool {
    // A sentence may go on behind the name.
    guard let last = text.lastIndex(where: { $0.isLetter || $0.isNumber || $0 == "_" }) else { return false }
    let labels = text[...last].split(separator: ".")
    guard labels.count == 1 else {
      return labels.contains {
        SecretNames.isDrawn($0) && $0.contains(where: \.isUppercase) && $0.contains(where: \.isLowercase)
      }
    }
    return text.contains("…") || labels[0].contains { !$0.isLetter && !$0.isNumber && $0 != "-" }
      || labels[0].split(separator: "-").contains { SecretNames.isDrawn($0, from: shortest) }
  }

  /// Fields in the form of queries and forms (URL Standard §5.1): `+` is a space. The values may be texts of any
  /// format.
  mutating func form(_ text: String) -> String {
    let fields = text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      (field, field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init))
    }
    let place = SecretNames.Place.fields(Set(fields.compactMap { $0.1.first.map { Self.decoded($0).lowercased() } }))
    return fields.map { field, parts -> String in
      guard parts.count == 2 else {
        // A body that is called a form may be JSON, or XML.
        let text = Self.decoded(parts[0])
        guard let first = text.utf8.first, "{[<".utf8.contains(first) else { return String(field) }
        let found = self.value(text)
        return found == text ? String(field) : PercentEncoding.component(found)
      }
      guard !Self.isEmpty(parts[1]) else { return String(field) }
      let (name, value) = (Self.decoded(parts[0]), Self.decoded(parts[1]))
      if names.contain([name], isNumber: Double(value) != nil) || names.contain(name, value, in: place) {
        note(field: parts[1])
        return "\(parts[0])=\(RedactionPass.mark)"
      }
      let found = self.value(value)
      // A value without a secret stays as it was written.
      return found == value ? String(field) : "\(parts[0])=\(PercentEncoding.component(found))"
    }.joined(separator: "&")
  }

  /// Notes the value of a field as it stands, as a reader of URLs reads it, and as a reader of forms reads it.
  private mutating func note(field text: String) {
    note(text)
    note(DecodedView.text(text, undoing: .percent))
    note(Self.decoded(text))
  }

  private static func decoded(_ text: String) -> String {
    DecodedView.text(text.replacing("+", with: " "), undoing: .percent)
  }

  // MARK: Header fields

  package mutating func requestHeaders(_ headers: HTTPHeaders) -> HTTPHeaders {
    self.headers(headers) { names, name, value in
      if names.containRequestField(name) { return .secret }
      return HeaderField.shown(name, value) == value ? .text : .hidden
    }
  }

  package mutating func responseHeaders(_ headers: HTTPHeaders) -> HTTPHeaders {
    self.headers(headers) { names, name, value in
      names.contain([name], isNumber: Double(value) != nil) && !Self.isEmpty(value) ? .secret : .text
    }
  }

  private enum FieldKind {
    /// The value is a secret, and is also taken out elsewhere.
    case secret
    /// The value may be a secret.
    case hidden
    case text
  }

  private mutating func headers(
    _ headers: HTTPHeaders, _ kind: (SecretNames, String, String) -> FieldKind
  ) -> HTTPHeaders {
    var result = HTTPHeaders()
    for (name, value) in headers {
      switch kind(names, name, value) {
      case .secret:
        note(value, of: name)
        result.add(RedactionPass.mark, to: name)
      case .hidden:
        result.add(RedactionPass.mark, to: name)
      case .text:
        if name.lowercased() == "content-type", let boundary = Self.boundary(in: value) {
          result.add(value.replacing(boundary, with: "boundary"), to: name)
        } else {
          result.add(self.value(value), to: name)
        }
      }
    }
    return result
  }

  private mutating func note(_ value: String, of name: String) {
    switch name.lowercased() {
    case "set-cookie": noteCookie(value.prefix { $0 != ";" })
    case "cookie": for pair in value.split(separator: ";") { noteCookie(pair) }
    default:
      let parts = value.split(separator: " ").map(String.init)
      // `Bearer abc`: the scheme is no secret.
      for part in [value] + parts.dropFirst() { note(part) }
      if parts.count == 2, parts[0].lowercased() == "basic" { noteBasic(parts[1]) }
      // `Digest username="ada", response="…"` (RFC 9110 §11.2): the realm is no secret.
      for (name, value) in parameters(ofCredentials: value) where names.contain([name]) { note(value) }
    }
  }

  /// The user name of Basic appears in many places; the password is a secret (RFC 7617 §2).
  private mutating func noteBasic(_ credentials: String) {
    // Some senders leave the padding out.
    let padding = String(repeating: "=", count: (4 - credentials.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: credentials + padding) else { return }
    let text = String(decoding: data, as: UTF8.self)
    note(text)
    if let colon = text.firstIndex(of: ":") { note(String(text[text.index(after: colon)...])) }
  }

  private func parameters(ofCredentials value: String) -> [(name: String, value: String)] {
    value.matches(of: parameter).compactMap { match in
      (match.output.2 ?? match.output.3).map { (String(match.output.1), String($0)) }
    }
  }

  private mutating func noteCookie(_ pair: Substring) {
    guard let sign = pair.firstIndex(of: "=") else { return }
    note(field: pair[pair.index(after: sign)...].trimmingCharacters(in: [" ", "\""]))
  }
}
