import EntityJSON
import Foundation

extension PathPattern {
  /// Texts and parameters in one component of a path, or in one value of a query: `{uid}.json`, `Users({uid})`,
  /// `Orders(OrderID={order},Line={line})`.
  ///
  /// Between two parameters stands a text. In a value between single quotes, `Users('{uid}')`, each quote is doubled
  /// (OData 4.01, part 2, §5.1.1.1).
  struct Affixes: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
      /// A text, decoded, and as it stands in a URL.
      case text(String, encoded: String)
      case parameter(name: String, isNumber: Bool, isQuoted: Bool)
    }

    let pieces: [Piece]

    /// The names of the parameters, in order.
    var names: [String] {
      pieces.compactMap { if case .parameter(let name, _, _) = $0 { name } else { nil } }
    }

    /// How many bytes of text there are: more texts are more exact.
    var textCount: Int {
      pieces.reduce(0) { if case .text(let text, _) = $1 { $0 + text.utf8.count } else { $0 } }
    }

    /// The text behind the last parameter, encoded, if it is an extension such as `.json`.
    var fileExtension: String? {
      guard case .text(let text, let encoded) = pieces.last, text.utf8.first == UInt8(ascii: ".") else { return nil }
      return encoded
    }

    /// Whether both match the same texts: the names of parameters don't count.
    func hasShape(of other: Affixes) -> Bool { unnamed == other.unnamed }

    /// The same without the names of the parameters.
    var unnamed: Affixes {
      Affixes(
        pieces: pieces.map { piece in
          guard case .parameter(_, let isNumber, let isQuoted) = piece else { return piece }
          return .parameter(name: "", isNumber: isNumber, isQuoted: isQuoted)
        })
    }

    private init(pieces: [Piece]) { self.pieces = pieces }
  }
}

// MARK: Making, matching

extension PathPattern.Affixes {
  /// The text with values, percent-encoded.
  ///
  /// - Parameter value: Gives the value of a parameter, decoded.
  func encoded(_ value: (_ name: String, _ isNumber: Bool) throws -> String) rethrows -> String {
    try text(value) {
      PercentEncoding.component($0)
    } literal: {
      $1
    }
  }

  /// The text with values, decoded.
  func decoded(_ value: (_ name: String, _ isNumber: Bool) throws -> String) rethrows -> String {
    try text(value) {
      $0
    } literal: { text, _ in
      text
    }
  }

  private func text(
    _ value: (String, Bool) throws -> String, _ encode: (String) -> String, literal: (String, String) -> String
  ) rethrows -> String {
    try pieces.map { piece in
      switch piece {
      case .text(let text, let encoded): return literal(text, encoded)
      case .parameter(let name, let isNumber, let isQuoted):
        let value = try value(name, isNumber)
        return encode(isQuoted ? value.doublingQuotes : value)
      }
    }.joined()
  }

  /// The values of the parameters in a decoded text; `nil` for a text of another form. A value is as short as the text
  /// behind it allows.
  func values(in text: String) -> [String: String]? {
    var bytes = Array(text.utf8)[...]
    var values: [String: String] = [:]
    for (index, piece) in pieces.enumerated() {
      guard case .parameter(let name, let isNumber, let isQuoted) = piece else {
        guard case .text(let text, _) = piece else { continue }
        // The text behind a parameter was found with the value.
        guard bytes.starts(with: text.utf8) else { return nil }
        bytes = bytes.dropFirst(text.utf8.count)
        continue
      }
      guard let (value, end) = Self.value(in: bytes, before: end(after: index), isNumber, isQuoted) else { return nil }
      values[name] = value
      bytes = bytes[end...]
    }
    return bytes.isEmpty ? values : nil
  }

  /// The text behind a parameter, and whether it is the last piece; `nil` where the parameter is.
  private func end(after index: Int) -> (text: String, isLast: Bool)? {
    guard index + 1 < pieces.count, case .text(let text, _) = pieces[index + 1] else { return nil }
    return (text, index + 2 == pieces.count)
  }

