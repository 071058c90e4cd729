import Foundation

/// A text in decoded form, with the place of each byte in the original text.
struct DecodedView {
  let bytes: [UInt8]
  /// The place in the original text where each byte begins. The last place is the end of the text.
  let places: [Int]

  private static let mostSteps = 4
  private static let most = 60

  /// The text, and all its decoded forms with up to four nested encodings undone.
  static func all(of bytes: [UInt8]) -> [DecodedView] {
    var views = [DecodedView(bytes: bytes, places: Array(0...bytes.count))]
    var known: Set<[UInt8]> = [bytes]
    var newest = views
    for _ in 0..<mostSteps where !newest.isEmpty && views.count < most {
      newest = newest.flatMap { view in Encoding.allCases.compactMap { view.undoing($0) } }
        .filter { known.insert($0.bytes).inserted }
      views += newest
    }
    return views
  }

  /// A text with an encoding undone. Parts of it that are broken stay as they are.
  static func text(_ text: String, undoing encoding: Encoding) -> String {
    let bytes = Array(text.utf8)
    guard let view = DecodedView(bytes: bytes, places: Array(0...bytes.count)).undoing(encoding) else { return text }
    return String(decoding: view.bytes, as: UTF8.self)
  }

  enum Encoding: CaseIterable {
    case percent, form, json, xml

    /// The bytes that show that a text may have something in this encoding.
    var signs: [UInt8] {
      switch self {
      case .percent: [UInt8(ascii: "%")]
      case .form: [UInt8(ascii: "+")]
      case .json: [UInt8(ascii: "\\")]
      case .xml: [UInt8(ascii: "&")]
      }
    }
  }

  /// - Returns: `nil` where there is nothing to undo.
  private func undoing(_ encoding: Encoding) -> DecodedView? {
    guard bytes.contains(where: { encoding.signs.contains($0) }) else { return nil }
    var (result, origins): ([UInt8], [Int]) = ([], [])
    result.reserveCapacity(bytes.count)
    origins.reserveCapacity(bytes.count + 1)
    var place = 0
    var hasChanged = false
    while place < bytes.count {
      let unit = unit(encoding, at: place)
      for byte in unit?.bytes ?? [bytes[place]] {
        result.append(byte)
        origins.append(places[place])
      }
      hasChanged = hasChanged || unit != nil
      place = unit?.end ?? place + 1
    }
    return hasChanged ? DecodedView(bytes: result, places: origins + [places[place]]) : nil
  }

  /// The encoded character at a place, and the place behind it; `nil` for a byte that stands for itself.
  private func unit(_ encoding: Encoding, at place: Int) -> (bytes: [UInt8], end: Int)? {
    switch (encoding, bytes[place]) {
    case (.percent, UInt8(ascii: "%")):
      guard let byte = number(place + 1..<place + 3, radix: 16) else { return nil }
      return ([UInt8(byte)], place + 3)
    case (.form, UInt8(ascii: "+")): return ([UInt8(ascii: " ")], place + 1)
    case (.json, UInt8(ascii: "\\")): return escape(at: place)
    case (.xml, UInt8(ascii: "&")): return reference(at: place)
    default: return nil
    }
  }

  /// RFC 8259 §7.
  private func escape(at place: Int) -> (bytes: [UInt8], end: Int)? {
    guard place + 1 < bytes.count else { return nil }
    switch bytes[place + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return ([bytes[place + 1]], place + 2)
    case UInt8(ascii: "b"): return ([0x08], place + 2)
    case UInt8(ascii: "f"): return ([0x0C], place + 2)
    case UInt8(ascii: "n"): return ([0x0A], place + 2)
    case UInt8(ascii: "r"): return ([0x0D], place + 2)
    case UInt8(ascii: "t"): return ([0x09], place + 2)
    case UInt8(ascii: "u"):
      guard let first = number(place + 2..<place + 6, radix: 16) else { return nil }
      if let scalar = Unicode.Scalar(first) { return (Array(String(scalar).utf8), place + 6) }
      guard place + 7 < bytes.count, bytes[place + 6] == UInt8(ascii: "\\"), bytes[place + 7] == UInt8(ascii: "u"),
        let second = number(place + 8..<place + 12, radix: 16), first < 0xDC00, 0xDC00...0xDFFF ~= second,
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      else { return nil }
      return (Array(String(scalar).utf8), place + 12)
    default: return nil
    }
  }

  /// XML 1.0 §4.1, §4.6.
  private func reference(at place: Int) -> (bytes: [UInt8], end: Int)? {
    let rest = bytes[(place + 1)...].prefix(12)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
    guard let scalar = XMLReference.scalar(name) else { return nil }
    return (Array(String(scalar).utf8), end + 1)
  }

  private func number(_ range: Range<Int>, radix: Int) -> UInt32? {
    guard range.upperBound <= bytes.count,
      bytes[range].allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
    else { return nil }
    return UInt32(String(decoding: bytes[range], as: UTF8.self), radix: radix)
  }
}

/// References to characters in XML and HTML.
enum XMLReference {
  private static let names: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  /// The character that a reference names; `nil` for an unknown reference.
  ///
  /// - Parameter name: The text between `&` and `;`.
  static func scalar(_ name: String) -> Unicode.Scalar? {
    guard name.first == "#" else { return names[name] }
    let digits = name.dropFirst()
    guard let first = digits.first, first.isHexDigit || first == "x" || first == "X" else { return nil }
    let isHex = first == "x" || first == "X"
    return UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
  }

  static func decoded(_ text: String) -> String {
    // A literal is compiled at each call, and few texts have a reference.
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    return text.replacing(/&(#?[A-Za-z0-9]{1,10});/) { match in
      scalar(String(match.output.1)).map { String(Character($0)) } ?? String(match.output.0)
    }
  }

  static func encoded(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&apos;")
  }
}
