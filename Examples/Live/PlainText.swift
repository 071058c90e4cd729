/// A text as a terminal may have it: nothing in it moves the cursor, and its width is known.
///
/// A title is anybody's. An escape character in it would let its author write anywhere on the screen.
struct PlainText: Equatable {
  let text: String
  /// In columns.
  let width: Int

  /// The text, cut to a number of columns. Of a long text only the part that fits is read.
  init(_ source: some StringProtocol, columns: Int = .max) {
    var (text, count, width, marks) = (String.UnicodeScalarView(), 0, 0, 0)
    // Up to there the text leaves a column free.
    var (end, endWidth) = (0, 0)
    for scalar in source.unicodeScalars {
      let shown = Self.shown(scalar)
      let columnsOfScalar = Self.width(of: shown)
      // Accents take no column, and there may be thousands of them.
      marks = columnsOfScalar == 0 ? marks + 1 : 0
      guard marks <= 4 else { continue }
      if width + columnsOfScalar > columns {
        // The last columns make way for the sign that something is missing.
        text.removeLast(count - end)
        (self.text, self.width) = columns > 0 ? (String(text) + "…", endWidth + 1) : ("", 0)
        return
      }
      text.append(shown)
      (count, width) = (count + 1, width + columnsOfScalar)
      if width < columns { (end, endWidth) = (count, width) }
    }
    (self.text, self.width) = (String(text), width)
  }

  /// The text with spaces up to a number of columns.
  func padded(to columns: Int) -> String { text + String(repeating: " ", count: max(0, columns - width)) }

  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.properties.generalCategory {
    // Among the formats are those that turn the direction of a text round.
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: "\u{FFFD}"
    default: scalar
    }
  }

  /// Unicode Standard Annex 11, in ranges: East Asian and emoji characters are two columns wide.
  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}
