import Foundation

/// A way to make texts equal that differ in case, in the spelling of a character, or in accents.
///
/// SQL and Swift fold by the same function, on both sides of a comparison. No locale takes part.
enum TextFold: Int32, Sendable {
  /// A to Z are a to z; all other letters stay as they are.
  case asciiCase = -1
  /// Letters of either case are one, and so are two spellings of one character.
  case unicodeCase = 0
  /// And accents are left out.
  case unicodeCaseAndAccents = 1

  func folded(_ text: String) -> String {
    if self == .asciiCase || text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.foldingASCII(text) }
    let pieces = Self.pieces(of: text)
    if pieces.count == 1 { return foldedAtOnce(text) }
    var folded = ""
    for piece in pieces { folded += foldedAtOnce(String(piece)) }
    return folded
  }

  /// The text in pieces that can be folded one by one. Foundation on Linux normalises a text in a time that grows with the
  /// square of its length, so a long one goes to it in pieces.
  ///
  /// A piece ends where a character does: no normalisation joins or reorders scalars of two characters
  /// (https://www.unicode.org/reports/tr29/#Grapheme_Cluster_and_Format_Boundaries). It ends with the first character that
  /// makes it ``pieceSize`` bytes long, so that a single character alone can make it much longer.
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

  /// The text folded as one: the piece that is normalised is the whole of it.
  func foldedAtOnce(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if self == .unicodeCaseAndAccents, scalar.isAccent { continue }
      scalar.appendCaseFolded(to: &folded)
    }
    // Composed, so that "e" is no part of "é".
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
  /// Whether it is a mark that a reader may leave out: one above, below or through a letter (combining classes 200 to 239), or
  /// a point of Hebrew, Arabic or Syriac (10 to 36), see https://www.unicode.org/reports/tr44/#Canonical_Combining_Class_Values.
  /// Other marks are vowels, as those of Devanagari and Thai are, and so is the iota subscript (240): its upper case is a letter.
  fileprivate var isAccent: Bool {
    guard value >= 0x300 else { return false }
    let combiningClass = properties.canonicalCombiningClass.rawValue
    return (200..<240).contains(combiningClass) || (10...36).contains(combiningClass)
  }

  /// The standard library has no case folding. Lower case of upper case of lower case has the same letters for equal
  /// (https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt): ẞ, ß and ss, Σ, σ and ς. Where folding changes nothing,
  /// as with the dotless ı, nor do we.
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
