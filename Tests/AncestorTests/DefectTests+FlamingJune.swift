import EntityClient
import EntityTesting
import Foundation
import Testing

extension DefectTests {
  @Suite(.notes) @MainActor struct FlamingJuneDefects {
    private var store: EntityStore { get throws { try Client.current.store } }
    private var stub: StubAdapter { get throws { try StubAdapter.current } }

    @Test func `D19: ids, identity and objects that lead back to each other survive a launch`() async throws {
      try await withStoreFile { file in
        do {
          let store = try EntityStore(.file(file), entities: entities)
          try await Author.upsert(from: ["id": 7, "name": "Ada", "notes": [["id": 1], ["id": 2]]], in: store)
        }
        let main = try EntityStore(.file(file), entities: entities).main
        let notes = try main.fetch(Note.all.sorted(by: \.uid))
        #expect(notes.map(\.uid) == [1, 2])
        let author = try #require(notes[0].author)
        #expect(author === notes[1].author)
        #expect(author.uid == 7)
        #expect(author.notes.count == 2)
      }
    }

    @Test func `D19: a file that is damaged is told, and left as it is`() async throws {
      try await withStoreFile { file in
        do {
          let store = try EntityStore(.file(file), entities: entities)
          try await Contact.upsert(from: contacts(0...5), in: store)
        }
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(0..<16, with: Data(count: 16))
        try bytes.write(to: file)
        #expect(throws: StoreError.self) { try EntityStore(.file(file), entities: entities) }
        #expect(try Data(contentsOf: file) == bytes)
      }
    }

    @Test func `D20: null is no object: a link is empty, a list is empty, and nobody is made`() async throws {
      let note = try #require(try await Note.upsert(from: ["id": 1, "author": 7, "tags": [["name": "a"]]]).object)
      try await Note.upsert(from: ["id": 1, "author": nil, "tags": nil, "link": nil])
      #expect(note.author == nil)
      #expect(note.tags.isEmpty)
      try await Note.upsert(from: ["id": 2, "author": nil])
      #expect(try store.main.fetch(Author.all.including(.placeholders)).map(\.uid) == [7])
    }

    @Test(
      arguments: [
        ["id": 1, "pinned": nil], "text", 7, [1, 2], nil,
      ] as [JSONValue])
    func `D20: a null that a property can't be, and a root that is none, are errors`(body: JSONValue) async throws {
      _ = try await requestError { try await Note.upsert(from: body) }
      #expect(try await store.objectCount() == 0)
    }

    @Test func `D21: a child that names its parent leads to that very object`() async throws {
      let body: JSONValue = [
        "id": 7, "name": "Ada", "notes": [["id": 1, "author": 7], ["id": 2, "author": ["id": 7]]],
      ]
      let author = try #require(try await Author.upsert(from: body).object)
      #expect(author.notes.count == 2)
      for note in author.notes { #expect(note.author === author) }
      #expect(try store.main.fetch(Author.all.including(.placeholders)).count == 1)
    }

    @Test func `D22: an older answer that comes later overwrites nothing`() async throws {
      let gate = StubGate()
      try stub.on(.get, "/contacts/old", .json([["id": 1, "display_name": "Old"]]).waiting(for: gate))
        .on(.get, "/contacts/new", .json([["id": 1, "display_name": "New"]]))
      async let old = Contact.get("old").skipped
      await gate.arrival()
      try await Contact.get("new")
      gate.open()
      #expect(try await old.count == 1)
      #expect(try store.main.fetch(Contact.self, uid: 1)?.displayName == "New")
    }

    @Test(arguments: [
      ("2012-11-13T13:31:36Z", 1_352_813_496), ("2012-11-13T13:31:36.25Z", 1_352_813_496.25),
      ("2012-11-13T14:31:36+01:00", 1_352_813_496), ("2012-11-13T05:31:36.5-0800", 1_352_813_496.5),
    ])
    func `D23: dates have fractions and offsets`(text: String, time: Double) async throws {
      let note = try #require(try await Note.upsert(from: ["id": 1, "created_at": JSONValue(text)]).object)
      #expect(note.createdAt?.timeIntervalSince1970 == time)
    }

    @Test(arguments: ["soon", "2012-13-01"])
    func `D23: a text that is no date is an error that names the property, and not nil`(text: String) async throws {
      let error = try await requestError { try await Note.upsert(from: ["id": 1, "created_at": JSONValue(text)]) }
      #expect((error.underlying as? MappingError)?.property == "createdAt")
    }
  }
}
