import EntityRequests
import EntityStore
import HTTPFoundation

// The question whether the server has the object of a create whose answer was lost.

extension EntityChanges {
  /// The question by the rule of the entity.
  func lookUp(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> Claim? {
    guard let rule = settings.lookUp, let index = rule.index(model) else { return nil }
    let object = try unit.context.object(EntityID<E>(pk: line.key.pk))
    let sent = known.sent.flatMap {
      SentEdits(stored: $0, model, pk: known.key.pk, core.schema, endsInsertion: true, editedSince: ColumnMask())
    }
    let question: LookUp
    do {
      question = try E.lookUp(object, by: model.properties[index], rule.place, sent: sent, model, client)
    } catch let error as RequestError {
      // A refusal would say that the server does not have the object.
      throw NotReady(reason: error.message)
    }
    return try self.question(question.request, question, about: known, in: unit)
  }

  /// The question at the object's own URL.
  func questionAfterCreate(_ number: Int64) async throws -> Claim? {
    let account = client.accountHash
    return try await core.unit(
      isDurable: false,
      reading: { context, rows -> Claim? in
        guard try rows.outbox.belongs(to: account), let known = try rows.outbox.entry(number: number),
          let frozen = FrozenRequest(known),
          let url = URL(string: frozen.url)
        else { return nil }
        let unit = ClaimingUnit(context: context, rows: rows, now: known.time)
        return try question(E.request(.get, url, client), nil, about: known, in: unit)
      })
  }

  /// One object in the response is taken in as the answer to the create.
  ///
  /// - Parameter known: The entry, which stays as it is: it has the create, and not the question.
  private func question(
    _ request: URLRequest, _ lookUp: LookUp?, about known: OutboxEntry, in unit: ClaimingUnit
  ) throws -> Claim {
    let write = try write(request, known, isAsked: true, in: unit)
    return Claim(
      entry: known, action: .lookUp, method: "GET", url: request.url?.absoluteString ?? "",
      send: { _ in
        switch try await write.lookUp(lookUp, ending: ending(known.number)) {
        case .object: .taken(status: 200)
        case .nothing: .notFound
        case .several(let count): .several(count)
        case .another: .another
        }
      }, end: { write.end() })
  }
}
