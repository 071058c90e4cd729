import EntityClient
import EntityTesting
import Foundation
import Testing

/// Required and many-to-many relationships in responses.
@Suite struct RelationMappingTests {
  /// The uids of a film's cast.
  private func cast(_ store: EntityStore, _ uid: Int = 1) async throws -> [Int] {
    try await store.read { try $0.fetch(Film.self, uid: uid)?.cast.map(\.uid).sorted() ?? [] }
  }

  private func film(_ fields: JSONObject) -> JSONValue {
    JSONObject(fields: [("id", 1), ("studio", 1)] + fields.map { ($0.key, $0.value) }).value
  }

  // MARK: Required

  @Test(arguments: ["{\"id\": 1}", "{\"id\": 1, \"studio\": null}", "{\"id\": 1, \"studio\": \"\"}"])
  func `a new object without a required link fails the response`(_ json: String) async throws {
    let store = try films()
    let value = try JSONValue(parsing: Data(json.utf8))
    let stated = await #expect(throws: MappingError.self) {
      try await store.receive(Film.self, [["id": 9, "studio": 1], value])
    }
    #expect(stated?.entity == "Film")
    #expect(stated?.property == "studio")
    #expect(stated?.key == "studio")
    #expect(stated?.position == 1)
    let handed = await #expect(throws: MappingError.self) { try await store.receive(HandFilm.self, [value]) }
    #expect(handed?.entity == "HandFilm")
    #expect(handed?.property == "studio")
    #expect(handed?.key == "studio")
    let onMain = await #expect(throws: MappingError.self) {
      try await MainActor.run { _ = try store.main.upsert(Film.self, from: try #require(value.object)) }
    }
    #expect(onMain?.property == "studio")
    #expect(try await store.read { try $0.count(Film.all) + $0.count(HandFilm.all) } == 0)
  }

