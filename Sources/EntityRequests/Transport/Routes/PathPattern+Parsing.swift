import EntityJSON
import Foundation

extension PathPattern {
  /// Reads a pattern.
  ///
  /// - Parameter text: Components with slashes between them; an empty text is the root.
  /// - Throws: ``RequestError`` of kind `invalidRoute`, which names the component, for a pattern that no path matches
  ///   or that means something else than it looks like: `**` before the end; an empty component; `.` and `..`; `*`,
  ///   `#`, a brace or `?` within a text; a parameter without a name, or with a name that the pattern has already; a
  ///   broken percent-encoding.
  public init(_ text: String) throws {
    // Splits bytes and not characters: a slash with a combining mark behind it is another character.
    var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    beginsWithSlash = parts.count > 1 && parts[0].isEmpty
    if beginsWithSlash { parts.removeFirst() }
    endsWithSlash = parts.count > 1 && parts[parts.count - 1].isEmpty
    if endsWithSlash { parts.removeLast() }
    if parts == [""], !endsWithSlash { parts = [] }
    var components: [Component] = []
    components.reserveCapacity(parts.count)
    var names: Set<String> = []
    for (index, part) in parts.enumerated() {
      do throws(Refusal) {
        let component = try Component(part)
        if component == .rest, index < parts.count - 1 { throw Refusal("'**' can only be the last component") }
        if let name = component.name, !names.insert(name).inserted {
          throw Refusal("there are two parameters with the name '\(name.escaped)'")
        }
        components.append(component)
      } catch {
        throw RequestError(
          .invalidRoute,
          "The path pattern '\(text.escaped)' is refused at component \(index + 1), '\(part.escaped)': \(error.reason)."
        )
      }
    }
    self.components = components
  }

  fileprivate struct Refusal: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }
}

extension PathPattern.Component {
  fileprivate init(_ text: String) throws(PathPattern.Refusal) {
    switch text {
    case "": throw .init("it is empty")
    case "#": self = .digits(name: nil)
    case "*": self = .any(name: nil)
    case "**": self = .rest
    default:
      let bytes = text.utf8
      if bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") {
        self = try Self.parameter(Substring(bytes.dropFirst().dropLast()))
      } else {
        self = try Self.text(text)
      }
    }
  }

  private static func parameter(_ text: Substring) throws(PathPattern.Refusal) -> Self {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let name = parts[0]
    guard !name.isEmpty else { throw .init("the parameter has no name") }
    guard !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || "{}*#?%".utf8.contains($0) }) else {
      throw .init("a name has no space, brace, '*', '#', '?' or '%'")
    }
    switch parts.dropFirst().first {
    case nil: return .any(name: name)
    case "#": return .digits(name: name)
    default: throw .init("behind the colon stands '#', or there is no colon")
    }
  }

  private static func text(_ text: String) throws(PathPattern.Refusal) -> Self {
    for wildcard in ["*", "#"] where text.utf8.contains(wildcard.utf8.first ?? 0) {
      let code = wildcard == "*" ? "%2A" : "%23"
      throw .init("'\(wildcard)' stands for a whole component; write \(code) for the character")
    }
    guard !text.utf8.contains(where: { "{}".utf8.contains($0) }) else {
      throw .init("a parameter is a whole component, '{name}'; write %7B and %7D for the characters")
    }
    guard !text.utf8.contains(UInt8(ascii: "?")) else {
      throw .init("a pattern has no query; write %3F for the character")
    }
    guard let decoded = text.removingPercentEncoding else {
      throw .init("it is no percent-encoded UTF-8; write %25 for the character '%'")
    }
    guard decoded.isPathSegment else { throw .init("a dot segment never arrives at a server (RFC 3986 §5.2.4)") }
    return .literal(decoded, encoded: PercentEncoding.path(text))
  }
}
