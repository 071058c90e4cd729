/// A key of the keyboard.
enum Key: Equatable {
  case text(Character)
  case enter, backspace, escape, up, down, home, end
  /// A letter with the control key, in lower case.
  case control(Character)
  case unknown
}

/// Bytes of a terminal to keys.
///
/// A terminal sends an arrow as `ESC [ A`, in one piece. So an ESC at the end of a piece is the key itself. A character may come in
/// two pieces.
struct KeyReader {
  private var rest: [UInt8] = []
  private var isPasting = false

  mutating func keys(_ bytes: [UInt8]) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    while let (key, count) = next() {
      rest.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// The next key, and the number of its bytes; `nil` where more bytes are needed.
  private mutating func next() -> (Key?, Int)? {
    guard let first = rest.first else { return nil }
    if first == 0x1B { return sequence() }
    if isPasting, first < 0x20 { return (.text(" "), 1) }  // a line that is pasted ends no input
    switch first {
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 1...26: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case ..<0x20: return (.unknown, 1)
    case ..<0x80: return (.text(Character(Unicode.Scalar(first))), 1)
    default: return character(first)
    }
  }

  private func character(_ first: UInt8) -> (Key?, Int)? {
    let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first < 0xF5 else { return (.unknown, 1) }
    let bytes = rest.prefix(count)
    guard bytes.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (.unknown, 1) }
    guard bytes.count == count else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else { return (.unknown, 1) }
    return (.text(character), count)
  }

  /// ECMA-48 §5.4: `ESC [`, parameters, and a last byte from `@` on. The keypad sends `ESC O A`.
  private mutating func sequence() -> (Key?, Int)? {
    guard rest.count > 1 else { return (.escape, 1) }
    if rest[1] == UInt8(ascii: "O"), rest.count > 2 { return (Self.arrow(rest[2], []), 3) }
    guard rest[1] == UInt8(ascii: "[") else { return (.escape, 1) }
    guard let end = rest.dropFirst(2).firstIndex(where: { $0 >= 0x40 }) else {
      return rest.count < 32 ? nil : (.unknown, rest.count)
    }
    let parameters = Array(rest[2..<end])
    switch (rest[end], String(decoding: parameters, as: UTF8.self)) {
    case (UInt8(ascii: "~"), "200"): isPasting = true
    case (UInt8(ascii: "~"), "201"): isPasting = false
    default: return (Self.arrow(rest[end], parameters), end + 1)
    }
    return (nil, end + 1)
  }

  private static func arrow(_ last: UInt8, _ parameters: [UInt8]) -> Key {
    switch (last, String(decoding: parameters, as: UTF8.self)) {
    case (UInt8(ascii: "A"), ""): .up
    case (UInt8(ascii: "B"), ""): .down
    case (UInt8(ascii: "H"), ""), (UInt8(ascii: "~"), "1"): .home
    case (UInt8(ascii: "F"), ""), (UInt8(ascii: "~"), "4"): .end
    default: .unknown
    }
  }
}
