import Foundation

/// Text without regard to case, or to accents, by what Foundation and the standard library have for it.
enum PlainFold {
  case ascii, anyCase, anyCaseOrAccent

  /// The bytes of the folded text.
  func folded(_ text: String) -> [UInt8] {
    if self == .ascii { return text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
    let scalars = text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars
    let kept = scalars.filter { self == .anyCase || $0.properties.generalCategory != .nonspacingMark }
    return Array(String(String.UnicodeScalarView(kept)).precomposedStringWithCanonicalMapping.utf8)
  }
}
