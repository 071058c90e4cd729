import EntityClient
import Foundation
import Testing

/// The rules of the mapping where a response leaves room for doubt.
@Suite struct MappingRulesTests {
  @Test func `an empty uid names nobody`() async throws {
    let store = try library()
    await #expect(throws: MappingError.self) { try await store.receive(Author.self, [["uid": "", "name": "A"]]) }
    _ = try await store.receive(Book.self, ["id": 1, "author": ""])
    #expect(try await store.read { try $0.fetch(Book.self, uid: 1)?.author == nil })
    #expect(try await store.read { try $0.fetch(Author.self).count } == 0)
  }

  @Test(arguments: [#"5"#, #""5""#, "5.0", "0.5e1", "50e-1", #""05""#]) func `one uid has many forms`(_ id: String)
    async throws
  {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 5, "title": "five"])
    let value = try JSONValue(parsing: Data("[{\"id\": \(id), \"pages\": 1}]".utf8))
    #expect(try await store.receive(Book.self, value).counts.updated == 1)
    let link = try JSONValue(parsing: Data("[{\"id\": 1, \"book\": \(id)}]".utf8))
    _ = try await store.receive(Chapter.self, link)
    #expect(try await store.read { try $0.fetch(Chapter.self, uid: 1)?.book?.title } == "five")
  }

  @Test(arguments: ["\"5.0\"", "\" 5\"", "1e40", "-9223372036854775809", "5.5", "\"0x5\"", "[]", "{}"])
  func `a value that is no uid is an error`(_ id: String) async throws {
    let store = try library()
    let value = try JSONValue(parsing: Data("[{\"id\": \(id)}]".utf8))
    await #expect(throws: MappingError.self) { try await store.receive(Book.self, value) }
  }

