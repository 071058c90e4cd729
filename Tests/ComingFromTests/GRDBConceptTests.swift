import EntityClient
import Foundation
import Testing

/// The code of the article *Coming from GRDB* does as the article says.
@MainActor struct GRDBConceptTests {
  private func inEachStore(_ test: @MainActor (EntityStore) async throws -> Void) async throws {
    for place in Place.allCases {
      try await place.run { try await test(filled($0)) }
    }
  }

  /// Two teams, of which one has two players, and a player without a team.
  private func filled(_ location: StoreLocation) async throws -> EntityStore {
    let store = try openGame(location)
    try await store.background(as: .server) { context in
      for (id, name, color) in [(1, "Reds", "red"), (2, "Blues", "blue"), (3, "Greens", nil)] {
        let team = try context.upsert(Team.self, uid: id)
        team.name = name
        team.color = color
      }
      for (id, name, score, team) in [(1, "Ada", 12, 1), (2, "Bob", 10, 1), (3, "Cid", 7, 2), (4, "Dan", 3, 0)] {
        let player = try context.upsert(Player.self, uid: id)
        player.name = name
        player.score = score
        player.team = try context.fetch(Team.self, uid: team)
      }
    }
    return store
  }

  @Test func `an object is written by a unit and read as a value`() async throws {
    try await inEachStore { store in
      let id = try await addPlayer(id: 9, name: "Eve", to: 2, in: store)
      #expect(try store.main.object(id)?.team?.name == "Blues")
      let players = try await ranking(in: store)
      #expect(players.map(\.name) == ["Ada", "Bob", "Cid", "Dan", "Eve"])
      #expect(players.map(\.score) == [12, 10, 7, 3, 0])
      #expect(players.last?.team == (try store.main.fetch(Team.self, uid: 2)?.entityID))
    }
  }

  @Test func `a Codable value is a column of JSON`() async throws {
    try await inEachStore { store in
      try await store.background { context in
        try context.fetch(Player.self, uid: 1)?.profile = Profile(motto: "on", numbers: [7, 9])
      }
      let found = try store.main.fetch(Player.where { $0.profile == Profile(motto: "on", numbers: [7, 9]) })
      #expect(found.map(\.name) == ["Ada"])
    }
  }

  @Test func `a query finds what the request fetches`() async throws {
    try await inEachStore { store in
      let found = try playerRequests().map { try store.main.fetch($0).map(\.name) }
      let expected: [[String]] = [
        ["Ada"], ["Cid"], ["Ada", "Cid"], ["Dan"], ["Ada"], ["Ada", "Bob", "Cid", "Dan"], ["Dan", "Cid", "Ada", "Bob"],
        ["Dan", "Cid", "Bob", "Ada"], ["Cid"],
      ]
      #expect(found == expected)
      let groups = try teamStatistics(in: store.main)
      #expect(groups.map(\.0) == ["Blues", "Reds"])
      #expect(groups.map(\.1) == [1, 2])
      #expect(groups.map(\.2) == [7, 11])
    }
  }

  @Test func `relationships stand for associations`() async throws {
    try await inEachStore { store in
      let (players, teams) = associations()
      #expect(try players.map { try store.main.fetch($0).map(\.id) } == [[1, 2, 3, 4], [1, 2, 3], [1, 2], [1, 2]])
      #expect(try teams.map { try store.main.fetch($0).map(\.id) } == [[1, 2, 3], [1, 2], [1]])
      let sizes = try teamSizes(in: store.main)
      #expect(sizes.map(\.0) == ["Blues", "Greens", "Reds"])
      #expect(sizes.map(\.1) == [1, 0, 2])
    }
  }

  @Test func `included objects are read with the result`() async throws {
    try await inEachStore { store in
      try await store.read { context in
        let teams = try context.fetch(associations().teams[0])
        #expect(teams.map { $0.players.map(\.name) } == [["Ada", "Bob"], ["Cid"], []])
        #expect(context.statistics.lists == 0)
      }
    }
  }

  @Test func `an observation gives the value again when the value has changed`() async throws {
    try await inEachStore { store in
      var scores = bestScores(in: store).makeAsyncIterator()
      #expect(try await scores.next(isolation: #isolation)?.get() == [12, 10, 7])
      try await store.background { try $0.fetch(Player.self, uid: 4)?.name = "Dave" }  // of no score
      try await store.background { try $0.fetch(Player.self, uid: 4)?.score = 20 }
      #expect(try await scores.next(isolation: #isolation)?.get() == [20, 12, 10])
    }
  }

  @Test func `a unit that throws leaves nothing`() async throws {
    try await inEachStore { store in
      try await swapTeams(1, 3, in: store)
      #expect(try store.main.fetch(Player.self, uid: 1)?.team?.name == "Blues")
      #expect(try store.main.fetch(Player.self, uid: 3)?.team?.name == "Reds")
      await #expect(throws: NoSuchPlayer.self) { try await swapTeams(1, 99, in: store) }
      #expect(try store.main.fetch(Player.self, uid: 1)?.team?.name == "Blues")
    }
  }

  @Test func `a rollback in a unit goes back to its last save`() async throws {
    try await inEachStore { store in
      #expect(try await importScores([(1, 50), (2, -1), (7, -5), (8, 8)], in: store) == 2)
      let scores = try store.main.fetch(Player.all.sorted(by: \.id).select { $0.score })
      #expect(scores == [50, 10, 7, 3, 8])
    }
  }

  @Test func `a step of a migration runs SQL`() async throws {
    try await Place.file.run { location in
      let old = try EntityStore(location, entities: [Release1.Medal.self])
      try await old.background { context in
        let medal = try context.insert(Release1.Medal.self)
        medal.name = "Gold"
        medal.grams = 1.5
      }
      try await old.close()
      let new = try EntityStore(location, entities: [Release2.Medal.self], migrations: medalSteps)
      let medal = try #require(try new.main.fetch(Release2.Medal.self).first)
      #expect(medal.name == "gold")
      #expect(medal.milligrams == 1_500)
      try await new.close()
    }
  }

  @Test func `a copy is a store`() async throws {
    try await Place.file.run { location in
      let store = try await filled(location)
      let copy = URL(filePath: location.description).deletingLastPathComponent().appending(path: "copy.sqlite")
      try await keep(store, as: copy)
      let other = try openGame(.file(copy))
      #expect(try await other.read { try $0.count(Player.all) } == 4)
      try await other.close()
    }
  }
}
