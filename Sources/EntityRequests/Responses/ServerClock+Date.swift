import EntityStore
import Foundation

extension ServerClock {
  /// Takes the time of a response that has just arrived from its headers `Date` and `Age` (RFC 9110 §6.6.1, RFC 9111
  /// §5.1): a cache on the way hands out older responses.
  func hear(_ response: HTTPResponse) {
    guard isWanted, let text = response.headers["Date"],
      let time = HTTPDate.seconds(text, now: Date().timeIntervalSince1970)
    else { return }
    let age = response.headers["Age"].flatMap { Int($0) } ?? 0
    hear(time + Double(max(0, age)))
  }
}
