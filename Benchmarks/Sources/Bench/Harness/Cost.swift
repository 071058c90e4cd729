import CRivals

/// The time that a piece of work took, or the bytes.
struct Cost: Sendable {
  let seconds: Double
  /// On processors, of all threads of this process. The work of other programs is not in it.
  let cpuSeconds: Double

  init(seconds: Double, cpuSeconds: Double) {
    self.seconds = seconds
    self.cpuSeconds = cpuSeconds
  }

  /// The cost of a contest that compares bytes.
  init(bytes: Double) { self.init(seconds: bytes, cpuSeconds: bytes) }

  static func of(_ work: () throws -> Void) rethrows -> Cost {
    let start = Start()
    try work()
    return start.cost
  }

  /// When a piece of work began.
  struct Start: Sendable {
    private let time = ContinuousClock.now
    private let cpuSeconds = cpu_seconds()

    /// The time since then.
    var cost: Cost { Cost(seconds: (ContinuousClock.now - time) / .seconds(1), cpuSeconds: cpu_seconds() - cpuSeconds) }
  }
}
