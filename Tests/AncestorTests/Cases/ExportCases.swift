import EntityClient
import EntityTesting
import Foundation
import Testing

/// Objects as they are written.
@Suite(.notes) @MainActor struct ExportCases {
  @Test
  func `F9: a representation nests to a depth, ends cycles, leaves nils out, and is read back as it was`() async throws
  {
    let author: JSONValue = ["id": 1, "name": "Ada", "notes": [["id": 7, "text": "a", "tags": [["name": "x"]]]]]
    let note = try #require(try await Author.upsert(from: author).object?.notes.first)
    let json = try note.jsonObject(depth: 1, nils: .leftOut)
    #expect(json["author.name"]?.string == "Ada")
    #expect(json["author.id"]?.int == 1)
    #expect(json["tags"] == [["name": "x"]])
    #expect(json["created_at"] == nil)
    let other = try EntityStore(.inMemory, entities: entities)
    let copy = try #require(
      try await Note.upsert(from: json.value, in: other).object)
    #expect(copy.author?.name == "Ada")
    #expect(copy.tags.map(\.name) == ["x"])
    #expect(copy.author?.notes.map(\.uid) == [7])
  }
}
