import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

// Creates and updates: their requests, and those that are sent once more.

extension EntityChanges {
  func change(
    _ kind: OutboxChange.Kind, _ line: PlannedLine, _ facts: PendingFacts?, _ known: OutboxEntry?,
    in unit: ClaimingUnit
  ) throws -> Claim? {
    let creates = kind == .create
    guard let facts, let object = try unit.context.object(EntityID<E>(pk: line.key.pk)) else { return nil }
    let (method, carrying) = creates ? settings.creating : settings.updating
    // The effects of commands are no edits.
    let pending = object.sendableColumns(withUID: creates).subtracting(try unit.rows.outbox.effects(on: line.key))
    guard creates || !pending.subtracting(line.leftOut).isEmpty else { return try endUncarried(line, facts, in: unit) }
    var mask = (carrying == .all ? object.wholeColumns(withUID: creates) : pending).subtracting(line.leftOut)
    if !creates, settings.condition?.place == .body, let index = settings.condition?.index(model) { mask.insert(index) }
    if !creates { try checkLoaded(object, mask, edited: pending) }
    let uid = uid(of: object)
    let key = creates ? settings.keyHeader.map { _ in UUID().uuidString } : nil
    var request: URLRequest
    if let make = settings.requests[kind] {
      let change = OutboxChange(
        kind: kind, properties: mask.indices.map { model.properties[$0].name }, idempotencyKey: key)
      do {
        request = try Client.withClient(client) { try make(object, change) }
      } catch let error as RequestError where error.kind == .missingUID {
        // Another object of the request has no uid yet, and may get one.
        throw NotReady(reason: error.message)
      }
    } else {
      request = try object.changeRequest(method, mask, client) { [form = settings.form] body in
        form?.body(body, uid: creates ? nil : uid, types)
      }
    }
    try setKey(key, on: &request)
    if !creates {
      try setCondition(on: &request, object, line.key, in: unit)
      // Until the end of a request that may have arrived, no other value of the server is merged. A response may have brought a
      // newer version meanwhile, which the edit is not based on: the server must refuse it, and then the object is read.
      if let known, known.state == .sending, let version = FrozenRequest(known)?.ifMatch {
        try request.setHeaders(["If-Match": version])
      }
    } else if method == .put, settings.condition.map({ $0.place != .body }) == true {
      // The create may be sent twice, and somebody may have edited the object in between.
      try request.setHeaders(["If-None-Match": "*"])
    }
    let write = writes.write(request, of: object, carrying: mask, under: root, creates: creates)
    do {
      var entry = started(known, line, creates ? .create : .update, unit)
      entry.uid = uid
      entry.edited = facts.number
      // Later edits are for later requests.
      if let known, known.ownProperties != nil, !line.leftOut.isEmpty {
        entry.edited = try max(known.edited, unit.rows.outbox.lastEdit(of: line.key, mask))
      }
      entry.idempotencyKey = key
      entry.sent = try write.sent?.stored(core.schema)
      return try claim(&entry, line, write, in: unit)
    } catch {
      write.end()
      throw error
    }
  }

  /// The request of an update would replace what the server has with values that nobody knows.
  ///
  /// - Throws: `RequestError` for properties that no response had: a person sees the update as refused.
  private func checkLoaded(_ object: E, _ mask: ColumnMask, edited: ColumnMask) throws {
    // An edited attribute or link has its whole value. An edited list may lack members that no response had.
    let whole = edited.subtracting(model.coverage == nil ? ColumnMask() : model.lists)
    let unknown = object.lacking.intersection(mask).subtracting(whole)
    guard !unknown.isEmpty else { return }
    let names = unknown.indices.map { "'\(model.properties[$0].name)'" }.joined(separator: ", ")
    throw RequestError(
      .invalidRequest,
      "The request would replace \(names) of '\(model.name)' on the server, which was never loaded: load() it, and retry."
    )
  }

  /// No body carries the edits of an update. Those that the server has need none.
  ///
  /// - Throws: `RequestError` for other edits: a person sees them as refused.
  private func endUncarried(_ line: PlannedLine, _ facts: PendingFacts, in unit: ClaimingUnit) throws -> Claim? {
    let ended = try unit.rows.outbox.endNaming(of: facts.key)
    let left = facts.edited.subtracting(ended).subtracting(line.leftOut)
    guard !left.isEmpty else { return nil }
    let names = left.indices.map { "'\(model.properties[$0].name)'" }.joined(separator: ", ")
    throw RequestError(
      .invalidRequest,
      "No request of the outbox carries an edit of \(names). Drop it, or send it with a request of your own.")
  }

  /// Sends the request of an entry once more, byte for byte.
  func again(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> Claim? {
    guard let frozen = FrozenRequest(known) else {
      throw FrozenRequest.unreadable
    }
    var request = try frozen.request(E.self, known.body, client)
    if frozen.isStreamed == true { request = try streamed(known, line, in: unit) }
    try frozen.setCondition(on: &request)
    try setKey(known.idempotencyKey, on: &request)
    let write = try write(request, known, in: unit)
    var entry = started(known, line, known.kind, unit)
    entry.edited = known.edited
    return try claim(&entry, line, write, in: unit)
  }

  /// Whether an edit that the request of an update carried was taken back here since: the same bytes would bring it to the
  /// server all the same.
  func isTakenBack(_ known: OutboxEntry, in unit: ClaimingUnit) throws -> Bool {
    guard let object = try unit.context.object(EntityID<E>(pk: known.key.pk)),
      let sent = known.sent.flatMap({
        SentEdits(
          stored: $0, model, pk: known.key.pk, core.schema, endsInsertion: false, editedSince: ColumnMask())
      })
    else { return false }
    var edited = object.sendableColumns(withUID: false)
    if let version = settings.condition?.index(model) { edited.insert(version) }
    let names = Set(OutboxEntry.properties(in: known.sent))
    let over = model.properties.filter { names.contains($0.name) && !edited.contains($0.index) }
    let values = object.loadedValues(sent.values.mask)
    // A request with all properties carries some that nobody has edited.
    return over.contains {
      !sent.values.mask.contains($0.index) || !values[$0.index].isIdentical(to: sent.values[$0.index])
    }
  }

  /// A write whose edits the entry has.
  func write(
    _ request: URLRequest, _ known: OutboxEntry, isAsked: Bool = false, in unit: ClaimingUnit
  ) throws -> ObjectWrite<E> {
    let pk = known.key.pk
    // Where another response has ended the insertion, all properties have the number of its last edit. No update could
    // send the uid once more.
    let editedSince = try unit.rows.outbox.editedSince(known.edited, known.key).subtracting(model.identity)
    let sent = known.sent.flatMap {
      SentEdits(
        stored: $0, model, pk: pk, core.schema, endsInsertion: known.kind == .create, editedSince: editedSince)
    }
    if isAsked { sent?.marker.ask() }
    if let sent { core.hear(sent) }
    return writes.write(
      request, of: EntityID(pk: pk), sent, awaitsUID: known.kind == .create && known.uid == nil,
      creates: known.kind == .create)
  }
}