  @Test func `an embedded object goes when its parent lets go of it`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "cover": ["color": "red"]])
    _ = try await store.receive(Author.self, ["uid": "a", "portrait": ["color": "red"]])
    #expect(try await store.read { try $0.count(Cover.all) } == 2)
    _ = try await store.receive(Book.self, ["id": 1, "cover": nil])
    #expect(try await store.read { try $0.count(Cover.all) } == 1)
    _ = try await store.receive(Author.self, ["uid": "a", "portrait": nil])
    #expect(try await store.read { try $0.count(Cover.all) } == 0)
  }

  @Test func `a local edit of an embedded link stays and leaves nothing behind`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "cover": ["color": "red"]])
    try await store.background { context in try context.fetch(Book.self, uid: 1)?.cover = nil }
    let before = try await store.read { try $0.count(Cover.all) }
    _ = try await store.receive(Book.self, ["id": 1, "cover": ["color": "blue"]])
    #expect(try await store.read { try $0.fetch(Book.self, uid: 1)?.cover == nil })
    #expect(try await store.read { try $0.count(Cover.all) } == before)
  }

  @Test func `a list has no object whose own link leads elsewhere`() async throws {
    let store = try library()
    let payload: JSONValue = ["id": 1, "chapters": [["id": 5, "book": 2], ["id": 6, "book": nil], nil, 5]]
    _ = try await store.receive(Book.self, payload)
    #expect(try await store.read { try $0.fetch(Book.self, uid: 1)?.chapters.map(\.uid) } == [6])
    #expect(try await store.receive(Book.self, payload).counts.rowsWritten == 0)
  }

  @Test func `older lists and links yield to newer lists and links`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, [["id": 1, "cover": ["color": "old"], "chapters": [1]], ["id": 2]])
    let older = store.core.requests.begin()
    let newer = store.core.requests.begin()
    _ = try await store.upsert(
      ResponseUpsert<Book>(["id": 1, "cover": ["color": "new"], "chapters": [2, 3]], sequence: newer))
    store.core.requests.end(newer)
    _ = try await store.upsert(
      ResponseUpsert<Book>(
        [
          ["id": 1, "cover": ["color": "old"], "chapters": [1, ["id": 4, "title": "four"]]],
          ["id": 2, "chapters": [3]],
        ],
        sequence: older))
    store.core.requests.end(older)
    let read = try await store.read { context in
      let book = try context.fetch(Book.self, uid: 1)
      return (book?.cover?.color, book?.chapters.map(\.uid), try context.fetch(Chapter.self, uid: 4)?.title)
    }
    #expect(read.0 == "new")
    #expect(read.1 == [2, 3])
    #expect(read.2 == "four")
  }

  @Test func `updates by hand yield to newer answers when nested`() async throws {
    let store = try library()
    _ = try await store.receive(Author.self, [["uid": "a"], ["uid": "b", "name": "old"], ["uid": "c"]])
    let older = store.core.requests.begin()
    let newer = store.core.requests.begin()
    _ = try await store.upsert(ResponseUpsert<Author>(["uid": "b", "name": "new"], sequence: newer))
    let gone = try await store.read { try $0.fetch(Author.self, uid: "c")?.entityID }
    _ = try await store.delete(try #require(gone), sequence: newer)
    store.core.requests.end(newer)
    _ = try await store.upsert(
      ResponseUpsert<Author>(
        [["uid": "a", "mentor": ["uid": "b", "name": "old"]], ["uid": "d", "mentor": "c"]], sequence: older))
    store.core.requests.end(older)
    let names = try await store.read {
      try $0.fetch(Author.all.sorted(by: \.uid)).map { "\($0.uid) \($0.name ?? "-")" }
    }
    #expect(names == ["a -", "b by hand: new", "d -"])
    #expect(try await store.read { try $0.fetch(Author.self, uid: "d")?.mentor == nil })
  }

  @Test func `delete missing keeps nested objects`() async throws {
    let store = try library()
    _ = try await store.receive(Author.self, [["uid": "a"], ["uid": "b"], ["uid": "c"], ["uid": "d"]])
    let outcome = try await store.receive(Author.self, [["uid": "a", "mentor": ["uid": "b", "mentor": "c"]]]) {
      $0.missing = .deleteMissing(in: Author.all)
    }
    #expect(outcome.counts.deleted == 1)
    #expect(try await store.read { try $0.fetch(Author.self).map(\.uid).sorted() } == ["a", "b", "c"])
  }

  @Test func `a placeholder is filled by its uid alone`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1, "author": "a"])
    #expect(try await store.read { try $0.count(Author.all) } == 0)
    #expect(try await store.receive(Author.self, ["uid": "a"]).counts.inserted == 1)
    #expect(try await store.read { try $0.count(Author.all) } == 1)
  }

  @Test func `errors name the whole path`() async throws {
    let store = try library()
    let error = await #expect(throws: MappingError.self) {
      try await store.receive(Book.self, [["id": 1], ["id": 2, "chapters": [3, ["id": 4, "title": ["secret"]]]]])
    }
    #expect(error?.key == "chapters[1].title")
    #expect(error?.position == 1)
    #expect(error.map { "\($0)" }?.contains("secret") == false)
    let byHand = await #expect(throws: MappingError.self) {
      try await store.receive(
        Book.self, ["id": 2, "author": ["uid": "x", "mentor": ["uid": "y", "name": ["secret"]]]])
    }
    #expect(byHand?.entity == "Author")
    #expect(byHand?.property == "name")
    #expect(byHand?.key == "author.mentor.name")
  }

  @Test func `nesting has a limit`() async throws {
    let store = try library()
    func authors(_ count: Int) throws -> JSONValue {
      var text = "\"end\""
      for depth in 0..<count { text = "{\"uid\": \"\(depth)\", \"mentor\": \(text)}" }
      return try JSONValue(parsing: Data(text.utf8))
    }
    let outcome = try await store.receive(Author.self, try authors(60))
    #expect(outcome.counts.inserted == 1)
    #expect(try await store.read { try $0.count(Author.all) } == 60)
    await #expect(throws: MappingError.self) { try await store.receive(Author.self, try authors(500)) }
    #expect(try await store.read { try $0.count(Author.all) } == 60)
  }

  @Test @MainActor func `a given uid wins on every path`() async throws {
    let store = try twins()
    let object = try store.main.upsert(Handed.self, from: ["data": ["id": 1], "name": "n"], uid: "7")
    #expect(object.uid == 7)
    let unnamed = try store.main.insert(Handed.self, from: ["name": "n"])
    let another = try store.main.insert(Handed.self, from: ["name": "m"])
    try await store.main.save()
    #expect(!unnamed.isDeleted)
    #expect(!another.isDeleted)
    #expect(try await store.read { try $0.count(Handed.all) } == 3)
  }

  @Test @MainActor func `an insert with a known uid takes it over`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 5, "title": "old", "pages": 3, "chapters": [["id": 1]]])
    let known = try #require(try store.main.fetch(Book.self, uid: 5))
    let book = try store.main.insert(Book.self, from: ["title": "new"], uid: 5)
    #expect(book !== known)
    try await store.main.save()
    #expect(known.isDeleted)
    #expect(known.forwardedTo == book.entityID)
    #expect(book.uid == 5)
    #expect(book.title == "new")
    #expect(book.pages == 3)
    #expect(book.chapters.map(\.uid) == [1])
    #expect(try await store.read { try $0.count(Book.all) } == 1)
  }

  @Test func `a new object in a unit takes over the row that has its uid`() async throws {
    let store = try library()
    let old = try #require(try await store.receive(Book.self, ["id": 5, "title": "old", "pages": 3]).ids.first)
    let new = try await store.background { context in
      let book = try context.insert(Book.self, from: ["id": "5", "title": "new"])
      try context.save()
      return book.entityID
    }
    let read = try await store.read { try $0.fetch(Book.self).map { "\($0.uid) \($0.title ?? "-") \($0.pages)" } }
    #expect(read == ["5 new 3"])
    #expect(old != new)
    #expect(try await store.receive(Book.self, ["id": 5, "title": "newer"]).ids == [new])
  }

  @Test func `objects nested in themselves end as the outer one says`() async throws {
    let json =
      #"{"data": {"id": 1}, "children": ["", {"data": {"id": 3}, "parent": {"data": {"id": 1}, "children": [4]}}]}"#
    let value = try JSONValue(parsing: Data(json.utf8))
    let store = try twins()
    _ = try await store.receive(Stated.self, value)
    _ = try await store.receive(Handed.self, value)
    #expect(try await store.read { try $0.fetch(Stated.self, uid: 1)?.children.map(\.uid) } == [3])
    #expect(try await store.read { try $0.fetch(Handed.self, uid: 1)?.children.map(\.uid) } == [3])
  }

  @Test func `reading contexts refuse`() async throws {
    let store = try library()
    _ = try await store.receive(Book.self, ["id": 1])
    await #expect(throws: StoreError.self) {
      try await store.read { _ = try $0.upsert(Book.self, from: ["id": 1, "title": "x"]).title }
    }
  }

  @Test @MainActor func `a failed upsert leaves no new object`() async throws {
    let store = try library()
    #expect(throws: MappingError.self) {
      try store.main.upsert(Book.self, from: ["id": 3, "title": "x", "pages": nil])
    }
    try await store.main.save()
    #expect(try await store.read { try $0.count(Book.all) } == 0)
  }
}
