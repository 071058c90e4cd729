import Testing

@testable import Adapters

/// Times of the engine: sums that a caller's limit of time can't overflow.
@Suite struct MomentTests {
  private let now = Moment.now
  private let century = Duration.seconds(100 * 365 * 86400)

  @Test func `a sum of a time and a duration is as far away as the duration`() {
    for duration in [Duration.zero, .nanoseconds(1), .milliseconds(1500), .seconds(60), .seconds(1e9)] {
      #expect((now + duration) - now == duration)
      #expect((now + (.zero - duration)) - now == .zero - duration)
    }
    #expect(now + .nanoseconds(-1) < now)
    #expect(now + .seconds(-5) < now + .seconds(-4))
  }

  @Test func `a sum of a time and a duration is a century away at most`() {
    for duration in [
      century, century + .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.max) * 2, .seconds(Int64.max) * 18,
    ] {
      #expect((now + duration) - now == century)
      #expect((now + (.zero - duration)) - now == .zero - century)
    }
  }

  @Test func `the clock does not go back`() {
    var last = Moment.now
    for _ in 0..<1000 {
      let next = Moment.now
      #expect(next >= last)
      last = next
    }
  }
}
