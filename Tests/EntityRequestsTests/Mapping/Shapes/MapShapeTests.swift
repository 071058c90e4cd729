import EntityClient
import EntityTesting
import Foundation
import Testing

/// A map of objects by their ids, as document databases send it.
@Entity final class Member: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Key("groups{}") var groups: [Club]
  @Key("notes{}.text") var notes: [String]?

  static var basePath: String { "members" }
  static var envelope: Envelope? { "users{}" }
}

@Entity final class Club: RemoteEntity {
  @UID @Key("slug") var uid: String
  var title: String?
  var level: Int?

  static var basePath: String { "clubs.json" }
  static var envelope: Envelope? { Envelope(list: "{}") }
}

@Entity final class HandMember: RemoteEntity {
  @UID @Key("id") var uid: Int
  var groups: [Club]
  var lead: Club?

  static var basePath: String { "hand-members" }
  static var envelope: Envelope? { "users{}" }

  func update(with response: ResponseObject) throws {
    try response.assign("groups{}", to: &groups)
    lead = try response.upsert([Club].self, from: "groups{}")?.first
  }
}

@Suite(.client(entities: [Member.self, Club.self, HandMember.self])) struct MapShapeTests {
  private func lines() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Member.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid) \($0.name ?? "-") \($0.groups.map { "\($0.uid):\($0.level ?? 0)" }.sorted()) \($0.notes ?? [])"
      }
    }
  }

  private func get(_ body: String, _ options: ResponseOptions<Member> = []) async throws -> EntityResponse<Member> {
    try StubAdapter.current.on(.get, "/members", .text(body))
    return try await Member.get(options: options)
  }

  private static let body = #"""
    {"users": {"9": {"name": "x", "groups": {"b": {"level": 2}, "a": true, "c": false}, "notes": {"n1": {"text": "hi"}}},
     "7": {"name": "y", "groups": {"a": {"level": 1, "title": "A"}}}, "5": {"id": 4, "name": "own", "groups": []}}}
    """#

  private static let expected = [#"4 own [] []"#, #"7 y ["a:1"] []"#, #"9 x ["a:1", "b:2"] ["hi"]"#]

  @Test func `the keys of a map are the uids of its objects, and an own uid wins`() async throws {
    let first = try await get(Self.body)
    #expect(try await lines() == Self.expected)
    #expect(first.ids.count == 3)
    #expect(try await get(Self.body).counts.rowsWritten == 0)
    // In the order of the map.
    let uids = try await Client.current.store.read { context in try first.ids.map { try context.object($0)?.uid } }
    #expect(uids == [9, 7, 4])
  }

  @Test func `a map can be the whole body, and null is one without entries`() async throws {
    func get(_ body: String, _ options: ResponseOptions<Club> = []) async throws -> EntityResponse<Club> {
      try StubAdapter.current.on(.get, "/clubs.json", .text(body))
      return try await Club.get(options: options)
    }
    let body = #"{"chess": {"title": "Chess", "level": 3}, "go": {"title": "Go"}}"#
    #expect(try await get(body).counts.inserted == 2)
    #expect(try await get(body).counts.rowsWritten == 0)
    #expect(try await get(#"{"go": {"title": "Go"}}"#, .deleteMissing(in: Club.all)).counts.deleted == 1)
    let error = try await requestError { try await get(#"{"go": 5}"#) }
    #expect(error.kind == .upsert)
    #expect(try await get("null", .deleteMissing(in: Club.all)).counts.deleted == 1)
    #expect(try await get("null").ids.isEmpty)
  }

  @Test func `a map of many objects goes to the file by batch, with the same result`() async throws {
    let entries = (0..<600).map { #""\#($0)": {"name": "n\#($0)"}"# }
    let body = #"{"users": {"# + entries.joined(separator: ", ") + "}}"
    #expect(try await get(body).counts.inserted == 600)
    #expect(try await get(body).counts.rowsWritten == 0)
    try await Client.current.store.read { context in
      let found = try context.fetch(Member.where { $0.name == "n599" }).map(\.uid)
      #expect(found == [599])
    }
  }

  @Test func `an entry that is no object is an error with its key, or is skipped`() async throws {
    _ = try await get(Self.body)
    let bad = #"{"users": {"7": {"name": "z"}, "8": "x", "nine": {"name": "n"}}}"#
    let error = try await requestError { try await get(bad) }
    #expect(error.description.contains("bject 1"), "\(error)")
    #expect(try await lines() == Self.expected)
    let skipped = try await get(bad, .skipping)
    #expect(skipped.refused.map(\.position) == [1, 2])
    #expect(try await lines()[1].hasPrefix("7 z"))
    let list = try await requestError { try await get(#"{"users": [{"id": 1}]}"#) }
    #expect(list.kind == .envelope)
    #expect(list.description.contains("at 'users', an object with an entry for each member was expected"), "\(list)")
  }

  @Test func `maps are read in parts, on pages, and in an update by hand`() async throws {
    try StubAdapter.current.on(
      .get, "/members",
      .text(
        #"{"users": {"1": {"name": "a"}}, "clubs": {"x": {"title": "X"}}, "next": "https://api.example.com/members?p=2"}"#
      ),
      .text(#"{"users": {"2": {"name": "b"}}, "clubs": {"y": {"title": "Y"}}, "next": null}"#))
    let pages = try await Member.pages(by: .body("next"), options: .parts([.list(Club.self, at: "clubs{}")])).all()
    #expect(pages.ids.count == 2)
    #expect(pages.counts.inserted == 2)
    try await Client.current.store.read { context in
      let found = try context.fetch(Club.all).compactMap(\.title).sorted()
      #expect(found == ["X", "Y"])
    }
    for _ in 0..<2 {
      try StubAdapter.current.on(.get, "/hand-members", .text(Self.body))
      _ = try await HandMember.get()
    }
    try await Client.current.store.read { context in
      let member = try #require(try context.fetch(HandMember.where { $0.uid == 9 }).first)
      #expect(member.groups.map(\.uid).sorted() == ["a", "b"])
      #expect(member.lead?.uid == "b")
    }
  }

  @Test func `a key of a map can be another property than the uid`() async throws {
    try StubAdapter.current.on(
      .get, "/clubs.json", .text(#"{"results": {"Chess": {"slug": "c"}, "Go": {"slug": "g", "title": "own"}}}"#))
    _ = try await Club.get(options: .envelope("results{title}"))
    try await Client.current.store.read { context in
      let found = try context.fetch(Club.self).sorted { $0.uid < $1.uid }.map(\.title)
      #expect(found == ["Chess", "own"])
    }
  }

  @Test func `a streamed map is taken in as a whole`() async throws {
    try StubAdapter.current.on(.get, "/members", .text(Self.body))
    let response = try await Member.get(streaming: .groups(of: 1))
    #expect(try await lines() == Self.expected)
    #expect(response.committed.elements == 3)
  }
}
