import EntityStore
import Foundation

/// A value of a row as a person reads it. The file names the type of a property, and a value may be of another form where
/// another program wrote it.
struct ValueText {
  enum Kind: String, Encodable { case null, number, text, date, flag, json, bytes, link }

  let text: String
  let kind: Kind

  /// - Parameter type: The type as the file names it; `nil` where it is not known.
  init(_ value: StoredValue, type: String?) {
    switch (value, type) {
    case (.null, _): (text, kind) = ("null", .null)
    case (.integer(let number), "Bool") where [0, 1].contains(number):
      (text, kind) = (number == 1 ? "true" : "false", .flag)
    case (.real(let seconds), "Date"):
      (text, kind) = (Self.date(seconds), .date)
    case (.text(let number), "Decimal"):
      (text, kind) = (number.split(separator: "=", maxSplits: 1).last.map(String.init) ?? number, .number)
    case (.text(let text), "JSON"): (self.text, kind) = (text, .json)
    case (.text(let text), _): (self.text, kind) = (text, .text)
    case (.integer(let number), _): (text, kind) = ("\(number)", .number)
    case (.real(let number), _): (text, kind) = ("\(number)", .number)
    case (.blob(let data), _): (text, kind) = ("\(data.count) bytes", .bytes)
    }
  }

  /// The time of the day of a ``date(_:)``.
  static func clock(_ date: String) -> String { String(date.dropFirst(11).prefix(12)) }

  /// A time in UTC, such as `2026-03-01T12:00:00.250Z`. A number that is no date of the years up to 9999 stays a number.
  static func date(_ seconds: Double) -> String {
    guard seconds > -62_135_596_800, seconds < 253_402_300_799 else { return "\(seconds)" }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: seconds != seconds.rounded())
    return Date(timeIntervalSince1970: seconds).formatted(style)
  }
}
