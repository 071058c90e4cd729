extension String {
  /// The name as a quoted SQL identifier (https://sqlite.org/lang_keywords.html).
  var quoted: String {
    "\"\(doubling("\""))\""
  }

  /// The text as a literal of SQL, where a statement takes no bound value.
  var literal: String { "'\(doubling("'"))'" }

  /// The text without what is quoted in it.
  var withoutQuotes: String {
    func isMark(_ character: Character) -> Bool { character == "'" || character == "\"" }
    guard let first = firstIndex(where: isMark), let last = lastIndex(where: isMark) else { return self }
    return "\(self[...first])…\(first == last ? "" : self[last...])"
  }

  /// The text with two of each such character. It goes by Unicode scalars, as SQLite reads: a quotation mark with an accent is
  /// one character of Swift's, and another one than a quotation mark.
  func doubling(_ mark: Unicode.Scalar) -> String {
    // Hardly any text has one.
    guard utf8.contains(UInt8(ascii: mark)) else { return self }
    var doubled = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == mark { doubled.append(mark) }
      doubled.append(scalar)
    }
    return String(doubled)
  }
}
