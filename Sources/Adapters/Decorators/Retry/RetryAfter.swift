import EntityRequests
import Foundation

/// The header field `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
  /// How long the server asks to wait; `nil` where it does not say it, or not in a way that can be read.
  static func wait(_ headers: HTTPHeaders) -> Duration? {
    guard let text = headers["Retry-After"]?.trimmingCharacters(in: [" ", "\t"]), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // A number of any length; a century is as good as any longer time.
      return .seconds(min(Int64(text) ?? .max, 100 * 366 * 86_400))
    }
    guard let date = HTTPDate.secondsSince1970(text) else { return nil }
    // The server's own clock, where it tells the time: ours may go wrong.
    let now = headers["Date"].flatMap(HTTPDate.secondsSince1970) ?? AnswerClock.now()
    return .seconds(max(0, date - now))
  }
}

/// The three forms of a date in HTTP (RFC 9110 §5.6.7).
enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static func secondsSince1970(_ text: String) -> Double? {
    let parts = text.split { " ,-:".contains($0) }.map(String.init)
    // `Sun Nov  6 08:49:37 1994`, or `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`.
    let order: [Int]
    switch parts.count {
    case 7: order = [6, 1, 2, 3, 4, 5]
    case 8 where parts[7] == "GMT": order = [3, 2, 1, 4, 5, 6]
    default: return nil
    }
    let fields = order.map { parts[$0] }
    guard let month = months.firstIndex(of: fields[1]), let day = number(fields[2], 1...31),
      let hour = number(fields[3], 0...23), let minute = number(fields[4], 0...59),
      let second = number(fields[5], 0...60),
      var year = number(fields[0], 0...9999)
    else { return nil }
    if fields[0].count == 2 {
      // More than 50 years ahead is a year of the last century.
      let thisYear = Calendar.gregorianGMT.component(.year, from: Date(timeIntervalSince1970: AnswerClock.now()))
      year += thisYear / 100 * 100
      if year > thisYear + 50 { year -= 100 }
    }
    let components = DateComponents(
      year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    return Calendar.gregorianGMT.date(from: components)?.timeIntervalSince1970
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text) else {
      return nil
    }
    return range.contains(number) ? number : nil
  }
}

extension Calendar {
  fileprivate static let gregorianGMT: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
