import EntityClient
import EntityTesting
import Foundation
import Testing

@Entity final class Singer {
  @UID @Key("id") var uid: Int
  var slug: String?
  var name: String?
  @Relationship(inverse: \Ballad.singer) var songs: [Ballad]
  var genres: [Genre]
  var mentor: Singer?
  @Relationship(inverse: \Stanza.singer, ordered: true) var verses: [Stanza]
}

@Entity final class Ballad {
  @UID @Key("id") var uid: Int
  var title: String?
  var singer: Singer
}

@Entity final class Genre {
  @UID @Key("id") var uid: String
  var title: String?
  @Relationship(inverse: \Singer.genres) var singers: [Singer]
}

@Entity final class Stanza {
  @UID @Key("id") var uid: Int
  var singer: Singer?
}

extension Singer: RemoteEntity {
  static var basePath: String { "singers" }
  static var routes: [EntityRoute<Singer>] {
    [
      .relationship(\.genres, at: "/tags/of/{slug}/"), .relationship(\.mentor, at: "{uid:#}/mentor"),
      .named("search", at: "search/{term}"), .named("photo", at: "{uid}/photos/{size:#}"),
    ]
  }
}
extension Ballad: RemoteEntity { static var basePath: String { "songs" } }
extension Genre: RemoteEntity { static var basePath: String { "genres" } }
extension Stanza: RemoteEntity { static var basePath: String { "verses" } }

private let entities: [any ManagedEntity.Type] = [Singer.self, Ballad.self, Genre.self, Stanza.self]

