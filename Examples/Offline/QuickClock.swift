/// A clock that runs faster than time: a demonstration shows a pause of half a minute in a second or two.
public struct QuickClock: Clock {
  private let base = ContinuousClock()
  private let start = ContinuousClock.now
  private let factor: Int

  /// - Parameter factor: How many times as fast as time the clock runs.
  public init(factor: Int) { self.factor = factor }

  public var now: ContinuousClock.Instant { start + (base.now - start) * factor }
  public var minimumResolution: Duration { base.minimumResolution * factor }

  public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(for: (deadline - now) / factor)
  }
}
