import EntityMacros
import TestSchema
import Testing

@testable import EntityStore

/// Unsaved changes lie over the rows of a table as a part of each query. A query costs then as much over a long table as over a
/// short one, where it does so without them.
@MainActor struct OverlayPlanTests {
  @Entity final class Shelf {
    @UID var number: Int
    var name: String
    @Relationship(inverse: \Volume.shelf) var volumes: [Volume]
    @Relationship(inverse: \Volume.places, ordered: true) var row: [Volume]
  }

  @Entity final class Volume {
    @UID var number: Int
    @Indexed var title: String
    @Indexed var rank: Int
    @Indexed var price: Int?
    var weight: Int
    var shelf: Shelf?
    var places: [Shelf]
    @Relationship(inverse: \Topic.volumes, sortedBy: \Topic.name) var topics: [Topic]

    static var indexes: [EntityIndex<Volume>] { [.index(\.shelf, \.rank)] }
    static var fullTextSearch: FullTextSearch<Volume>? { FullTextSearch(\.title) }
  }

  @Entity final class Topic {
    @UID var number: Int
    var name: String
    var volumes: [Volume]
  }

  /// The same few volumes stand on the shelf, have the topic and are about tea, however many there are.
  private func filled(_ place: Place, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place, [Shelf.self, Volume.self, Topic.self])
    try await test.store.background(as: .server) { context in
      let shelf = try context.insert(Shelf.self)
      (shelf.number, shelf.name) = (1, "s")
      let topic = try context.insert(Topic.self)
      (topic.number, topic.name) = (1, "t")
      var few: [Volume] = []
      for number in 1...count {
        let volume = try context.insert(Volume.self)
        (volume.number, volume.rank, volume.weight) = (number, number, number % 7)
        volume.price = number % 2 == 0 ? number : nil
        volume.title = number <= 12 ? "tea \(number)" : "n\(number)"
        if number <= 12 {
          volume.shelf = shelf
          few.append(volume)
        }
      }
      topic.volumes = few
      shelf.row = few.reversed()
    }
    return test
  }

  /// A query of a context, and a description of its result.
  private struct Case {
    let name: String
    let run: (EntityContext) throws -> String

    init<T>(_ name: String, _ run: @escaping (EntityContext) throws -> T) {
      self.name = name
      self.run = { "\(try run($0))" }
    }
  }

  private static let tea = Volume.where { $0.matches("tea") }

  private static func numbers(_ volumes: [Volume]) -> [Int] { volumes.map(\.number) }

  private static let cases: [Case] = [
    Case("the objects of a limit") { numbers(try $0.fetch(Volume.all.limited(to: 5))) },
    Case("the last ones") { numbers(try $0.fetch(Volume.all.reversed().limited(to: 5))) },
    Case("sorted") { numbers(try $0.fetch(Volume.all.sorted(by: \.rank).limited(to: 5))) },
    Case("sorted, descending") { numbers(try $0.fetch(Volume.all.sorted(by: \.rank, .descending).limited(to: 5))) },
    Case("sorted, none last") { numbers(try $0.fetch(Volume.all.sorted(by: \.price, nils: .last).limited(to: 5))) },
    Case("a beginning") { numbers(try $0.fetch(Volume.where { $0.title.hasPrefix("tea") })) },
    Case("a beginning, sorted") {
      numbers(try $0.fetch(Volume.where { $0.title.hasPrefix("tea") }.sorted { $0.shelf.name }))
    },
    Case("words") { numbers(try $0.fetch(tea)) },
    Case("words by relevance") { numbers(try $0.fetch(tea.sorted(byRelevanceTo: "tea"))) },
    Case("words by relevance, the first ones") {
      numbers(try $0.fetch(tea.sorted(byRelevanceTo: "tea").limited(to: 3, offset: 1)))
    },
    Case("words by a linked value") { numbers(try $0.fetch(tea.sorted(.descending) { $0.shelf.name })) },
    Case("words by a count") { numbers(try $0.fetch(tea.sorted { $0.topics.count }.sorted(by: \.weight))) },
    Case("words by a folded text") { numbers(try $0.fetch(tea.sorted { $0.title.ignoringCase })) },
    Case("objects of a query within") {
      let shelves = Shelf.where { $0.number == 1 }
      return numbers(try $0.fetch(Volume.where { $0.shelf.isIn(shelves) }.sorted { $0.shelf.name }))
    },
    Case("values of a limit") { try $0.fetch(Volume.all.select { $0.weight }.limited(to: 5)) },
    Case("values, sorted") { try $0.fetch(Volume.all.sorted(by: \.rank).select { $0.weight }.limited(to: 5)) },
    Case("values, sorted by what is not selected") {
      try $0.fetch(tea.sorted { $0.shelf.name }.select { ($0.weight, $0.shelf.name) })
    },
    Case("values by relevance") { try $0.fetch(tea.sorted(byRelevanceTo: "tea").select { $0.number }) },
    Case("different values") { try $0.fetch(tea.select { $0.weight }.distinct()) },
    Case("different values, sorted") {
      try $0.fetch(tea.sorted(by: \.rank, .descending).select { $0.weight }.distinct().limited(to: 3))
    },
    Case("different values of a limit") {
      try $0.fetch(Volume.all.sorted(by: \.rank).limited(to: 9, offset: 1).select { $0.weight }.distinct())
    },
    Case("groups") { try $0.fetch(tea.grouped { $0.weight }.select { ($0.key, $0.count, $0.max { $0.rank }) }) },
    Case("groups, sorted") {
      try $0.fetch(
        tea.grouped { $0.weight }.having { $0.count > 1 }.sorted(.descending) { $0.sum { $0.rank } }.select { $0.key })
    },
    Case("a count") { try $0.count(tea) },
    Case("a count of a limit") { try $0.count(tea.limited(to: 5)) },
    Case("whether there are any") { try $0.exists(tea) },
    Case("ids") { try $0.ids(tea).count },
    Case("ids, sorted") { try $0.ids(tea.sorted { $0.shelf.name }).count },
    Case("ids of a limit") { try $0.ids(Volume.all.sorted(by: \.rank).limited(to: 3)).count },
    Case("the largest value") { try $0.aggregate(Volume.all) { $0.max { $0.rank } } as Any },
    Case("the smallest value") { try $0.aggregate(Volume.all) { $0.min { $0.rank } } as Any },
    Case("the smallest of an optional") { try $0.aggregate(Volume.all) { $0.min { $0.price } } as Any },
    Case("the largest value of some") {
      let shelves = Shelf.where { $0.number == 1 }
      return try $0.aggregate(Volume.where { $0.shelf.isIn(shelves) }) { $0.max { $0.rank } } as Any
    },
    Case("the largest value of words") { try $0.aggregate(tea) { $0.max { $0.weight } } as Any },
    Case("the largest linked value of words") { try $0.aggregate(tea) { $0.max { $0.shelf.name } } as Any },
    Case("the largest of none") { try $0.aggregate(Volume.where { $0.rank < 0 }) { $0.max { $0.rank } } as Any },
    Case("a sum") { try $0.aggregate(tea) { $0.sum { $0.rank } } },
    Case("several aggregates") {
      try $0.aggregate(tea) { ($0.count, $0.distinctCount { $0.weight }, $0.average { $0.rank }, $0.min { $0.rank }) }
    },
    Case("an aggregate of a limit") {
      try $0.aggregate(Volume.all.sorted(by: \.rank).limited(to: 4)) { $0.sum { $0.rank } }
    },
    Case("pages") {
      let query = Volume.all.sorted(by: \.rank)
      let first = try $0.fetch(query, page: 4)
      return numbers(first.objects + (try $0.fetch(query, page: 4, after: first.next)).objects)
    },
    Case("pages by a linked value") {
      let query = tea.sorted { $0.shelf.name }.sorted(by: \.weight)
      let first = try $0.fetch(query, page: 4)
      return numbers(first.objects + (try $0.fetch(query, page: 4, after: first.next)).objects)
    },
    Case("objects whose list has some") {
      try $0.fetch(Shelf.where { $0.volumes.any { $0.rank > 3 } && $0.volumes.count > 2 && $0.row.count > 1 }).count
    },
    Case("members of a first few") {
      let some = Volume.all.sorted(by: \.rank).limited(to: 3)
      return try $0.fetch(Shelf.where { $0.volumes.any(in: some) }).count
    },
    Case("an object by its uid") { try $0.fetch(Volume.self, uid: 3).map(\.title) as Any },
    Case("prefetched lists") {
      numbers(try $0.fetch(Topic.all.prefetching { $0.volumes }).flatMap(\.volumes))
    },
    Case("a count of a list") { try $0.fetch(Shelf.self)[0].count(of: \.volumes) },
    Case("a count of a list of many") { try $0.fetch(Topic.self)[0].count(of: \.volumes) },
    Case("a count of an ordered list") { try $0.fetch(Shelf.self)[0].count(of: \.row) },
    Case("the first of a list of many") { try $0.fetch(Topic.self)[0].first(of: \.volumes).map(\.number) as Any },
    Case("the first of an ordered list") { try $0.fetch(Shelf.self)[0].first(of: \.row).map(\.number) as Any },
    Case("a list") { numbers(try $0.fetch(Shelf.self)[0].volumes) },
    Case("a list of many") { numbers(try $0.fetch(Topic.self)[0].volumes) },
    Case("an ordered list") { numbers(try $0.fetch(Shelf.self)[0].row) },
  ]

  @Test(arguments: Place.usual, [false, true])
  func `an unsaved row changes no plan of a query`(_ place: Place, isInChild: Bool) async throws {
    var costs: [[Int]] = []
    for count in [200, 3_200] {
      let test = try await filled(place, count)
      let main = test.store.main
      let work = WorkCounter(on: main.connection)
      var row: [Int] = []
      for query in Self.cases {
        // The lists that the case before has read are gone.
        main.rollback()
        try await test.store.background { try #require(try $0.fetch(Volume.self, uid: 100)).weight += 1 }
        let new = try main.insert(Volume.self)
        (new.number, new.title, new.rank, new.weight) = (-1, "tea", 7, 3)
        try #require(try main.fetch(Volume.self, uid: 4)).rank = 9
        try main.delete(try #require(try main.fetch(Volume.self, uid: 6)))
        let context = isInChild ? try main.child() : main
        if isInChild { try #require(try context.fetch(Volume.self, uid: 5)).weight += 1 }
        // The first query puts the changes, and their words, into tables of their own.
        #expect(try !context.exists(Volume.where { $0.matches("nothing") }))
        row.append(try work.work { _ = try query.run(context) })
      }
      costs.append(row)
    }
    for (index, query) in Self.cases.enumerated() {
      // A search by words varies by the state of its index.
      #expect(costs[1][index] < 2 * costs[0][index], "\(query.name): \(costs.map { $0[index] })")
    }
  }

  @Test(arguments: Place.usual)
  func `a query finds the same before a save and after it`(_ place: Place) async throws {
    let test = try await filled(place, 60)
    let main = test.store.main
    let new = try main.insert(Volume.self)
    (new.number, new.title, new.rank, new.weight) = (-1, "tea in a longer title", 7, 3)
    new.shelf = try main.fetch(Shelf.self)[0]
    try #require(try main.fetch(Volume.self, uid: 4)).rank = 900
    try main.delete(try #require(try main.fetch(Volume.self, uid: 6)))
    // Unsaved objects are compared by relevance among each other.
    let cases = Self.cases.filter { !$0.name.contains("relevance") }
    let before = try cases.map { try $0.run(main) }
    try await main.save()
    for (query, result) in zip(cases, before) { #expect(try query.run(main) == result, "\(query.name)") }
  }
}
