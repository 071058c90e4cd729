extension JSONNumber {
  /// Correctly rounded; nil where the result would be an infinity.
  static func double(_ lexeme: LentBytes) -> Double? {
    if let short = ShortDecimal(lexeme), let magnitude = short.nearestDouble {
      return short.isNegative ? -magnitude : magnitude
    }
    guard let value = Double(String(decoding: lexeme, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}

/// A number of at most 19 digits, which fit 64 bits, times a power of ten.
private struct ShortDecimal {
  let isNegative: Bool
  private var digits: UInt64 = 0
  private var power = 0

  init?(_ lexeme: LentBytes) {
    isNegative = lexeme.first == UInt8(ascii: "-")
    var count = 0
    var isFraction = false
    var place = isNegative ? 1 : 0
    while place < lexeme.count {
      let digit = lexeme[place] &- 0x30
      place += 1
      if digit < 10 {
        digits = digits &* 10 &+ UInt64(digit)
        if count > 0 || digit > 0 { count += 1 }
        if isFraction { power -= 1 }
      } else if digit == UInt8(ascii: ".") &- 0x30 {
        isFraction = true
      } else {
        break
      }
    }
    guard count <= 19 else { return nil }
    if place < lexeme.count {
      let isNegative = lexeme[place] == UInt8(ascii: "-")
      if isNegative || lexeme[place] == UInt8(ascii: "+") { place += 1 }
      guard lexeme.count - place <= 4 else { return nil }
      var exponent = 0
      while place < lexeme.count {
        exponent = exponent * 10 + Int(lexeme[place] &- 0x30)
        place += 1
      }
      power += isNegative ? -exponent : exponent
    }
  }

  /// The nearest Double to the magnitude; nil where this method can't decide it.
  var nearestDouble: Double? {
    guard digits != 0 else { return 0 }
    // Numbers up to 2^53 and powers up to 10^22 are exact in a Double, so one division or multiplication rounds once
    // and correctly (Clinger 1990, "How to read floating point numbers accurately").
    if digits <= 1 << 53, power.magnitude <= 22 {
      let number = Double(digits)
      return power < 0 ? number / Self.powersOfTen[-power] : number * Self.powersOfTen[power]
    }
    guard power.magnitude <= 2 * Self.longestStep else { return nil }
    return scaled()
  }

  /// Multiplies or divides the digits by powers of five, in integers of 64 bits whose highest bit is always set. A
  /// cut-off rest is noted. After one step, the bits are exact as far as they go. A second step adds to the error of
  /// the first: altogether, the true value is above the bits by less than 8.
  private func scaled() -> Double? {
    var bits = digits << UInt64(digits.leadingZeroBitCount)
    var exponent = power - digits.leadingZeroBitCount
    var isExact = true
    var left = Int(power.magnitude)
    var steps = 0
    while left > 0 {
      let step = min(left, Self.longestStep)
      let factor = Self.powersOfFive[step]
      if power < 0 {
        let space = factor.leadingZeroBitCount
        // The upper half is less than the divisor, because the divisor's highest bit is set.
        let (quotient, rest) = (factor << UInt64(space)).dividingFullWidth((bits >> 1, bits << 63))
        let shift = quotient.leadingZeroBitCount
        bits = quotient << UInt64(shift)
        exponent += space - 63 - shift
        isExact = isExact && rest == 0
      } else {
        let (high, low) = bits.multipliedFullWidth(by: factor)
        let shift = high.leadingZeroBitCount
        bits = high << UInt64(shift) | low >> UInt64(64 - shift)
        exponent += 64 - shift
        isExact = isExact && low << UInt64(shift) == 0
      }
      left -= step
      steps += 1
    }
    // A Double has 53 bits, so eleven bits are rounded off. Undecided is only a true value that may be on either side
    // of the middle.
    if !isExact {
      if steps > 1, 0x3F8...0x400 ~= bits & 0x7FF { return nil }
      bits |= 1
    }
    // The exponent is far from the exponents that a Double can't have.
    return Double(bits) * Double(bitPattern: UInt64(1023 + exponent) << 52)
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// The highest power of five that fits 64 bits.
  private static let longestStep = 27

  private static let powersOfFive: [UInt64] = (0...longestStep).reduce(into: []) { powers, _ in
    powers.append((powers.last.map { $0 * 5 }) ?? 1)
  }
}
