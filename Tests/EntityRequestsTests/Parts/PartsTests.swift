import EntityClient
import EntityTesting
import Foundation
import Testing

/// Side-loaded documents: several entities in one response.
@Suite(.reading) struct PartsTests {
  private static let lists: [ResponsePart] = [
    .list(Reader.self, at: "readers"), .list(Remark.self, at: "remarks"), .list(HandRemark.self, at: "hand"),
    .list(Topic.self, at: "topics"),
  ]

  private var store: EntityStore { get throws { try Client.current.store } }

  @Test @MainActor func `a request takes in side-loaded objects`() async throws {
    try StubAdapter.current.on(
      .get, "/readers",
      .json([
        "data": [["id": 2, "name": "Bo"], ["id": 1, "name": "Al"]],
        "remarks": [["id": 8, "reader": 1, "topics": ["x"]], ["id": 7, "reader": 2, "text": "Hm"]],
        "meta": ["topics": [["id": "x", "title": "X"]]],
      ]))
    func get() async throws -> EntityResponse<Reader> {
      try await Reader.get(
        options: [
          .envelope("data"), .parts([.list(Remark.self, at: "remarks"), .list(Topic.self, at: "meta.topics")]),
        ])
    }
    let response = try await get()
    #expect(try response.objects.map(\.name) == ["Bo", "Al"])
    #expect(try response.objects(of: Remark.self).map(\.uid) == [8, 7])
    #expect(try response.objects(of: Remark.self).last?.reader.name == "Bo")
    #expect(try response.objects(of: Topic.self).first?.remarks.map(\.uid) == [8])
    #expect(response.counts.inserted == 2)
    #expect(response.counts(of: Remark.self).inserted == 2)
    #expect(response.counts(of: Topic.self).inserted == 1)
    #expect(response.ids(of: Topic.self).count == 1)
    #expect(response.ids(of: HandRemark.self).isEmpty)
    // Readers, remarks, the topic and its membership.
    #expect(response.counts.rowsWritten >= 6)

    let again = try await get()
    #expect(again.counts.rowsWritten == 0)
    #expect(again.ids == response.ids)
    #expect(again.ids(of: Remark.self) == response.ids(of: Remark.self))
    #expect(again.counts(of: Remark.self).unchanged == 2)
    #expect(again.counts(of: Remark.self).rowsWritten == 0)
  }

  /// Whichever side has the ids, and whichever list comes first.
  @Test(arguments: 0..<24, [true, false])
  func `ids may come before and after their objects`(_ order: Int, _ isOnParents: Bool) async throws {
    let parts = Self.lists.permutation(order)
    let document: JSONValue =
      isOnParents
      ? [
        "readers": [["id": 1, "remarks": [7], "hand_remarks": [70]], ["id": 2, "remarks": [8]]],
        "remarks": [["id": 7], ["id": 8, "text": "B"]], "hand": [["id": 70, "text": "H"]],
        "topics": [["id": "x", "remarks": [7, 8], "hand_remarks": [70]]],
      ]
      : [
        "readers": [["id": 1], ["id": 2]],
        "remarks": [["id": 7, "reader": 1, "topics": ["x"]], ["id": 8, "reader": 2, "topics": ["x"]]],
        "hand": [["id": 70, "reader": 1, "topics": ["x"]]], "topics": [["id": "x", "title": "X"]],
      ]
    let response = try await EntityDocument.upsert(from: document, options: .parts(parts))
    #expect(response.ids.isEmpty)
    #expect(response.counts.inserted == 6)
    #expect(response.counts(of: Remark.self).inserted == 2)
    #expect(response.counts(of: HandRemark.self).inserted == 1)
    #expect(try await store.placeholderCount() == 0)
    let links = try await store.read { context in
      (
        try context.fetch(Remark.all.sorted(by: \.uid)).map(\.reader.uid),
        try context.fetch(HandRemark.all).map(\.reader.uid), try context.fetch(Topic.self, uid: "x")?.remarks.count,
        try context.fetch(Topic.self, uid: "x")?.handRemarks.count
      )
    }
    #expect(links.0 == [1, 2])
    #expect(links.1 == [1])
    #expect(links.2 == 2)
    #expect(links.3 == 1)
    #expect(try await EntityDocument.upsert(from: document, options: .parts(parts)).counts.rowsWritten == 0)
  }

  @Test(arguments: ["remarks", "hand"])
  func `a required link without target fails the whole document`(_ list: String) async throws {
    let remarks: JSONValue = [["id": 7, "reader": 1], ["id": 8]]
    let document = JSONObject(["readers": [["id": 1]], list: remarks]).value
    let error = try await requestError { try await EntityDocument.upsert(from: document, options: .parts(Self.lists)) }
    let mapping = try #require(error.underlying as? MappingError)
    #expect(mapping.part == list)
    #expect(mapping.position == 1)
    #expect(mapping.property == "reader")
    #expect(mapping.description.contains("of object 1 of '\(list)'"))
    #expect(error.kind == .upsert)
    #expect(try await store.read { try $0.count(Reader.all) } == 0)
  }

