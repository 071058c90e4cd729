import EntityRequests
import EntityStore
import HTTPFoundation

// The ends of requests that failed.

extension OutboxEngine {
  func failed(_ claim: Claim, _ error: any Error) async {
    var facts = facts(of: claim.entry, claim.action, error, isSecondTry: claim.isSecondTry)
    facts.isRepeatable = claim.isRepeatable ?? facts.isRepeatable
    // The server can be reached, though it may be busy, or have refused the credentials of another request.
    if facts.status != nil, facts.status != 511 { pause.endOffline() }
    let failure = Failure(error)
    let isAnswered = facts.status != nil
    switch FailureClass.outcome(of: facts) {
    case .offline:
      await release(claim, counts: false, isAnswered: isAnswered)
      pauseOffline(claim.number)
      log.add(.later, claim)
    case .signedOut:
      await release(claim, counts: false, isAnswered: isAnswered)
      pause.begin(.unauthorized, until: .infinity)
      log.add(.later, claim)
    case .busy(let retryAfter):
      await release(claim, counts: true, isAnswered: isAnswered)
      pauseBusy(retryAfter, claim.number)
      log.add(.later, claim)
    case .notSent:
      await release(claim, counts: false)
    case .waitAndRepeat(let retryAfter):
      // The plan sends a lost request again, some time later. 409 may be about this change alone.
      if facts.status == nil {
        pauseOffline(claim.number)
      } else if facts.status != 409 || retryAfter != nil {
        pauseBusy(retryAfter, claim.number)
      }
      await note(claim) { failure.describe(&$0) }
      log.add(.unknown, claim)
    case .lost:
      if facts.status == nil, !facts.isCancellation { pauseOffline(claim.number) }
      await note(claim) { failure.describe(&$0) }
      log.add(.unknown, claim)
    case .refused(let triesAgain): await refuse(claim, failure, triesAgain: triesAgain)
    case .mergeNeeded: await merge(claim, failure)
    case .poison:
      let next = time.now() + FailureClass.poisonPause
      // A create or a command that may be repeated may have been processed: its claim keeps the key and the bytes. One that
      // may not be was refused with 503 at each try.
      let isClaim = facts.isRepeatable && (claim.entry.kind == .create || claim.entry.kind == .command)
      await note(claim) {
        failure.describe(&$0)
        $0.next = next
        if !isClaim { $0.state = .refused }
      }
      noteRefusal()
      log.add(.refused(status: failure.status), claim)
    case .gone:
      await note(claim) {
        failure.describe(&$0)
        $0.state = .gone
      }
      noteRefusal()
      log.add(.gone, claim)
    case .done:
      // The removal of the row takes these statuses as a success already.
      await note(claim) { failure.describe(&$0) }
    case .notTakenIn:
      await notTakenIn(claim, failure)
    }
  }

  private func refuse(_ claim: Claim, _ failure: Failure, triesAgain: Bool) async {
    // A question that failed says nothing of the create.
    guard claim.action != .lookUp, claim.action != .read else {
      await note(claim) { failure.describe(&$0) }
      return log.add(.unknown, claim)
    }
    // Other changes get their turn first.
    let next = triesAgain ? time.now() + 1 : nil
    await note(claim) {
      failure.describe(&$0)
      ($0.state, $0.next) = (.refused, next)
    }
    noteRefusal()
    log.add(.refused(status: failure.status), claim)
  }

  /// The server has the change, and its answer is nonsense, or the store can't take it in. An update and a deletion are
  /// refused, because the same answer would come again. A create or a command stays a claim that a person settles, because
  /// it would be doubled.
  private func notTakenIn(_ claim: Claim, _ failure: Failure) async {
    let isHeld = claim.entry.kind == .create || claim.entry.kind == .command
    await note(claim) {
      failure.describe(&$0)
      if isHeld { $0.next = .infinity } else { $0.state = .refused }
    }
    noteRefusal()
    log.add(isHeld ? .unknown : .refused(status: failure.status), claim)
  }

