package import Foundation

/// A number as the decimal in which it was written: digits times a power of ten. No value of it passes through Double.
package struct JSONNumber {
  let isNegative: Bool
  /// Without leading or trailing zeros; empty for zero.
  let digits: [UInt8]
  /// The power of ten of the last digit; nil when it does not fit, because then no type that is read here could hold
  /// the number.
  let exponent: Int?

  init(lexeme: some Collection<UInt8>) {
    var digits: [UInt8] = []
    var rest = lexeme[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    var fraction = 0
    var isFraction = false
    while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
      rest.removeFirst()
      guard byte != UInt8(ascii: ".") else {
        isFraction = true
        continue
      }
      let digit = byte &- 0x30
      if digit != 0 || !digits.isEmpty { digits.append(digit) }
      if isFraction { fraction += 1 }
    }
    var exponent: Int? = Self.exponent(rest.dropFirst())
    while digits.last == 0 {
      digits.removeLast()
      fraction -= 1
    }
    if let written = exponent {
      let (sum, overflow) = written.subtractingReportingOverflow(fraction)
      exponent = overflow ? nil : sum
    }
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  /// The exponent behind the `e`; 0 where there is none, nil where it does not fit.
  private static func exponent(_ text: some Collection<UInt8>) -> Int? {
    var rest = text[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    var value = 0
    for byte in rest {
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(byte &- 0x30))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return isNegative ? -value : value
  }

  /// The digits times `10^power` as an integer; nil when that does not fit.
  private func magnitude<I: FixedWidthInteger & UnsignedInteger>(_: I.Type, power: Int) -> I? {
    // The largest of the types has 39 digits, so the loop below is short.
    guard power >= 0, power < 40, digits.count < 40 else { return nil }
    var value: I = 0
    for index in 0..<digits.count + power {
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(index < digits.count ? I(digits[index]) : 0)
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  var uint64: UInt64? {
    guard !isNegative || digits.isEmpty else { return nil }
    return exponent.flatMap { magnitude(UInt64.self, power: $0) }
  }

  var int64: Int64? {
    guard let magnitude = exponent.flatMap({ magnitude(UInt64.self, power: $0) }) else { return nil }
    if isNegative {
      return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// Exact, or nil: Decimal holds digits of 128 bits and exponents from -128 to 127.
  var decimal: Decimal? {
    guard !digits.isEmpty else { return 0 }
    guard let exponent, -128...127 ~= exponent, let magnitude = magnitude(UInt128.self, power: 0) else { return nil }
    // Foundation accepts no integer of 128 bits. Neither step rounds, because the results have at most 128 bits.
    let high = Decimal(UInt64(truncatingIfNeeded: magnitude >> 64))
    let low = Decimal(UInt64(truncatingIfNeeded: magnitude))
    let significand = high == 0 ? low : high * (Decimal(UInt64.max) + 1) + low
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  /// The same as `decimal`, for the text of a JSON number, which may have zeros before it.
  package static func decimal(_ number: String) -> Decimal? { JSONNumber(lexeme: Array(number.utf8)).decimal }

  /// Whether both are the same number, whatever their written forms.
  static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    if left.elementsEqual(right) { return true }
    let (left, right) = (JSONNumber(lexeme: left), JSONNumber(lexeme: right))
    guard left.digits == right.digits else { return false }
    if left.digits.isEmpty { return true }
    // Exponents that do not fit are not compared: such numbers are equal only when they are written alike.
    guard let mine = left.exponent, let its = right.exponent else { return false }
    return left.isNegative == right.isNegative && mine == its
  }
}

// MARK: - Straight from the lexeme

extension JSONNumber {
  /// The value of a lexeme of at most 18 digits without point and exponent: most numbers are so short, and none
  /// overflows.
  static func short(_ lexeme: LentBytes) -> Int64? {
    let isNegative = lexeme.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard lexeme.count - start <= 18 else { return nil }
    var value: Int64 = 0
    for place in start..<lexeme.count {
      let digit = lexeme[place] &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return isNegative ? -value : value
  }

  static func int64(_ lexeme: LentBytes) -> Int64? {
    short(lexeme) ?? JSONNumber(lexeme: lexeme).int64
  }

  static func uint64(_ lexeme: LentBytes) -> UInt64? {
    if let value = short(lexeme) { return UInt64(exactly: value) }
    return JSONNumber(lexeme: lexeme).uint64
  }
}
