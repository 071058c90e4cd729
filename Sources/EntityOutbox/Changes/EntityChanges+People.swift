import EntityRequests
import EntityStore
import HTTPFoundation

// A person's word about a request, and the plan that a person reads.

extension EntityChanges {
  func confirm(_ number: Int64, _ uid: (any ResourceUID)?) async throws {
    let text = try uid.map { try $0.uidSegments(of: E.self) }
    let claimed = try await core.unit(
      isDurable: false,
      reading: { context, rows -> (write: ObjectWrite<E>, isNew: Bool)? in
        guard let known = try rows.outbox.entry(number: number), known.state == .sending else { return nil }
        let unit = ClaimingUnit(context: context, rows: rows, now: known.time)
        return (try write(URLRequest(url: client.baseURL), known, in: unit), known.kind == .create && known.uid == nil)
      })
    guard let (write, isNew) = claimed else { return }
    defer { write.end() }
    guard !isNew || text != nil || model.uid == nil else {
      throw RequestError(.missingUID, "Name the uid that the server gave the object: confirm(item, .happened(uid:)).")
    }
    try await write.confirm(uid: text, ending: OutboxEntryEnd(number: number))
  }

  func shown(_ line: PlannedLine, command: String?, uid: String?) -> (method: String, path: String?) {
    let base = E.basePath.hasSuffix("/") ? String(E.basePath.dropLast()) : E.basePath
    let own = uid.map { E.shownPath(uid: $0) }
    switch line.action {
    case .create:
      let method = settings.creating.method
      return (method.rawValue, method == .post ? base : own)
    case .update: return (settings.updating.method.rawValue, own)
    case .deletion: return ("DELETE", own)
    case .command:
      guard let rule = command.flatMap({ settings.uploads[$0] }) else { return ("POST", own) }
      return (rule.method(.create).rawValue, rule.path.hasPrefix("/") ? rule.path : own.map { "\($0)/\(rule.path)" })
    case .lookUp: return ("GET", base)
    case .read: return ("GET", own)
    }
  }

  func version(of line: PlannedLine, _ known: OutboxEntry?, in context: EntityContext) throws -> String? {
    guard let condition = settings.condition, line.action == .update || line.action == .deletion else { return nil }
    // A request that may have reached the server keeps its version.
    if line.action == .update, let known, line.isFrozen || known.state == .sending,
      let version = FrozenRequest(known)?.ifMatch
    {
      return version
    }
    switch condition.place {
    case .etag: return try context.pendingEdits.outboxVersion(of: line.key)
    case .attribute:
      guard let object = try context.object(EntityID<E>(pk: line.key.pk)) else {
        return try context.pendingEdits.outboxVersion(of: line.key)
      }
      return try condition.index(model).flatMap { try object.exportedText($0) }
        .map { EntityTag.tag(of: $0, isWeak: condition.isWeak) }
    case .body: return nil
    }
  }
}
