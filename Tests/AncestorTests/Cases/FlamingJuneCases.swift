import EntityClient
import EntityTesting
import Foundation
import Testing

/// Objects and their identity: OEGFlamingJune (cases 34-40), with a timeline of our own.
@Suite(.notes) @MainActor struct FlamingJuneCases {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  /// 20 notes of 19 authors: the first two notes are of one.
  static let timeline = JSONArray(
    (0..<20).map { index in
      let author = JSONValue(max(1, index))
      return [
        "id": JSONValue(100 + index), "text": "Note", "created_at": "2012-11-13T13:31:36Z",
        "author": ["id": author, "name": "Author", "created_at": "2012-10-01T08:00:00Z"],
      ]
    }
  ).value

  @Test func `Case 34: a list under its key is 20 typed objects, and the response has its envelope`() async throws {
    try stub.on(.get, "/notes/stream", .json(["data": Self.timeline, "meta": ["code": 200]]))
    let response = try await Note.get("stream", options: .envelope("data"))
    #expect(try response.objects.count == 20)
    #expect(response.value?["meta.code"]?.int == 200)
  }

  @Test func `Case 35: dates are dates, and nested objects are filled`() async throws {
    let note = try #require(try await Note.upsert(from: Self.timeline).object)
    #expect(note.createdAt?.timeIntervalSince1970 == 1_352_813_496)
    #expect(note.author?.uid == 1)
    #expect(note.author?.name == "Author")
  }

  @Test func `Case 36: two notes of one author have one object`() async throws {
    let notes = try await Note.upsert(from: Self.timeline).objects
    let author = try #require(notes[0].author)
    #expect(notes[1].author === author)
    #expect(notes[2].author !== author)
    #expect(author.notes.count == 2)
  }

  @Test func `Case 37: what was saved is there again; an empty store stays empty, and can be opened`() async throws {
    try await withStoreFile { file in
      do {
        let store = try EntityStore(.file(file), entities: entities)
        #expect(try await store.objectCount() == 0)
        try await Note.upsert(from: Self.timeline, in: store)
        #expect(try await store.objectCount() == 39)
      }
      do {
        let store = try EntityStore(.file(file), entities: entities)
        #expect(try await store.objectCount() == 39)
        try await store.reset()
        #expect(try await store.objectCount() == 0)
      }
      #expect(try await EntityStore(.file(file), entities: entities).objectCount() == 0)
    }
  }

  @Test func `Case 39: transformed values, URLs and Bools go back as they came`() async throws {
    let body: JSONValue = ["id": 1, "motto": "esrever", "link": "https://example.com/a?b=c", "pinned": true]
    let note = try #require(try await Note.upsert(from: body).object)
    #expect(note.motto == "reverse")
    #expect(note.link == URL(string: "https://example.com/a?b=c"))
    #expect(note.pinned)
    #expect(try note.jsonObject(for: \.uid, \.motto, \.link, \.pinned).value == body)
  }

  @Test func `Case 40: a list of objects keeps its order and its types, can be changed, and goes back as it came`()
    async throws
  {
    let tags: JSONValue = [["name": "swift"], ["name": "linux"], ["name": "actors"]]
    let note = try #require(try await Note.upsert(from: ["id": 1, "tags": tags]).object)
    #expect(note.tags.map(\.name) == ["swift", "linux", "actors"])
    #expect(try note.jsonObject(for: \.tags)["tags"] == tags)
    note.tags.swapAt(0, 2)
    #expect(try note.jsonObject(for: \.tags)["tags"] == [["name": "actors"], ["name": "linux"], ["name": "swift"]])
  }

  @Test func `F4: an id is the same as a number and as a text, and an object is updated in place`() async throws {
    let author = try #require(try await Author.upsert(from: ["id": 5, "name": "Ada"]).object)
    try await Author.upsert(from: ["id": "5", "name": "Ada King"])
    #expect(author.name == "Ada King")
    #expect(try Client.current.store.main.fetch(Author.all).count == 1)
  }

  @Test func `F5: an absent key leaves a property, and null empties it`() async throws {
    let body: JSONValue = ["id": 1, "link": "https://example.com", "motto": "a"]
    let note = try #require(try await Note.upsert(from: body).object)
    try await Note.upsert(from: ["id": 1, "link": nil])
    #expect(note.link == nil)
    #expect(note.motto == "a")
  }

  @Test func `F6: an id in place of an object is a placeholder, until the object comes`() async throws {
    let note = try #require(try await Note.upsert(from: ["id": 1, "author": 7]).object)
    let author = try #require(note.author)
    #expect(author.isPlaceholder)
    #expect(try Client.current.store.main.fetch(Author.all).isEmpty)
    try await Author.upsert(from: ["id": 7, "name": "Ada"])
    #expect(note.author === author)
    #expect(author.name == "Ada")
    #expect(!author.isPlaceholder)
  }

  @Test func `F3: a list, an object under a key, and a bare object are told apart by the envelope`() async throws {
    let envelope = Envelope(list: "notes", item: "note").ifPresent()
    for body: JSONValue in [["notes": [["id": 1], ["id": 2]]], ["note": ["id": 3]], ["id": 4], [["id": 5]]] {
      try await Note.upsert(from: body, options: .envelope(envelope))
    }
    #expect(try Client.current.store.main.fetch(Note.all.sorted(by: \.uid)).map(\.uid) == [1, 2, 3, 4, 5])
  }
}
