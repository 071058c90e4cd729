import EntityRequests
import EntityStore

// The claims of changes: the entry of a request is in the file before its first byte is sent.

extension OutboxEngine {
  /// Claims changes in one transaction.
  ///
  /// - Returns: The claims of those that are what they were planned as, and that can be sent now.
  func claimed(_ changes: [Change]) async throws -> [Claim] {
    let keys = Set(changes.map(\.line.key))
    let entries = Dictionary(grouping: situation.entries.values.filter { keys.contains($0.key) }, by: \.key)
      .mapValues { $0.sorted { $0.number < $1.number } }
    let account = client.accountHash
    let isDurable = changes.contains { $0.line.action == .create || $0.line.action == .command }
    let results = try await core.unit(
      isDurable: isDurable,
      reading: { [handlers, now = time.now()] context, rows -> [ClaimResult] in
        let unit = ClaimingUnit(context: context, rows: rows, now: now)
        let facts = try context.pendingEdits.outboxFacts(of: keys)
        let owner = OutboxOwner(file: try rows.outbox.fileIdentity(), account: account)
        return try changes.map { change in
          let key = change.line.key
          let known = entries[key] ?? []
          guard let handler = handlers[key.entity], facts[key] == change.facts,
            try rows.outbox.entries(of: key) == known
          else { return .outdated }
          if let present = try rows.outbox.owner() {
            guard present == owner else { return .foreign(isCopy: present.file != owner.file) }
          } else {
            try rows.outbox.setOwner(owner)
          }
          return try handler.claimed(change, known.first { $0.number == change.line.entry }, in: unit)
        }
      })
    var claims: [Claim] = []
    for (change, result) in zip(changes, results) {
      if let claim = await take(result, of: change.line) { claims.append(claim) }
    }
    return claims
  }

  private func take(_ result: ClaimResult, of line: PlannedLine) async -> Claim? {
    switch result {
    case .claimed(let claim): return claim
    case .outdated:
      // The change of another object may have changed these facts. The next look reads them anew, and not from the news.
      doubted.insert(line.key)
    case .needsReading(let lost): await read(line, ending: lost)
    case .notReady(let reason): (unready[line.key], reasons[line.key]) = (covered, reason)
    case .foreign(let isCopy): pause.begin(isCopy ? .copied : .otherAccount, until: .infinity)
    case .refused(let entry):
      pass.refused += 1
      log.add(.refused(status: nil), entry)
    }
    return nil
  }

  /// The present file and account send from now on, whoever sent before.
  func adopt() async throws {
    let account = client.accountHash
    try await core.unit { rows in
      try rows.outbox.setOwner(OutboxOwner(file: try rows.outbox.fileIdentity(), account: account))
    }
    pause.end()
    bell.ring()
  }
}

/// The result of the claim of one change.
private enum ClaimResult: Sendable {
  case claimed(Claim)
  /// The change is another one by now.
  case outdated
  /// - Parameter reason: The reason for a person; `nil` where nothing is left to send.
  case notReady(reason: String?)
  case needsReading(ending: OutboxEntry?)
  /// The file belongs to another account, or is a copy.
  case foreign(isCopy: Bool)
  case refused(OutboxEntry)
}

extension ChangeHandler {
  /// - Parameter known: The entry of the change; `nil` for one that follows from the marks alone.
  /// - Throws: `StoreError`, which undoes the claims of the unit.
  fileprivate func claimed(_ change: Change, _ known: OutboxEntry?, in unit: ClaimingUnit) throws -> ClaimResult {
    let (line, facts) = (change.line, change.facts)
    do {
      return try claim(line, facts, in: unit).map { .claimed($0) } ?? .notReady(reason: nil)
    } catch let error as StoreError {
      throw error
    } catch let error as NeedsReading {
      return .needsReading(ending: error.lost)
    } catch let error as NotReady {
      guard line.action == .lookUp || line.isFrozen, var entry = known else {
        return .notReady(reason: error.reason)
      }
      // Nothing but a person tells more of the request, which may have arrived.
      (entry.state, entry.next, entry.reason) = (.sending, .infinity, error.reason)
      try unit.rows.outbox.update(entry)
      return .outdated
    } catch {
      var entry = known ?? OutboxEntry(key: line.key, kind: line.action.kind, state: .refused, time: unit.now)
      (entry.state, entry.reason, entry.time) = (.refused, RequestError.shown(error).bounded, unit.now)
      entry.edited = facts?.number ?? entry.edited
      if entry.number == 0 {
        entry.number = try unit.rows.outbox.insert(entry)
      } else {
        try unit.rows.outbox.update(entry)
      }
      return .refused(entry)
    }
  }
}

extension PlannedLine.Action {
  var kind: OutboxEntry.Kind {
    switch self {
    case .create, .lookUp: .create
    case .update, .read: .update
    case .deletion: .deletion
    case .command: .command
    }
  }
}
