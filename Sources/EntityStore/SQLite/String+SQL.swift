extension String {
  /// The name as a quoted SQL identifier (https://sqlite.org/lang_keywords.html).
  var quoted: String {
    "\"\(replacing(scalar: "\"", with: "\"\""))\""
  }

  /// The text as an SQL literal, for statements without bound values.
  var literal: String { "'\(replacing(scalar: "'", with: "''"))'" }

  /// The text without its quoted parts.
  var withoutQuotes: String {
    func isMark(_ character: Character) -> Bool { character == "'" || character == "\"" }
    guard let first = firstIndex(where: isMark), let last = lastIndex(where: isMark) else { return self }
    return "\(self[...first])…\(first == last ? "" : self[last...])"
  }

  /// The text with another one in place of each `mark`, an ASCII character. It works by Unicode scalars, as SQLite and shells read: in
  /// Swift, a quotation mark with an accent is one character, which differs from a quotation mark.
  package func replacing(scalar mark: Unicode.Scalar, with text: String) -> String {
    // Hardly any text has such a mark.
    guard utf8.contains(UInt8(ascii: mark)) else { return self }
    var replaced = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == mark { replaced.append(contentsOf: text.unicodeScalars) } else { replaced.append(scalar) }
    }
    return String(replaced)
  }
}