  /// The server has another version of the object: reads it, and has the plan send the merged change.
  private func merge(_ claim: Claim, _ failure: Failure) async {
    let key = claim.entry.key
    guard handlers[key.entity]?.condition.isSet == true, rounds[key, default: 0] < 3 else {
      rounds[key] = nil
      return await refuse(claim, failure, triesAgain: false)
    }
    rounds[key, default: 0] += 1
    if claim.entry.kind == .create {
      if claim.entry.attempts > 1 { return await askAfterCreate(claim) }
      // Somebody else has made the object. Its values end the insertion, and the differences that are left are an update.
      await remove(claim)
    } else if claim.entry.kind == .update, claim.entry.attempts > 1 {
      // The version may be that of an earlier try. The entry says so until the object is read.
      log.add(.later, claim)
      return _ = await reload(key, .update, ending: claim.entry)
    } else if claim.entry.kind == .update {
      await remove(claim)
    } else {
      await release(claim, counts: false)
    }
    log.add(.later, claim)
    await reload(key, claim.entry.kind)
  }

  /// An earlier try of a create has made the object. Its values count, because somebody may have edited the object since.
  private func askAfterCreate(_ claim: Claim) async {
    log.add(.later, claim)
    do {
      guard let question = try await handlers[claim.entry.key.entity]?.questionAfterCreate(claim.entry.number) else {
        return
      }
      await send(question, through: nil)
    } catch {
      pause.storeFailed(error, now: time.now())
    }
  }

  /// Reads an object before a change of it is sent. Where the server's answers have no version, no reading brings one.
  ///
  /// - Parameter lost: The entry of an update whose earlier try may have arrived; `nil` where the version is not known.
  func read(_ line: PlannedLine, ending lost: OutboxEntry?) async {
    let key = line.key
    guard lost == nil else { return _ = await reload(key, line.action.kind, ending: lost) }
    guard rounds[key, default: 0] < 3 else {
      rounds[key] = nil
      let error = RequestError(
        .invalidRequest,
        "The server's answers about the object have no ETag that a request can hold for; a weak one does not count. Have "
          + "the server send one, or declare the outbox without `ifMatch`, and retry.")
      let entry = OutboxEntry(key: key, kind: line.action.kind, state: .refused, time: time.now())
      return await keep(entry, .refused, Failure(error), for: nil, of: line)
    }
    if await reload(key, line.action.kind, of: line) { rounds[key, default: 0] += 1 }
  }

  /// Reads an object, so that its version is known.
  ///
  /// - Parameters:
  ///   - lost: The entry of an update whose earlier try may have arrived.
  ///   - line: The line that waits for the reading; `nil` where the reading follows a request.
  /// - Returns: Whether the server answered about the object.
  @discardableResult func reload(
    _ key: RowKey, _ kind: OutboxEntry.Kind, ending lost: OutboxEntry? = nil, of line: PlannedLine? = nil
  ) async -> Bool {
    let number = nextNumber()
    do {
      try await handlers[key.entity]?.reload(key, ending: lost?.number)
      readFailures[key] = nil
      return true
    } catch {
      var entry = OutboxEntry(key: key, kind: kind, state: .sending, time: time.now())
      readFailures[key, default: 0] += 1
      entry.attempts = readFailures[key, default: 0]
      let facts = facts(of: entry, .read, error)
      switch FailureClass.outcome(of: facts) {
      case .gone: await keep(entry, .gone, Failure(error), for: lost, of: line)
      // A create finds out by itself.
      case _ where facts.status == 404 || facts.status == 410: break
      case .signedOut: pause.begin(.unauthorized, until: .infinity)
      case .offline: pauseOffline(number)
      case .busy(let retryAfter), .waitAndRepeat(let retryAfter):
        if facts.status != nil { pauseBusy(retryAfter, number) } else { pauseOffline(number) }
      case .notSent, .lost: break
      case .refused, .poison, .mergeNeeded, .done, .notTakenIn:
        readFailures[key] = nil
        await keep(entry, .refused, Failure(error), for: lost, of: line)
      }
      return false
    }
  }

