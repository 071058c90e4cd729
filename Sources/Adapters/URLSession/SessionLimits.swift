internal import AdapterDecorators
internal import EntityRequests
internal import HTTPFoundation

/// The time limits of one exchange: those of the adapter, unless the request has its own.
struct SessionLimits: Sendable {
  let idle: Duration?
  let total: Duration?
  let throughput: (bytes: Int64, duration: Duration)?
  /// The largest body of a response.
  let bytes: Int64

  init(_ request: URLRequest, _ configuration: URLSessionAdapter.Configuration) {
    idle = request.ownTimeout ?? configuration.idleTimeout
    total = configuration.totalTimeout
    throughput =
      request.asksForEvents
      ? nil : configuration.minimumThroughput.map { ($0, max(configuration.throughputPeriod, .milliseconds(1))) }
    bytes = configuration.maximumResponseBytes
  }
}

/// The times at which bytes moved in an exchange.
struct SessionTimes {
  private let begin: Duration
  private var lastMove: Duration
  /// The time from the beginning to the head.
  private(set) var head: Duration?
  /// The present period of throughput; `nil` until the head is there.
  private var period: (begin: Duration, bytes: Int64)?

  init(at now: Duration) { (begin, lastMove) = (now, now) }

  func elapsed(at now: Duration) -> Duration { now - begin }

  mutating func moved(at now: Duration) { lastMove = now }

  mutating func received(_ bytes: Int, at now: Duration) {
    lastMove = now
    period?.bytes += Int64(bytes)
  }

  mutating func beganBody(at now: Duration) {
    lastMove = now
    if head == nil { head = now - begin }
    if period == nil { period = (now, 0) }
  }

  enum Verdict: Equatable {
    /// Look again after this time.
    case wait(Duration)
    /// A limit was reached; the text says which one.
    case over(String)
    /// There is no limit.
    case endless
  }

  mutating func verdict(at now: Duration, _ limits: SessionLimits) -> Verdict {
    var waits: [Duration] = []
    if let total = limits.total {
      guard now - begin < total else { return .over("the whole time of \(total) is over") }
      waits.append(begin + total - now)
    }
    if let idle = limits.idle {
      guard now - lastMove < idle else { return .over("nothing moved for \(idle)") }
      waits.append(lastMove + idle - now)
    }
    if let throughput = limits.throughput {
      if let under = period, now - under.begin >= throughput.duration {
        guard under.bytes >= throughput.bytes else {
          return .over("\(under.bytes) bytes came in \(throughput.duration)")
        }
        period = (now, 0)
      }
      waits.append((period?.begin ?? now) + throughput.duration - now)
    }
    return waits.min().map { .wait($0) } ?? .endless
  }
}
