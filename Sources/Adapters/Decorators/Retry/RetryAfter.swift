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
    let clock = AnswerClock.now()
    guard let date = HTTPDate.seconds(text, now: clock) else { return nil }
    // The server's own clock, where it tells the time: ours may go wrong.
    let now = headers["Date"].flatMap { HTTPDate.seconds($0, now: clock) } ?? clock
    return .seconds(max(0, date - now))
  }
}
