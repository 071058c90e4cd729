import EntityClient
import EntityTesting
import TestSchema
import Testing

// A letter is mapped by declaration, a parcel by hand. Both have a sender and enclosed notes.

@Entity final class PostLetter: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("subjct") var subject: String?
  @Key("route.from") var start: String?
  var meta: JSONValue?
  var sender: Gardener?
  var notes: [PostNote]
  var seal: Cover?

  static var basePath: String { "letters" }
  static var deletionKey: String? { "gone" }
}

@Entity final class PostParcel: RemoteEntity {
  @UID @Key("id") var uid: Int
  var subject: String?
  var start: String?
  var size: Int = 0
  var label: String?
  var sender: Gardener?
  var notes: [PostNote]

  static var basePath: String { "parcels" }

  func update(with response: ResponseObject) throws {
    try response.assign("subjct", to: &subject)
    try response.assign("route.from", to: &start)
    if response.contains("flag") { size = try response.object("box")?.value("size") ?? 0 }
    label = try response.picking("label").decode([String: String].self)["label"]
    _ = response["meta"]
    try response.assign("sender", to: &sender)
    try response.assign("notes", to: &notes)
  }
}

@Entity final class PostNote: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var letter: Int?

  static var basePath: String { "notes" }
  static var origins: [ValueOrigin<PostNote>] { [.parent("number", \.letter)] }
}

/// Keys of a response that nothing reads.
@Suite(
  .client(entities: [PostLetter.self, PostParcel.self, Gardener.self, PostNote.self, Cover.self]))
struct UnreadKeyTests {
  private static let object: JSONValue = [
    "id": 1, "subject": "a", "route": ["from": "x", "to": "y"], "gone": false, "number": 4,
    "meta": ["any": ["thing": 1]],
    "sender": ["id": 2, "name": "Ada", "phone": "1"], "flag": true, "box": ["size": 3, "unit": "cm"], "label": "l",
    "notes": [["id": 3, "text": "t"], ["id": 4, "txt": "u", "a.b": nil], 5], "seal": ["color": "red", "wax": true],
  ]

  private func keys<E: RemoteEntity>(
    _ type: E.Type, _ body: JSONValue, _ options: ResponseOptions<E>...
  ) async throws -> Set<String> {
    try StubAdapter.current.on(.get, E.basePath, .json(body))
    var all: ResponseOptions<E> = .reportingUnreadKeys
    for option in options { all = [all, option] }
    let keys = try await E.get(options: all).unreadKeys.map(\.description)
    #expect(Set(keys).count == keys.count)
    return Set(keys)
  }

  @Test func `a misspelt key shows on both sides`() async throws {
    try StubAdapter.current.on(.get, "letters", .json([["id": 1, "subject": "a", "notes": []]]))
    let response = try await PostLetter.get(options: .reportingUnreadKeys)
    #expect(response.absentKeys.contains("subjct"))
    #expect(response.unreadKeys.map(\.description) == ["PostLetter: subject"])
    #expect(response.unreadKeys.first?.entity == "PostLetter")
    #expect(response.unreadKeys.first?.keyPath == "subject")
  }

  @Test func `keys of a declared entity are found at each depth`() async throws {
    #expect(
      try await keys(PostLetter.self, [Self.object, Self.object]) == [
        "PostLetter: subject", "PostLetter: route.to", "Gardener: phone", "PostLetter: flag", "PostLetter: box",
        "PostLetter: label", "PostNote: txt", #"PostNote: a\.b"#, "Cover: wax",
      ])
  }

  @Test func `reads by hand are noted`() async throws {
    #expect(
      try await keys(PostParcel.self, [Self.object]) == [
        "PostParcel: subject", "PostParcel: route.to", "PostParcel: gone", "Gardener: phone", "PostParcel: box.unit",
        "PostNote: txt", #"PostNote: a\.b"#, "PostParcel: seal",
      ])
  }

  @Test func `keys beside the objects are found`() async throws {
    let body: JSONValue = [
      "data": ["items": [["id": 1, "subjct": "a"]], "took": 3], "total": 1, "links": ["next": nil],
      "people": [["id": 2, "nam": "Ada"]],
    ]
    let parts: ResponseOptions<PostLetter> = .parts([.list(Gardener.self, at: "people")])
    #expect(
      try await keys(PostLetter.self, body, .envelope("data.items"), parts)
        == ["data.took", "total", "links", "Gardener: nam"])
  }

  @Test func `unread keys are not collected unasked`() async throws {
    try StubAdapter.current.on(.get, "letters", .json([Self.object]))
    #expect(try await PostLetter.get().unreadKeys == [])
  }

  @Test func `objects that no request brought are reported too`() async throws {
    let response = try await PostLetter.upsert(from: [["id": 1, "subject": "a"]], options: .reportingUnreadKeys)
    #expect(response.unreadKeys.map(\.description) == ["PostLetter: subject"])
  }
}
