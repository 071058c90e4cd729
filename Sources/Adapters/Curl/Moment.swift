internal import CCurl

/// A moment on the continuous clock.
///
/// `ContinuousClock.Instant` has no fixed layout outside the standard library, so each copy is a call. The engine keeps
/// a time for each byte.
struct Moment: Comparable, Sendable {
  /// Counted from a moment that the system chooses.
  private let nanoseconds: Int64

  static var now: Moment { Moment(nanoseconds: ccurl_now()) }

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func - (left: Moment, right: Moment) -> Duration { .nanoseconds(left.nanoseconds - right.nanoseconds) }

  /// A duration is cut to a century, which is as good as no limit, and the sum does not overflow.
  static func + (moment: Moment, duration: Duration) -> Moment {
    let (seconds, attoseconds) = max(.zero - century, min(century, duration)).components
    return Moment(nanoseconds: moment.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  private static let century = Duration.seconds(100 * 365 * 86400)
}
