import Foundation
import TestSchema
import Testing

@testable import EntityStore

@MainActor
struct PlaceholderQueryTests {
  private func people(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      for uid in [7, 8, 9] { _ = try rows.row(model, uid: .integer(Int64(uid))) }
    }
    return test
  }

  @Test(arguments: Place.usual)
  func `placeholders are found when asked for`(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    #expect(try main.fetch(Person.all).map(\.uid) == [1])
    #expect(try main.fetch(Person.placeholders).map(\.uid) == [7, 8, 9])
    #expect(try main.fetch(Person.placeholders).allSatisfy(\.isPlaceholder))
    #expect(try main.count(Person.placeholders) == 3)
    #expect(try main.fetch(Person.all.including(.placeholders)).map(\.uid) == [1, 7, 8, 9])
    #expect(try main.count(Person.all.including(.placeholders)) == 4)
    #expect(try main.count() == main.count(Person.all) + main.count(Team.all))
    let query = Person.where { $0.uid > 1 }
    #expect(try main.count(query) == 0)
    #expect(
      try main.fetch(query.including(.placeholders).sorted(by: \.uid, .descending).limited(to: 2)).map(\.uid) == [9, 8])
    #expect(try main.fetch(Person.placeholders.including(.placeholders).sorted(by: \.uid)).map(\.uid) == [7, 8, 9])
    #expect(try await test.store.read { try $0.fetch(Person.placeholders).map(\.uid) } == [7, 8, 9])
    #expect(try await test.store.background { try $0.count(Person.placeholders) } == 3)
  }

  @Test(arguments: Place.usual)
  func `unsaved changes of placeholders count`(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let found = try main.fetch(Person.placeholders)
    main.answers.fill(found[0])
    try main.delete(found[1])
    found[2].name = "edited"
    let new = try main.answers.insert(main.core.schema.model(Person.self), isPlaceholder: true)
    let pks = try Set(main.fetch(Person.placeholders).map(\.entityID.pk))
    #expect(pks == [found[2].entityID.pk, new._$state.pk])
    #expect(try main.fetch(Person.all).map(\.uid) == [1, 7])
    #expect(try main.count(Person.all.including(.placeholders)) == 4)
    main.rollback()
    #expect(try main.fetch(Person.placeholders) == found)
  }

  @Test(arguments: Place.usual)
  func `lists in queries have placeholders`(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let ada = try #require(try main.fetch(Person.self, uid: 1))
    let seven = try #require(try main.fetch(Person.placeholders).first)
    seven.boss = ada
    #expect(ada.reports == [seven])
    for _ in 0..<2 {
      #expect(try main.fetch(Person.where { $0.reports.any { $0.uid == 7 } }) == [ada])
      #expect(try main.fetch(Person.where { $0.reports.count == 1 }) == [ada])
      #expect(try main.fetch(Person.where { $0.reports.contains(seven) }) == [ada])
      try await main.save()
    }
  }

  // MARK: Entities that have nothing but their uid

  private static let shelves: [any ManagedEntity.Type] = Album.world

  @Test(arguments: Place.usual)
  func `an object with nothing but its uid is no placeholder`(_ place: Place) async throws {
    let test = try TestStore(place, Self.shelves)
    let inserted = Leak<Int64>()
    let pks = try await test.store.core.unit { rows in
      let model = try rows.schema.model(Shelf.self)
      return try (0..<2).map { _ in try rows.row(model, uid: .integer(5)) { inserted.add($0) } }
    }
    #expect(inserted.values == [pks[0]])
    #expect(pks[0] == pks[1])
    let main = test.store.main
    let shelf = try #require(try main.fetch(Shelf.self, uid: 5))
    #expect(!shelf.isPlaceholder)
    #expect(shelf.albums.isEmpty)
    #expect(try main.fetch(Shelf.all) == [shelf])
    #expect(try main.count(Shelf.placeholders) == 0)
    #expect(try main.fetch(Shelf.placeholders).isEmpty)
    #expect(try main.fetch(Shelf.all.including(.placeholders)) == [shelf])
    // An album lacks its tracks alone, but the tracks hold the link: it is whole, too.
    #expect(try main.core.schema.model(Album.self).hasPlaceholders == false)
  }

  @Test func `rows that an older version marked are objects`() async throws {
    let folder = try TemporaryFolder()
    let id = try await {
      let store = try EntityStore(.file(folder.file), entities: Self.shelves)
      return try await store.background { context in
        let shelf = try context.insert(Shelf.self)
        shelf.uid = 5
        return shelf.entityID
      }
    }()
    let raw = try RawConnection(folder.file.path, vfs: nil)
    try raw.run("UPDATE Shelf SET _placeholder = 1")
    try raw.close()
    let store = try EntityStore(.file(folder.file), entities: Self.shelves)
    let shelf = try #require(try store.main.fetch(Shelf.all).first)
    #expect(shelf.entityID == id)
    #expect(!shelf.isPlaceholder)
    #expect(try store.main.fetch(Shelf.self, uid: 5) === shelf)
    #expect(try await store.background { try $0.count(Shelf.all) } == 1)
    let album = try store.main.insert(Album.self)
    album.shelves = [shelf]
    #expect(try store.main.fetch(Shelf.where { !$0.albums.isEmpty }) == [shelf])
    try await store.main.save()
    #expect(try await store.read { try $0.fetch(Shelf.self, uid: 5)?.albums.count } == 1)
  }
}
