import EntityClient
import EntityTesting
import Foundation
import TestSchema
import Testing

@Entity final class Gazette: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Key("_embedded.founder") var founder: Gardener?
  var note: String?

  var shownTitle: String { title ?? "" }

  static var basePath: String { "gazettes" }
  static var requestKeys: [PartialKeyPath<Gazette>: String] { [\.founder: "founder_id", \.note: "extra.note"] }
}

@Entity final class Misprint: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?

  var length: Int { text?.count ?? 0 }

  static var basePath: String { "misprints" }
  static var requestKeys: [PartialKeyPath<Misprint>: String] { [\.length: "length"] }
}

/// Properties that requests have under other keys than responses.
@Suite(.client(entities: [Gazette.self, Gardener.self, Misprint.self])) @MainActor struct RequestKeyTests {
  private static let answer: JSONValue = [
    "id": 1, "title": "A", "_embedded": ["founder": ["id": 7, "name": "Ada"]], "note": "n",
  ]

  private func gazette() async throws -> Gazette {
    let gazette = try #require(try await Gazette.upsert(from: Self.answer).object)
    #expect(gazette.founder?.name == "Ada")
    #expect(gazette.note == "n")
    let other = try #require(try await Gardener.upsert(from: ["id": 8]).object)
    gazette.founder = other
    gazette.note = "m"
    return gazette
  }

  private func sent() throws -> String? {
    try StubAdapter.current.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `verbs with properties send the request keys, and the answer acknowledges them`() async throws {
    let gazette = try await gazette()
    try StubAdapter.current.on(.patch, "/gazettes/1", .status(204))
    try await gazette.patch(\.founder, \.note)
    #expect(try sent() == #"{"extra":{"note":"m"},"founder_id":8}"#)
    #expect(gazette.pendingColumns.names.isEmpty)
    #expect(gazette.founder?.uid == 8)
  }

  @Test func `a body made by hand is read with the request keys`() async throws {
    let gazette = try await gazette()
    try StubAdapter.current.on(.put, "/gazettes/1", .status(204), .status(204))
    try await gazette.put { try $0.setJSON(["founder_id": 8] as JSONValue) }
    #expect(gazette.pendingColumns.names == ["note"])
    // The server takes nothing under the key of responses.
    try await gazette.put { try $0.setJSON(["note": "m"] as JSONValue) }
    #expect(gazette.pendingColumns.names == ["note"])
  }

  @Test func `a form is read with the request keys`() async throws {
    let gazette = try await gazette()
    try StubAdapter.current.on(.put, "/gazettes/1", .status(204))
    try await gazette.put { try $0.setForm(gazette.jsonObject(for: \.founder, \.note)) }
    #expect(gazette.pendingColumns.names.isEmpty)
  }

  @Test func `a new object is acknowledged by a location alone`() async throws {
    let main = try Client.current.store.main
    let founder = try #require(try await Gardener.upsert(from: ["id": 8]).object)
    let gazette = try main.insert(Gazette.self)
    gazette.title = "B"
    gazette.founder = founder
    try StubAdapter.current.on(.post, "/gazettes", .status(201, headers: ["Location": "/gazettes/9"]))
    try await gazette.post(\.title, \.founder)
    #expect(gazette.uid == 9)
    #expect(!gazette.hasChanges)
  }

  @Test func `an export has the keys of responses`() async throws {
    let gazette = try #require(try await Gazette.upsert(from: Self.answer).object)
    #expect(
      try gazette.jsonObject(depth: 0).value == ["id": 1, "title": "A", "_embedded": ["founder": 7], "note": "n"])
  }

  @Test func `a request key path that names no property is an error`() async throws {
    let misprint = try #require(try await Misprint.upsert(from: ["id": 1, "text": "a"]).object)
    let error = try await requestError { try await misprint.put(\.text) }
    #expect(error.kind == .invalidRequest)
    #expect(error.message.contains("requestKeys"))
  }
}
