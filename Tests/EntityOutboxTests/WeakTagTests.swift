import EntityClient
import EntityTesting
import HTTPFoundation
import Testing

@testable import EntityOutbox
@testable import EntityStore

/// The service has weak tags in `ETag`.
@Entity final class Ode: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String

  static var basePath: String { "odes" }
  static var outbox: OutboxRules<Ode> { [.rest, .ifMatch(.weakETag)] }
}

/// The service has versions in an attribute, and compares them as weak tags.
@Entity final class Hymn: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  @Key("meta.versionId") var version: String?

  static var basePath: String { "hymns" }
  static var outbox: OutboxRules<Hymn> { [.rest, .ifMatch(.attribute(\.version, isWeak: true))] }
}

/// The service has tags in an attribute.
@Entity final class Psalm: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  @Key(#"@odata\.etag"#) var etag: String?

  static var basePath: String { "psalms" }
  static var outbox: OutboxRules<Psalm> { [.rest, .ifMatch(.attribute(\.etag))] }
}

/// The column has another text of the version than the server.
@Entity final class Canto: OutboxEntity {
  @UID @Key("id") var uid: Int
  var version: Double?

  static var basePath: String { "cantos" }
  static var outbox: OutboxRules<Canto> { [.rest, .ifMatch(.attribute(\.version))] }
}

@Entity final class Elegy: OutboxEntity {
  @UID @Key("id") var uid: Int
  var changed: Date?

  static var basePath: String { "elegies" }
  static var outbox: OutboxRules<Elegy> { [.rest, .ifMatch(.attribute(\.changed))] }
}

@Entity final class Sonnet: OutboxEntity {
  @UID @Key("id") var uid: Int
  @Transformed(by: Transformers.Lowercased.self) var version: String?

  static var basePath: String { "sonnets" }
  static var outbox: OutboxRules<Sonnet> { [.rest, .ifMatch(.attribute(\.version))] }
}

/// The version is larger than an Int64.
@Entity final class Ballad: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var version: UInt64?

  static var basePath: String { "ballads" }
  static var outbox: OutboxRules<Ballad> { [.rest, .ifMatch(.attribute(\.version))] }
}

/// Versions for services that compare weak entity tags.
@Suite(.client(entities: [Ode.self, Hymn.self, Psalm.self, Ballad.self])) struct WeakTagTests {
  private var outbox: Outbox { get throws { try Outbox(Client.current, time: OutboxTime(VirtualClock())) } }

  /// Edits the object 1 of an entity, and then deletes it.
  ///
  /// - Returns: The values of `If-Match` that were sent.
  private func editAndDelete<E: OutboxEntity>(_ type: E.Type, _ edit: @Sendable (E) -> Void) async throws -> [String?] {
    let (outbox, store, stub) = try (outbox, Client.current.store, StubAdapter.current)
    try await E.get("1")
    try await store.background { edit(try #require(try $0.fetch(E.self, uid: 1))) }
    #expect(try await outbox.send().sent == 1)
    try await store.background { try $0.delete(#require(try $0.fetch(E.self, uid: 1))) }
    #expect(try await outbox.send().sent == 1)
    #expect(try await store.pending.changes().isEmpty)
    return stub.requests.filter { $0.method != .get }.map { $0.headers["If-Match"] }
  }

  private func serve(_ name: String, _ first: JSONValue, _ second: JSONValue, _ tags: [HTTPHeaders] = [[:], [:]]) throws
  {
    let stub = try StubAdapter.current
    stub.on(.get, "/\(name)/1", .json(first, headers: tags[0]))
    stub.on(.patch, "/\(name)/1", .json(second, headers: tags[1]))
    stub.on(.delete, "/\(name)/1", .status(204))
  }

  @Test func `a weak tag of a response is sent as it came`() async throws {
    try serve(
      "odes", ["id": 1, "text": "a"], ["id": 1, "text": "b"], [["ETag": #"W/"1""#], ["ETag": #"W/"2""#]])
    #expect(try await editAndDelete(Ode.self) { $0.text = "b" } == [#"W/"1""#, #"W/"2""#])
  }

  @Test func `a version becomes a weak tag`() async throws {
    try serve(
      "hymns", ["id": 1, "text": "a", "meta": ["versionId": "1"]], ["id": 1, "text": "b", "meta": ["versionId": "2"]])
    #expect(try await editAndDelete(Hymn.self) { $0.text = "b" } == [#"W/"1""#, #"W/"2""#])
  }

  @Test func `a tag in an attribute is sent without further quotes`() async throws {
    try serve(
      "psalms", ["id": 1, "text": "a", "@odata.etag": #"W/"1""#], ["id": 1, "text": "b", "@odata.etag": #""2""#])
    #expect(try await editAndDelete(Psalm.self) { $0.text = "b" } == [#"W/"1""#, #""2""#])
  }

  @Test func `an edit and a deletion hold for one text of a large number`() async throws {
    let version = JSONValue(UInt64.max / 2 + 1)
    try serve(
      "ballads", ["id": 1, "text": "a", "version": version], ["id": 1, "text": "b", "version": version])
    let tag = #""9223372036854775808""#
    #expect(try await editAndDelete(Ballad.self) { $0.text = "b" } == [tag, tag])
  }

  @Test(arguments: [Canto.self, Elegy.self, Sonnet.self] as [any OutboxEntity.Type])
  func `an attribute whose deletions would hold for any version is refused when the outbox is made`(
    _ type: any OutboxEntity.Type
  ) throws {
    let store = try EntityStore(.inMemory, entities: [type])
    let client = try Client(adapter: StubAdapter(), store: store, baseURL: "https://api.example.com/")
    let error = try #require(throws: RequestError.self) { try Outbox(client, time: OutboxTime(VirtualClock())) }
    #expect(error.message.contains("is neither an integer nor a text"), "\(error.message)")
  }

  @Test(arguments: [
    ("7", false, #""7""#), ("7", true, #"W/"7""#), (#""7""#, true, #""7""#), (#"W/"7""#, false, #"W/"7""#),
    ("", false, "\"\""), ("W/", true, #"W/"W/""#),
  ])
  func `a text that is a tag stays as it is`(_ version: String, _ isWeak: Bool, _ tag: String) {
    #expect(EntityTag.tag(of: version, isWeak: isWeak) == tag)
  }
}
