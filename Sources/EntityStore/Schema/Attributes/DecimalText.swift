public import Foundation

/// Decimals as text that SQLite sorts in the order of the numbers: a key, `=`, and the number as people write it.
///
/// ```
/// -997 87.4=-12.5
/// -999 9.4=-0.5
/// 000=0
/// 000=0.005
/// 002=12.5
/// ```
/// The key of a number that is not negative is the count of its digits before the point. Between numbers with the same
/// count, the digits decide. Negative numbers sort the other way round: they begin with `-`, which sorts before every
/// digit, and have the nines' complement of key and number. `=` sorts after the digits and the point. So a number comes
/// after the numbers that continue its digits, as it must below zero. Every Decimal has at most 166 digits before the
/// point, and one text: zeros without meaning are left out.
enum DecimalText {
  /// `nil` for NaN.
  static func text(of decimal: Decimal) -> String? {
    guard decimal.isFinite else { return nil }
    let number = normalized(decimal.description)
    let isNegative = number.first == UInt8(ascii: "-")
    let digits = isNegative ? number.dropFirst() : number[...]
    let whole = digits.firstIndex(of: UInt8(ascii: ".")).map { $0 - digits.startIndex } ?? digits.count
    let magnitude = digits.first == UInt8(ascii: "0") ? 0 : whole
    var text: [UInt8] = []
    text.reserveCapacity(2 * number.count + 6)
    if isNegative { text.append(UInt8(ascii: "-")) }
    for unit in [100, 10, 1] {
      let digit = UInt8(magnitude / unit % 10)
      text.append(UInt8(ascii: "0") + (isNegative ? 9 - digit : digit))
    }
    if isNegative {
      text.append(UInt8(ascii: " "))
      for byte in digits {
        text.append(byte == UInt8(ascii: ".") ? byte : UInt8(ascii: "0") + (UInt8(ascii: "9") - byte))
      }
    }
    text.append(UInt8(ascii: "="))
    text += number
    return String(decoding: text, as: UTF8.self)
  }

  /// The number behind the key; `nil` for a text of another form.
  static func number(in text: String) -> Substring? {
    guard let place = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let number = text[text.utf8.index(after: place)...]
    let isNumber = number.utf8.allSatisfy {
      (48...57).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
    }
    return isNumber && !number.isEmpty ? number : nil
  }

  static func decimal(in text: String) -> Decimal? { number(in: text).flatMap { Decimal(string: String($0)) } }

  /// The digits without zeros at the end of a fraction, and zero without a sign.
  private static func normalized(_ description: String) -> [UInt8] {
    var number = Array(description.utf8)
    if number.contains(UInt8(ascii: ".")) {
      while number.last == UInt8(ascii: "0") { number.removeLast() }
      if number.last == UInt8(ascii: ".") { number.removeLast() }
    }
    return number == Array("-0".utf8) ? [UInt8(ascii: "0")] : number
  }
}

extension Decimal: ScalarValue {
  public static var attributeType: AttributeType { .decimal }
  public static var neutralValue: Decimal { 0 }
  public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue, let decimal = DecimalText.decimal(in: text) else { return nil }
    self = decimal
  }
  /// NaN is stored as NULL, as for Double.
  public var storedValue: StoredValue { DecimalText.text(of: self).map(StoredValue.text) ?? .null }
}

extension StoredValue {
  /// A stored Decimal in the form of a JSON number.
  package var decimalNumber: String? {
    if case .text(let text) = self { DecimalText.number(in: text).map(String.init) } else { nil }
  }
}
