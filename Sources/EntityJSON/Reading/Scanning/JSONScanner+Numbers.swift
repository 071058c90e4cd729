/// Numbers, RFC 8259 §6.
extension JSONScanner {
  /// How far a number was read: the part with which the byte at the cursor may continue.
  enum NumberPart {
    case sign, integer, zero, integerDigits, fraction, fractionDigits, exponentSign, exponent, exponentDigits
  }

  /// Moves past an integer or a decimal without exponent. All other numbers are left to `number(from:)`, also those at
  /// the end of the bytes and those with a fault.
  @inline(__always)
  mutating func shortNumber() -> Bool {
    var start = cursor
    if text[start] == UInt8(ascii: "-") { start &+= 1 }
    var end = digitsEnd(start)
    // The other method refuses 0 before another digit.
    guard end != start, text[start] != UInt8(ascii: "0") || end == start &+ 1 else { return false }
    if text[end] == UInt8(ascii: ".") {
      let point = end &+ 1
      end = digitsEnd(point)
      guard end != point else { return false }
    }
    guard text[end] | 0x20 != UInt8(ascii: "e"), end != count else { return false }
    cursor = end
    return true
  }

  @inline(__always)
  func digitsEnd(_ place: Int) -> Int {
    var end = place
    while true {
      let digits = JSONVector.first((text.vector(end) &- JSONVector.all(0x30)) .> JSONVector.all(9))
      end &+= digits
      guard digits == 16 else { return end }
    }
  }

  /// Moves past the number whose `part` is at the cursor. After a fault, the cursor and `part` tell where to continue.
  mutating func number(from part: inout NumberPart) throws(JSONFault) {
    while true {
      let byte = text[cursor]
      let isDigit = byte &- 0x30 < 10
      switch part {
      case .sign:
        _ = skip(UInt8(ascii: "-"))
        part = .integer
        continue
      case .integer:
        guard isDigit else { throw .expected("a digit after '-'", at: cursor, kind: .invalidNumber) }
        part = byte == UInt8(ascii: "0") ? .zero : .integerDigits
      case .zero, .integerDigits:
        if part == .zero, isDigit {
          throw .refused(.invalidNumber, "a number does not begin with 0 and another digit", at: cursor)
        }
        if byte == UInt8(ascii: ".") {
          part = .fraction
        } else if byte | 0x20 == UInt8(ascii: "e") {
          part = .exponentSign
        } else if !isDigit {
          return
        }
      case .fraction:
        guard isDigit else { throw .expected("a digit after '.'", at: cursor, kind: .invalidNumber) }
        part = .fractionDigits
      case .fractionDigits:
        if byte | 0x20 == UInt8(ascii: "e") {
          part = .exponentSign
        } else if !isDigit {
          return
        }
      case .exponentSign where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"):
        part = .exponent
      case .exponentSign, .exponent:
        guard isDigit else { throw .expected("a digit in the exponent", at: cursor, kind: .invalidNumber) }
        part = .exponentDigits
      case .exponentDigits:
        guard isDigit else { return }
      }
      cursor &+= 1
    }
  }
}
