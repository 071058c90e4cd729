import EntityRequests
import EntityStore
import HTTPFoundation

// Deletions, and reads: a request that changes nothing at the server, or takes the object away.

extension EntityChanges {
  func deletion(
    _ line: PlannedLine, _ facts: PendingFacts?, _ known: OutboxEntry?, in unit: ClaimingUnit
  ) throws -> Claim? {
    guard let facts, let uid = try unit.context.pendingEdits.deletedUID(line.key) else { return nil }
    let address = try unit.context.pendingEdits.deletedAddress(line.key)
    var request = try E.objectRequest(.delete, uid: uid, at: address, client, model)
    try setCondition(on: &request, nil, line.key, in: unit)
    let write = writes.deletion(by: request, of: EntityID(pk: line.key.pk))
    var entry = started(known, line, .deletion, unit)
    (entry.uid, entry.edited) = (facts.uid, facts.number)
    return try claim(&entry, line, write, alsoEnding: uploads(with: line.key, in: unit), in: unit)
  }

  /// The uploads of an object that is deleted, and of the objects that its deletion deletes.
  private func uploads(with key: RowKey, in unit: ClaimingUnit) throws -> [Int64] {
    try unit.rows.outbox.commands(deletedWith: key).filter { AttachedFile($0) != nil }.map(\.number)
  }

  /// Reads an object whose update had an unknown end and was taken back here.
  func read(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> Claim? {
    guard let object = try unit.context.object(EntityID<E>(pk: line.key.pk)), let uid = object.serverUID else {
      try unit.rows.outbox.remove(numbers: [known.number])
      return nil
    }
    let request = try E.objectRequest(.get, uid: uid, of: object, client, model)
    let write = writes.write(request, of: object.entityID)
    return Claim(
      entry: known, action: line.action, method: "GET", url: request.url?.absoluteString ?? "",
      send: { _ in .taken(status: try await write.run(ending: OutboxEntryEnd(number: known.number)).status) },
      end: { write.end() })
  }

  func reload(_ key: RowKey, ending lost: Int64?) async throws {
    let account = client.accountHash
    let asked = try await core.unit(
      isDurable: false,
      reading: { context, rows -> (write: ObjectWrite<E>, isDeleted: Bool)? in
        // Another account would get its own answer. The next claim pauses the outbox.
        guard try rows.outbox.belongs(to: account) else { return nil }
        let object = try context.object(EntityID<E>(pk: key.pk))
        guard let uid = try object?.serverUID ?? context.pendingEdits.deletedUID(key) else { return nil }
        let address = try object == nil ? context.pendingEdits.deletedAddress(key) : nil
        let request = try E.objectRequest(.get, uid: uid, of: object, at: address, client, model)
        return (writes.write(request, of: EntityID(pk: key.pk)), object == nil)
      })
    guard let (write, isDeleted) = asked else { return }
    defer { write.end() }
    let response: EntityResponse<E>
    do {
      response = try await write.run(ending: OutboxEntryEnd(number: lost ?? 0, mayHaveArrived: lost != nil))
    } catch let error as RequestError where isDeleted && (error.status == 404 || error.status == 410) {
      return try await write.endDeletion()
    }
    let version: String?
    switch settings.condition?.place {
    case .etag: version = response.headers["ETag"]
    case .attribute:
      let text = settings.condition?.index(model).flatMap { write.text(of: model.properties[$0], in: response) }
      version = text.map { EntityTag.tag(of: $0, isWeak: settings.condition?.isWeak == true) }
    case .body, nil: return
    }
    // The store took in nothing of an object that was deleted here, and not its version either.
    try await core.unit(
      isDurable: false,
      reading: { context, rows in
        guard try context.object(EntityID<E>(pk: key.pk)) == nil else { return }
        try rows.outbox.setVersion(version, of: key)
      })
  }
}
