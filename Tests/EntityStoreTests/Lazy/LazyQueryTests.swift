import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Lazy properties in queries, in updates by query, in SQL of an app.
@MainActor struct LazyQueryTests {
  @Test(arguments: Place.usual)
  func `conditions on nil and projections count unsaved values`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(3)
    let main = studio.store.main
    func titles(_ query: EntityQuery<Portrait>) throws -> [String] { try main.fetch(query).map(\.title) }
    func pictures() throws -> [Int?] {
      let pictures: [Data?] = try main.fetch(Portrait.all.select { $0.picture })
      return pictures.map { $0?.first.map { Int($0) } }
    }
    #expect(try titles(Portrait.where { $0.picture == nil }) == [])
    #expect(try pictures() == [1, 2, 3])
    // One has an unsaved value, one an unsaved change of another property, one none.
    try #require(try main.object(ids[0])).picture = nil
    try #require(try main.object(ids[1])).price = 4
    #expect(try titles(Portrait.where { $0.picture == nil }) == ["No. 1"])
    #expect(try titles(Portrait.where { $0.picture != nil && $0.price >= 0 }) == ["No. 2", "No. 3"])
    #expect(try pictures() == [nil, 2, 3])
    let child = try main.child()
    try #require(try child.object(ids[2])).picture = Studio.picture(9)
    let rows: [(Int, Data?)] = try child.fetch(Portrait.all.select { ($0.price, $0.picture) })
    #expect(rows.map(\.0) == [0, 4, 0])
    #expect(rows.map { $0.1?.first } == [nil, 2, 9])
    let stories: [String] = try main.fetch(Portrait.all.select { $0.story })
    #expect(stories == ["story 1", "story 2", "story 3"])
    // Through relationships, to one and to many.
    #expect(try main.count(Atelier.where { $0.portraits.any { $0.picture == nil } }) == 1)
    #expect(try main.count(Atelier.where { $0.portraits.all { $0.picture != nil } }) == 0)
    try await main.save()
    #expect(try titles(Portrait.where { $0.picture == nil }) == ["No. 1"])
    #expect(try pictures() == [nil, 2, 3])
  }

  @Test(arguments: Place.usual)
  func `a condition on nil through a link holds without a target`(_ place: Place) async throws {
    let test = try TestStore(place, Pilgrim.world)
    let main = test.store.main
    let (full, bare, empty) = (
      try main.insert(Badge.self), try main.insert(Badge.self), try main.insert(Badge.self)
    )
    (full.number, bare.number, empty.number) = (1, 2, 3)
    full.holder = try main.insert(Pilgrim.self)
    full.holder?.photo = Data([7])
    bare.holder = try main.insert(Pilgrim.self)
    func check() throws {
      #expect(try main.fetch(Badge.where { $0.holder.photo == nil }).map(\.number) == [2, 3])
      #expect(try main.fetch(Badge.where { $0.holder.photo != nil }).map(\.number) == [1])
      let photos: [Data?] = try main.fetch(Badge.all.select { $0.holder.photo })
      #expect(photos == [Data([7]), nil, nil])
    }
    try check()
    try await main.save()
    try check()
    _ = empty
  }

  @Test func `the condition on nil reads no value`() throws {
    let studio = try Studio(.memory)
    let plan = try studio.store.main.explain(Portrait.where { $0.picture == nil })
    #expect(plan.sql.contains(#"ifnull(typeof(t0."picture"), 'null') = 'null'"#))
    #expect(!plan.sql.contains(#"SELECT "_pk", "picture""#))
  }

  @Test(arguments: Place.usual)
  func `updates by query set lazy values`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(3)
    let main = studio.store.main
    let first = try #require(try main.object(ids[0]))
    #expect(first.picture != nil)
    try await studio.store.background { context in
      _ = try context.update(Portrait.where { $0.title != "No. 2" }) { $0.set(\.picture, to: nil) }
    }
    #expect(first.picture == nil)
    #expect(try await studio.picture(of: ids[1]) == Studio.picture(2))
    #expect(try await studio.picture(of: ids[2]) == nil)
    try main.update(Portrait.all) { $0.set(\.story, to: "one for all") }
    #expect(first.story == "one for all")
    try await main.save()
    let stories = try await studio.store.read { try $0.fetch(Portrait.all).map(\.story) }
    #expect(stories == Array(repeating: "one for all", count: 3))
    #expect(try await studio.store.pending.changes().count == 3)
  }

  @Test(arguments: Place.usual)
  func `the SQL of an app reads lazy values`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(2)
    let main = studio.store.main
    func sizes() throws -> [Int?] {
      try main.fetch(
        sql: "SELECT length(\(Portrait.columns.picture)) FROM \(Portrait.self) ORDER BY _pk", as: Int?.self)
    }
    #expect(try sizes() == [100_000, 100_000])
    try #require(try main.object(ids[0])).picture = Data(count: 3)
    try #require(try main.object(ids[1])).price = 2
    #expect(try sizes() == [3, 100_000])
    #expect(try main.fetch(Portrait.where { SQL("length(\($0.picture)) = \(3)") }).map(\.title) == ["No. 1"])
  }
}
