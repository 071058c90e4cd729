import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import Testing

/// Does not track its coverage.
@Entity final class TourPoster: RemoteEntity {
  @UID var id: Int
  var text: String?
  var tags: [String]?
  static var basePath: String { "posters" }
}

@Entity final class TourWall: RemoteEntity {
  @UID var id: Int
  var poster: TourPoster?
  static var basePath: String { "walls" }
}

private func json(_ value: JSONValue, _ request: StubRequest) -> HTTPResponse {
  HTTPResponse(
    status: 200, headers: ["Content-Type": "application/json"], url: request.url, body: value.rawBytes)
}

/// Loading what no response had.
@Suite(.client(entities: Tour.all, baseURL: "https://api.example.com/")) @MainActor struct LoadTests {
  private func singer(_ id: Int = 1) async throws -> TourSinger {
    _ = try await TourSinger.upsert(from: [["id": JSONValue(id), "name": "Ada"]])
    return try #require(try Client.current.store.main.fetch(TourSinger.self, uid: id))
  }

  private var paths: [String] {
    get throws {
      try StubAdapter.current.requests.map { "\($0.path)\($0.url.query(percentEncoded: true).map { "?\($0)" } ?? "")" }
    }
  }

  @Test func `a property is asked for once, by all that ask at a time`() async throws {
    try StubAdapter.current.on(.get, "/singers/1", .json(["id": 1, "bio": "born", "age": 4]))
    let ada = try await singer()
    try await ada.load(\.name)
    #expect(try paths.isEmpty)
    let loads = [Task { try await ada.load(\.bio) }, Task { try await ada.load(\.bio, \.tracks) }]
    for load in loads { try await load.value }
    #expect(try paths == ["/singers/1"])
    #expect(ada.bio == "born")
    // The response had no "tracks", which says that there are none. Nobody asked for the hall.
    #expect(ada.loaded.missingNames == ["hall"])
    try await ada.load(\.bio, \.tracks)
    #expect(try paths.count == 1)
    try await ada.load()
    #expect(try paths.count == 2 && ada.loaded.areAll)
  }

  @Test func `a refusal loads nothing, and the next load asks again`() async throws {
    try StubAdapter.current.on(.get, "/singers/1", .status(404), .json(["id": 1, "bio": nil]))
    let ada = try await singer()
    #expect(try await requestError { try await ada.load(\.bio) }.status == 404)
    #expect(!ada.loaded.contains(\.bio) && ada.name == "Ada")
    try await ada.load(\.bio)
    #expect(ada.loaded.contains(\.bio) && ada.bio == nil)
  }

  @Test func `an object without uid and a foreign key path are errors`() async throws {
    let ada = try await singer()
    #expect(try await requestError { try await ada.load(\.debugDescription) }.kind == .invalidRequest)
    // An object that was made here lacks nothing, so nothing is asked.
    try await Client.current.store.main.insert(TourSinger.self).load(\.bio)
    #expect(try paths.isEmpty)
  }

  @Test(.client(entities: [TourWall.self, TourPoster.self], baseURL: "https://api.example.com/"))
  func `of an entity that does not track its coverage only placeholders are loaded`() async throws {
    try StubAdapter.current.on(.get, "/posters/1", .json(["id": 1, "text": "t"]))
    _ = try await TourWall.upsert(from: [["id": 7, "poster": 1]])
    let poster = try #require(try Client.current.store.main.fetch(TourPoster.placeholders).first)
    try await poster.load(\.text)
    #expect(poster.text == "t")
    // A value that is there was loaded.
    try await poster.load(\.id, \.text)
    _ = try await TourPoster.upsert(from: [["id": 2, "tags": []]])
    let blank = try #require(try Client.current.store.main.fetch(TourPoster.self, uid: 2))
    for error in [
      try await requestError { try await blank.load(\.text) },
      try await requestError { try await blank.load(\.id, \.text) },
    ] {
      #expect(error.kind == .invalidRequest)
      #expect(error.description.contains("'TourPoster' does not track its coverage"), "\(error)")
    }
    // Of these the store knows that nothing is missing.
    try await blank.load()
    try await blank.load(\.tags)
    try await blank.load(\.id)
    try await Client.current.store.main.insert(TourPoster.self).load(\.text)
    #expect(try paths == ["/posters/1"])
  }

  @Test func `loads of one turn share requests by ids`() async throws {
    try StubAdapter.current.on(
      .get, "/halls",
      .respond { request in
        let ids = request.query.first { $0.name == "ids" }?.value.split(separator: ",").compactMap { Int($0) } ?? []
        return json(JSONValue(ids.filter { $0 != 3 }.map { ["id": JSONValue($0), "rent": 1.5] }), request)
      })
    _ = try await TourHall.upsert(from: JSONValue((1...5).map { ["id": JSONValue($0), "place": "p"] }))
    let halls = try Client.current.store.main.fetch(TourHall.all)
    let loads = halls.map { hall in Task { try await hall.load(\.rent) } }
    for (hall, load) in zip(halls, loads) where hall.id != 3 { try await load.value }
    let error = try await requestError { try await loads[2].value }
    #expect(error.kind == .missingObject)
    #expect(try paths == ["/halls?ids=1%2C2%2C3", "/halls?ids=4%2C5"])
    #expect(halls.map { $0.loaded.contains(\.rent) } == [true, true, false, true, true])
    #expect(halls[0].rent == 1.5 && halls[0].loaded.missingNames == ["rooms"])
  }

  @Test func `placeholders are filled in batches, and those that the server lacks are told`() async throws {
    try StubAdapter.current.on(
      .get, "/halls",
      .respond { request in
        let ids = request.query.first { $0.name == "ids" }?.value.split(separator: ",").compactMap { Int($0) } ?? []
        return json(JSONValue(ids.filter { $0 != 12 }.map { ["id": JSONValue($0), "place": "p"] }), request)
      })
    _ = try await TourSinger.upsert(
      from: JSONValue((1...4).map { ["id": JSONValue($0), "hall": JSONValue($0 + 9)] }))
    let missing = try await TourHall.fillPlaceholders()
    let main = try Client.current.store.main
    #expect(try main.objects(missing).map(\.id) == [12])
    #expect(try main.fetch(TourHall.all).map(\.id) == [10, 11, 13])
    #expect(try main.fetch(TourHall.placeholders).map(\.id) == [12])
    #expect(try paths.count == 2)
    // One by one where the entity declares no request for several.
    try StubAdapter.current.on(.get, "/rooms/1", .json(["id": 1, "size": 3])).on(.get, "/rooms/2", .status(404))
    _ = try await TourHall.upsert(from: [["id": 10, "rooms": [1, 2]]])
    #expect(try main.objects(try await TourRoom.fillPlaceholders()).map(\.id) == [2])
    #expect(try main.fetch(TourRoom.all).map(\.id) == [1])
  }

  @Test func `a filling that is cancelled ends the request of its batch`() async throws {
    let gate = StubGate()
    try StubAdapter.current.on(
      .get, "/halls", .json([]).waiting(for: gate),
      .respond { request in
        let ids = request.query.first { $0.name == "ids" }?.value.split(separator: ",").compactMap { Int($0) } ?? []
        return json(JSONValue(ids.map { ["id": JSONValue($0), "place": "p"] }), request)
      }.always)
    _ = try await TourSinger.upsert(
      from: JSONValue((1...10).map { ["id": JSONValue($0), "hall": JSONValue($0 + 9)] }))
    let filling = Task { try await TourHall.fillPlaceholders() }
    await gate.arrival()
    filling.cancel()
    await #expect(throws: CancellationError.self) { try await filling.value }
    gate.open()
    // A request that went on would be shared.
    #expect(try await TourHall.fillPlaceholders().isEmpty)
    #expect(
      try paths == [
        "/halls?ids=10%2C11%2C12", "/halls?ids=10%2C11%2C12", "/halls?ids=13%2C14%2C15", "/halls?ids=16%2C17%2C18",
        "/halls?ids=19",
      ])
  }

  @Test func `an abbreviated form by ids is no word about the rest`() async throws {
    try StubAdapter.current.on(.get, "/halls", .json([["id": 1, "place": "p"], ["id": 2, "place": "p"]]))
    try StubAdapter.current.on(.get, "/halls/1", .json(["id": 1, "rent": 7.5]))
    try StubAdapter.current.on(.get, "/halls/2", .status(500))
    _ = try await TourHall.upsert(from: [["id": 1], ["id": 2]])
    _ = try await TourHall.upsert(from: [["id": 1, "place": "p"], ["id": 2, "place": "p"]])
    let halls = try Client.current.store.main.fetch(TourHall.all)
    let loads = halls.map { hall in Task { try await hall.load(\.rent) } }
    try await loads[0].value
    #expect(halls[0].rent == 7.5 && halls[0].loaded.contains(\.rent))
    #expect(try await requestError { try await loads[1].value }.status == 500)
    #expect(!halls[1].loaded.contains(\.rent))
  }

  /// Three halls of which responses by ids have the place alone, and of the first one the rent, too.
  private func halls() async throws -> [TourHall] {
    let places: JSONValue = JSONValue((1...3).map { ["id": JSONValue($0), "place": "p"] })
    try StubAdapter.current.on(
      .get, "/halls",
      .json([["id": 1, "place": "p", "rent": 1.5], ["id": 2, "place": "p"], ["id": 3, "place": "p"]]))
    _ = try await TourHall.upsert(from: places)
    return try Client.current.store.main.fetch(TourHall.all)
  }

  @Test func `while an own URL is asked, whole objects are there, and callers join or leave`() async throws {
    let halls = try await halls()
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/halls/2", .json(["id": 2, "rent": 7.5]).waiting(for: gate))
    try StubAdapter.current.on(.get, "/halls/3", .json(["id": 3, "rent": 8.5]))
    let loads = halls.map { hall in Task { try await hall.load(\.rent) } }
    await gate.arrival()
    try await loads[0].value
    #expect(halls[0].rent == 1.5)
    // Nobody waits for the third one any more, and two do for the second one.
    loads[2].cancel()
    await #expect(throws: CancellationError.self) { try await loads[2].value }
    let joined = Task { try await halls[1].load(\.rent) }
    await Task.yield()
    gate.open()
    for load in [loads[1], joined] { try await load.value }
    #expect(halls[1].rent == 7.5)
    #expect(try paths == ["/halls?ids=1%2C2%2C3", "/halls/2"])
    #expect(!halls[2].loaded.contains(\.rent))
  }

  @Test func `a load that nobody waits for asks no own URL`() async throws {
    let halls = try await halls()
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/halls/2", .json(["id": 2, "rent": 7.5]).waiting(for: gate), .json(["id": 2]))
    let load = Task { try await halls[1].load(\.rent) }
    await gate.arrival()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    // The request went with its caller.
    try await halls[1].load(\.rent)
    #expect(try paths == ["/halls?ids=2", "/halls/2", "/halls?ids=2", "/halls/2"])
  }

  @Test func `a server that can't be reached is asked for no other object`() async throws {
    let halls = try await halls()
    try StubAdapter.current.on(.get, "/halls/2", .failure(.connection))
    let loads = halls.map { hall in Task { try await hall.load(\.rent) } }
    try await loads[0].value
    for load in loads[1...] { #expect(try await requestError { try await load.value }.kind == .transport) }
    #expect(try paths == ["/halls?ids=1%2C2%2C3", "/halls/2"])
  }

  @Test func `an own URL that is refused fails its object alone`() async throws {
    let halls = try await halls()
    try StubAdapter.current.on(.get, "/halls/2", .status(403)).on(.get, "/halls/3", .json(["id": 3, "rent": 8.5]))
    let loads = halls.map { hall in Task { try await hall.load(\.rent) } }
    #expect(try await requestError { try await loads[1].value }.status == 403)
    try await loads[2].value
    #expect(halls[2].rent == 8.5)
  }

  @Test func `a uid that no list of ids can hold fails alone`() async throws {
    try StubAdapter.current.on(.get, "/venues", .json([["id": "a", "place": "p"]]))
    _ = try await TourVenue.upsert(from: [["id": "a"], ["id": "b,c"]])
    let venues = try Client.current.store.main.fetch(TourVenue.all.including(.placeholders))
    let loads = venues.map { venue in Task { try await venue.load(\.place) } }
    try await loads[0].value
    #expect(try await requestError { try await loads[1].value }.kind == .invalidRequest)
    #expect(venues[0].place == "p")
  }

  @Test func `an object that the server refuses does not end the filling`() async throws {
    for (id, status) in [(1, 403), (2, 410), (3, 404)] {
      try StubAdapter.current.on(.get, "/rooms/\(id)", .status(status))
    }
    try StubAdapter.current.on(.get, "/rooms/4", .json(["id": 4, "size": 2]))
    _ = try await TourHall.upsert(from: [["id": 1, "rooms": [1, 2, 3, 4]]])
    #expect(try await TourRoom.fillPlaceholders().count == 3)
    #expect(try Client.current.store.main.fetch(TourRoom.all).map(\.id) == [4])
  }

  @Test func `a caller that is cancelled leaves the others`() async throws {
    let ada = try await singer()
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/singers/1", .json(["id": 1, "bio": "b"]).waiting(for: gate))
    let (first, second) = (Task { try await ada.load(\.bio) }, Task { try await ada.load(\.bio) })
    await Task.yield()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    try await second.value
    #expect(ada.bio == "b")
    #expect(try paths.count == 1)
  }
}
