public import Foundation

extension Transformers {
  /// Booleans as two words. Words are read without regard to case.
  ///
  /// ```swift
  /// enum JaNeinTransformer: Transformers.Words {
  ///   static let words = (no: "nein", yes: "ja")
  /// }
  /// ```
  public protocol Words: AttributeTransformer where Source == String, Value == Bool {
    static var words: (no: String, yes: String) { get }
  }
}

extension Transformers.Words {
  public static func value(from text: String) throws -> Bool {
    let text = text.lowercased()
    if text == words.yes.lowercased() { return true }
    if text == words.no.lowercased() { return false }
    throw AttributeError("'\(words.yes)' or '\(words.no)' was expected")
  }

  public static func source(from value: Bool) -> String { value ? words.yes : words.no }
}

extension Transformers {
  /// `yes` and `no`.
  public enum YesNo: Transformers.Words {
    public static var words: (no: String, yes: String) { (no: "no", yes: "yes") }
  }

  /// `on` and `off`.
  public enum OnOff: Transformers.Words {
    public static var words: (no: String, yes: String) { (no: "off", yes: "on") }
  }

  /// `Y` and `N`.
  public enum YN: Transformers.Words {
    public static var words: (no: String, yes: String) { (no: "N", yes: "Y") }
  }
}

/// Data in base64url without padding (RFC 4648 §5); padding is read too.
public enum Base64URLTransformer: AttributeTransformer {
  public static func value(from text: String) throws -> Data {
    var digits = text[...]
    for _ in 0..<2 where digits.last == "=" { digits.removeLast() }
    let isBase64URL = digits.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    let base64 = digits.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    guard isBase64URL, padding.utf8.count < 3, let data = Data(base64Encoded: base64 + padding) else {
      throw AttributeError("a string in base64url was expected")
    }
    return data
  }

  public static func source(from data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

extension Transformers {
  /// Data as hexadecimal digits (RFC 4648 §8); written in lower case, read in either.
  public enum Hex: AttributeTransformer {
    public static func value(from text: String) throws -> Data {
      var data = Data(capacity: text.utf8.count / 2)
      var high: UInt8?
      for byte in text.utf8 {
        guard let digit = digit(byte) else { throw AttributeError("hexadecimal digits were expected") }
        if let first = high {
          data.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
      }
      guard high == nil else { throw AttributeError("an even number of hexadecimal digits was expected") }
      return data
    }

    public static func source(from data: Data) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
      default: nil
      }
    }
  }

  /// Text without white space at its ends. Text that is set is kept and sent as it is: a text field would otherwise lose
  /// a space at the end while typing.
  public enum Trimmed: AttributeTransformer {
    public static func value(from text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
    public static func source(from text: String) -> String { text }
  }

  /// Text in lower case, without white space at its ends: for mail addresses and the like. Text that is set is kept and
  /// sent as it is.
  public enum Lowercased: AttributeTransformer {
    public static func value(from text: String) -> String { Transformers.Trimmed.value(from: text).lowercased() }
    public static func source(from text: String) -> String { text }
  }

  /// Numbers within bounds: a number outside becomes the nearest one inside.
  ///
  /// ```swift
  /// enum PercentTransformer: Transformers.Bounded {
  ///   static let bounds = 0.0...100.0
  /// }
  /// ```
  public protocol Bounded: NormalizingTransformer where Source == Number, Value == Number {
    associatedtype Number: Comparable & Codable
    static var bounds: ClosedRange<Number> { get }
  }
}

extension Transformers.Bounded {
  public static func value(from number: Number) -> Number { min(max(number, bounds.lowerBound), bounds.upperBound) }
  public static func source(from number: Number) -> Number { number }
}
