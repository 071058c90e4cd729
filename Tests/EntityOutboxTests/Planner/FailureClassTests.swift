import EntityClient
import TestSupport
import Testing

/// The table of outcomes: each status and each failure without one, for each kind of change.
@Suite struct FailureClassTests {
  private typealias Outcome = FailureClass.Outcome

  private static func outcome(
    _ kind: OutboxEntry.Kind = .update, repeatable: Bool = true, _ status: Int? = nil,
    _ change: (inout FailureClass.Facts) -> Void = { _ in }
  ) -> Outcome {
    var facts = FailureClass.Facts(kind, isRepeatable: repeatable)
    facts.status = status
    change(&facts)
    return FailureClass.outcome(of: facts)
  }

  /// The outcomes of a create, an update, a deletion and a command, none of which is repeatable, and then of each that is.
  private struct Row {
    let statuses: [Int]
    let once, repeatable: [Outcome]

    init(_ statuses: Int..., once: [Outcome], repeatable: [Outcome]? = nil) {
      self.statuses = statuses
      self.once = once
      self.repeatable = repeatable ?? once
    }

    init(_ statuses: Int..., all: Outcome, repeatable: Outcome? = nil) {
      self.statuses = statuses
      once = Array(repeating: all, count: 4)
      self.repeatable = Array(repeating: repeatable ?? all, count: 4)
    }
  }

  private static let refused = Outcome.refused(triesAgain: false)
  private static let again = Outcome.refused(triesAgain: true)
  private static let rows = [
    Row(401, 407, all: .signedOut),
    Row(425, 429, 503, all: .busy(retryAfter: nil)),
    Row(408, 500, 502, 504, 507, 599, all: .lost, repeatable: .waitAndRepeat(retryAfter: nil)),
    Row(511, all: .offline),
    Row(412, 428, once: [.mergeNeeded, .mergeNeeded, .mergeNeeded, refused]),
    Row(404, 410, once: [refused, .gone, .done, refused]),
    Row(409, 422, all: again),
    Row(200, 204, 301, 304, 400, 402, 403, 405, 406, 411, 413, 415, 417, 451, 499, 600, all: refused),
  ]

  @Test func `each status has its outcome`() {
    for row in Self.rows {
      for status in row.statuses {
        let kinds: [OutboxEntry.Kind] = [.create, .update, .deletion, .command]
        #expect(kinds.map { Self.outcome($0, repeatable: false, status) } == row.once, "\(status)")
        #expect(kinds.map { Self.outcome($0, status) } == row.repeatable, "\(status)")
      }
    }
  }

  @Test func `the wait that a server asks for is handed on`() {
    #expect(Self.outcome(.create, 503) { $0.retryAfter = 7 } == .busy(retryAfter: 7))
    #expect(Self.outcome(.create, 500) { $0.retryAfter = 7 } == .waitAndRepeat(retryAfter: 7))
  }

  @Test func `a failure without an answer depends on whether the server may have acted`() {
    #expect(Self.outcome { $0.mayHaveReached = false } == .offline)
    #expect(Self.outcome(repeatable: false) { $0.mayHaveReached = false } == .offline)
    #expect(Self.outcome() == .waitAndRepeat(retryAfter: nil))
    #expect(Self.outcome(repeatable: false) == .lost)
    #expect(Self.outcome { $0.isOffline = true } == .offline)
    // An earlier attempt of the adapter may have arrived.
    #expect(Self.outcome(repeatable: false) { $0.isOffline = true } == .lost)
    // With the pause alone a create would lose its key, and be made again with another one.
    for kind in [OutboxEntry.Kind.create, .command] {
      #expect(Self.outcome(kind) { $0.isOffline = true } == .waitAndRepeat(retryAfter: nil))
      #expect(Self.outcome(kind) { $0.isSignedOut = true } == .waitAndRepeat(retryAfter: nil))
    }
    #expect(Self.outcome { $0.isSignedOut = true } == .signedOut)
  }

