import EntityRequests
import EntityStore

// One request from its turn to its end.

extension OutboxEngine {
  /// Begins as many of the queue's requests as may be under way.
  func beginQueued() {
    guard queue.isUsable, requests < situation.width, hasRole() else { return }
    while requests < situation.width, let lines = queue.popFirst() {
      begin(lines.filter { senders[$0.key] == nil && unready[$0.key] != covered && !doubted.contains($0.key) })
    }
  }

  /// Begins a request that carries some changes. An object whose turn has not come would hold up the others: its change
  /// goes alone.
  private func begin(_ lines: [PlannedLine]) {
    guard lines.count > 1 else {
      if let line = lines.first { begin([Change(line, situation.pending[line.key])], []) }
      return
    }
    var changes: [Change] = []
    var turns: [ObjectTurns.HeldTurn] = []
    for line in lines {
      let change = Change(line, situation.pending[line.key])
      if let turn = core.turns.turnAtOnce(of: line.key) {
        turns.append(turn)
        changes.append(change)
      } else {
        begin([change], [])
      }
    }
    if !changes.isEmpty { begin(changes, turns) }
  }

  /// - Parameter turns: Those of the changes; empty for one that waits for its turn.
  private func begin(_ changes: [Change], _ turns: [ObjectTurns.HeldTurn]) {
    requests += 1
    let number = nextNumber()
    let task = Task { await self.send(changes, turns, number) }
    for change in changes {
      senders[change.line.key] = task
      touched.insert(change.line.key)
      if situation.isUpload(change.line.entry) { uploading.insert(change.line.key) }
    }
  }

  /// Whether this outbox is the one sender of the file's changes.
  private func hasRole() -> Bool {
    if role != nil { return true }
    do {
      role = try core.takeSenderRole()
      if role == nil {
        alone = time.now()
        pause.begin(.otherSender, until: alone + 5)
      }
    } catch {
      pause.storeFailed(error, now: time.now())
    }
    return role != nil
  }

  /// The number of a request that begins.
  func nextNumber() -> Int {
    begun += 1
    return begun
  }

  private func send(_ changes: [Change], _ turns: [ObjectTurns.HeldTurn], _ number: Int) async {
    await sendInTurn(changes, turns, number)
    for change in changes { leave(change.line.key) }
    requests -= 1
    ends += 1
    bell.ring()
  }

  private func leave(_ key: RowKey) {
    (senders[key], underWay[key]) = (nil, nil)
    uploading.remove(key)
    for row in objects.end(key) { unready[row] = nil }
  }

  /// Whether no other row has a request under way about the object of a change.
  private func isAlone(_ change: Change) -> Bool {
    let (line, uid) = (change.line, change.facts?.uid)
    guard !objects.begin(line.key, uid: uid ?? line.entry.flatMap { situation.entries[$0]?.uid }) else { return true }
    (unready[line.key], reasons[line.key]) = (covered, nil)
    return false
  }

  private func sendInTurn(_ changes: [Change], _ turns: [ObjectTurns.HeldTurn], _ number: Int) async {
    var turns = turns
    defer { for turn in turns { turn.end() } }
    if turns.isEmpty {
      // A verb of the object may have a request under way.
      for change in changes {
        guard let turn = try? await core.turns.turn(of: change.line.key) else { return }
        turns.append(turn)
      }
    }
    let changes = changes.filter { isAlone($0) }
    guard !changes.isEmpty else { return }
    let claims: [Claim]
    do {
      claims = try await claimed(changes).map { $0.numbered(number) }
    } catch {
      return pause.storeFailed(error, now: time.now())
    }
    for claim in claims {
      underWay[claim.entry.key] = claim
      log.add(.claimed, claim)
    }
    guard claims.count > 1, let batch = handlers[claims[0].entry.key.entity]?.batch else {
      if let claim = claims.first { await send(claim, through: nil) }
      return
    }
    let sending = BatchSending(batch, client, count: claims.count)
    await withTaskGroup { group in
      group.addTask { await sending.run() }
      for (place, claim) in claims.enumerated() {
        group.addTask {
          let part = sending.part(place)
          await self.send(claim, through: part)
          part.leave()
        }
      }
    }
  }

  /// One request, from its claim to its end.
  func send(_ claim: Claim, through adapter: (any RequestAdapter)?) async {
    do {
      let ending = try await claim.send(adapter)
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
    case .goesOn(let file, let isFurther, let wait): await goOn(claim, file, isFurther: isFurther, wait: wait)
    case .notFound:
      await note(claim) { $0.state = .waiting }
      log.add(.notFound, claim)
    case .several(let count):
      await hold(
        claim, "The server has \(count) objects that may be this one. Confirm which of them it is, or drop it.")
    case .another:
      await hold(
        claim,
        "The server was asked for this object, and answered with another one: it may not know the parameter of the "
          + "query. Confirm what became of the object, or drop it.")
    }
  }

  /// The next request of an upload. An upload that came further counts no try.
  private func goOn(_ claim: Claim, _ file: AttachedFile, isFurther: Bool, wait: Double?) async {
    let (text, next) = (try? file.text, wait.map { time.now() + $0 })
    await note(claim) {
      ($0.state, $0.next, $0.kept) = (.waiting, next, text ?? $0.kept)
      if isFurther { ($0.attempts, $0.status, $0.reason, $0.answer) = (0, nil, nil, nil) }
    }
    guard isFurther else { return log.add(.later, claim) }
    successes += 1
    failing[claim.entry.key] = nil
    log.add(.piece(sent: file.furthest, of: file.size), claim)
  }

  /// A person says what became of a create.
  private func hold(_ claim: Claim, _ reason: String) async {
    await note(claim) { ($0.next, $0.reason) = (.infinity, reason) }
    log.add(.unknown, claim)
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
  /// - Parameters:
  ///   - counts: Whether the try counts as one.
  ///   - isAnswered: Whether a server refused the request for now.
  func release(_ claim: Claim, counts: Bool, isAnswered: Bool = false) async {
    // A question leaves the entry as it is.
    guard claim.action != .lookUp, claim.action != .read else { return }
    // The refusal is about the last attempt of the adapter. An earlier one may have arrived with the key.
    let keepsKey = isAnswered && claim.entry.idempotencyKey != nil
    let isKept = claim.isFrozen || claim.entry.kind == .command || keepsKey
    guard counts || isKept else { return await remove(claim) }
    await note(claim) {
      $0.state = .waiting
      // A try that may have arrived with a key stays one: the next one is a second request.
      if !counts { $0.attempts = max(keepsKey ? 1 : 0, $0.attempts - 1) }
      // A request that is made anew has nothing of this one.
      if !isKept { $0.forgetRequest() }
    }
  }

  /// The change follows from the marks alone again.
  func remove(_ claim: Claim) async {
    do {
      try await core.unit { try $0.outbox.giveUpRequest(of: claim.entry.number) }
    } catch {
      pause.storeFailed(error, now: time.now())
    }
  }
}
