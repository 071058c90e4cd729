import CRivals

/// What a piece of work took.
struct Cost: Sendable {
  let seconds: Double
  /// On processors, of all threads of this process: what others do on the machine is not in it.
  let cpuSeconds: Double

  static func of(_ work: () throws -> Void) rethrows -> Cost {
    let start = Start()
    try work()
    return start.cost
  }

  /// When a piece of work began.
  struct Start: Sendable {
    private let time = ContinuousClock.now
    private let cpuSeconds = cpu_seconds()

    /// What it took so far.
    var cost: Cost { Cost(seconds: (ContinuousClock.now - time) / .seconds(1), cpuSeconds: cpu_seconds() - cpuSeconds) }
  }
}