/// URLs of relationships, and URLs with names; reads of relationships.
@Suite(.client(entities: entities, baseURL: "https://api.example.com/v1")) @MainActor struct RelationshipRouteTests {
  private func singer(_ fields: [String: JSONValue] = [:]) async throws -> Singer {
    let body: [String: JSONValue] = ["id": 7, "slug": "a b"]
    return try #require(try await Singer.upsert(from: JSONValueEncoder().encode(body.merging(fields) { $1 })).object)
  }

  private func answer(_ path: String, _ body: JSONValue) throws { try StubAdapter.current.on(.get, path, .json(body)) }

  // MARK: URLs

  @Test func `a relationship has the URL of its route or of its key`() async throws {
    let singer = try await singer()
    #expect(try singer.resource(\.songs) == "https://api.example.com/v1/singers/7/songs")
    #expect(try singer.resource(\.genres) == "https://api.example.com/tags/of/a%20b/")
    #expect(try singer.resource(\.mentor) == "https://api.example.com/v1/singers/7/mentor")
  }

  @Test func `a name has the URL of its route`() async throws {
    #expect(
      try Singer.resource(named: "search", ["term": "a/b?c"]) == "https://api.example.com/v1/singers/search/a%2Fb%3Fc")
    let singer = try await singer()
    #expect(try singer.resource(named: "photo", ["size": 64]) == "https://api.example.com/v1/singers/7/photos/64")
    #expect(
      try singer.resource(named: "photo", ["size": 64, "uid": 8]) == "https://api.example.com/v1/singers/8/photos/64")
  }

  @Test func `the URL serves any verb`() async throws {
    let singer = try await singer()
    try StubAdapter.current.on(.post, "/v1/singers/7/songs", .json(["id": 1, "title": "a", "singer": 7]))
    let song = Ballad()
    song.title = "a"
    song.singer = singer
    try Client.current.store.main.insert(song)
    try await song.post(\.title, to: singer.resource(\.songs))
    #expect(song.uid == 1)
  }

  @Test func `a URL that cannot be made is an error before anything is sent`() async throws {
    let main = try Client.current.store.main
    let new = Singer()
    try main.insert(new)
    for run in [{ _ = try new.resource(\.songs) }, { _ = try new.resource(\.mentor) }] as [@MainActor () throws -> Void]
    {
      #expect(try await requestError { try run() }.kind == .missingUID)
    }
    #expect(try await requestError { try await new.get(\.songs) }.kind == .missingUID)
    let singer = try await singer(["slug": nil])
    let missing = try await requestError { _ = try singer.resource(\.genres) }
    #expect(missing.kind == .invalidRequest)
    #expect(missing.description.contains("slug"))
    let dots = try await self.singer(["slug": ".."])
    #expect(try await requestError { _ = try dots.resource(\.genres) }.kind == .invalidRequest)
    #expect(try await requestError { _ = try Singer.resource(named: "photo", ["uid": 1]) }.kind == .invalidRequest)
    #expect(try await requestError { _ = try singer.resource(named: "photo") }.kind == .invalidRequest)
    #expect(try await requestError { _ = try Singer.resource(named: "none") }.description.contains("'none'"))
    #expect(try await requestError { _ = try singer.resource(\.name) }.kind == .invalidRoute)
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  // MARK: Reads

  @Test func `the objects of a list get their way back`() async throws {
    let singer = try await singer(["songs": [["id": 5]]])
    try answer("/v1/singers/7/songs", [["id": 1, "title": "a"], ["id": 2, "title": "b"]])
    let response = try await singer.get(\.songs, query: ["page": 1])
    #expect(try response.objects.map(\.title) == ["a", "b"])
    #expect(try response.objects.allSatisfy { $0.singer === singer })
    #expect(singer.songs.map(\.uid).sorted() == [1, 2, 5], "a page is not the whole list")
    #expect(try StubAdapter.current.requests.last?.url.query() == "page=1")
    // The second time nothing is written.
    let store = try Client.current.store
    let generation = try await store.read { $0.generation }
    try await singer.get(\.songs)
    #expect(try await store.read { $0.generation } == generation)
  }

  @Test func `a related list may be declared whole`() async throws {
    let singer = try await singer(["songs": [["id": 5]]])
    try answer("/v1/singers/7/songs", [["id": 1, "title": "a"]])
    try await singer.get(\.songs, options: .deleteMissing(in: Ballad.where { $0.singer.uid == 7 }))
    #expect(singer.songs.map(\.uid) == [1])
  }

  @Test func `the members of a many-to-many list are added`() async throws {
    let singer = try await singer(["genres": ["x"]])
    try answer("/tags/of/*", [["id": "y", "title": "Y"], ["id": "x"], ["id": "y"]])
    let response = try await singer.get(\.genres)
    #expect(response.ids.count == 2)
    #expect(singer.genres.map(\.uid).sorted() == ["x", "y"])
    #expect(try response.objects.allSatisfy { $0.singers.map(\.uid) == [7] })
  }

  @Test func `a member that was taken out here stays out`() async throws {
    let singer = try await singer(["genres": ["x", "y"]])
    singer.genres.removeAll { $0.uid == "x" }
    try await Client.current.store.main.save()
    try answer("/tags/of/*", [["id": "x"], ["id": "y"], ["id": "z"]])
    let response = try await singer.get(\.genres)
    #expect(singer.genres.map(\.uid).sorted() == ["y", "z"])
    #expect(response.skipped.contains { $0.reason == .locallyEdited })
    try await singer.get(\.genres, options: .localEdits(.overwrite))
    #expect(singer.genres.map(\.uid).sorted() == ["x", "y", "z"])
  }

  @Test func `an object that was moved here stays there`() async throws {
    let singer = try await singer(["songs": [["id": 1]]])
    let other = try #require(try await Singer.upsert(from: ["id": 8]).object)
    let song = try #require(singer.songs.first)
    song.singer = other
    try await Client.current.store.main.save()
    try answer("/v1/singers/7/songs", [["id": 1, "title": "a"]])
    let response = try await singer.get(\.songs)
    #expect(song.singer === other)
    #expect(song.title == "a")
    #expect(response.skipped.contains { $0.reason == .locallyEdited })
  }

  @Test func `the object of a link is set`() async throws {
    let singer = try await singer(["mentor": 3])
    try answer("/v1/singers/7/mentor", ["id": 9, "name": "Ella"])
    let response = try await singer.get(\.mentor)
    #expect(try response.object?.name == "Ella")
    #expect(singer.mentor?.uid == 9)
    #expect(singer.mentor === (try response.object))
  }

  @Test func `a required link is read too`() async throws {
    let singer = try await singer(["songs": [["id": 1]]])
    let song = try #require(singer.songs.first)
    try answer("/v1/songs/1/singer", ["id": 7, "name": "Nina"])
    try await song.get(\.singer)
    #expect(singer.name == "Nina")
    #expect(song.singer === singer)
  }

  @Test func `an empty answer changes nothing`() async throws {
    let singer = try await singer(["songs": [["id": 1]], "mentor": 3])
    try StubAdapter.current.on(.get, "/v1/singers/7/mentor", .status(204))
    try answer("/v1/singers/7/songs", [])
    try await singer.get(\.mentor)
    try await singer.get(\.songs)
    #expect(singer.mentor?.uid == 3)
    #expect(singer.songs.count == 1)
  }

  @Test func `an owner that goes meanwhile gets no members`() async throws {
    let singer = try await singer()
    let gate = StubGate()
    try StubAdapter.current.on(
      .get, "/v1/singers/7/verses", StubAnswer.json([["id": 1], ["id": 2]]).waiting(for: gate))
    let task = Task { try await singer.get(\.verses) }
    await gate.arrival()
    try await Client.current.store.background { context in
      for singer in try context.fetch(Singer.all) { try context.delete(singer) }
    }
    gate.open()
    let response = try await task.value
    #expect(try response.objects.compactMap(\.singer).isEmpty)
  }

  @Test func `an ordered list gets new members at its end`() async throws {
    let singer = try await singer(["verses": [["id": 3], ["id": 1]]])
    try answer("/v1/singers/7/verses", [["id": 2], ["id": 1]])
    try await singer.get(\.verses)
    #expect(singer.verses.map(\.uid) == [3, 1, 2])
  }
}
