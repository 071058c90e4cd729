import EntityJSON
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Ids that leave the process and come back.
struct IDCodingTests {
  struct Bookmark: Codable, Equatable {
    var person: EntityID<Person>
    var team: EntityID<Team>?
    var any: AnyEntityID
  }

  @Test @MainActor func `an id that comes back leads to its object`() async throws {
    let test = try TestStore(.file)
    let id = try await test.store.addPerson(1, "Ada")
    let bookmark = Bookmark(person: id, team: nil, any: id.untyped)
    let data = try JSONEncoder().encode(bookmark)
    try await test.store.close()
    let store = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    let back = try JSONDecoder().decode(Bookmark.self, from: data)
    #expect(back == bookmark)
    #expect(try store.main.object(back.person)?.name == "Ada")
    #expect((try store.main.object(back.any) as? Person)?.name == "Ada")
    #expect(try store.main.object(try #require(EntityID<Person>(url: id.url)))?.name == "Ada")
  }

  @Test func `the text is entity and row`() throws {
    let id = EntityID<Person>(pk: 42)
    #expect("\(id)" == "Person/42")
    #expect(EntityID<Person>("Person/42") == id)
    #expect(id.url.absoluteString == "entity-store:Person/42")
    #expect(String(decoding: try JSONEncoder().encode([42: id.untyped]), as: UTF8.self) == #"{"42":"Person\/42"}"#)
    let odd = AnyEntityID(entityName: "Größe%2F", pk: .max)
    #expect(AnyEntityID(url: odd.url) == odd)
  }

  @Test func `ids of other entities are refused`() throws {
    let data = try JSONEncoder().encode(["id": EntityID<Person>(pk: 1)])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([String: EntityID<Team>].self, from: data) }
    #expect(EntityID<Team>("Person/1") == nil)
    #expect(EntityID<Team>(url: EntityID<Person>(pk: 1).url) == nil)
  }

  @Test(arguments: [
    "", "/", "Person", "Person/", "/1", "Person/0", "Person/-1", "Person/+1", "Person/01", "Person/1 ", "Person/x",
    "Person/9223372036854775808",
  ])
  func `a text that is no id is refused`(_ text: String) throws {
    #expect(EntityID<Person>(text) == nil)
    let data = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([AnyEntityID].self, from: data) }
  }

  @Test(arguments: [
    "https://example.com/Person/1", "entity-store://host/Person/1", "entity-store:Person/1?a=b", "entity-store:Person",
    "file:///Person/1",
  ])
  func `other URLs are no ids`(_ text: String) throws {
    #expect(AnyEntityID(url: try #require(URL(string: text))) == nil)
  }
}
