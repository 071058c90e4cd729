/// Reads dates and times of RFC 3339, and the forms of ISO 8601 that servers send: a space in place of the `T`, offsets
/// without a colon or without minutes, fractions of any length, a date alone (midnight UTC), no offset (UTC), the basic
/// format (`20161231T235959Z`), and 24:00 as the end of a day. `UTC` and `GMT` may stand for the offset, and a blank
/// before it, as Ruby and Python write times.
///
/// Written by hand because each row passes through it: Foundation's styles take microseconds a date and make Strings.
package enum ISO8601 {
  /// Seconds since 1970-01-01T00:00:00Z; `nil` for anything else, and for dates that do not exist.
  package static func seconds(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var reader = Reader(text: text)
    guard let year = reader.number(4) else { return nil }
    let isBasic = !reader.skip("-")
    guard let month = reader.number(2), isBasic || reader.skip("-"), let day = reader.number(2),
      (1...12).contains(month), day >= 1, day <= days(in: month, year)
    else { return nil }
    let midnight = dayNumber(year, month, day) * 86_400
    // Eight digits alone may be a number as well.
    if reader.isAtEnd { return isBasic ? nil : Double(midnight) }
    guard reader.skip("T") || !isBasic && (reader.skip("t") || reader.skip(" ")) else { return nil }
    guard let (beginning, seconds) = reader.time(isBasic: isBasic) else { return nil }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    let minute = midnight + beginning - offset
    // 60 is a leap second: the last second of a day in UTC (RFC 3339 §5.7). It reads as the next second.
    guard seconds.whole < 60 || (minute + 60) % 86_400 == 0 else { return nil }
    // Rounded once, from 1970, as in rows: a date that was sent as text reads back as the same date.
    return Double(minute + seconds.whole) + seconds.fraction
  }

  /// Whether a number of seconds since 1970 is a moment of the years 0 to 9999, as each text of a date is (RFC 3339 §1).
  /// A number beyond them counts milliseconds or microseconds.
  package static func isDate(_ seconds: Double) -> Bool { seconds >= -62_167_219_200 && seconds < 253_402_300_800 }

  /// Seconds since 1970 of midnight UTC, for a date alone: `2026-05-01`; `nil` for anything else, even a date with a
  /// time.
  package static func secondsOfDay(_ text: String) -> Double? {
    // A text with a time is longer.
    text.lend { $0.count == 10 ? $0.seconds : nil }
  }

  private static func days(in month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar. The year counts from March, so that the leap day is its
  /// last day. 400 years have 146,097 days.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    // The first two months of the year 0 belong to the era before.
    let era = (year < 0 ? year - 399 : year) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    mutating func digit() -> Int? {
      guard position < text.count, (48...57).contains(text[position]) else { return nil }
      position += 1
      return Int(text[position - 1]) - 48
    }

    mutating func number(_ digits: Int) -> Int? {
      var number = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    mutating func fraction() -> Double? {
      var digits = 0
      var value = 0
      var isEmpty = true
      while let digit = digit() {
        isEmpty = false
        // Past the eighteenth digit nothing changes, and an Int would overflow.
        guard digits < 18 else { continue }
        value = value * 10 + digit
        digits += 1
      }
      guard !isEmpty else { return nil }
      var scale = 1.0
      for _ in 0..<digits { scale *= 10 }
      return Double(value) / scale
    }

    /// The seconds from midnight to the minute, and the seconds from there.
    mutating func time(isBasic: Bool) -> (minute: Int, seconds: (whole: Int, fraction: Double))? {
      guard let hour = number(2), isBasic || skip(":"), let minute = number(2), hour <= 24, minute < 60 else {
        return nil
      }
      var seconds = (whole: 0, fraction: 0.0)
      if isBasic ? isAtDigit : skip(":") {
        guard let number = number(2), number <= 60 else { return nil }
        seconds.whole = number
        if skip(".") || skip(",") {
          guard let value = fraction() else { return nil }
          seconds.fraction = value
        }
      }
      // The end of a day (ISO 8601:2004 §4.2.3).
      guard hour < 24 || minute == 0 && seconds == (0, 0) else { return nil }
      return (hour * 3600 + minute * 60, seconds)
    }

    private var isAtDigit: Bool { position < text.count && (48...57).contains(text[position]) }

    private mutating func skip(word: StaticString) -> Bool {
      let length = word.utf8CodeUnitCount
      guard text.count - position == length,
        (0..<length).allSatisfy({ text[position + $0] == word.utf8Start[$0] })
      else { return false }
      position += length
      return true
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
      if isAtEnd || skip("Z") || skip("z") { return 0 }
      _ = skip(" ")
      if skip("Z") || skip(word: "UTC") || skip(word: "GMT") { return 0 }
      let sign: Int
      if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
      guard let hours = number(2), hours < 24 else { return nil }
      if isAtEnd { return sign * hours * 3600 }
      _ = skip(":")
      guard let minutes = number(2), minutes < 60 else { return nil }
      return sign * (hours * 3600 + minutes * 60)
    }
  }
}
