import EntityRequests
import EntityStore
import HTTPFoundation

// The question whether the server has the object of a create whose answer was lost.

extension EntityChanges {
  /// A question for the object of a create. One object in the response is taken in as the answer to the create.
  ///
  /// - Parameter known: The entry, which stays as it is: it has the create, and not the question.
  func question(_ request: URLRequest, about known: OutboxEntry, in unit: ClaimingUnit) throws -> Claim {
    let write = try write(request, known, in: unit)
    return Claim(
      entry: known, action: .lookUp, method: "GET", url: request.url?.absoluteString ?? "",
      send: { _ in
        switch try await write.lookUp(ending: ending(known.number)) {
        case .object: .taken(status: 200)
        case .nothing: .notFound
        case .several(let count): .several(count)
        }
      }, end: { write.end() })
  }

  func questionAfterCreate(_ number: Int64) async throws -> Claim? {
    try await core.unit(
      isDurable: false,
      reading: { context, rows -> Claim? in
        guard let known = try rows.outbox.entry(number: number), let frozen = FrozenRequest(known),
          let url = URL(string: frozen.url)
        else { return nil }
        let unit = ClaimingUnit(context: context, rows: rows, now: known.time)
        return try question(E.request(.get, url, client), about: known, in: unit)
      })
  }
}
