/// The end of a request.
enum Outcome: Sendable {
  case answered(Demand.Kind)
  /// A status that the server was asked for.
  case refused(Int)
  /// An error that the server was asked for, by its kind.
  case failed(String)
  case cancelled, dropped
  /// A request that may not be sent twice, and whose kept connection the server closed: see ``Demand/Expectation``.
  case lostConnection
  /// An end that the server was not asked for: an answer of another request, a part of one, an error without a reason.
  case wrong(String)
}

/// The sum of all requests.
actor Tally {
  private(set) var sent = 0
  private(set) var posts = 0
  private(set) var ended = 0
  private(set) var answered = 0
  private(set) var answeredPosts = 0
  private(set) var cancelled = 0
  private(set) var dropped = 0
  private(set) var lostConnections = 0
  private(set) var refused: [Int: Int] = [:]
  private(set) var failed: [String: Int] = [:]
  private(set) var wrong: [String] = []

  var underWay: Int { sent - ended }

  func begin(_ kind: Demand.Kind) {
    sent += 1
    if kind == .post { posts += 1 }
  }

  func end(_ outcome: Outcome) {
    ended += 1
    switch outcome {
    case .answered(let kind):
      answered += 1
      if kind == .post { answeredPosts += 1 }
    case .refused(let status): refused[status, default: 0] += 1
    case .failed(let kind): failed[kind, default: 0] += 1
    case .cancelled: cancelled += 1
    case .dropped: dropped += 1
    case .lostConnection: lostConnections += 1
    case .wrong(let reason): wrong.append(reason)
    }
  }
}
