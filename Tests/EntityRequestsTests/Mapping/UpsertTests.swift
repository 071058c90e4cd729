import EntityClient
import Foundation
import Testing

@Suite struct UpsertTests {
  @Test func `a list is inserted in its order`() async throws {
    let store = try library()
    let outcome = try await store.receive(
      Book.self,
      [
        ["id": 2, "title": "B", "pages": 20, "published_at": "2024-03-01T12:00:00Z", "publisher": ["city": "Oslo"]],
        ["id": 1, "title": "A"],
      ])
    #expect(outcome.counts.inserted == 2)
    #expect(outcome.counts.rowsWritten == 2)
    let ids = outcome.ids
    let read = try await store.read { context in
      try context.objects(ids).map { ($0.uid, $0.title, $0.pages, $0.publishedAt, $0.city) }
    }
    #expect(read.map(\.0) == [2, 1])
    #expect(read.map(\.1) == ["B", "A"])
    #expect(read.map(\.2) == [20, 0])
    #expect(read[0].3 == Date(timeIntervalSince1970: 1_709_294_400))
    #expect(read.map(\.4) == ["Oslo", nil])
  }

  @Test func `the same response again writes no row`() async throws {
    let store = try library()
    let list: JSONValue = [
      [
        "id": 1, "title": "A", "author": ["uid": "x", "name": "X", "mentor": "y"], "cover": ["color": "red"],
        "chapters": [["id": 10, "title": "One"], ["id": 11]],
      ]
    ]
    let first = try await store.receive(Book.self, list)
    #expect(first.counts.inserted == 1)
    #expect(first.counts.rowsWritten >= 6)
    let second = try await store.receive(Book.self, list)
    #expect(second.counts.unchanged == 1)
    #expect(second.counts.rowsWritten == 0)
    #expect(second.ids == first.ids)
    let counts = try await store.read { context in
      try [context.count(Book.all), context.count(Author.all), context.count(Cover.all), context.count(Chapter.all)]
    }
    #expect(counts == [1, 1, 1, 2])
  }

