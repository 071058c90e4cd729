import EntityRequests
import EntityStore

// The claims of changes: the entry of a request is in the file before its first byte is sent.

extension OutboxEngine {
  /// - Returns: `nil` where the change is another one by now, or can't be sent yet.
  func claimed(_ line: PlannedLine, _ facts: PendingFacts?) async throws -> Claim? {
    guard let handler = handlers[line.key.entity] else { return nil }
    let entries = situation.entries.values.filter { $0.key == line.key }.sorted { $0.number < $1.number }
    let known = line.entry.flatMap { situation.entries[$0] }
    let account = client.accountHash
    let isDurable = line.action == .create || line.action == .command
    let result = try await core.unit(
      isDurable: isDurable,
      reading: { [now = time.now()] context, rows -> ClaimResult in
        guard try context.pendingEdits.outboxFacts(of: [line.key])[line.key] == facts,
          try rows.outbox.entries(of: line.key) == entries
        else { return .outdated }
        let owner = OutboxOwner(file: try rows.fileIdentity(), account: account)
        if let present = try rows.outboxOwner() {
          guard present == owner else { return .foreign(isCopy: present.file != owner.file) }
        } else {
          try rows.setOutboxOwner(owner)
        }
        do {
          let unit = ClaimingUnit(context: context, rows: rows, now: now)
          return try handler.claim(line, facts, in: unit).map { .claimed($0) } ?? .notReady
        } catch let error as StoreError {
          throw error
        } catch is NeedsReading {
          return .needsReading
        } catch let error as NotReady {
          guard line.action == .lookUp, var entry = known else { return .notReady }
          // Nothing but a person tells more of the create.
          (entry.next, entry.problem) = (.infinity, error.problem)
          try rows.outbox.update(entry)
          return .outdated
        } catch {
          var entry = known ?? OutboxEntry(key: line.key, kind: line.action.kind, state: .refused, time: now)
          (entry.state, entry.problem, entry.time) = (.refused, RequestError.shown(error).bounded, now)
          entry.edited = facts?.number ?? entry.edited
          if entry.number == 0 { entry.number = try rows.outbox.insert(entry) } else { try rows.outbox.update(entry) }
          return .refused(entry)
        }
      })
    switch result {
    case .claimed(let claim): return claim
    case .outdated:
      // The change of another object may have changed these facts. The next look reads them anew, and not from the news.
      doubted.insert(line.key)
    case .needsReading: await reload(line.key, line.action.kind)
    case .notReady: unready[line.key] = covered
    case .foreign(let isCopy): pause.begin(isCopy ? .copied : .otherAccount, until: .infinity)
    case .refused(let entry):
      pass.refused += 1
      log.add(.refused(status: nil), entry)
    }
    return nil
  }

  private enum ClaimResult: Sendable {
    case claimed(Claim)
    /// The change is another one by now.
    case outdated
    case notReady
    case needsReading
    /// The file belongs to another account, or is a copy.
    case foreign(isCopy: Bool)
    case refused(OutboxEntry)
  }

  /// The present file and account send from now on, whoever sent before.
  func adopt() async throws {
    let account = client.accountHash
    try await core.unit { rows in
      try rows.setOutboxOwner(OutboxOwner(file: try rows.fileIdentity(), account: account))
    }
    pause.end()
    bell.ring()
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
