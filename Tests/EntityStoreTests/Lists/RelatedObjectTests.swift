import EntityMacros
import EntityStore
import Testing

/// The code of the article on related objects.
@MainActor struct RelatedObjectTests {
  private func filled(_ place: Place) throws -> TestStore {
    let test = try TestStore(place, [Freighter.self, Port.self, Country.self, Cargo.self])
    let main = test.store.main
    let country = try main.insert(Country.self)
    country.name = "Norway"
    let port = try main.insert(Port.self)
    port.country = country
    for number in 0..<3 {
      let ship = try main.insert(Freighter.self)
      ship.name = "ship \(number)"
      ship.port = port
      for _ in 0..<number { try main.insert(Cargo.self).ship = ship }
    }
    try main.saveAtOnce()
    return test
  }

  @Test(arguments: Place.usual)
  func `a query reads ahead the relationships that it names`(_ place: Place) throws {
    let test = try filled(place)
    let context = test.store.main
    var lines: [String] = []
    let ships = try context.fetch(Freighter.all.prefetching { ($0.port.country, $0.cargo) })
    for ship in ships {
      lines.append("\(ship.name): \(ship.port?.country?.name ?? ""), \(ship.cargo.count)")  // runs no statement
    }
    #expect(lines == ["ship 0: Norway, 0", "ship 1: Norway, 1", "ship 2: Norway, 2"])
    #expect(context.statistics.lists == 0)
    #expect(context.statistics.faults == 0)
  }

  @Test(arguments: Place.usual)
  func `each list that a loop reads shows in the statistics`(_ place: Place) throws {
    let test = try filled(place)
    let context = test.store.main
    var total = 0
    context.resetStatistics()
    for ship in try context.fetch(Freighter.all) { total += ship.cargo.count }
    let counts = context.statistics.relationships  // ["Freighter.cargo": 3]: one for each ship
    #expect(total == 3)
    #expect(counts == ["Freighter.cargo": 3])
  }

  @Test(arguments: Place.usual)
  func `a part of a list is asked for by itself`(_ place: Place) throws {
    let test = try filled(place)
    let ship = try #require(try test.store.main.fetch(Freighter.where { $0.name == "ship 2" }).first)
    let count = try ship.count(of: \.cargo)  // SELECT count(*) FROM "Cargo" WHERE "ship" = ?
    let first = try ship.first(of: \.cargo)  // SELECT … FROM "Cargo" WHERE "ship" = ? ORDER BY _pk LIMIT 1
    let isFree = try ship.isEmpty(of: \.cargo)
    #expect(count == 2)
    #expect(first?.ship === ship)
    #expect(!isFree)
  }
}

@Entity final class Freighter {
  var name: String
  var port: Port?
  @Relationship(inverse: \Cargo.ship) var cargo: [Cargo]
}

@Entity final class Port {
  var country: Country?
}

@Entity final class Country {
  var name: String
}

@Entity final class Cargo {
  var ship: Freighter?
}
