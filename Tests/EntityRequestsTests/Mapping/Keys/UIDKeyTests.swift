import EntityClient
import EntityTesting
import Foundation
import Testing

/// Where an object's uid is read from, and the treatment of objects without one.
@Suite struct UIDKeyTests {
  private static let entities: [any ManagedEntity.Type] = [Paper.self, Subject.self, HandSubject.self, Renamed.self]

  private func papers() throws -> EntityStore {
    try EntityStore(.inMemory, entities: Self.entities, busyTimeout: .seconds(60))
  }

  @Test func `a uid is read from its property's name unless that is a word for ids`() async throws {
    let store = try papers()
    let paper: JSONValue = [
      "id": 5, "title": "A", "subjects": [["name": "math"], "logic"], "main": "math", "hands": [["name_in_full": "x"]],
    ]
    for round in 0..<3 {
      let counts = try await store.receive(Paper.self, [paper]).counts
      #expect(round == 0 || counts.rowsWritten == 0)
    }
    // It has nothing but its name: the reference made it.
    #expect(try await store.receive(Subject.self, ["name": "logic"]).counts.unchanged == 1)
    #expect(try await store.receive(Renamed.self, [["_id": "x"], ["_id": "x"]]).counts.inserted == 1)
    try await store.read { context throws in
      #expect(try context.fetch(Subject.self).map(\.name).sorted() == ["logic", "math"])
      #expect(try context.count(HandSubject.all) == 1)
      let paper = try #require(try context.fetch(Paper.self, uid: 5))
      #expect(paper.main?.name == "math")
      #expect(paper.subjects.count == 2)
      #expect(
        try paper.jsonObject(for: \.id, \.main, \.subjects) == [
          "id": 5, "main": "math", "subjects": ["math", "logic"],
        ])
      #expect(try paper.main?.jsonObject(for: \.name) == ["name": "math"])
      #expect(try paper.hands.first?.jsonObject(for: \.nameInFull) == ["name_in_full": "x"])
      #expect(try context.fetch(Renamed.self).first?.jsonObject(for: \.code) == ["_id": "x"])
    }
  }

  @Test(arguments: [
    (#"[{"id": 1}, {"title": "A"}]"#, "id", "Paper.id"),
    (#"[{"id": 1}, {"id": null, "title": "A"}]"#, "id", "Paper.id"),
    (#"[{"id": 1}, {"id": 2, "main": {"nom": "x"}}]"#, "main.name", "Subject.name"),
    (#"[{"id": 1}, {"id": 2, "subjects": [{"name": "x"}, {}]}]"#, "subjects[1].name", "Subject.name"),
    (#"[{"id": 1}, {"id": 2, "hands": [{"id": 7}]}]"#, "hands[0].name_in_full", "HandSubject.nameInFull"),
    (
      #"[{"id": 1}, {"id": 2, "hands": [{"name_in_full": "x", "next": {}}]}]"#, "hands[0].next.name_in_full",
      "HandSubject.nameInFull"
    ),
  ])
  func `an object of a response without its uid is refused`(_ json: String, _ key: String, _ property: String)
    async throws
  {
    let store = try papers()
    let value = try JSONValue(parsing: Data(json.utf8))
    let error = await #expect(throws: MappingError.self) { try await store.receive(Paper.self, value) }
    #expect(error?.key == key)
    #expect(error?.position == 1)
    #expect(error.map { "\($0.entity).\($0.property)" } == property)
    #expect(try await store.read { try $0.count(Paper.all) + $0.count(Subject.all) + $0.count(HandSubject.all) } == 0)
  }

  @Test(
    .client(entities: UIDKeyTests.entities) {
      $0.on(.get, "/papers/5", .json(["title": "B"])).on(.post, "/papers", .json(["title": "C"]))
    })
  @MainActor func `the response to a request on an object needs no uid`() async throws {
    let main = try Client.current.store.main
    let paper = try main.upsert(Paper.self, from: ["title": "A"], uid: 5)
    try await main.save()
    try await paper.get()
    #expect(paper.title == "B")
    #expect(paper.id == 5)
    let new = try main.insert(Paper.self)
    try await new.post()
    #expect(new.title == "C")
    // Nor does one that is made here.
    #expect(try main.upsert(Paper.self, from: ["title": "D", "main": ["papers": []]]).isInserted)
    try await main.save()
    #expect(try main.count(Paper.all) == 3)
  }
}

@Entity final class Paper: RemoteEntity {
  @UID var id: Int
  var title: String?
  var main: Subject?
  var subjects: [Subject]
  var hands: [HandSubject]

  static var basePath: String { "papers" }
}

@Entity final class Subject: RemoteEntity {
  @UID var name: String
  @Relationship(inverse: \Paper.subjects) var papers: [Paper]

  static var basePath: String { "subjects" }
}

@Entity final class HandSubject: RemoteEntity {
  @UID var nameInFull: String
  var next: HandSubject?

  static var basePath: String { "hands" }

  func update(with response: ResponseObject) throws { try response.assign("next", to: &next) }
}

@Entity final class Renamed: RemoteEntity {
  @UID var code: String

  static var basePath: String { "renamed" }
  static var responseUIDKey: String? { "_id" }
}