  /// Notes at the entry of a change that it could not be sent. A change without an entry gets one.
  ///
  /// - Parameters:
  ///   - lost: The entry that the change has, which ends; `nil` where it has none.
  ///   - line: The line of the change.
  private func keep(
    _ entry: OutboxEntry, _ state: OutboxEntry.State, _ failure: Failure, for lost: OutboxEntry?, of line: PlannedLine?
  ) async {
    // The number that the plan compares: of a deletion, or of an edit of an embedded object, the row itself has no note.
    let edited = situation.pending[entry.key]?.number
    do {
      try await core.unit { rows in
        let edited = try edited ?? rows.outbox.lastEdit(of: entry.key)
        // An update that waits before a command has an entry. Beside a second entry the first one would be read for again.
        if let number = line?.entry, var own = try rows.outbox.entry(number: number), own.kind == entry.kind {
          (own.state, own.time, own.next, own.edited) = (state, entry.time, nil, edited)
          failure.describe(&own)
          return try rows.outbox.update(own)
        }
        if let lost { try rows.outbox.remove(numbers: [lost.number]) }
        var entry = entry
        entry.state = state
        failure.describe(&entry)
        entry.edited = edited
        try rows.outbox.insert(entry)
      }
      noteRefusal()
    } catch {
      pause.storeFailed(error, now: time.now())
    }
  }

  private func facts(
    of entry: OutboxEntry, _ action: PlannedLine.Action, _ error: any Error, isSecondTry: Bool = false
  ) -> FailureClass.Facts {
    let handler = handlers[entry.key.entity]
    let rules = handler?.planning ?? PlanningRules()
    let isRepeatable =
      switch action {
      case .create: rules.repeatsCreates
      case .command: rules.repeatsCommands
      case .update, .deletion, .lookUp, .read: true
      }
    var facts = FailureClass.Facts(entry.kind, isRepeatable: isRepeatable)
    facts.conflictIsMerge = handler?.condition.isInBody == true
    facts.hasKey = entry.idempotencyKey != nil
    facts.attempts = entry.attempts
    facts.wasRefused = isSecondTry
    let since = failing[entry.key] ?? successes
    failing[entry.key] = since
    facts.othersSucceeded = successes > since
    guard let error = error as? RequestError else {
      facts.isCancellation = error is CancellationError
      return facts
    }
    // The answer to a question may be nonsense, too.
    let isAnswered = error.kind != .status && error.response.map { (200..<300).contains($0.status) } == true
    facts.wasAccepted = error.wasAccepted || isAnswered
    switch error.kind {
    case .transport:
      if let sending = error.sending { facts.note(sending) }
    case .status:
      facts.status = error.status
      // A wait that can't be read is left to the jitter.
      facts.retryAfter = error.response.flatMap {
        RetryAfter.wait($0.headers, now: time.now(), unreadable: .zero).map { $0 / .seconds(1) }
      }
    case .invalidRequest, .unsafeResource, .missingUID: facts.isLocal = true
    default: break
    }
    return facts
  }

  // MARK: Pauses

  /// - Parameter request: The number of the request that failed.
  private func pauseOffline(_ request: Int) {
    guard pause.counts(request, now: time.now()) else { return }
    let wait = Backoff.wait(failures: pause.failures + 1, using: &random)
    pause.goOffline(until: time.now() + wait, last: begun)
  }

  private func pauseBusy(_ retryAfter: Double?, _ request: Int) {
    let counts = pause.counts(request, now: time.now())
    guard counts || retryAfter != nil else { return }
    let wait = Backoff.wait(failures: pause.failures + (counts ? 1 : 0), retryAfter: retryAfter, using: &random)
    let until = time.now() + wait
    if counts { pause.goBusy(until: until, last: begun) } else { pause.prolong(until: until) }
  }
}

/// The facts of a failure that an entry keeps.
struct Failure: Sendable {
  let status: Int?
  let reason: String
  let answer: Data?

  init(_ error: any Error) {
    let request = error as? RequestError
    status = request?.status
    // A person reads it, and the answer is kept beside it.
    let message = request.map { $0.wasAccepted ? "\(RequestError.notTakenIn) \($0.message)" : $0.message }
    reason = (request?.serverMessage ?? message ?? RequestError.shown(error)).bounded
    answer = request?.response.flatMap { $0.body.count <= 1 << 14 ? $0.body : nil }
  }

  func describe(_ entry: inout OutboxEntry) { (entry.status, entry.reason, entry.answer) = (status, reason, answer) }
}

extension String {
  /// The text cut to 16 KiB of UTF-8.
  var bounded: String { utf8.count <= 1 << 14 ? self : String(decoding: utf8.prefix(1 << 14), as: UTF8.self) }
}
