import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

// Commands: their place among the changes of their object, and their requests.

extension EntityChanges {
  /// Puts a command behind the changes that its object has now.
  func enqueue<Command: OutboxCommand>(
    _ command: Command, on id: EntityID<E>, now: Double
  ) async throws where Command.Entity == E {
    guard settings.commands[Command.name] != nil else {
      throw RequestError(
        .invalidRequest,
        "'\(E.entityName)' has no command '\(Command.name)'. Declare it among its rules: `.command(\(Command.self).self)`."
      )
    }
    let arguments = String(decoding: try JSONValueEncoder(format: .sorted).encode(command), as: UTF8.self)
    let key = RowKey(entity: model.number, pk: id.pk)
    try await core.unit(saving: { context, rows in
      guard let object = try context.object(id) else {
        throw RequestError(.invalidRequest, "The object of the command '\(Command.name)' is not in the store.")
      }
      try freeze(object, ClaimingUnit(context: context, rows: rows, now: now))
      var entry = OutboxEntry(key: key, kind: .command, state: .waiting, time: now)
      (entry.name, entry.kept, entry.edited) = (Command.name, arguments, try rows.outbox.number())
      entry.uid = uid(of: object)
      entry.number = try rows.outbox.insert(entry)
      var former = try rows.outbox.formerValues(of: key, isMadeHere: object.isMadeHere)
      try Client.withClient(client) { try command.apply(to: object) }
      let effects = object.unsavedColumns
      try context.saving.flushUnit()
      let sent = SentEdits(of: object, effects)
      defer { sent.marker.end() }
      former.remove(former.mask.subtracting(effects))
      entry.sent = try sent.stored(core.schema, former: former)
      try rows.outbox.update(entry)
    })
  }

  /// Freezes the request of the object's pending changes, because the command counts on the values of this moment. An
  /// object that names others which are yet to be made is created with the values that it has then, an effect of the command
  /// among them.
  private func freeze(_ object: E, _ unit: ClaimingUnit) throws {
    let key = RowKey(entity: model.number, pk: object.entityID.pk)
    guard let facts = try unit.context.pendingEdits.outboxFacts(of: [key])[key], facts.kind != .deletion else { return }
    let all = try unit.rows.outbox.entries(of: key)
    let entries = all.filter { $0.kind == .create || $0.kind == .update }
    guard !entries.contains(where: { $0.edited >= facts.number && $0.request != nil && $0.state != .refused }) else {
      return
    }
    // The create may make the object at any moment. Later edits are an update then, and a second create would double it.
    guard facts.kind != .insert || !entries.contains(where: { $0.kind == .create && $0.state == .sending }) else {
      if !entries.contains(where: { $0.kind == .update }) { try goFirst(facts, nil, [], unit) }
      return
    }
    var line = PlannedLine(key: key, action: facts.kind == .insert ? .create : .update, state: .ready)
    let lastCommand = facts.kind == .edit ? all.last { $0.kind == .command }?.number ?? 0 : 0
    // A request that waits before an earlier command keeps the values of its moment; one that is yet to be made, its
    // properties.
    let kept = entries.filter { $0.state == .waiting && $0.number < lastCommand && $0.hasProperties }
    if settings.updating.carrying != .all {
      // An earlier request carries its own properties, unless they were edited since it was made.
      for entry in kept where entry.kind == .update {
        let carried = OutboxEntry.properties(in: entry.sent).compactMap(model.index(of:))
        let since = entry.hasRequest ? try unit.rows.outbox.editedSince(entry.edited, key) : ColumnMask()
        for index in carried where !since.contains(index) { line.leftOut.insert(index) }
      }
      guard line.leftOut.isEmpty || !facts.edited.subtracting(line.leftOut).isEmpty else { return }
    }
    line.entry = entries.last { ($0.state == .refused || $0.state == .waiting) && !kept.contains($0) }?.number
    let own = settings.updating.carrying == .all ? nil : facts.edited.subtracting(line.leftOut)
    // A request that is made now would name an object that the server may not have yet when the request is sent, or hold for
    // the version from before an earlier request.
    guard try (kept.isEmpty || settings.condition == nil) && !namesNewObjects(facts, unit) else {
      // A create goes before the commands of its object in any case.
      if facts.kind == .edit { try goFirst(facts, own, entries, but: kept, unit) }
      return
    }
    do {
      guard let claim = try claim(line, facts, in: unit) else { return }
      claim.end()
      var entry = claim.entry
      (entry.state, entry.attempts) = (.waiting, 0)
      try unit.rows.outbox.update(entry)
    } catch let error as StoreError {
      throw error
    } catch {
      // The request can't be made yet. It goes first all the same, with the values that the object has then.
      if facts.kind == .edit { try goFirst(facts, own, entries, but: kept, unit) }
    }
  }

