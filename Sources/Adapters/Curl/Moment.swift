internal import CCurl

/// A moment on the continuous clock.
///
/// `ContinuousClock.Instant` has no fixed layout outside the standard library, so each copy is a call. The engine keeps
/// times of each byte.
struct Moment: Comparable, Sendable {
  /// Since some beginning.
  private let nanoseconds: Int64

  static var now: Moment { Moment(nanoseconds: ccurl_now()) }

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func - (left: Moment, right: Moment) -> Duration { .nanoseconds(left.nanoseconds - right.nanoseconds) }

  /// A century from now is without limit, and does not overflow.
  static func + (moment: Moment, duration: Duration) -> Moment {
    let (seconds, attoseconds) = max(.zero - century, min(century, duration)).components
    return Moment(nanoseconds: moment.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  private static let century = Duration.seconds(100 * 365 * 86400)
}
