import EntityRequests
import EntityStore

// One request from its turn to its end.

extension OutboxEngine {
  func begin(_ plan: PlannedOutbox) {
    let ready = plan.lines.filter { $0.state == .ready && unready[$0.key] != covered }
    guard !ready.isEmpty, hasRole() else { return }
    for line in ready where senders[line.key] == nil {
      let facts = situation.pending[line.key]
      senders[line.key] = Task { await self.send(line, facts) }
    }
  }

  /// Whether this outbox is the one sender of the file's changes.
  private func hasRole() -> Bool {
    if role != nil { return true }
    do {
      role = try core.takeSenderRole()
      if role == nil { pause.begin(.otherSender, until: time.now() + 5) }
    } catch {
      pause.storeFailed(error, now: time.now())
    }
    return role != nil
  }

  private func send(_ line: PlannedLine, _ facts: PendingFacts?) async {
    await sendInTurn(line, facts)
    senders[line.key] = nil
    underWay[line.key] = nil
    ends += 1
    bell.ring()
  }

  private func sendInTurn(_ line: PlannedLine, _ facts: PendingFacts?) async {
    // A verb of the object may have a request under way.
    guard let turn = try? await core.turns.turn(of: line.key) else { return }
    defer { turn.end() }
    let claim: Claim
    do {
      guard let claimed = try await claimed(line, facts) else { return }
      claim = claimed
    } catch {
      return pause.storeFailed(error, now: time.now())
    }
    underWay[line.key] = claim
    log.add(.claimed, claim)
    do {
      let ending = try await claim.send()
      claim.end()
      await taken(ending, claim)
    } catch {
      claim.end()
      await failed(claim, error)
    }
  }

  private func taken(_ ending: Claim.Ending, _ claim: Claim) async {
    pause.end()
    switch ending {
    // The server has not made the object yet, and nothing tells when it has: the claim stays.
    case .taken(status: 202) where claim.action == .create: log.add(.unknown, claim)
    case .taken(let status):
      pass.sent += 1
      successes += 1
      (rounds[claim.entry.key], failing[claim.entry.key]) = (nil, nil)
      log.add(.done(status: status), claim)
    case .notFound:
      await note(claim) { $0.state = .waiting }
      log.add(.notFound, claim)
    case .several(let count):
      await note(claim) {
        $0.next = .infinity
        $0.problem =
          count == 1
          ? "The server was asked for the object, and has one of another value. Confirm whether it is this one, or drop it."
          : "The server has \(count) objects that may be this one. Confirm which of them it is, or drop it."
      }
      log.add(.unknown, claim)
    }
  }

  /// Writes an end of a claim to its entry. An entry that is gone meanwhile stays gone.
  func note(_ claim: Claim, _ change: @Sendable (inout OutboxEntry) -> Void) async {
    do {
      try await core.unit { [now = time.now()] rows in
        guard var entry = try rows.outbox.entry(number: claim.entry.number) else { return }
        change(&entry)
        entry.time = now
        try rows.outbox.update(entry)
      }
    } catch {
      // The claim stays: its end is unknown.
      pause.storeFailed(error, now: time.now())
    }
  }

  /// Takes a claim back: the server has nothing of the request. A change that follows from the marks is made anew; a
  /// frozen request and a command wait.
  ///
  /// - Parameter counts: Whether the try counts as one.
  func release(_ claim: Claim, counts: Bool) async {
    // A question leaves the entry as it is.
    guard claim.action != .lookUp, claim.action != .read else { return }
    guard counts || claim.isFrozen || claim.entry.kind == .command else {
      do {
        try await core.unit { try $0.outbox.remove(numbers: [claim.entry.number]) }
      } catch {
        pause.storeFailed(error, now: time.now())
      }
      return
    }
    await note(claim) {
      $0.state = .waiting
      if !counts { $0.attempts = max(0, $0.attempts - 1) }
      // A request that is made anew has nothing of this one.
      if !claim.isFrozen, $0.kind != .command {
        ($0.request, $0.body, $0.sent, $0.idempotencyKey) = (nil, nil, nil, nil)
      }
    }
  }
}
