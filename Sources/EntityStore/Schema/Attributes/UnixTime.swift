import EntityJSON
public import Foundation

extension Transformers {
  /// Dates as a number of seconds since 1970, or of a part of a second. A text of the number is read too, and the number
  /// is sent.
  ///
  /// ```swift
  /// @Transformed(by: Transformers.UnixMilliseconds.self) var seenAt: Date?  // 1777636800000
  /// ```
  /// A date that is set becomes a whole number of the unit. A number beyond the years 0 to 9999 is refused: such a number
  /// counts another unit. For a server that wants the number back as a text there is ``Transformers/AsText``.
  public protocol UnixTime: NormalizingTransformer where Source == Decimal, Value == Date {
    /// How many of the unit make a second.
    static var unitsPerSecond: Int { get }
  }

  /// Dates as seconds since 1970. A plain `Date` reads the number too, but is sent as ISO 8601.
  public enum UnixSeconds: UnixTime {
    public static var unitsPerSecond: Int { 1 }
  }

  /// Dates as milliseconds since 1970, as in JavaScript.
  public enum UnixMilliseconds: UnixTime {
    public static var unitsPerSecond: Int { 1000 }
  }

  /// Dates as microseconds since 1970. A date is exact to about a quarter of a microsecond.
  public enum UnixMicroseconds: UnixTime {
    public static var unitsPerSecond: Int { 1_000_000 }
  }

  /// Another transformer's numbers as texts: `"1777636800000"`. A number is read too, and a text is sent.
  ///
  /// ```swift
  /// @Transformed(by: Transformers.AsText<Transformers.UnixMilliseconds>.self) var seenAt: Date?
  /// ```
  public enum AsText<Numbers: NormalizingTransformer>: NormalizingTransformer where Numbers.Source == Decimal {
    public static func value(from text: String) throws -> Numbers.Value {
      let parts = (text.first == "-" ? text.dropFirst() : text[...]).split(
        separator: ".", omittingEmptySubsequences: false)
      // `Decimal` itself reads the digits in front of other characters.
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
        let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
      else { throw AttributeError("the text of a number was expected") }
      return try Numbers.value(from: number)
    }

    public static func source(from value: Numbers.Value) throws -> String {
      NSDecimalNumber(decimal: try Numbers.source(from: value)).stringValue
    }
  }
}

extension Transformers.UnixTime {
  public static func value(from number: Decimal) throws -> Date {
    let seconds = NSDecimalNumber(decimal: number).doubleValue / Double(unitsPerSecond)
    guard ISO8601.isDate(seconds) else { throw outOfRange }
    return Date(timeIntervalSince1970: seconds)
  }

  public static func source(from date: Date) throws -> Decimal {
    let seconds = date.timeIntervalSince1970
    guard ISO8601.isDate(seconds) else { throw outOfRange }
    let count = (seconds * Double(unitsPerSecond)).rounded()
    // `Decimal` takes over all digits of an integer, and not all of a number with a floating point.
    return Int64(exactly: count).map { Decimal($0) } ?? Decimal(count)
  }

  private static var outOfRange: AttributeError {
    let unit =
      switch unitsPerSecond {
      case 1: "seconds"
      case 1000: "milliseconds"
      case 1_000_000: "microseconds"
      default: "1/\(unitsPerSecond) seconds"
      }
    return AttributeError("a date in the years 0 to 9999, as \(unit) since 1970, was expected")
  }
}
