import Foundation

/// A way to make texts equal that differ in case, in the spelling of a character, or in accents.
///
/// SQL and Swift fold by the same function, on both sides of a comparison. The locale has no effect.
enum TextFold: Int32, Sendable {
  /// A to Z become a to z. All other letters stay as they are.
  case asciiCase = -1
  /// Letters of both cases are equal, and so are two spellings of one character.
  case unicodeCase = 0
  /// Also without accents.
  case unicodeCaseAndAccents = 1

  func folded(_ text: String) -> String {
    if self == .asciiCase || text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.foldingASCII(text) }
    let pieces = Self.pieces(of: text)
    if pieces.count == 1 { return foldedAtOnce(text) }
    var folded = ""
    for piece in pieces { folded += foldedAtOnce(String(piece)) }
    return folded
  }

  /// The text in pieces that can be folded one by one. Foundation on Linux normalizes a text in a time that grows with
  /// the square of its length, so a long text is normalized in pieces.
  ///
  /// A piece ends where a character does: no normalization joins or reorders scalars of two characters
  /// (https://www.unicode.org/reports/tr29/#Grapheme_Cluster_and_Format_Boundaries). A piece ends with the first
  /// character that makes it ``pieceSize`` bytes long. So only a single character can make it much longer.
  static func pieces(of text: String) -> [Substring] {
    guard text.utf8.count > pieceSize else { return [text[...]] }
    var pieces: [Substring] = []
    var (start, end, length) = (text.startIndex, text.startIndex, 0)
    for character in text {
      end = text.index(after: end)
      length += character.utf8.count
      guard length >= pieceSize else { continue }
      pieces.append(text[start..<end])
      (start, length) = (end, 0)
    }
    if start < end { pieces.append(text[start..<end]) }
    return pieces
  }

  /// The length of a piece, in bytes of UTF-8.
  static let pieceSize = 512

  /// The text folded in one piece.
  func foldedAtOnce(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if self == .unicodeCaseAndAccents, scalar.isAccent { continue }
      scalar.appendCaseFolded(to: &folded)
    }
    // Composed, so that "e" is not a part of "é".
    return String(folded).precomposedStringWithCanonicalMapping
  }

  private static func foldingASCII(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isUpper = scalar >= "A" && scalar <= "Z"
      folded.append(isUpper ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar)
    }
    return String(folded)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a mark that a reader may leave out: a mark above, below or through a letter (combining
  /// classes 200 to 239), or a point of Hebrew, Arabic or Syriac (10 to 36), see
  /// https://www.unicode.org/reports/tr44/#Canonical_Combining_Class_Values. Other marks are vowels, as in Devanagari
  /// and Thai. The iota subscript (240) stays too: its upper case is a letter.
  fileprivate var isAccent: Bool {
    guard value >= 0x300 else { return false }
    let combiningClass = properties.canonicalCombiningClass.rawValue
    return (200..<240).contains(combiningClass) || (10...36).contains(combiningClass)
  }

  /// The standard library has no case folding. The lower case of the upper case of the lower case is the same for
  /// letters that folding makes equal (https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt): ẞ, ß and ss, Σ,
  /// σ and ς. Where folding changes nothing, as with the dotless ı, this function changes nothing either.
  fileprivate func appendCaseFolded(to text: inout String.UnicodeScalarView) {
    if isASCII { return text.append(("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self) }
    let properties = properties
    guard properties.changesWhenCaseFolded || properties.changesWhenLowercased else { return text.append(self) }
    for lower in properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        text.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }
}
