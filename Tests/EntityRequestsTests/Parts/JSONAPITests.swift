import EntityClient
import EntityTesting
import Testing

/// Documents of JSON:API (jsonapi.org, 1.1): attributes and relationships nested, all else under `included`.
@Suite(.client(entities: [Essay.self, Essayist.self, Footnote.self], envelope: "data")) struct JSONAPITests {
  private static let included: ResponsePart = .list(
    typedBy: "type", ["people": Essayist.self, "footnotes": Footnote.self], at: "included")

  private static func linkage(_ type: String, _ id: String) -> JSONValue {
    ["type": JSONValue(type), "id": JSONValue(id)]
  }

  private static let document: JSONValue = [
    "data": [
      [
        "type": "essays", "id": "1", "attributes": ["title": "On bees"],
        "relationships": [
          "author": ["data": linkage("people", "9")],
          "footnotes": ["data": [linkage("footnotes", "5"), linkage("footnotes", "12")]],
        ],
      ]
    ],
    "included": [
      [
        "type": "footnotes", "id": "12", "attributes": ["text": "Honey."],
        "relationships": ["author": ["data": linkage("people", "2")]],
      ],
      [
        "type": "footnotes", "id": "5", "attributes": ["text": "Wax."],
        "relationships": ["author": ["data": nil]],
      ],
      ["type": "people", "id": "9", "attributes": ["name": "Ada"]],
      ["type": "people", "id": "2", "attributes": ["name": "Bo"]],
    ],
  ]

  @Test @MainActor func `a compound document is linked as it says`() async throws {
    try StubAdapter.current.on(.get, "/essays", .json(Self.document))
    let response = try await Essay.get(options: .parts([Self.included]))
    let essay = try #require(try response.object)
    #expect(essay.title == "On bees")
    #expect(essay.author?.name == "Ada")
    #expect(Set(essay.footnotes.map(\.text)) == ["Wax.", "Honey."])
    #expect(essay.footnotes.first { $0.uid == "12" }?.author?.name == "Bo")
    #expect(essay.footnotes.allSatisfy { !$0.isPlaceholder })
    #expect(essay.footnotes.allSatisfy { $0.essay === essay })
    #expect(response.counts(of: Essayist.self).inserted == 2)
    #expect(response.counts(of: Footnote.self).inserted == 2)
    #expect(try await Essay.get(options: .parts([Self.included])).counts.rowsWritten == 0)
  }
}

@Entity final class Essay {
  @UID @Key("id") var uid: String
  @Key("attributes.title") var title: String
  @Key("relationships.author.data.id") var author: Essayist?
  @Key("relationships.footnotes.data") @Relationship(inverse: \Footnote.essay) var footnotes: [Footnote]
}

@Entity final class Essayist {
  @UID @Key("id") var uid: String
  @Key("attributes.name") var name: String
}

@Entity final class Footnote {
  @UID @Key("id") var uid: String
  @Key("attributes.text") var text: String
  @Key("relationships.author.data.id") var author: Essayist?
  var essay: Essay
}

extension Essay: RemoteEntity { static var basePath: String { "essays" } }
