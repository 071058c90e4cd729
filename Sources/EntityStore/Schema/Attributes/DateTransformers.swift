public import Foundation
import Synchronization

extension Transformers {
  /// Dates in a format of the server's own.
  ///
  /// ```swift
  /// enum BirthdayTransformer: Transformers.DateFormat {
  ///   static let format = "dd.MM.yyyy"
  /// }
  /// ```
  /// A date that is set becomes the date as which its text is read: without its seconds, where the format has none. For
  /// days such as `2026-05-01` there is ``DateOnly``.
  public protocol DateFormat: NormalizingTransformer where Source == String, Value == Date {
    /// A pattern of Unicode Technical Standard #35, part 4: `dd.MM.yyyy HH:mm`.
    static var format: String { get }
    /// The time zone of dates that name none; UTC by default.
    static var timeZone: TimeZone { get }
    /// The language of the names of months and days; by default English as computers write it, `en_US_POSIX`.
    static var locale: Locale { get }
  }
}

extension Transformers.DateFormat {
  public static var timeZone: TimeZone { .gmt }
  public static var locale: Locale { Locale(identifier: "en_US_POSIX") }

  public static func value(from text: String) throws -> Date {
    guard let date = DateFormatters.with(format, timeZone, locale, { $0.date(from: text) }) else {
      throw AttributeError("a date as '\(format)' was expected")
    }
    return date
  }

  public static func source(from date: Date) -> String {
    DateFormatters.with(format, timeZone, locale) { $0.string(from: date) }
  }
}

/// Making a formatter takes long, and two threads must not use one at the same time.
private enum DateFormatters {
  private struct Key: Hashable {
    let format: String
    let timeZone: TimeZone
    let locale: Locale
  }

  private static let formatters = Mutex<[Key: DateFormatter]>([:])

  static func with<R: Sendable>(
    _ format: String, _ timeZone: TimeZone, _ locale: Locale, _ body: (DateFormatter) -> R
  ) -> R {
    let key = Key(format: format, timeZone: timeZone, locale: locale)
    return formatters.withLock { formatters in
      if let formatter = formatters[key] { return body(formatter) }
      let formatter = DateFormatter()
      formatter.locale = locale
      formatter.calendar = Calendar(identifier: .gregorian)
      formatter.timeZone = timeZone
      formatter.dateFormat = format
      formatter.isLenient = false
      // A schema has fewer formats. More would be formats that are made up at run time.
      if formatters.count >= 100 { formatters = [:] }
      formatters[key] = formatter
      return body(formatter)
    }
  }
}
