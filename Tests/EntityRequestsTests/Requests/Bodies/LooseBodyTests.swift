import EntityClient
import EntityTesting
import Testing

@Entity final class Pass: RemoteEntity {
  @UID @Key("id") var uid: Int
  var cover: Cover
  var owner: Account

  static var basePath: String { "passes" }
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
    for property in [\Pass.cover, \Pass.owner] as [PartialKeyPath<Pass>] {
      let error = #expect(throws: RequestError.self) { try pass.jsonObject(for: [property]) }
      #expect(error?.kind == .missingUID)
    }
  }

  @Test(.client(entities: [Account.self])) func `the store of the hook need not have the entity`() throws {
    try check()
  }

  @Test(.client()) func `the hook need have no store`() throws { try check() }

  @Test func `a loose object's body needs no hook`() throws { try check() }

  @Test(.client(entities: [Pass.self, Cover.self, Account.self])) @MainActor
  func `a required relationship without an object is not sent`() throws {
    let pass = try Client.current.store.main.insert(Pass.self)
    for property in [\Pass.cover, \Pass.owner] as [PartialKeyPath<Pass>] {
      let error = #expect(throws: RequestError.self) { try pass.jsonObject(for: [property]) }
      #expect(error?.kind == .missingUID)
    }
    pass.cover = try Client.current.store.main.insert(Cover.self)
    pass.cover.color = "A"
    #expect(try pass.jsonObject(for: \.cover).value == ["cover": ["color": "A"]])
    try Client.current.store.main.rollback()
  }
}