  @Test func `a request that is cancelled is lost, unless it was not sent`() {
    #expect(Self.outcome { $0.isCancellation = true } == .lost)
    #expect(
      Self.outcome {
        $0.isCancellation = true
        $0.mayHaveReached = false
      } == .notSent)
  }

  @Test func `a failure of this side is a refusal`() {
    #expect(Self.outcome { $0.isLocal = true } == Self.refused)
  }

  @Test func `a success that can't be taken in is kept, whatever else happened`() {
    #expect(
      Self.outcome(.create, repeatable: false, 201) {
        $0.wasAccepted = true
        $0.isCancellation = true
        $0.isLocal = true
      } == .notTakenIn)
  }

  @Test func `a server that fails at one request alone meets poison`() {
    for status in [nil, 500, 503, 504] {
      func outcome(_ attempts: Int, _ others: Bool) -> FailureClass.Outcome {
        Self.outcome(.update, status) {
          $0.attempts = attempts
          $0.othersSucceeded = others
        }
      }
      #expect(outcome(5, true) == .poison)
      #expect(outcome(4, true) != .poison)
      #expect(outcome(9, false) != .poison)
    }
    #expect(
      Self.outcome(.update, 429) {
        $0.attempts = 9
        $0.othersSucceeded = true
      } == .busy(retryAfter: nil))
  }

  @Test func `a conflict is a merge by rule, work in progress for a key, else a refusal with a second try`() {
    #expect(Self.outcome(.update, 409) { $0.conflictIsMerge = true } == .mergeNeeded)
    #expect(Self.outcome(.command, 409) { $0.conflictIsMerge = true } == Self.again)
    func keyed(_ attempts: Int) -> FailureClass.Outcome {
      Self.outcome(.create, 409) {
        $0.hasKey = true
        $0.attempts = attempts
      }
    }
    #expect(keyed(1) == .waitAndRepeat(retryAfter: nil))
    #expect(keyed(4) == .waitAndRepeat(retryAfter: nil))
    #expect(keyed(5) == Self.again)
    for status in [409, 422] { #expect(Self.outcome(.create, status) { $0.wasRefused = true } == Self.refused) }
  }

  @Test(arguments: TransportError.Kind.allCases)
  func `an error of an adapter has an outcome`(kind: TransportError.Kind) {
    for reached in [false, true] {
      let outcome = Self.outcome(.create, repeatable: false) {
        $0.note(TransportError(kind, "", mayHaveBeenProcessed: reached))
      }
      let isLocal = [.invalidRequest, .unsupported, .forbiddenAddress].contains(kind)
      #expect(outcome == (reached ? .lost : isLocal ? Self.refused : kind == .unauthorized ? .signedOut : .offline))
    }
  }
}

@Suite struct BackoffTests {
  @Test func `the limit doubles from 1 s to 5 min`() {
    #expect([-1, 0, 1, 2, 6, 8, 9, 10, .max].map(Backoff.limit) == [1, 1, 2, 4, 64, 256, 300, 300, 300])
  }

  @Test func `a wait is any time up to the limit, and the seed gives it again`() {
    var (random, same) = (SeededRandom(7), SeededRandom(7))
    let waits = (0..<1_000).map { _ in Backoff.wait(failures: 6, using: &random) }
    #expect(waits.allSatisfy { (0...64).contains($0) })
    #expect((waits.min() ?? 9) < 3 && (waits.max() ?? 0) > 61)
    #expect(waits == (0..<1_000).map { _ in Backoff.wait(failures: 6, using: &same) })
  }

  @Test func `the server's wait is the least, up to a day`() {
    var random = SeededRandom(7)
    for (asked, least) in [(0, 0), (10, 10), (1e9, 86_400), (.infinity, 86_400), (-5, 0), (.nan, 0)]
      as [(Double, Double)]
    {
      for _ in 0..<50 {
        #expect((least...least + 2).contains(Backoff.wait(failures: 1, retryAfter: asked, using: &random)))
      }
    }
  }
}