  @Test func `a known object keeps its required link where the key is absent`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, ["id": 1, "studio": ["id": 5, "name": "S"]])
    #expect(try await store.receive(Film.self, ["id": 1, "title": "T"]).counts.updated == 1)
    #expect(try await store.read { try $0.fetch(Film.self, uid: 1)?.studio.name } == "S")
    await #expect(throws: MappingError.self) { try await store.receive(Film.self, ["id": 1, "studio": nil]) }
    #expect(try await store.receive(Film.self, ["id": 1, "studio": 5]).counts.rowsWritten == 0)
  }

  @Test func `a placeholder has no required link until it is filled`() async throws {
    let store = try films()
    _ = try await store.receive(Player.self, ["id": 1, "films": [7]])
    let read = try await store.read {
      try $0.fetch(Player.self, uid: 1)?.films.map { ($0.isPlaceholder, $0.studio.isDeleted) }
    }
    #expect(read?.map(\.0) == [true])
    #expect(read?.map(\.1) == [true])
    await #expect(throws: MappingError.self) { try await store.receive(Film.self, ["id": 7, "title": "T"]) }
    #expect(try await store.read { try $0.count(Film.all) } == 0)
    #expect(try await store.receive(Film.self, ["id": 7, "studio": 1]).counts.inserted == 1)
  }

  @Test func `the parent's list gives its objects their link to the parent`() async throws {
    let store = try films()
    _ = try await store.receive(Studio.self, ["id": 1, "films": [["id": 1], ["id": 2], 3]])
    _ = try await store.receive(HandStudio.self, ["id": 1, "films": [["id": 1], ["id": 2], 3]])
    // A film that is left out keeps its studio: the studio is required, and no other one is known.
    _ = try await store.receive(Studio.self, ["id": 1, "films": [["id": 1]]])
    _ = try await store.receive(HandStudio.self, ["id": 1, "films": [["id": 1]]])
    let counts = try await store.read {
      [try $0.fetch(Studio.self, uid: 1)?.films.count, try $0.fetch(HandStudio.self, uid: 1)?.films.count]
    }
    #expect(counts == [3, 3])
    _ = try await store.receive(Studio.self, ["id": 2, "films": [2]])
    #expect(try await store.read { try $0.fetch(Film.self, uid: 2)?.studio.uid } == 2)
  }

  // MARK: Many-to-many

  @Test func `a list has the members of the response`() async throws {
    let store = try films()
    let first = try await store.receive(Film.self, film(["cast": [["id": 1, "name": "A"], 2, "3", nil]]))
    #expect(first.counts.inserted == 1)
    #expect(try await cast(store) == [1, 2, 3])
    #expect(try await store.receive(Film.self, film(["cast": [3, 2, 1]])).counts.rowsWritten == 0)
    let changed = try await store.receive(Film.self, film(["cast": [2, 4]]))
    #expect(changed.counts.updated == 1)
    #expect(try await cast(store) == [2, 4])
    _ = try await store.receive(Film.self, film(["title": "T"]))
    #expect(try await cast(store) == [2, 4])
    _ = try await store.receive(Film.self, film(["cast": nil]))
    #expect(try await cast(store) == [])
    let players = try await store.read { try $0.fetch(Player.self).map(\.uid) }
    #expect(players == [1])
    _ = try await store.receive(Player.self, ["id": 1, "films": [1]])
    #expect(try await cast(store) == [1])
    await #expect(throws: MappingError.self) { try await store.receive(Film.self, self.film(["cast": 5])) }
  }

  @Test func `edited pairs are left alone`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, film(["cast": [1, 2], "sequels": [9]]))
    _ = try await store.receive(Player.self, [["id": 1], ["id": 2], ["id": 3]])
    try await store.background { context in
      let film = try #require(try context.fetch(Film.self, uid: 1))
      film.cast = try [1, 3].compactMap { try context.fetch(Player.self, uid: $0) }
    }
    // 2 was taken out here and 3 was added; nobody said anything of 1.
    #expect(try await store.receive(Film.self, film(["cast": [2], "sequels": [1]])).counts.updated == 1)
    #expect(try await cast(store) == [3])
    _ = try await store.receive(
      Player.self, [["id": 1, "films": [1]], ["id": 2, "films": [1]], ["id": 3, "films": [2]]])
    #expect(try await cast(store) == [1, 3])
    #expect(try await cast(store, 2) == [])
    #expect(try await store.read { try $0.fetch(Player.self, uid: 3)?.films.map(\.uid).sorted() } == [1, 2])
    _ = try await store.receive(Film.self, film(["cast": [2]])) { $0.localEdits = .overwrite }
    #expect(try await cast(store) == [2])
    _ = try await store.receive(Film.self, film(["cast": [1, 3]]))
    #expect(try await cast(store) == [1, 3])
  }

  @Test func `an edit through the other side leaves the other pairs open`() async throws {
    let store = try films()
    _ = try await store.receive(Player.self, [["id": 1], ["id": 2], ["id": 3]])
    _ = try await store.receive(Film.self, [["id": 1, "studio": 1], ["id": 2, "studio": 1, "cast": [1]]])
    try await store.background { context in
      let player = try #require(try context.fetch(Player.self, uid: 1))
      try player.add(try #require(try context.fetch(Film.self, uid: 1)), to: \.films)
      try player.remove(try #require(try context.fetch(Film.self, uid: 2)), from: \.films)
    }
    _ = try await store.receive(
      Film.self, [["id": 1, "cast": [2]], ["id": 2, "cast": [1, 3]], ["id": 3, "studio": 1, "cast": [1]]])
    #expect(try await cast(store) == [1, 2])
    #expect(try await cast(store, 2) == [3])
    #expect(try await cast(store, 3) == [1])
    _ = try await store.receive(Player.self, [["id": 1, "films": [2]]])
    #expect(try await store.read { try $0.fetch(Player.self, uid: 1)?.films.map(\.uid).sorted() } == [1])
  }

  @Test func `an older answer does not overwrite a newer answer`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, film(["cast": [1]]))
    let older = store.core.requests.begin()
    _ = try await store.receive(Film.self, film(["cast": [2]]))
    _ = try await store.upsert(ResponseUpsert<Film>(film(["cast": [["id": 3, "name": "N"]]]), sequence: older))
    #expect(try await cast(store) == [2])
    _ = try await store.upsert(
      ResponseUpsert<Player>([["id": 2, "films": []], ["id": 3, "films": [1]]], sequence: older))
    #expect(try await cast(store) == [2])
    store.core.requests.end(older)
    _ = try await store.receive(Film.self, film(["cast": [3]]))
    #expect(try await cast(store) == [3])
  }

  @Suite(.client(entities: [Film.self, Player.self, Studio.self], baseURL: "https://api.example.com/"))
  @MainActor struct Requests {
    @Test func `a list that was sent acknowledges edits through the other side`() async throws {
      let film = try await self.film()
      let main = try #require(film.entityContext)
      let player = try #require(try main.fetch(Player.self, uid: 2))
      try player.remove(film, from: \.films)
      try await main.save()
      #expect(player.hasLocalEdits)
      #expect(!film.hasLocalEdits)
      let stub = try StubAdapter.current
      stub.on(.get, "/films/1", .json(["id": 1, "cast": [1, 2]]))
      try await film.get()
      #expect(film.cast.map(\.uid) == [1])
      stub.on(.put, "/films/1", .status(204))
      try await film.put { try $0.setJSON(film.jsonObject(for: \.cast)) }
      #expect(!player.hasLocalEdits)
      try await film.get()
      #expect(film.cast.map(\.uid) == [1, 2])
    }

    @Test func `an acknowledged list is the server's again`() async throws {
      let film = try await self.film()
      let main = try #require(film.entityContext)
      film.cast = try [2, 3].compactMap { try main.fetch(Player.self, uid: $0) }
      #expect(try film.jsonObject(for: \.cast)["cast"] == [2, 3])
      try StubAdapter.current.on(.put, "/films/1", .json(["id": 1]))
      try StubAdapter.current.on(.get, "/films/1", .json(["id": 1, "cast": [1]]))
      try await film.get()
      #expect(film.cast.map(\.uid) == [2, 3])
      try await film.put { try $0.setJSON(film.jsonObject(for: \.cast)) }
      #expect(!film.hasChanges)
      #expect(!main.hasChanges)
      #expect(film.cast.map(\.uid) == [2, 3])
      try await film.get()
      #expect(film.cast.map(\.uid) == [1])
    }

    @Test func `a new object is posted with its lists`() async throws {
      let first = try await self.film()
      let main = try #require(first.entityContext)
      let film = try main.insert(Film.self)
      film.studio = first.studio
      film.cast = first.cast
      film.title = "New"
      try StubAdapter.current.on(.post, "/films", .json(["id": 2], status: 201))
      try await film.post { try $0.setJSON(film.jsonObject(for: \.title, \.cast)) }
      #expect(film.uid == 2)
      #expect(!film.isInserted)
      try await main.save()
      #expect(film.cast.count == 3)
      #expect(film.studio === first.studio)
      let second = try main.insert(Film.self)
      second.studio = first.studio
      try await second.post { try $0.setJSON(["name": "x"] as JSONValue) }
      #expect(film.isDeleted || second.uid == 2)
    }

    private func film() async throws -> Film {
      _ = try await Player.upsert(from: [["id": 1], ["id": 2], ["id": 3]])
      let response = try await Film.upsert(from: [["id": 1, "studio": ["id": 1], "cast": [1, 2, 3]]])
      return try #require(try response.object)
    }
  }

  // MARK: Twins

  @Test(arguments: 0..<40) func `random payloads end in equal rows`(_ seed: UInt64) async throws {
    var random = PayloadRandom(seed)
    let (bytes, hand, main) = (try films(), try films(), try films())
    for step in 0..<6 {
      let payload = random.films()
      let comment = Comment(
        rawValue: "seed \(seed), step \(step): \(String(decoding: payload.rawBytes, as: UTF8.self))")
      let stated = try? await bytes.receive(Film.self, payload)
      let handed = try? await hand.receive(HandFilm.self, payload)
      #expect((stated == nil) == (handed == nil), comment)
      #expect(stated?.counts.inserted == handed?.counts.inserted, comment)
      let isTaken = await Self.upsertOnMain(main, payload)
      #expect(isTaken == (stated != nil), comment)
      let rows = try await bytes.read { try Self.rows($0) }
      #expect(try await hand.read { try Self.handRows($0) } == rows, comment)
      #expect(try await main.read { try Self.rows($0) } == rows, comment)
    }
  }

  @MainActor private static func upsertOnMain(_ store: EntityStore, _ payload: JSONValue) async -> Bool {
    do {
      for element in payload.array ?? [] {
        if let object = element.object { try store.main.upsert(Film.self, from: object) }
      }
      try await store.main.save()
      return true
    } catch {
      store.main.rollback()
      return false
    }
  }

  private static func rows(_ context: EntityContext) throws -> [String] {
    let films = try context.fetch(EntityQuery<Film>(includesPlaceholders: true)).map {
      "f\($0.uid) \($0.title ?? "-") \($0.isPlaceholder) \($0.studio.uid) \($0.cast.map(\.uid).sorted()) \($0.sequels.map(\.uid).sorted())"
    }
    let players = try context.fetch(EntityQuery<Player>(includesPlaceholders: true)).map {
      "p\($0.uid) \($0.name ?? "-") \($0.isPlaceholder) \($0.films.map(\.uid).sorted())"
    }
    return (films + players).sorted()
  }

  private static func handRows(_ context: EntityContext) throws -> [String] {
    let films = try context.fetch(EntityQuery<HandFilm>(includesPlaceholders: true)).map {
      "f\($0.uid) \($0.title ?? "-") \($0.isPlaceholder) \($0.studio.uid) \($0.cast.map(\.uid).sorted()) \($0.sequels.map(\.uid).sorted())"
    }
    let players = try context.fetch(EntityQuery<HandPlayer>(includesPlaceholders: true)).map {
      "p\($0.uid) \($0.name ?? "-") \($0.isPlaceholder) \($0.films.map(\.uid).sorted())"
    }
    return (films + players).sorted()
  }
}

