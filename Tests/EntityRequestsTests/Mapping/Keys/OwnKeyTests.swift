import EntityClient
import EntityTesting
import Testing

/// The own key of an object says more than the place where the object stands.
@Suite(.client(entities: [Defect.self, Tie.self, HandDefect.self, HandTie.self, Keeper.self, Lanyard.self]))
@MainActor struct OwnKeyTests {
  private let main: EntityContext

  init() throws { main = try Client.current.store.main }

  /// As Redmine has it: each issue lists the relations from it and to it.
  private static func issue(_ id: Int) -> JSONValue {
    [
      "id": JSONValue(id),
      "relations": [["id": 1, "issue_id": 1, "issue_to_id": 7], ["id": 2, "issue_id": 7, "issue_to_id": 9]],
    ]
  }

  @Test func `a nested list does not overrule the key of its member`() async throws {
    let response = try await Defect.upsert(from: Self.issue(7))
    let relations = try main.fetch(Tie.all.sorted(by: \.uid))
    #expect(relations.map { $0.from?.uid } == [1, 7])
    #expect(relations.map { $0.to?.uid } == [7, 9])
    #expect(try main.fetch(Defect.self, uid: 7)?.relations.map(\.uid) == [2])
    #expect(response.skipped.map(\.reason) == [.contradicted])
    #expect("\(response.skipped)".contains("Tie 1: from has the value of its own key"))
    // Read by turns, nothing is written any more.
    _ = try await Defect.upsert(from: Self.issue(1))
    for id in [7, 1, 7] {
      let again = try await Defect.upsert(from: Self.issue(id))
      #expect(again.counts.rowsWritten == 0, "\(again.counts)")
    }
    #expect(try main.fetch(Defect.self, uid: 1)?.relations.map(\.uid) == [1])
  }

  @Test func `an object's own key counts in updates by hand too`() async throws {
    for _ in 0..<2 {
      let response = try await HandDefect.upsert(from: Self.issue(7))
      #expect(response.skipped.map(\.reason) == [.contradicted])
    }
    let relations = try main.fetch(HandTie.all.sorted(by: \.uid))
    #expect(relations.map { $0.from?.uid } == [1, 7])
    #expect(try main.fetch(HandDefect.self, uid: 7)?.relations.map(\.uid) == [2])
    _ = try await HandDefect.upsert(from: Self.issue(1))
    #expect(try await HandDefect.upsert(from: Self.issue(7)).counts.rowsWritten == 0)
  }

  /// A serializer writes null where the object leads back to the one that it is nested in.
  @Test(arguments: [["id": 1, "issue_id": nil], ["id": 1], ["id": 1, "issue_id": 7]] as [JSONValue])
  func `a key that names no other object leaves the link to the object's place`(_ relation: JSONValue) async throws {
    for _ in 0..<2 {
      let response = try await Defect.upsert(from: ["id": 7, "relations": [relation]])
      #expect(response.skipped.isEmpty)
      _ = try await HandDefect.upsert(from: ["id": 7, "relations": [relation]])
    }
    #expect(try main.fetch(Defect.self, uid: 7)?.relations.map(\.uid) == [1])
    #expect(try main.fetch(HandDefect.self, uid: 7)?.relations.map(\.uid) == [1])
    #expect(try await Defect.upsert(from: ["id": 7, "relations": [relation]]).counts.rowsWritten == 0)
    #expect(try await HandDefect.upsert(from: ["id": 7, "relations": [relation]]).counts.rowsWritten == 0)
  }

  @Test func `an object's own key counts for the other side of a one-to-one relationship too`() async throws {
    let body: JSONValue = ["id": 1, "pass": ["id": 5, "holder": 2]]
    for _ in 0..<2 { try await Keeper.upsert(from: body) }
    let pass = try #require(try main.fetch(Lanyard.self, uid: 5))
    #expect(pass.holder?.uid == 2)
    #expect(try main.fetch(Keeper.self, uid: 1)?.pass == nil)
    #expect(try await Keeper.upsert(from: body).counts.rowsWritten == 0)
  }

  @Test func `a member that a local edit moved stays where it is`() async throws {
    _ = try await Defect.upsert(from: ["id": 7, "relations": [["id": 1]]])
    let relation = try #require(try main.fetch(Tie.self, uid: 1))
    relation.from = try main.upsert(Defect.self, uid: 3)
    try await main.save()
    let response = try await Defect.upsert(from: ["id": 7, "relations": [["id": 1, "issue_id": 7]]])
    #expect(response.skipped.map(\.reason) == [.locallyEdited])
    #expect(relation.from?.uid == 3)
  }
}

@Entity private final class Defect: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Tie.from) var relations: [Tie]

  static var basePath: String { "tickets" }
}

@Entity private final class Tie: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("issue_id") var from: Defect?
  @Key("issue_to_id") var to: Defect?

  static var basePath: String { "relations" }
}

@Entity private final class HandDefect: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \HandTie.from) var relations: [HandTie]

  static var basePath: String { "tickets" }

  func update(with response: ResponseObject) throws {
    if response.contains("relations") { try response.assign("relations", to: &relations) }
  }
}

@Entity private final class HandTie: RemoteEntity {
  @UID @Key("id") var uid: Int
  var from: HandDefect?

  static var basePath: String { "relations" }

  func update(with response: ResponseObject) throws { try response.assign("issue_id", to: &from) }
}

@Entity private final class Keeper: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Lanyard.holder) var pass: Lanyard?

  static var basePath: String { "holders" }
}

@Entity private final class Lanyard: RemoteEntity {
  @UID @Key("id") var uid: Int
  var holder: Keeper?

  static var basePath: String { "passes" }
}
