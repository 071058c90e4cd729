import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

/// A DELETE by a route to an entity does what the entity's verb does.
@Suite(.client(entities: readingEntities, routes: [.entity(Reader.self, at: "readers/*"), .json(at: "status")]))
struct RouteDeletionTests {
  private func makeReader() async throws -> Client {
    try await Reader.upsert(from: ["id": 7])
    return try Client.current
  }

  private func count() async throws -> Int { try await Client.current.store.read { try $0.fetch(Reader.all).count } }

  @Test(arguments: [StubAnswer.status(204), .json(["id": 7]), .text("OK", contentType: "text/plain"), .status(410)])
  func `a DELETE by a route deletes the row`(_ answer: StubAnswer) async throws {
    let client = try await makeReader()
    try StubAdapter.current.on(.delete, "/readers/7", answer)
    let response = try await client.delete("readers/7")
    #expect(response.counts(of: Reader.self).deleted == 1)
    #expect(try await count() == 0)
  }

  @Test func `a refused DELETE leaves the row`() async throws {
    let client = try await makeReader()
    try StubAdapter.current.on(.delete, "/readers/7", .status(404))
    #expect(try await requestError { try await client.delete("readers/7") }.status == 404)
    #expect(try await count() == 1)
  }

  @Test @MainActor func `an object that was deleted here may be unknown there`() async throws {
    let client = try await makeReader()
    let main = try client.store.main
    for reader in try main.fetch(Reader.all) { try main.delete(reader) }
    try await main.save()
    try StubAdapter.current.on(.delete, "/readers/7", .status(404))
    #expect(try await client.delete("readers/7").status == 404)
  }

  @Test func `observers of the client hear of the objects of a route`() async throws {
    let client = try Client.current
    try StubAdapter.current.on(.get, "/readers/7", .json(["id": 7])).on(.get, "/status", .json(["a": 1]))
    let reports = Mutex<[ExchangeReport]>([])
    let observation = client.observe { report in reports.withLock { $0.append(report) } }
    try await client.get("readers/7")
    try await client.get("status")
    observation.end()
    let heard = reports.withLock(\.self)
    #expect(heard.map(\.entity) == ["Reader", nil])
    #expect(heard.map(\.objects) == [1, 0])
    #expect(heard[0].counts?.inserted == 1)
  }

  @Test func `a deletion that no route reads is no error`() async throws {
    let client = try Client.current
    try StubAdapter.current.on(.delete, "/sessions/7", .json(["done": true]))
    let response = try await client.delete("sessions/7")
    #expect(response.json == ["done": true])
    #expect(try response.value(as: JSONValue?.self) == nil)
  }
}
