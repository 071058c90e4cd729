/// Parameters behind the first item of a header's value: `; name=value; name="value"` (RFC 9110 §5.6.6).
package enum HeaderParameters {
  /// The parameters from `start` up to a comma outside of quotes or the end, with their names in lower case. Malformed
  /// parts are passed over, as in RFC 8288's appendix B.3.
  package static func parse(_ start: String.Index, in text: String) -> [(name: String, value: String)] {
    var reader = HeaderReader(text, at: start)
    return reader.parameters()
  }
}

/// Reads a header's value from left to right.
struct HeaderReader {
  private let text: Substring.UnicodeScalarView
  private var position: Substring.UnicodeScalarView.Index
  /// True when the reader has passed over something that the grammar does not have.
  var isMalformed = false

  init(_ text: String, at start: String.Index? = nil) {
    self.text = Substring(text).unicodeScalars
    position = start ?? text.startIndex
  }

  var next: Unicode.Scalar? { position < text.endIndex ? text[position] : nil }

  mutating func skip() { if position < text.endIndex { text.formIndex(after: &position) } }

  mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
    while let next, isSkipped(next) { skip() }
  }

  mutating func read(while isWanted: (Unicode.Scalar) -> Bool) -> String {
    var read = String.UnicodeScalarView()
    while let next, isWanted(next) {
      read.append(next)
      skip()
    }
    return String(read)
  }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  /// Reads parameters up to a comma that ends the element, or to the end of the text.
  ///
  /// - Parameter takesApostrophes: Whether a value may stand in apostrophes, as some servers write it: `rel='next'`.
  mutating func parameters(takesApostrophes: Bool = false) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    while true {
      skip(Self.isBlank)
      guard next == ";" else {
        // Text before the next parameter is no parameter.
        guard let next, next != "," else { return parameters }
        isMalformed = true
        if next == "\"" { _ = quoted() } else { skip() }
        continue
      }
      skip()
      skip(Self.isBlank)
      let name = read { !Self.isBlank($0) && !"=;,\"".unicodeScalars.contains($0) }.lowercased()
      skip(Self.isBlank)
      guard next == "=" else {
        if !name.isEmpty { parameters.append((name, "")) }
        continue
      }
      skip()
      skip(Self.isBlank)
      let value =
        switch next {
        case "\"": quoted()
        case "'" where takesApostrophes: quoted(by: "'")
        default: read { !Self.isBlank($0) && $0 != ";" && $0 != "," }
        }
      if !name.isEmpty { parameters.append((name, value)) }
    }
  }

  /// A quoted string (RFC 9110 §5.6.4); one that isn't closed ends with the text.
  mutating func quoted(by quote: Unicode.Scalar = "\"") -> String {
    var value = String.UnicodeScalarView()
    skip()
    while let scalar = next, scalar != quote {
      if scalar == "\\" { skip() }
      if let next { value.append(next) }
      skip()
    }
    if next == nil { isMalformed = true }
    skip()
    return String(value)
  }
}
