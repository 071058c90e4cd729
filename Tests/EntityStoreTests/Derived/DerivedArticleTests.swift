import EntityMacros
import EntityStore
import Foundation
import TestSchema
import Testing

// The code of the article on derived properties.

@Entity final class Boarder {
  @UID @Key("id") var uid: Int?
  var firstName: String
  var lastName: String
  var nights: Int = 1
  var price: Decimal

  @Derived @Indexed var sortName: String { "\(lastName) \(firstName)".lowercased() }
  @Derived var section: String { lastName.first.map { String($0).uppercased() } ?? "#" }
  @Derived var total: Decimal { price * Decimal(nights) }
}

struct DerivedArticleTests {
  @Test(arguments: Place.usual)
  func `the article's code works`(_ place: Place) async throws {
    let test = try TestStore(place, [Boarder.self])
    try await test.store.background { context in
      for (first, last, price) in [("Ada", "Lovelace", 900), ("Grace", "hopper", 600), ("Al", "Hall", 10)] {
        let boarder = try context.insert(Boarder.self)
        (boarder.firstName, boarder.lastName, boarder.price, boarder.nights) = (first, last, Decimal(price), 2)
      }
    }
    try await test.store.read { context in
      let page = try context.fetch(Boarder.all.sorted { $0.sortName }.limited(to: 50))
      let sections = try context.fetch(Boarder.all.grouped { $0.section }.select { ($0.key, $0.count) })
      let large = try context.fetch(Boarder.where { $0.total > 1_000 })
      #expect(page.map(\.firstName) == ["Al", "Grace", "Ada"])
      #expect(sections.map(\.0) == ["H", "L"])
      #expect(sections.map(\.1) == [2, 1])
      #expect(large.map(\.total).sorted() == [1_200, 1_800])
    }
  }
}
