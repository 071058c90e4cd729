package import EntityRequests
package import EntityStore

/// Decides what a failed request means for its entry and for the outbox.
package enum FailureClass {
  /// The known facts of a failed request.
  package struct Facts: Sendable, Equatable {
    package var kind: OutboxEntry.Kind
    /// Whether sending the request twice has the effect of sending it once.
    package var isRepeatable: Bool
    /// Whether the request has an idempotency key.
    package var hasKey = false
    /// The status of the answer; `nil` where none came.
    package var status: Int?
    /// The wait that the answer asks for, in seconds.
    package var retryAfter: Double?
    /// Whether the server may have acted on the request: true unless it surely did not.
    package var mayHaveReached = true
    /// Whether the app is offline by its own switch.
    package var isOffline = false
    /// Whether the server refused the credentials, and they could not be renewed.
    package var isSignedOut = false
    /// Whether the failure is one of this side, which a repetition meets again: a missing file, a wrong URL.
    package var isLocal = false
    /// Whether the answer was a success that could not be taken in: it can't be read, or the disk is full.
    package var wasAccepted = false
    package var isCancellation = false
    /// The number of times that the request was sent, this time included.
    package var attempts = 1
    /// Whether the server took other requests in the meantime.
    package var othersSucceeded = false
    /// Whether 409 means that the object has another version at the server.
    package var conflictIsMerge = false
    /// Whether the server refused the entry before, and this was its second try.
    package var wasRefused = false

    package init(_ kind: OutboxEntry.Kind, isRepeatable: Bool) { (self.kind, self.isRepeatable) = (kind, isRepeatable) }

    /// Takes over what an adapter says of a request without an answer.
    package mutating func note(_ error: any SendingError) {
      mayHaveReached = error.mayHaveBeenProcessed
      guard let error = error as? TransportError else { return }
      switch error.kind {
      case .offline: isOffline = true
      case .unauthorized: isSignedOut = true
      case .invalidRequest, .unsupported, .forbiddenAddress: isLocal = !error.mayHaveBeenProcessed
      default: break
      }
    }
  }

  package enum Outcome: Sendable, Hashable {
    /// The server was surely not reached: the outbox pauses, and the entry waits. No attempt is counted.
    case offline
    /// The server refuses the credentials: the outbox pauses until a request succeeds, and the entry waits.
    case signedOut
    /// The server is busy, and did not act: the outbox pauses for these seconds at least, and the entry waits.
    case busy(retryAfter: Double?)
    /// The server may have acted, and a repetition does no harm: the entry waits ``OutboxPlanner/lostPause`` at least, and
    /// the outbox pauses.
    case waitAndRepeat(retryAfter: Double?)
    /// The request was not sent, and nothing is to be learned from that: the entry waits, and nothing pauses.
    case notSent
    /// The server may have acted, and a repetition may do harm: the claim stays. The plan looks the object up, or holds
    /// the entry.
    case lost
    /// The server or this side refuses the change. With `triesAgain` it is sent once more a second later, after other
    /// changes that are ready, because unique values change hands.
    case refused(triesAgain: Bool)
    /// The server fails at this request, and at no other one: the entry is refused, and tried once an hour. The claim of a
    /// create or a command that may have been processed stays one, with its key and its bytes.
    case poison
    /// The server has no such object any more: the change is kept aside.
    case gone
    /// The server has no such object any more, and the request was to delete it.
    case done
    /// The server has another version of the object: it is read and merged.
    case mergeNeeded
    /// The server did what it was asked, and the answer can't be taken in: a create and a command wait for a person, and
    /// other changes are refused.
    case notTakenIn
  }

  /// The number of failures after which a request is poison.
  package static let mostFailures = 5
  /// The time between two tries of a poisonous request, in seconds. It is longer than `OutboxEntry.longWait`.
  package static let poisonPause = 3_600.0

  package static func outcome(of facts: Facts) -> Outcome {
    if facts.wasAccepted { return .notTakenIn }
    if let status = facts.status { return outcome(of: facts, status) }
    if facts.isLocal { return .refused(triesAgain: false) }
    guard facts.mayHaveReached else {
      return facts.isCancellation ? .notSent : facts.isSignedOut ? .signedOut : .offline
    }
    // An earlier attempt of the adapter may have reached the server before the app went offline. A create and a command keep
    // what makes a second request harmless, such as their key.
    let isIdempotent = facts.kind == .update || facts.kind == .deletion
    if isIdempotent, facts.isRepeatable, facts.isOffline || facts.isSignedOut {
      return facts.isSignedOut ? .signedOut : .offline
    }
    // A caller that gives up says nothing of the server.
    return facts.isCancellation ? .lost : failed(facts)
  }

  private static func outcome(of facts: Facts, _ status: Int) -> Outcome {
    switch status {
    case 401, 407: return .signedOut
    case 404, 410: return absent(facts)
    case 412, 428: return facts.kind == .command ? .refused(triesAgain: false) : .mergeNeeded
    case 409: return conflict(facts)
    case 422: return .refused(triesAgain: !facts.wasRefused)
    case 425, 429: return .busy(retryAfter: facts.retryAfter)
    case 503: return isPoison(facts) ? .poison : .busy(retryAfter: facts.retryAfter)
    // A network between asks for a sign-in; the server never saw the request (RFC 6585 §6).
    case 511: return .offline
    case 408, 500...599: return failed(facts)
    // A verdict that a success is none is among these.
    default: return .refused(triesAgain: false)
    }
  }

  private static func absent(_ facts: Facts) -> Outcome {
    switch facts.kind {
    case .update: .gone
    case .deletion: .done
    case .create, .command: .refused(triesAgain: false)
    }
  }

  private static func conflict(_ facts: Facts) -> Outcome {
    if facts.conflictIsMerge, facts.kind != .command { return .mergeNeeded }
    // The first request with the key is still in work. It may have been the first attempt of the adapter.
    if facts.hasKey, facts.attempts < mostFailures {
      return .waitAndRepeat(retryAfter: facts.retryAfter)
    }
    return .refused(triesAgain: !facts.wasRefused)
  }

  /// A failure of the server, or none of it is known.
  private static func failed(_ facts: Facts) -> Outcome {
    guard facts.isRepeatable else { return .lost }
    return isPoison(facts) ? .poison : .waitAndRepeat(retryAfter: facts.retryAfter)
  }

  private static func isPoison(_ facts: Facts) -> Bool {
    facts.othersSucceeded && facts.attempts >= mostFailures
  }
}
