import EntityJSON
public import Foundation

/// Days without a time, such as birthdays: `2026-05-01` goes back to the server as it came, in any time zone of the
/// app.
///
/// ```swift
/// @Transformed(by: DateOnly.self) var birthday: Date?
/// ```
/// The property has the first moment of the day in UTC. Show and edit it with a calendar whose time zone is UTC. A
/// `Date` within the day becomes the first moment of that day in UTC when it is set, as it comes back from the server.
/// A text with a time is refused, and so is a day that does not exist.
///
/// For another form, or for the midnight of another time zone, declare a ``Transformers/DateFormat``.
public enum DateOnly: NormalizingTransformer {
  /// The first moment of a day in UTC.
  ///
  /// - Parameter text: The day in the form `full-date` of RFC 3339 §5.6.
  /// - Throws: ``AttributeError`` for all other texts.
  public static func value(from text: String) throws -> Date {
    guard let seconds = ISO8601.secondsOfDay(text) else {
      throw AttributeError("a date without a time was expected, as in 2026-05-01")
    }
    return Date(timeIntervalSince1970: seconds)
  }

  /// The day of a date in UTC.
  ///
  /// - Parameter date: A moment of the day.
  /// - Throws: ``AttributeError`` for a date outside of the years 0 to 9999, which have four digits.
  public static func source(from date: Date) throws -> String {
    guard let text = ISO8601Text.day(of: date) else {
      throw AttributeError("a date in the years 0 to 9999 was expected")
    }
    return text
  }
}
