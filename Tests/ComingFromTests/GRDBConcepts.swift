import EntityClient
import Foundation

// The code of the article *Coming from GRDB*.

// Records.

@Entity final class Team {
  @UID var id: Int
  var name: String
  @Indexed var color: String?
  @Relationship(inverse: \Player.team, onDelete: .cascade) var players: [Player]
}

@Entity final class Player {
  @UID var id: Int
  var name: String
  @Indexed var score: Int
  var profile: Profile = Profile()
  var team: Team?
}

struct Profile: Codable, Equatable, AttributeValue {
  var motto = ""
  var numbers: [Int] = []
}

func openGame(_ location: StoreLocation) throws -> EntityStore {
  var options = StoreOptions()
  options.durability = .full  // PRAGMA synchronous = FULL
  return try EntityStore(
    location, entities: [Team.self, Player.self], busyTimeout: .seconds(30), options: options)
}

// Reading and writing.

func addPlayer(id: Int, name: String, to team: Int, in store: EntityStore) async throws -> EntityID<Player> {
  try await store.background { context in  // dbPool.write
    let player = try context.insert(Player.self)  // player.insert(db)
    player.id = id
    player.name = name
    player.team = try context.fetch(Team.self, uid: team)  // Team.fetchOne(db, id: team)
    return player.entityID
  }  // COMMIT
}

func ranking(in store: EntityStore) async throws -> [EntitySnapshot<Player>] {
  try await store.read { context in  // dbPool.read: one snapshot, beside the writer
    try context.snapshots(Player.all.sorted(by: \.score, .descending))
  }
}

// The query interface.

func playerRequests() -> [EntityQuery<Player>] {
  [
    Player.where { $0.score >= 10 && $0.name != "Bob" },  // filter { $0.score >= 10 && $0.name != "Bob" }
    Player.where { $0.score.isIn(5..<10) },  // filter { (5..<10).contains($0.score) }
    Player.where { $0.id.isIn([1, 3]) },  // filter(ids: [1, 3])
    Player.where { $0.team == nil },  // filter { $0.teamId == nil }
    Player.where { $0.name.ignoringASCIICase == "ADA" },  // filter { $0.name.collating(.nocase) == "ADA" }
    Player.all.sorted(by: \.score, .descending).sorted(by: \.name),  // order(\.score.desc, \.name)
    Player.all.sorted { $0.team.name },  // joining(optional: team).order(team[\.name])
    Player.all.sorted(by: \.score, .descending).reversed(),  // order(\.score.desc).reversed()
    Player.all.sorted(by: \.id).limited(to: 1, offset: 2),  // order(\.id).limit(1, offset: 2)
  ]
}

func teamStatistics(in context: EntityContext) throws -> [(String?, Int, Double?)] {
  let teams = Player.all
    .grouped { $0.team.name }  // group(team[\.name])
    .having { $0.max { $0.score } > 5 }  // having(max(\.score) > 5)
    .select { ($0.key, $0.count, $0.average { $0.score }) }  // select(…, count(\.id), average(\.score))
  return try context.fetch(teams)
}

// Associations.

func associations() -> (players: [EntityQuery<Player>], teams: [EntityQuery<Team>]) {
  (
    players: [
      Player.all.prefetching { $0.team },  // including(optional: Player.team)
      Player.where { $0.team != nil }.prefetching { $0.team },  // including(required: Player.team)
      Player.where { $0.team.color == "red" },  // joining(required: Player.team.filter { $0.color == "red" })
      Player.where { $0.team.players.count > 1 },  // through the team, and back
    ],
    teams: [
      Team.all.prefetching { $0.players },  // including(all: Team.players)
      Team.where { !$0.players.isEmpty },  // having(Team.players.isEmpty == false)
      Team.where { $0.players.any { $0.score > 10 } },  // joining(required: Team.players.filter { $0.score > 10 })
    ]
  )
}

func teamSizes(in context: EntityContext) throws -> [(String, Int)] {
  let sizes = Team.all.sorted(by: \.name).select { ($0.name, $0.players.count) }  // annotated(with: Team.players.count)
  return try context.fetch(sizes)
}

// Observation.

func bestScores(in store: EntityStore) -> StoreObservation<[Int]> {
  store.observe { context in  // ValueObservation.tracking { db in … }
    let best = Player.all.sorted(by: \.score, .descending).limited(to: 3)
    return try context.fetch(best.select { $0.score })
  }
}

// Transactions and savepoints.

struct NoSuchPlayer: Error {}

func swapTeams(_ one: Int, _ other: Int, in store: EntityStore) async throws {
  try await store.background { context in
    guard let first = try context.fetch(Player.self, uid: one), let second = try context.fetch(Player.self, uid: other)
    else { throw NoSuchPlayer() }  // whatever is thrown undoes the whole unit
    let team = first.team
    first.team = second.team
    second.team = team
  }
}

func importScores(_ scores: [(id: Int, score: Int)], in store: EntityStore) async throws -> Int {
  try await store.background { context in
    var taken = 0
    for (id, score) in scores {
      try context.upsert(Player.self, uid: id).score = score
      if score < 0 {
        context.rollback()  // ROLLBACK TO: what was done since the last save
      } else {
        try context.save()  // RELEASE: within the transaction of the unit
        taken += 1
      }
    }
    return taken
  }
}

// Migrations.

enum Release1 {
  @Entity final class Medal {
    var name: String
    var grams: Double
  }
}

enum Release2 {
  @Entity final class Medal {
    @Indexed var name: String
    var milligrams: Int
    var country: String?
  }
}

let medalSteps = [
  Migration("milligrams") { step in  // migrator.registerMigration("milligrams") { db in … }
    try step.convert("grams", of: "Medal", to: Int.self, sql: "CAST(round(grams * 1000) AS INTEGER)")
    try step.rename("grams", of: "Medal", to: "milligrams")
    try step.execute("UPDATE Medal SET name = ? WHERE name = ?", [.text("gold"), .text("Gold")])
  }
]

// The file.

func keep(_ store: EntityStore, as copy: URL) async throws {
  guard try await store.check().isEmpty else { return }  // PRAGMA integrity_check, and more
  try await store.backup(to: copy, replaces: true)  // dbPool.backup(to:)
  try await store.vacuum()  // VACUUM
}
