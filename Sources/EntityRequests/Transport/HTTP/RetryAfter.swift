import Foundation

/// The header field `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
  /// A century is as good as any longer time.
  private static let longest = 100 * 366 * 86_400.0

  /// How long the server asks to wait; `nil` when it does not say.
  ///
  /// - Parameters:
  ///   - clock: The present time in seconds since 1970.
  ///   - unreadable: The wait for a value that can't be read: the server asks for a wait, but not for how long.
  package static func wait(_ headers: HTTPHeaders, now clock: Double, unreadable: Duration) -> Duration? {
    guard let text = headers["Retry-After"]?.trimmingCharacters(in: [" ", "\t"]), !text.isEmpty else { return nil }
    if let seconds = seconds(text) { return .seconds(min(seconds, longest)) }
    guard let date = HTTPDate.seconds(text, now: clock) else { return unreadable }
    // The server's own clock, if the response tells the time: ours may be wrong.
    let now = headers["Date"].flatMap { HTTPDate.seconds($0, now: clock) } ?? clock
    return .seconds(max(0, date - now))
  }

  /// A number of any length. The RFC has whole seconds; services send `2.0`, too.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
      return nil
    }
    return Double(text)
  }
}
