import EntityJSON

/// Dates in header fields (RFC 9110 §5.6.7).
package enum HTTPDate {
  /// Seconds since 1970, of each of the three forms; `nil` for anything else, and for dates that do not exist.
  ///
  /// - Parameters:
  ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two old forms, `Sunday, 06-Nov-94 08:49:37 GMT` and
  ///     `Sun Nov  6 08:49:37 1994`.
  ///   - now: Decides the century of a year of two digits: a date that is more than 50 years ahead is read as one of
  ///     19xx.
  package static func seconds(_ text: String, now: Double) -> Double? {
    var words = text.split(separator: " ").map(String.init)
    // The day of the week is not needed: the rest is the whole date.
    guard words.count > 1, !words.removeFirst().isEmpty else { return nil }
    switch words.count {
    // 06 Nov 1994 08:49:37 GMT
    case 5 where words[4] == "GMT": return seconds(words[2], words[1], words[0], words[3])
    // Nov 6 08:49:37 1994
    case 4: return seconds(words[3], words[0], words[1], words[2])
    // 06-Nov-94 08:49:37 GMT
    case 3 where words[2] == "GMT":
      let date = words[0].split(separator: "-").map(String.init)
      guard date.count == 3, date[2].count == 2 else { return nil }
      let (current, old) = (seconds("20" + date[2], date[1], date[0], words[1]), "19" + date[2])
      guard let current, current > now + 50 * 365.25 * 86_400 else { return current }
      return seconds(old, date[1], date[0], words[1])
    default: return nil
    }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func seconds(_ year: String, _ month: String, _ day: String, _ time: String) -> Double? {
    guard let month = months.firstIndex(of: month), year.utf8.count == 4, time.utf8.count == 8 else { return nil }
    // ISO 8601 has 24:00:00 for the end of a day. HTTP does not have it.
    guard !time.hasPrefix("24") else { return nil }
    func padded(_ text: String) -> String { text.utf8.count == 1 ? "0" + text : text }
    var text = "\(year)-\(padded("\(month + 1)"))-\(padded(day))T\(time)Z"
    return text.withUTF8 { ISO8601.seconds($0) }
  }
}
