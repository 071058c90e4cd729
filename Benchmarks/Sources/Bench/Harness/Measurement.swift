/// The figures of one contestant.
struct Figures {
  let name: String
  /// In seconds, sorted.
  private(set) var times: [Double] = []
  /// On processors, in seconds, sorted.
  private var cpuTimes: [Double] = []
  /// How far the process grew above its size before the first run.
  let peakMegabytes: Double

  init(name: String, peakMegabytes: Double) {
    self.name = name
    self.peakMegabytes = peakMegabytes
  }

  mutating func add(_ cost: Cost) {
    Self.insert(cost.seconds, into: &times)
    Self.insert(cost.cpuSeconds, into: &cpuTimes)
  }

  private static func insert(_ seconds: Double, into times: inout [Double]) {
    times.insert(seconds, at: times.firstIndex { $0 > seconds } ?? times.count)
  }

  private static func median(of times: [Double]) -> Double {
    let middle = times.count / 2
    return times.count % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2
  }

  var median: Double { Self.median(of: times) }
  var cpuMedian: Double { Self.median(of: cpuTimes) }
  var minimum: Double { times.first ?? 0 }
  var maximum: Double { times.last ?? 0 }
}

struct Outcome {
  let contest: String
  let size: Int
  let operations: Int?
  let quantity: Quantity
  let ours: Figures
  let rivals: [Figures]
}

enum Measurement {
  /// A contestant that takes this many times as long as ours runs in `slowRounds` rounds only.
  private static let slow = 10.0
  private static let slowRounds = 3

  /// Checks that all contestants get the same result, then times them by turns, in an order that moves on by one with
  /// each round, so that none always follows the same.
  static func measure(_ contest: Contest, rounds: Int) throws -> Outcome {
    // The first run, before the memory has been used by others and is kept for them.
    var figures = try contest.contestants.map { contestant in
      try contestant.prepare()
      return Figures(name: contestant.name, peakMegabytes: try Memory.growth(during: contestant.run))
    }
    let expected = try contest.ours.digest()
    for rival in contest.rivals {
      let digest = try rival.digest()
      guard digest == expected else {
        throw ContestError(description: "\(contest.name): \(rival.name) has other values than \(contest.ours.name) has")
      }
    }
    for round in 0..<min(rounds, contest.mostRounds) {
      for turn in contest.contestants.indices {
        let index = (turn + round) % contest.contestants.count
        let isSlow = round > 0 && figures[index].minimum > figures[0].minimum * slow
        if isSlow && round >= slowRounds { continue }
        try contest.contestants[index].prepare()
        figures[index].add(try contest.contestants[index].time())
      }
    }
    return Outcome(
      contest: contest.name, size: contest.size, operations: contest.operations, quantity: contest.quantity,
      ours: figures[0], rivals: Array(figures.dropFirst()))
  }
}

/// Keeps the optimiser from leaving out the work that made `value`.
@inline(never)
func consume<T>(_ value: borrowing T) {
  withExtendedLifetime(value) {}
}