extension PayloadRandom {
  mutating func films() -> JSONValue { JSONValue((0..<below(3) + 1).map { _ in film(2) }) }

  private mutating func film(_ depth: Int) -> JSONValue {
    var fields: [(String, JSONValue)] = [("id", JSONValue(below(4)))]
    if below(8) != 0 { fields.append(("studio", one([1, "1", 2, ["id": 1, "name": "S"]]))) }
    if below(2) == 0 { fields.append(("title", one([nil, "a", "b"]))) }
    if below(2) == 0 {
      let list = JSONValue(
        (0..<below(4)).map { _ in depth > 0 && below(3) == 0 ? player(depth - 1) : JSONValue(below(4)) })
      fields.append(("cast", one([list, list, nil])))
    }
    if below(4) == 0 {
      fields.append(
        (
          "sequels",
          JSONValue(
            (0..<below(3)).map { _ in depth > 0 && below(2) == 0 ? film(depth - 1) : JSONValue(below(4)) })
        ))
    }
    return JSONObject(fields: fields).value
  }

  private mutating func player(_ depth: Int) -> JSONValue {
    var fields: [(String, JSONValue)] = [("id", JSONValue(below(4)))]
    if below(2) == 0 { fields.append(("name", one([nil, "x"]))) }
    if below(3) == 0 { fields.append(("films", JSONValue((0..<below(3)).map { _ in JSONValue(below(4)) }))) }
    return JSONObject(fields: fields).value
  }
}
