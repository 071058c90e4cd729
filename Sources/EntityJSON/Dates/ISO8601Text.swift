package import Foundation

/// Dates as text (ISO 8601, in the profile of RFC 3339).
package enum ISO8601Text {
  /// In UTC, with only as many digits of the second as are needed to read the same date back, and with none for whole
  /// seconds: `2024-05-01T12:00:00Z`, `2024-05-01T12:00:00.25Z`. `nil` outside of the years 0 to 9999, which RFC 3339
  /// §1 allows.
  package static func text(of date: Date) -> String? { text(secondsSince1970: date.timeIntervalSince1970) }

  package static func text(secondsSince1970 seconds: Double) -> String? {
    guard let days = days(seconds) else { return nil }
    let whole = seconds.rounded(.down)
    let secondOfDay = Int(whole) - days * 86_400
    let time = "\(padded(secondOfDay / 3600, 2)):\(padded(secondOfDay / 60 % 60, 2)):\(padded(secondOfDay % 60, 2))"
    return "\(text(ofDay: days))T\(time)\(fraction(of: seconds, whole))Z"
  }

  /// The day of a moment in UTC: `2026-05-01`. `nil` outside of the years 0 to 9999.
  package static func day(of date: Date) -> String? { days(date.timeIntervalSince1970).map(text(ofDay:)) }

  /// Whole days since 1970-01-01; `nil` outside of the years 0 to 9999.
  private static func days(_ seconds: Double) -> Int? {
    guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { return nil }
    // Whole seconds first: the quotient of a moment before midnight may round to the next day.
    return Int((seconds.rounded(.down) / 86_400).rounded(.down))
  }

  private static func text(ofDay days: Int) -> String {
    let (year, month, day) = civil(days)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// The fewest digits that read back as the same Double; within a microsecond of 1970, as the nearest one.
  private static func fraction(of seconds: Double, _ whole: Double) -> String {
    let part = seconds - whole
    guard part > 0 else { return "" }
    var nearest = ""
    // A reader ignores further digits.
    for digits in 1...18 {
      let text = String(format: "%.\(digits)f", part)
      // The text was rounded up to the next second: it needs more digits.
      guard text.hasPrefix("0."), let value = Double(text) else { continue }
      nearest = String(text.dropFirst())
      if whole + value == seconds { break }
    }
    return nearest
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The day of the proleptic Gregorian calendar, from the days since 1970-01-01. Years count from March, so that the
  /// leap day is the last day. They form eras of 400 years, which have 146,097 days.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
