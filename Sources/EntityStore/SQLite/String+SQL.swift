extension String {
  /// The name as a quoted SQL identifier (https://sqlite.org/lang_keywords.html).
  var quoted: String {
    "\"\(doubling("\""))\""
  }

  /// The text as an SQL literal, for statements without bound values.
  var literal: String { "'\(doubling("'"))'" }

  /// The text without its quoted parts.
  var withoutQuotes: String {
    func isMark(_ character: Character) -> Bool { character == "'" || character == "\"" }
    guard let first = firstIndex(where: isMark), let last = lastIndex(where: isMark) else { return self }
    return "\(self[...first])…\(first == last ? "" : self[last...])"
  }

  /// The text with each `mark` doubled. It works by Unicode scalars, as SQLite reads: in Swift, a quotation mark with
  /// an accent is one character, which differs from a quotation mark.
  func doubling(_ mark: Unicode.Scalar) -> String {
    // Hardly any text has such a mark.
    guard utf8.contains(UInt8(ascii: mark)) else { return self }
    var doubled = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == mark { doubled.append(mark) }
      doubled.append(scalar)
    }
    return String(doubled)
  }
}