  /// Whether a change names an object that is yet to be made at the server, whose uid may have been made here.
  private func namesNewObjects(_ facts: PendingFacts, _ unit: ClaimingUnit) throws -> Bool {
    let targets = Set(facts.links.map(\.target)).subtracting([facts.key])
    guard !targets.isEmpty else { return false }
    return try unit.context.pendingEdits.outboxFacts(of: targets).values.contains { $0.kind == .insert }
  }

  /// Keeps the place of an update before a command. The update has the values that the object has when it is sent.
  ///
  /// - Parameters:
  ///   - own: The properties of the update; `nil` for all that are edited when it is sent.
  ///   - entries: The entries of the object. One that has such a place keeps it.
  ///   - kept: Those whose place is before an earlier command.
  private func goFirst(
    _ facts: PendingFacts, _ own: ColumnMask?, _ entries: [OutboxEntry], but kept: [OutboxEntry] = [],
    _ unit: ClaimingUnit
  ) throws {
    let known = entries.last {
      $0.kind == .update && ($0.state == .refused || $0.state == .waiting && !$0.hasRequest) && !kept.contains($0)
    }
    guard known == nil || known?.ownProperties != nil else { return }
    var entry = known ?? OutboxEntry(key: facts.key, kind: .update, state: .waiting, time: unit.now)
    (entry.uid, entry.edited) = (facts.uid, facts.number)
    entry.sent = own.flatMap { OutboxEntry.names($0.indices.map { model.properties[$0].name }) }
    if known == nil { try unit.rows.outbox.insert(entry) } else { try unit.rows.outbox.update(entry) }
  }

  /// The uid of an object as text; `nil` where it has none.
  func uid(of object: E) -> String? {
    object.serverUID.flatMap { uid in model.uidType.flatMap { uid.uidText($0) } }
  }

  /// The request of a command, which is made once: later tries send the same bytes.
  func command(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> Claim? {
    if let rule = known.name.flatMap({ settings.uploads[$0] }) { return try upload(known, by: rule, line, in: unit) }
    guard let name = known.name, let kind = settings.commands[name] else {
      throw RequestError(
        .invalidRequest,
        "This version of the app has no command '\(known.name ?? "")' of '\(E.entityName)'. Declare it "
          + "and retry, or drop it.")
    }
    guard let object = try unit.context.object(EntityID<E>(pk: known.key.pk)) else {
      throw RequestError(.invalidRequest, "The object of the command '\(name)' was deleted here. Drop the command.")
    }
    var request: URLRequest
    do {
      request = try Client.withClient(client) { try kind.request(known.kept ?? "{}", object) }
    } catch let error as RequestError where error.kind == .missingUID {
      throw NotReady(reason: error.message)
    }
    var entry = known
    entry.uid = uid(of: object)
    entry.idempotencyKey = settings.keyHeader.map { _ in UUID().uuidString }
    try setKey(entry.idempotencyKey, on: &request)
    return try claim(&entry, line, try write(request, known, in: unit), in: unit)
  }
}
