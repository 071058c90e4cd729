import EntityJSON
import Foundation

extension PathPattern {
  /// Reads a pattern.
  ///
  /// - Parameter text: Components with slashes between them; an empty text is the root.
  /// - Throws: ``RequestError`` of kind `invalidRoute`, which names the component, for a pattern that no path matches
  ///   or that means something else than it looks like: `**` before the end; an empty component; `.` and `..`; `*`,
  ///   `#` or `?` within a text; a brace without its counterpart; two parameters without a text between them; a parameter
  ///   without a name, or with a name that the pattern has already; a broken percent-encoding.
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
        for name in component.names where !names.insert(name).inserted {
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
      guard text.utf8.contains(where: { "{}".utf8.contains($0) }) else {
        let (decoded, encoded) = try Self.text(text)
        guard decoded.isPathSegment else { throw .init("a dot segment never arrives at a server (RFC 3986 §5.2.4)") }
        self = .literal(decoded, encoded: encoded)
        return
      }
      let affixes = try PathPattern.Affixes(text, refusal: { PathPattern.Refusal($0) }) {
        (literal: String) throws(PathPattern.Refusal) in try Self.text(literal)
      }
      if affixes.pieces.count == 1, case .parameter(let name, let isNumber, _) = affixes.pieces[0] {
        self = isNumber ? .digits(name: name) : .any(name: name)
      } else {
        self = .affixed(affixes)
      }
    }
  }

  private static func text(_ text: String) throws(PathPattern.Refusal) -> (decoded: String, encoded: String) {
    for wildcard in ["*", "#"] where text.utf8.contains(wildcard.utf8.first ?? 0) {
      let code = wildcard == "*" ? "%2A" : "%23"
      throw .init("'\(wildcard)' stands for a whole component; write \(code) for the character")
    }
    guard !text.utf8.contains(UInt8(ascii: "?")) else {
      throw .init("a pattern has no query; write %3F for the character")
    }
    guard let decoded = text.removingPercentEncoding else {
      throw .init("it is no percent-encoded UTF-8; write %25 for the character '%'")
    }
    return (decoded, PercentEncoding.path(text))
  }
}