  private static func value(
    in bytes: ArraySlice<UInt8>, before end: (text: String, isLast: Bool)?, _ isNumber: Bool, _ isQuoted: Bool
  ) -> (String, Int)? {
    func value(to end: Int) -> (String, Int)? {
      let text = String(decoding: bytes[..<end], as: UTF8.self)
      guard !text.isEmpty, !isNumber || text.isDigits else { return nil }
      return isQuoted ? text.withSingleQuotes.map { ($0, end) } : (text, end)
    }
    guard let end else { return value(to: bytes.endIndex) }
    let mark = Array(end.text.utf8)
    guard bytes.count > mark.count else { return nil }
    let last = bytes.endIndex - mark.count
    for place in (end.isLast ? last : bytes.startIndex + 1)...last where bytes[place...].starts(with: mark) {
      if let found = value(to: place) { return found }
    }
    return nil
  }
}

// Bytes, and not characters: a quote with a combining mark behind it is another character, and a quote to a server.
extension String {
  fileprivate var doublingQuotes: String {
    String(decoding: utf8.flatMap { $0 == UInt8(ascii: "'") ? [$0, $0] : [$0] }, as: UTF8.self)
  }

  /// The text with one quote in place of two; `nil` for a quote that stands alone.
  fileprivate var withSingleQuotes: String? {
    let quote = UInt8(ascii: "'")
    var result: [UInt8] = []
    var isSecond = false
    for byte in utf8 {
      if isSecond {
        guard byte == quote else { return nil }
        isSecond = false
        continue
      }
      result.append(byte)
      isSecond = byte == quote
    }
    return isSecond ? nil : String(decoding: result, as: UTF8.self)
  }
}

// MARK: Parsing

extension PathPattern.Affixes {
  /// Reads a text with parameters in braces.
  ///
  /// - Parameters:
  ///   - text: The text, percent-encoded.
  ///   - literal: Reads a text between parameters: decoded, and as it stands in a URL.
  /// - Throws: The error of `refusal`.
  init<Refused: Error>(
    _ text: String, refusal: (String) -> Refused, literal: (String) throws(Refused) -> (String, String)
  ) throws(Refused) {
    var pieces: [Piece] = []
    var rest = Array(text.utf8)[...]
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    let braces = "a brace has no counterpart; a parameter is '{name}', and %7B and %7D are the characters"
    while !rest.isEmpty {
      let plain = rest.prefix { $0 != open && $0 != close }
      rest = rest[plain.endIndex...]
      if !plain.isEmpty {
        let (decoded, encoded) = try literal(String(decoding: plain, as: UTF8.self))
        pieces.append(.text(decoded, encoded: encoded))
      }
      guard let brace = rest.first else { break }
      let name = rest.dropFirst().prefix { $0 != open && $0 != close }
      guard brace == open, name.endIndex < rest.endIndex, rest[name.endIndex] == close else { throw refusal(braces) }
      rest = rest[(name.endIndex + 1)...]
      if case .parameter = pieces.last { throw refusal("between two parameters stands a text") }
      let parameter: (name: String, isNumber: Bool)
      switch Self.parameter(String(decoding: name, as: UTF8.self)) {
      case .success(let found): parameter = found
      case .failure(let reason): throw refusal(reason.text)
      }
      let opensQuote = if case .text(let text, _) = pieces.last { text.utf8.last == UInt8(ascii: "'") } else { false }
      let isQuoted = opensQuote && rest.first == UInt8(ascii: "'")
      pieces.append(.parameter(name: parameter.name, isNumber: parameter.isNumber, isQuoted: isQuoted))
    }
    self.pieces = pieces
  }

  struct Reason: Error {
    let text: String
  }

  /// The name of a parameter, and whether its value is a number, from the text between braces.
  static func parameter(_ text: String) -> Result<(name: String, isNumber: Bool), Reason> {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let name = parts[0]
    guard !name.isEmpty else { return .failure(Reason(text: "the parameter has no name")) }
    guard !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || "{}*#?%".utf8.contains($0) }) else {
      return .failure(Reason(text: "a name has no space, brace, '*', '#', '?' or '%'"))
    }
    switch parts.dropFirst().first {
    case nil: return .success((name, false))
    case "#": return .success((name, true))
    default: return .failure(Reason(text: "behind the colon stands '#', or there is no colon"))
    }
  }
}

extension PathPattern.Affixes: CustomStringConvertible {
  var description: String {
    pieces.map { piece in
      switch piece {
      case .text(_, let encoded): encoded
      case .parameter(let name, let isNumber, _): isNumber ? "{\(name):#}" : "{\(name)}"
      }
    }.joined()
  }
}
