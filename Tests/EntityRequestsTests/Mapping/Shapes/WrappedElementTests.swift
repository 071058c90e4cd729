import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: FHIR

/// As FHIR's `Patient`: a list is a Bundle, whose entries have the resources, and a single object is the body.
@Entity final class Patient: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("name[0].family") var family: String?
  @Key("name[].given[]") var given: [String]?
  @Key("identifier[0].value") var number: String?
  var gender: String?

  static var basePath: String { "Patient" }
  static var envelope: Envelope? { Envelope(list: "entry[].resource") }
  static var discriminator: Discriminator? { Discriminator("resourceType", "Patient") }
}

@Entity final class Outpatient: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("name[0].family") var family: String = ""

  static var basePath: String { "outpatients" }
}

/// Its update is written by hand.
@Entity final class HandOutpatient: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("name[0].family") var family: String = ""

  static var basePath: String { "handoutpatients" }

  nonisolated func update(with response: ResponseObject) throws {
    try response.assign("name[0].family", to: &family)
  }
}

/// A list whose elements wrap the objects.
@Suite(.client(entities: [Patient.self])) struct FHIRShapeTests {
  private static let bundle = #"""
    {"resourceType": "Bundle", "type": "searchset", "total": 3,
     "link": [{"relation": "self", "url": "https://api.example.com/Patient"}],
     "entry": [
      {"fullUrl": "https://api.example.com/Patient/a1", "search": {"mode": "match"},
       "resource": {"resourceType": "Patient", "id": "a1", "identifier": [{"system": "urn:x", "value": "0815"}],
        "name": [{"family": "Berg", "given": ["Ada", "M."]}, {"family": "B", "given": ["A."]}], "gender": "female"}},
      {"resource": {"resourceType": "Patient", "id": "b2", "name": [], "gender": "male"}},
      {"resource": {"resourceType": "OperationOutcome", "id": "warning", "issue": []}}
     ]}
    """#

  private func lines() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Patient.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid) \($0.family ?? "-") \($0.given?.joined(separator: "+") ?? "-") \($0.number ?? "-")"
      }
    }
  }

  private func get(_ body: String, _ options: ResponseOptions<Patient> = []) async throws -> EntityResponse<Patient> {
    try StubAdapter.current.on(.get, "/Patient", .text(body))
    return try await Patient.get(options: options)
  }

  @Test func `the resources of a Bundle are a list, and again write no row`() async throws {
    let first = try await get(Self.bundle)
    #expect(try await lines() == ["a1 Berg Ada+M.+A. 0815", "b2 -  -"])
    #expect(first.ids.count == 2)
    #expect(first.counts.inserted == 2)
    #expect(first.unrecognized.map(\.value) == ["OperationOutcome"])
    let again = try await get(Self.bundle)
    #expect(again.counts.rowsWritten == 0)
    #expect(again.counts.unchanged == 2)
  }

  @Test func `a single resource is the whole body`() async throws {
    try StubAdapter.current.on(
      .get, "/Patient/a1", .text(#"{"resourceType": "Patient", "id": "a1", "name": [{"family": "Berg"}]}"#))
    _ = try await Patient.get("a1")
    #expect(try await lines() == ["a1 Berg  -"])
  }

  @Test func `an entry without a resource is an error that names the entry, and the old data stay`() async throws {
    _ = try await get(Self.bundle)
    let bad = #"{"entry": [{"resource": {"resourceType": "Patient", "id": "a1"}}, {"search": {"mode": "include"}}, 5]}"#
    let error = try await requestError { try await get(bad) }
    #expect(error.kind == .upsert)
    #expect(error.description.contains("'Patient' can't be read from 'entry[1]' of object 1"), "\(error)")
    #expect(error.description.contains("there is nothing under 'resource'"), "\(error)")
    #expect(try await lines() == ["a1 Berg Ada+M.+A. 0815", "b2 -  -"])
    let skipped = try await get(bad, .skipping)
    #expect(skipped.refused.map(\.key) == ["entry[1]", "entry[2]"])
    #expect(skipped.refused.map(\.position) == [1, 2])
    #expect(skipped.ids.count == 1)
    let doubt = try await requestError { try await get(bad, [.skipping, .deleteMissing(in: Patient.all)]) }
    #expect(doubt.kind == .upsert)
    #expect(try await lines().count == 2)
  }

  @Test func `a body without the list, or with another value in its place, is an error`() async throws {
    _ = try await get(Self.bundle)
    let object = try await requestError { try await get(#"{"entry": {"resource": {"id": "c"}}}"#) }
    #expect(object.kind == .envelope)
    #expect(object.description.contains("at 'entry', an array was expected, and there is an object"), "\(object)")
    let list = try await requestError { try await get(#"{"total": 0}"#, .deleteMissing(in: Patient.all)) }
    #expect(list.kind == .envelope)
    #expect(try await lines().count == 2)
    #expect(try await get(#"{"entry": []}"#, .deleteMissing(in: Patient.all)).counts.deleted == 2)
  }

  @Test func `the resources can be streamed, in groups and as one unit`() async throws {
    let entries = (0..<500).map { number in
      #"{"fullUrl": "x", "resource": {"resourceType": "Patient", "id": "p\#(number)", "name": [{"family": "F\#(number)"}]}}"#
    }
    let body = #"{"total": 500, "entry": ["# + entries.joined(separator: ",") + #"], "link": []}"#
    for streaming in [Streaming.groups(of: 100), .atomically] {
      try StubAdapter.current.on(.get, "/Patient", .text(body))
      let response = try await Patient.get(streaming: streaming)
      #expect(response.committed.elements == 500)
      #expect(try await Client.current.store.read { try $0.count(Patient.all) } == 500)
      try await Client.current.store.read { context in
        let found = try context.fetch(Patient.where { $0.uid == "p499" }).first?.family
        #expect(found == "F499")
      }
    }
    try StubAdapter.current.on(.get, "/Patient", .text(#"{"entry": [{"resource": {"id": "p1"}}, {}]}"#))
    let error = try await requestError { try await Patient.get(streaming: .groups(of: 100)) }
    #expect(error.description.contains("'entry[1]' of object 1"), "\(error)")
  }

  @Test func `pages of Bundles are read, and missing patients are deleted at their end`() async throws {
    _ = try await get(Self.bundle)
    try StubAdapter.current.on(
      .get, "/Patient",
      .text(
        #"{"next": "https://api.example.com/Patient?page=2", "entry": [{"resource": {"resourceType": "Patient", "id": "b2"}}]}"#
      ),
      .text(#"{"next": null, "entry": [{"resource": {"resourceType": "Patient", "id": "c3"}}]}"#))
    let all = try await Patient.pages(by: .body("next"), options: .deleteMissing(in: Patient.all)).all()
    #expect(all.ids.count == 2)
    #expect(all.counts.deleted == 1)
    #expect(try await lines().map { $0.prefix(2) } == ["b2", "c3"])
  }

  @Test func `many resources go to the file by batch, with the same result`() async throws {
    let entries = (0..<600).map { #"{"resource": {"resourceType": "Patient", "id": "p\#($0)", "gender": "g\#($0)"}}"# }
    let body = #"{"entry": ["# + entries.joined(separator: ", ") + "]}"
    #expect(try await get(body).counts.inserted == 600)
    #expect(try await get(body).counts.rowsWritten == 0)
    try await Client.current.store.read { context in
      let found = try context.fetch(Patient.where { $0.gender == "g599" }).map(\.uid)
      #expect(found == ["p599"])
    }
  }

  /// Two forms of an entity whose property can't be without a value.
  @Test(.client(entities: [Outpatient.self, HandOutpatient.self]), arguments: [1, 600])
  func `behind the end of an array a property that is not optional keeps its value`(_ count: Int) async throws {
    func get<E: RemoteEntity>(_ type: E.Type, _ names: String) async throws -> Int {
      let body = (0..<count).map { #"{"id": "p\#($0)", "name": \#(names)}"# }.joined(separator: ",")
      try StubAdapter.current.on(.get, "/" + E.basePath, .text("[\(body)]"))
      return try await E.get().ids.count
    }
    func families() async throws -> Set<String> {
      try await Client.current.store.read { context in
        Set(try context.fetch(Outpatient.self).map(\.family) + context.fetch(HandOutpatient.self).map(\.family))
      }
    }
    for names in [#"[{"family": "Berg"}]"#, "[]"] {
      #expect(try await get(Outpatient.self, names) == count)
      #expect(try await get(HandOutpatient.self, names) == count)
      #expect(try await families() == ["Berg"])
    }
    // A null that the server writes is none of the property's values.
    #expect(try await requestError { try await get(Outpatient.self, #"[{"family": null}]"#) }.kind == .upsert)
    #expect(try await requestError { try await get(HandOutpatient.self, #"[{"family": null}]"#) }.kind == .upsert)
  }

  @Test func `an array that shrinks clears what stood behind its end`() async throws {
    func patients() async throws -> [String] {
      try await Client.current.store.read { context in
        try context.fetch(Patient.all.sorted { $0.uid }).map { "\($0.uid) \($0.family ?? "-") \($0.given ?? [])" }
      }
    }
    func upsert(_ name: String) async throws {
      let entries = ["a", "b"].map { #"{"resource": {"resourceType": "Patient", "id": "\#($0)"\#(name)}}"# }
      try await Patient.upsert(from: Data(#"{"entry": [\#(entries.joined(separator: ","))]}"#.utf8))
    }
    for shrunk in ["[]", "null"] {
      try await upsert(#", "name": [{"family": "X", "given": ["A"]}]"#)
      #expect(try await patients() == [#"a X ["A"]"#, #"b X ["A"]"#])
      try await upsert("")
      #expect(try await patients() == [#"a X ["A"]"#, #"b X ["A"]"#])
      try await upsert(#", "name": \#(shrunk)"#)
      #expect(try await patients() == ["a - []", "b - []"])
    }
  }

  @MainActor @Test(arguments: ["", #"{"resourceType": "OperationOutcome"}"#])
  func `a created resource is known by the Location of its first version`(_ body: String) async throws {
    let stub = try StubAdapter.current
    let location = "https://api.example.com/Patient/77/_history/1"
    stub.on(.post, "/Patient", .text(body, status: 201, headers: ["Location": location]))
    let patient = try Client.current.store.main.insert(Patient.self)
    patient.family = "X"
    try await patient.post { try $0.setJSON(["resourceType": "Patient"]) }
    #expect(patient.uid == "77")
  }

  @Test func `keys that nothing reads are named by their places`() async throws {
    let response = try await get(Self.bundle, .reportingUnreadKeys)
    let keys = response.unreadKeys.map(\.description)
    #expect(keys.contains("entry.fullUrl"), "\(keys)")
    #expect(!keys.contains { $0.contains("gender") }, "\(keys)")
  }
}

// MARK: GraphQL

@Entity final class Follower: RemoteEntity {
  @UID @Key("id") var uid: String
  var login: String?
  @Key("friends.edges[].node") var friends: [Follower]
  @Relationship(inverse: \Chapbook.owner) @Key("books.edges[].node") var books: [Chapbook]
  @Key("badges[].label") var badges: [String]?

  static var basePath: String { "graphql" }
  static var envelope: Envelope? { Envelope(list: "data.readers.edges[].node", item: "data.reader") }
  static var verdict: ResponseVerdict? { .errors() }
}

@Entity final class Chapbook: RemoteEntity {
  @UID @Key("id") var uid: String
  var title: String?
  var owner: Follower?

  static var basePath: String { "chapbooks" }
}

/// The same entity, with an update by hand.
@Entity final class HandFollower: RemoteEntity {
  @UID @Key("id") var uid: String
  var login: String?
  @Relationship(inverse: nil) var friends: [HandFollower]
  var badges: [String]?
  var first: HandFollower?

  static var basePath: String { "hand-readers" }
  static var envelope: Envelope? { Envelope(list: "data.readers.edges[].node", item: "data.reader") }

  func update(with response: ResponseObject) throws {
    try response.assign("login", to: &login)
    try response.assign("friends.edges[].node", to: &friends)
    try response.assign("badges[].label", to: &badges)
    if let all = try response.upsert([HandFollower].self, from: "friends.edges[].node") { first = all.first }
  }
}

/// Lists of Relay's form in properties, and errors of GraphQL.
@Suite(.client(entities: [Follower.self, Chapbook.self, HandFollower.self])) struct GraphQLShapeTests {
  private static let body = #"""
    {"data": {"readers": {"pageInfo": {"hasNextPage": false}, "edges": [
      {"cursor": "x", "node": {"id": "r1", "login": "ada", "badges": [{"label": "gold"}, {"label": "red"}],
        "friends": {"totalCount": 2, "edges": [{"node": {"id": "r2", "login": "bo"}}, {"node": null}, {"node": {"id": "r3"}}]},
        "books": {"edges": [{"node": {"id": "b1", "title": "One"}}, {"node": {"id": "b2", "title": "Two"}}]}}},
      {"cursor": "y", "node": {"id": "r2", "login": "bo", "badges": [], "friends": {"edges": []}, "books": {"edges": []}}}
    ]}}}
    """#

  private func state() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Follower.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid) \($0.login ?? "-") \($0.friends.map(\.uid).sorted()) \($0.books.map(\.uid).sorted()) \($0.badges ?? [])"
      }
    }
  }

  private func get(_ body: String, _ options: ResponseOptions<Follower> = []) async throws -> EntityResponse<Follower> {
    try StubAdapter.current.on(.get, "/graphql", .text(body))
    return try await Follower.get(options: options)
  }

  private static let lines = [
    #"r1 ada ["r2", "r3"] ["b1", "b2"] ["gold", "red"]"#, #"r2 bo [] [] []"#, #"r3 - [] [] []"#,
  ]

  @Test func `edges in an envelope and in properties are lists, and again write no row`() async throws {
    #expect(try await get(Self.body).counts.inserted == 2)
    #expect(try await state() == Self.lines)
    #expect(try await get(Self.body).counts.rowsWritten == 0)
  }

  @Test func `in many objects they are the same lists as in one`() async throws {
    let nodes = (0..<400).map { number in
      #"""
      {"node": {"id": "n\#(number)", "login": "l\#(number)", "friends": {"edges": [{"node": {"id": "n\#(number + 1)"}}]},
       "books": {"edges": [{"node": {"id": "b\#(number)", "title": "t"}}]}, "badges": [{"label": "x\#(number)"}]}}
      """#
    }
    let body = #"{"data": {"readers": {"edges": ["# + nodes.joined(separator: ",") + "]}}}"
    _ = try await get(body)
    try await Client.current.store.read { context in
      let reader = try #require(try context.fetch(Follower.where { $0.uid == "n250" }).first)
      #expect(reader.friends.map(\.uid) == ["n251"])
      #expect(reader.books.map(\.uid) == ["b250"])
      #expect(reader.books.first?.title == "t")
      #expect(reader.badges == ["x250"])
    }
    #expect(try await get(body).counts.rowsWritten == 0)
  }

  @Test func `an edge without its node is an error that names the edge, or is skipped by itself`() async throws {
    _ = try await get(Self.body)
    let bad = #"""
      {"data": {"readers": {"edges": [{"node": {"id": "r1", "login": "ada 2",
        "friends": {"edges": [{"node": {"id": "r2"}}, {"cursor": "z"}]},
        "books": {"edges": [{"node": {"id": "b3"}}, 5]}}}]}}}
      """#
    let error = try await requestError { try await get(bad) }
    #expect(error.description.contains("friends.edges[1]"), "\(error)")
    #expect(try await state() == Self.lines)
    let response = try await get(bad, .skipping)
    #expect(Set(response.refused.map(\.key)) == ["friends.edges[1]", "books.edges[1]"])
    #expect(response.counts.refused == 0)
    // The object of the other edge is not known, so no member is taken out.
    #expect(try await state()[0] == #"r1 ada 2 ["r2", "r3"] ["b1", "b2", "b3"] ["gold", "red"]"#)
  }

  @Test func `a property whose list is no list is an error, and keeps its members with the option`() async throws {
    _ = try await get(Self.body)
    let bad = #"{"data": {"reader": {"id": "r1", "friends": {"edges": {"node": {"id": "r2"}}}}}}"#
    let error = try await requestError { try await get(bad) }
    #expect(error.description.contains("'Follower.friends' can't be read from 'friends.edges'"), "\(error)")
    #expect(error.description.contains("an array was expected, and there is an object"), "\(error)")
    #expect(try await state() == Self.lines)
    let badge = #"{"data": {"reader": {"id": "r1", "badges": [{"label": "a"}, {"name": "b"}]}}}"#
    #expect(try await requestError { try await get(badge) }.description.contains("badges[1]"))
  }

  @Test func `errors beside data are a refusal, and nothing is written`() async throws {
    _ = try await get(Self.body)
    let refusal =
      #"{"errors": [{"message": "secret words"}], "data": {"readers": {"edges": [{"node": {"id": "r9"}}]}}}"#
    let error = try await requestError { try await get(refusal) }
    #expect(error.kind == .status)
    #expect(error.status == 200)
    #expect(error.serverMessage == "secret words")
    #expect(!error.description.contains("secret"))
    #expect(try await state() == Self.lines)
    let none = Self.body.replacing(#"{"data""#, with: #"{"errors": [], "data""#)
    #expect(try await get(none).counts.rowsWritten == 0)
  }

  @Test func `an update by hand reads the same paths`() async throws {
    for _ in 0..<2 {
      try StubAdapter.current.on(.get, "/hand-readers", .text(Self.body))
      _ = try await HandFollower.get()
      try await Client.current.store.read { context in
        let reader = try #require(try context.fetch(HandFollower.where { $0.uid == "r1" }).first)
        #expect(reader.friends.map(\.uid).sorted() == ["r2", "r3"])
        #expect(reader.badges == ["gold", "red"])
        #expect(reader.first?.uid == "r2")
      }
    }
    try StubAdapter.current.on(.get, "/hand-readers", .text(Self.body))
    #expect(try await HandFollower.get().counts.rowsWritten == 0)
    try StubAdapter.current.on(
      .get, "/hand-readers", .text(#"{"data": {"reader": {"id": "r1", "friends": {"edges": [{}]}}}}"#))
    let error = try await requestError { try await HandFollower.get() }
    #expect(error.description.contains("friends.edges[0]"), "\(error)")
  }

  @MainActor @Test func `a property behind brackets is not sent, unless requests have a key for it`() async throws {
    let store = try Client.current.store
    _ = try await get(Self.body)
    let reader = try #require(try store.main.fetch(Follower.where { $0.uid == "r1" }).first)
    let error = try await requestError { try await reader.put(\.friends) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("requestKeys"), "\(error)")
    #expect(try reader.jsonObject(for: [\.login]) == ["login": "ada"])
  }
}