  @Test func `a fault in one part leaves nothing of the other parts`() async throws {
    let error = try await requestError {
      try await EntityDocument.upsert(
        from: ["readers": [["id": 1]], "topics": [["id": "x", "title": [1]]]], options: .parts(Self.lists))
    }
    let mapping = try #require(error.underlying as? MappingError)
    #expect(mapping.part == "topics")
    #expect(mapping.key == "title")
    #expect(mapping.position == 0)
    let other = try await requestError {
      try await EntityDocument.upsert(from: ["readers": [["id": 1]], "topics": ["x"]], options: .parts(Self.lists))
    }
    #expect(other.description.contains("Object 0 of 'topics' can't be read as 'Topic': an object was expected"))
    #expect(try await store.read { try $0.count(Reader.all) } == 0)
  }

  @Test func `an absent part says nothing unless it is required`() async throws {
    for body in [["readers": nil], ["readers": []]] as [JSONValue] {
      #expect(try await EntityDocument.upsert(from: body, options: .parts(Self.lists)).counts.rowsWritten == 0)
    }
    for body in [["a": [:]], ["a": ["readers": nil]], [1]] as [JSONValue] {
      let error = try await requestError {
        try await EntityDocument.upsert(
          from: body, options: .parts([.list(Reader.self, at: "a.readers", isRequired: true)]))
      }
      #expect(error.kind == .envelope)
      #expect(error.description.contains("nothing under 'a.readers', which is required"))
    }
  }

  @Test func `another kind than declared is reported with its key path`() async throws {
    let list = try await requestError {
      try await EntityDocument.upsert(from: ["readers": ["id": 1]], options: .parts(Self.lists))
    }
    #expect(list.kind == .envelope)
    #expect(list.description.contains("Under 'readers' an array was expected, and there is an object"))
    let object = try await requestError {
      try await EntityDocument.upsert(from: ["me": [["id": 1]]], options: .parts([.object(Reader.self, at: "me")]))
    }
    #expect(object.description.contains("Under 'me' an object was expected, and there is an array"))
    #expect(
      try await EntityDocument.upsert(from: ["me": ["id": 1]], options: .parts([.object(Reader.self, at: "me")]))
        .counts(of: Reader.self).inserted == 1)
  }

  @Test func `a mixed list names the type of each object`() async throws {
    let parts: [ResponsePart] = [
      .list(typedBy: "type", ["people": Reader.self, "notes": Remark.self], at: "included")
    ]
    let response = try await Reader.upsert(
      from: [
        "data": [["type": "people", "id": 1, "remarks": [5]]],
        "included": [
          ["type": "notes", "id": 5], ["type": "people", "id": 2], ["type": "files", "id": 3],
          ["type": "files", "id": 4],
        ],
      ], options: [.envelope("data"), .parts(parts)])
    #expect(response.ids.count == 1)
    #expect(response.counts.inserted == 1)
    #expect(response.counts(of: Reader.self).inserted == 1)
    #expect(response.counts(of: Remark.self).inserted == 1)
    #expect(response.unrecognized.map(\.property) == ["included.type"])
    #expect(response.unrecognized.map(\.value) == ["files"])
    #expect(response.unrecognized.map(\.count) == [2])
    let error = try await requestError {
      try await EntityDocument.upsert(from: ["included": [["id": 5]]], options: .parts(parts))
    }
    #expect(error.description.contains("'Reader or Remark' can't be read from 'type' of object 0 of 'included'"))
  }

  @Test func `a part is never taken for the objects of the body`() async throws {
    // 'remarks' is a list of the entity, too: without an envelope the body could be a reader without id.
    let body: JSONValue = ["readers": [["id": 1]], "remarks": [["id": 5, "reader": 1]]]
    let error = try await requestError {
      try await Reader.upsert(from: body, options: .parts([.list(Remark.self, at: "remarks")]))
    }
    #expect(error.description.contains("it has no 'id'"))
    #expect(error.description.contains("envelope"))
    #expect(try await store.read { try $0.count(Reader.all) } == 0)
    // And an object that has one is one, with parts in it.
    let response = try await Remark.upsert(
      from: ["id": 5, "reader": 1, "readers": [["id": 1, "name": "Al"]]],
      options: .parts([.list(Reader.self, at: "readers")]))
    #expect(response.ids.count == 1)
    #expect(response.counts(of: Reader.self).inserted == 1)
  }

  @Test func `an entity without uid is no part`() async throws {
    let error = try await requestError {
      try await EntityDocument.upsert(
        from: ["scraps": [["text": "a"]]], options: .parts([.list(Scrap.self, at: "scraps")]))
    }
    #expect(error.description.contains("an entity without uid is no part of a response"))
  }

  @Test func `local edits in a part stay`() async throws {
    let parts: [ResponsePart] = [.list(Topic.self, at: "topics")]
    try await EntityDocument.upsert(from: ["topics": [["id": "x", "title": "old"]]], options: .parts(parts))
    try await store.background { try $0.fetch(Topic.self, uid: "x")?.title = "mine" }
    let body: JSONValue = ["topics": [["id": "x", "title": "server"]]]
    try await EntityDocument.upsert(from: body, options: .parts(parts))
    #expect(try await store.read { try $0.fetch(Topic.self, uid: "x")?.title } == "mine")
    try await EntityDocument.upsert(from: body, options: [.parts(parts), .localEdits(.overwrite)])
    #expect(try await store.read { try $0.fetch(Topic.self, uid: "x")?.title } == "server")
  }
}

extension Array {
  /// The permutation with a number, in the factorial number system.
  func permutation(_ number: Int) -> [Element] {
    var rest = self
    var number = number
    return indices.map { _ in
      defer { number /= Swift.max(1, rest.count + 1) }
      return rest.remove(at: number % rest.count)
    }
  }
}