  @Test func `an absent key keeps its value and null clears it`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "title": "A", "pages": 7, "cover": ["color": "red"]])
    let outcome = try await store.receive(Book.self, ["id": 1, "title": nil])
    #expect(outcome.counts.updated == 1)
    let read = try await store.read { try $0.fetch(Book.self, uid: 1).map { ($0.title, $0.pages, $0.cover?.color) } }
    let book = try #require(read)
    #expect(book.0 == nil)
    #expect(book.1 == 7)
    #expect(book.2 == "red")
  }

  @Test func `an object that is twice in a list is merged`() async throws {
    let store = try library()
    let outcome = try await store.receive(
      Book.self,
      [["id": 1, "title": "A"], ["id": 2], ["id": 1, "pages": 5], ["id": "1", "title": "A2"], ["id": 1.0]])
    #expect(outcome.counts.inserted == 2)
    #expect(outcome.counts.updated == 0)
    #expect(outcome.ids.count == 2)
    let read = try await store.read { try $0.fetch(Book.self, uid: 1).map { ($0.title, $0.pages) } }
    #expect(read?.0 == "A2")
    #expect(read?.1 == 5)
  }

  @Test func `large ids stay exact`() async throws {
    let store = try library()
    let data = Data(#"[{"id": 9007199254740993}, {"id": "9007199254740992"}, {"id": 9007199254740993.0}]"#.utf8)
    let outcome = try await store.receive(Book.self, try JSONValue(parsing: data))
    #expect(outcome.counts.inserted == 2)
    let uids = try await store.read { try $0.fetch(Book.self).map(\.uid) }
    #expect(Set(uids) == [9_007_199_254_740_993, 9_007_199_254_740_992])
  }

  @Test(arguments: [
    #"{"id": 1.5}"#, #"{"id": 9223372036854775808}"#, #"{"id": true}"#, #"{"id": 1, "pages": null}"#,
    #"{"id": 1, "pages": "many"}"#, "[1]", "[[]]", #"{"id":1,"cover":[]}"#, #"{"id":1,"cover":3}"#,
    #"{"id":1,"published_at":"2024-02-30"}"#,
  ])
  func `an unreadable response throws and writes nothing`(_ json: String) async throws {
    let store = try library()
    await #expect(throws: MappingError.self) {
      try await store.receive(Book.self, [["id": 9], try JSONValue(parsing: Data(json.utf8))])
    }
    #expect(try await store.read { try $0.count(Book.all) } == 0)
  }

  @Test func `the error names the place`() async throws {
    let store = try library()
    let error = await #expect(throws: MappingError.self) {
      try await store.receive(Book.self, [["id": 1], ["id": 2, "chapters": [["id": 3], ["id": 4, "title": ["x"]]]]])
    }
    #expect(error?.entity == "Chapter")
    #expect(error?.property == "title")
    #expect(error?.position == 1)
  }

  @Test func `a link by id makes a placeholder that is filled later`() async throws {
    let store = try library()
    _ = try await store.receive(Chapter.self, [["id": 1, "book": 7], ["id": 2, "book": "7"]])
    #expect(try await store.read { try $0.fetch(Book.self).count } == 0)
    #expect(try await store.read { try $0.fetch(Chapter.self, uid: 1)?.book?.isPlaceholder } == true)
    let outcome = try await store.receive(Book.self, ["id": 7, "title": "Seven"])
    #expect(outcome.counts.inserted == 1)
    let read = try await store.read { context in
      try context.fetch(Book.self, uid: 7).map {
        ($0.chapters.count, $0.isPlaceholder, try context.fetch(Chapter.self, uid: 2)?.book === $0)
      }
    }
    #expect(read?.0 == 2)
    #expect(read?.1 == false)
    #expect(read?.2 == true)
  }

  @Test func `a to-many list replaces links but deletes nobody`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "chapters": [["id": 1], ["id": 2]]])
    let ids = try await store.read { try $0.fetch(Chapter.self).map(\.entityID) }
    let outcome = try await store.receive(Book.self, ["id": 1, "chapters": [2, ["id": 3]]])
    #expect(outcome.counts.updated == 1)
    let read = try await store.read { context in
      (try context.fetch(Book.self, uid: 1)?.chapters.map(\.uid), try context.fetch(Chapter.self).map(\.entityID))
    }
    #expect(read.0 == [2, 3])
    #expect(Array(read.1.prefix(2)) == ids)
    #expect(read.1.count == 3)
  }

  @Test func `an update by hand runs on every path`() async throws {
    let store = try library()
    _ = try await store.receive(Author.self, [["uid": "a", "name": "A"]])
    _ = try await store.receive(
      Book.self, ["id": 1, "author": ["uid": "b", "name": "B", "mentor": ["uid": "c", "name": "C"]]])
    _ = try await store.receive(Book.self, ["id": 2, "author": "d"])
    _ = try await store.receive(Author.self, ["uid": "d", "name": "D"])
    let names = try await store.read { try $0.fetch(Author.all.sorted(by: \.uid)).map(\.name) }
    #expect(names == ["by hand: A", "by hand: B", "by hand: C", "by hand: D"])
  }

  @Test func `an object that refers to itself is one object`() async throws {
    let store = try library()
    let outcome = try await store.receive(
      Author.self, ["uid": "a", "name": "A", "mentor": ["uid": "a", "mentor": "a"]])
    #expect(outcome.counts.inserted == 1)
    try await store.read { context in
      let author = try #require(try context.fetch(Author.self, uid: "a"))
      #expect(author.mentor === author)
      #expect(try context.fetch(Author.self).count == 1)
    }
  }

  @Test func `an embedded object is updated in place`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "cover": ["color": "red"]])
    _ = try await store.receive(Book.self, ["id": 1, "cover": ["color": "blue"]])
    _ = try await store.receive(Author.self, ["uid": "a", "portrait": ["color": "green"]])
    _ = try await store.receive(Author.self, ["uid": "a", "portrait": ["color": "black"]])
    let colors = try await store.read { try $0.fetch(Cover.self).map(\.color) }
    #expect(colors == ["blue", "black"])
  }

  @Test func `delete missing deletes only within its scope`() async throws {
    let store = try library()
    _ = try await store.receive(
      Book.self, (1...6).map { ["id": JSONValue($0), "pages": JSONValue($0 * 10)] }.responseValue)
    try await store.background { context in
      _ = try context.insert(Book.self)
      try context.fetch(Book.self, uid: 6)?.title = "edited here"
    }
    let outcome = try await store.receive(Book.self, [["id": 2], ["id": 4]]) {
      $0.missing = .deleteMissing(in: Book.where { $0.pages > 10 })
    }
    #expect(outcome.counts.deleted == 2)
    #expect(outcome.counts.unchanged == 2)
    let uids = try await store.read { try $0.fetch(Book.self).map(\.uid) }
    #expect(uids == [1, 2, 4, 6, 0])
    let none = try await store.receive(Book.self, ["id": 2]) { $0.missing = .deleteMissing(in: Book.all) }
    #expect(none.counts.deleted == 0)
  }

  @Test func `local edits survive and are acknowledged`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "title": "server", "pages": 1])
    try await store.background { try $0.fetch(Book.self, uid: 1)?.title = "mine" }
    let kept = try await store.receive(Book.self, ["id": 1, "title": "server 2", "pages": 2])
    #expect(kept.counts.updated == 1)
    #expect(
      try await store.read { try $0.fetch(Book.self, uid: 1).map { [$0.title, "\($0.pages)"] } } == ["mine", "2"])
    let same = try await store.receive(Book.self, ["id": 1, "title": "server 3", "pages": 2])
    #expect(same.counts.rowsWritten == 0)
    _ = try await store.receive(Book.self, ["id": 1, "title": "server 4"]) { $0.localEdits = .overwrite }
    #expect(try await store.read { try $0.fetch(Book.self, uid: 1)?.title } == "server 4")
  }

  @Test func `an older answer overwrites no newer answer`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, [["id": 1, "title": "old", "pages": 1], ["id": 2]])
    let older = store.core.requests.begin()
    let newer = store.core.requests.begin()
    _ = try await store.upsert(ResponseUpsert<Book>(["id": 1, "title": "new"], sequence: newer))
    let second = try await store.read { try $0.fetch(Book.self, uid: 2)?.entityID }
    _ = try await store.delete(try #require(second), sequence: newer)
    store.core.requests.end(newer)
    _ = try await store.upsert(
      ResponseUpsert<Book>([["id": 1, "title": "old", "pages": 3], ["id": 2]], sequence: older))
    store.core.requests.end(older)
    let read = try await store.read { try $0.fetch(Book.self).map { ["\($0.uid)", $0.title, "\($0.pages)"] } }
    #expect(read == [["1", "new", "3"]])
    _ = try await store.receive(Book.self, [["id": 1, "title": "later"], ["id": 2]])
    #expect(try await store.read { try $0.fetch(Book.self).map(\.title) } == ["later", nil])
  }

  @Test @MainActor func `contexts upsert literals`() async throws {
    let store = try library()
    let book = try store.main.upsert(
      Book.self, from: ["title": "T", "chapters": [["id": 1], 2], "author": ["uid": "a", "name": "A"]], uid: 5)
    #expect(book.uid == 5)
    #expect(book.title == "T")
    #expect(book.chapters.count == 2)
    #expect(book.author?.name == "by hand: A")
    let again = try store.main.upsert(Book.self, from: ["id": 5, "pages": 9])
    #expect(again === book)
    try await store.main.save()
    #expect(try await store.read { try $0.fetch(Book.self, uid: 5).map { [$0.pages, $0.chapters.count] } } == [9, 2])
    #expect(try await store.read { try $0.fetch(Chapter.self).map(\.uid) } == [1])
    // Nothing of it was an edit: the server may change it.
    let outcome = try await store.receive(Book.self, ["id": 5, "title": "U"])
    #expect(outcome.counts.updated == 1)
    try store.mergeMain()
    #expect(book.title == "U")
  }
}

extension Sequence where Element == JSONObject {
  var responseValue: JSONValue { JSONValue(map(\.value)) }
}
