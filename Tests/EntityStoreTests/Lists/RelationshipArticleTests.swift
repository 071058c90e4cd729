import EntityMacros
import EntityStore
import Testing

/// The code of the article on relationships.
@MainActor struct RelationshipArticleTests {
  private func filled(_ place: Place) throws -> (TestStore, Regatta, ada: Sailor, bob: Sailor) {
    let test = try TestStore(place, [Regatta.self, Yacht.self, Sailor.self, Rig.self])
    let main = test.store.main
    let regatta = try main.insert(Regatta.self)
    let (ada, bob) = (try main.insert(Sailor.self), try main.insert(Sailor.self))
    regatta.id = 1
    (ada.id, bob.id) = (1, 2)
    let yacht = enter("Swan", in: regatta, under: ada, with: [ada, bob])
    yacht.id = 1
    yacht.rig = try main.insert(Rig.self)
    try main.saveAtOnce()
    return (test, regatta, ada, bob)
  }

  @Test(arguments: Place.usual)
  func `both sides are in step at once`(_ place: Place) throws {
    let (test, regatta, ada, bob) = try filled(place)
    let other = enter("Gull", in: regatta, under: bob, with: [bob])
    other.id = 2
    #expect(regatta.yachts.map(\.name) == ["Swan", "Gull"])
    #expect(bob.commands.map(\.name) == ["Gull"])
    #expect(bob.sails.map(\.name) == ["Swan", "Gull"])
    bob.commands = [other, regatta.yachts[0]]
    #expect(ada.commands.isEmpty)
    #expect(regatta.yachts[0].skipper === bob)
    try ada.add(other, to: \.sails)
    #expect(Set(other.crew.map(\.id)) == [1, 2])
    try test.store.main.saveAtOnce()
    let yachts = try test.store.main.fetch(Yacht.where { $0.crew.contains(ada) && $0.skipper == bob })
    #expect(yachts.map(\.name) == ["Swan", "Gull"])
  }

  @Test(arguments: Place.usual)
  func `a deletion does what the rule of each side says`(_ place: Place) throws {
    let (test, regatta, ada, bob) = try filled(place)
    let main = test.store.main
    let yacht = regatta.yachts[0]
    try main.delete(ada)
    #expect(errorKind { try main.saveAtOnce() } == .deleteDenied)  // she commands a yacht
    main.rollback()
    try main.delete(bob)
    try main.saveAtOnce()
    #expect(yacht.crew.map(\.id) == [1])
    try main.delete(regatta)
    try main.saveAtOnce()
    #expect(yacht.isDeleted)
    #expect(try main.count(Rig.all) == 0)  // it was the yacht's
    #expect(!ada.isDeleted)
    #expect(ada.sails.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a required link is asked for when it is saved`(_ place: Place) throws {
    let (test, regatta, _, _) = try filled(place)
    let main = test.store.main
    try main.insert(Yacht.self).id = 9
    #expect(errorKind { try main.saveAtOnce() } == .invalidObject)
    main.rollback()
    regatta.yachts = []
    #expect(errorKind { try main.saveAtOnce() } == .invalidObject)
  }
}

@Entity final class Regatta {
  @UID var id: Int
  var name: String
  @Relationship(inverse: \Yacht.regatta, onDelete: .cascade) var yachts: [Yacht]  // to-many
}

@Entity final class Yacht {
  @UID var id: Int
  var name: String
  var regatta: Regatta  // required to-one
  var skipper: Sailor?  // to-one
  var crew: [Sailor]  // many-to-many
  var rig: Rig?  // to-one, to an embedded object
}

@Entity final class Sailor {
  @UID var id: Int
  var name: String
  @Relationship(inverse: \Yacht.skipper, onDelete: .deny) var commands: [Yacht]
  @Relationship(inverse: \Yacht.crew) var sails: [Yacht]
}

@Entity final class Rig {  // without uid
  var area: Double
}

@MainActor func enter(
  _ name: String, in regatta: Regatta, under skipper: Sailor, with crew: [Sailor]
) -> Yacht {
  let yacht = Yacht()
  yacht.name = name
  yacht.regatta = regatta  // inserts the yacht into the context of the regatta, and regatta.yachts has it
  yacht.crew = crew  // and so have the sails of each of them
  skipper.commands.append(yacht)  // sets yacht.skipper
  return yacht
}
