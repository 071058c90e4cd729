import EntityMacros
import EntityStore
import Testing

// The code of the article on one-to-one relationships.

@Entity final class Citizen {
  @UID @Key("id") var uid: Int?
  var name: String
  @Relationship(inverse: \IdentityCard.citizen, onDelete: .cascade) var card: IdentityCard?
}

@Entity final class IdentityCard {
  @UID @Key("id") var uid: Int?
  var number: String
  var citizen: Citizen?
}

@MainActor struct OneToOneArticleTests {
  @Test(arguments: Place.usual)
  func `the article's code works`(_ place: Place) async throws {
    let test = try TestStore(place, [Citizen.self, IdentityCard.self])
    let main = test.store.main
    let (ada, bob) = (try main.insert(Citizen.self), try main.insert(Citizen.self))
    let (first, second) = (try main.insert(IdentityCard.self), try main.insert(IdentityCard.self))
    first.number = "X1"
    ada.card = first
    bob.card = second
    first.citizen = bob  // ada has no card, and the second card has no citizen
    #expect(ada.card == nil)
    #expect(second.citizen == nil)
    #expect(bob.card === first)
    try await main.save()
    #expect(try main.fetch(Citizen.where { $0.card.number == "X1" }) == [bob])
    #expect(try main.fetch(Citizen.where { $0.card == nil }) == [ada])
    #expect(try main.fetch(Citizen.all.prefetching { $0.card }).map { $0.card?.number } == [nil, "X1"])
  }
}
