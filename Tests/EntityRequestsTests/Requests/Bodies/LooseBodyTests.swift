import EntityClient
import EntityTesting
import Testing

@Entity final class Pass: RemoteEntity {
  @UID @Key("id") var uid: Int
  var seat: PassSeat
  var owner: Account

  static var basePath: String { "passes" }
}

@Entity final class PassSeat {
  var row: String?
}

/// Objects that are in no context, and relationships that lead to no object.
struct LooseBodyTests {
  private func check() throws {
    let (trip, leg, stop) = (Trip(), Leg(), Stop())
    (leg.city, stop.name, leg.stop) = ("Oslo", "s", stop)
    trip.legs = [leg]
    #expect(
      try trip.jsonObject(for: \.legs).value.description
        == #"{"legs":[{"back":null,"day":null,"from":{"city":"Oslo"},"stop":{"name":"s","next":null}}]}"#)
    let pass = Pass()
    for property in [\Pass.seat, \Pass.owner] as [PartialKeyPath<Pass>] {
      let error = #expect(throws: RequestError.self) { try pass.jsonObject(for: [property]) }
      #expect(error?.kind == .missingUID)
    }
  }

  @Test(.client(entities: [Account.self])) func `the store of the hook need not have the entity`() throws {
    try check()
  }

  @Test(.client()) func `the hook need have no store`() throws { try check() }

  @Test func `a loose object's body needs no hook`() throws { try check() }

  @Test(.client(entities: [Pass.self, PassSeat.self, Account.self])) @MainActor
  func `a required relationship without an object is not sent`() throws {
    let pass = try Client.current.store.main.insert(Pass.self)
    for property in [\Pass.seat, \Pass.owner] as [PartialKeyPath<Pass>] {
      let error = #expect(throws: RequestError.self) { try pass.jsonObject(for: [property]) }
      #expect(error?.kind == .missingUID)
    }
    pass.seat = try Client.current.store.main.insert(PassSeat.self)
    pass.seat.row = "A"
    #expect(try pass.jsonObject(for: \.seat).value == ["seat": ["row": "A"]])
    try Client.current.store.main.rollback()
  }
}
