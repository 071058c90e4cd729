import EntityClient
import EntityTesting
import Foundation
import Observation
import SampleSchema
import Testing

@Suite(.sample) @MainActor struct CallbackTests {
  private typealias Completion = @MainActor @Sendable (Result<EntityResponse<User>, any Error>) -> Void

  /// The result that a verb hands to its completion handler.
  private func result(_ verb: (@escaping Completion) -> Task<Void, Never>) async -> Result<
    EntityResponse<User>, any Error
  > {
    await withCheckedContinuation { continuation in _ = verb { continuation.resume(returning: $0) } }
  }

  @Test func `each verb hands over its response`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1], ["id": 2]])).on(.head, "/users", .status(200))
    stub.on(.post, "/users", .json(["id": 3], status: 201)).on(.put, "/users/1", .json(["id": 1, "email": "b@x"]))
    stub.on(.patch, "/users/1", .json(["id": 1])).on(.delete, "/users/2", .status(204))
    #expect(try await result { User.get(query: ["page": 1], completion: $0) }.get().counts.inserted == 2)
    #expect(try await result { User.head(completion: $0) }.get().status == 200)
    #expect(
      try await result { User.post(modify: { try $0.setJSON(["email": "c@x"]) }, completion: $0) }.get().status == 201)
    #expect(try await result { User.put("1", completion: $0) }.get().counts.updated == 1)
    #expect(try await result { User.patch("1", completion: $0) }.get().counts.unchanged == 1)
    #expect(try await result { User.delete("2", completion: $0) }.get().counts.deleted == 1)
    #expect(try Client.current.store.main.count(User.all) == 2)
    #expect(stub.requests.map(\.method) == [.get, .head, .post, .put, .patch, .delete])
    #expect(stub.requests[2].body == Data(#"{"email":"c@x"}"#.utf8))
  }

  @Test func `a handler finds the main context up to date`() async throws {
    let user = try #require(try await User.upsert(from: ["id": 1, "email": "old"]).object)
    try StubAdapter.current.on(.get, "/users", .json(["id": 1, "email": "new"]))
    let changes = Recorder<String>()
    withObservationTracking {
      _ = user.email
    } onChange: {
      changes.add("email")
    }
    let heard = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
      // As code that is not async writes it.
      func load() {
        User.get { _ in continuation.resume(returning: changes.all) }
      }
      load()
    }
    #expect(heard == ["email"])
  }

  @Test func `a failure is handed to the completion handler`() async throws {
    try StubAdapter.current.on(.get, "/users", .status(500))
    let failure = await result { User.get(completion: $0) }
    #expect(throws: RequestError.self) { try failure.get() }
    let thrown = await result { User.post(modify: { _ in throw NoError() }, completion: $0) }
    #expect(throws: NoError.self) { try thrown.get() }
    let storeless = try Client(adapter: StubAdapter(), baseURL: "https://api.example.com/")
    let early = await Client.withClient(storeless) { await result { User.get(completion: $0) } }
    #expect { try early.get() } throws: { ($0 as? RequestError)?.kind == .noStore }
  }

  @Test func `cancelling the task is a failure`() async throws {
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    let results = Recorder<Bool>()
    let task = User.get { results.add((try? $0.get()) != nil) }
    await gate.arrival()
    task.cancel()
    await task.value
    #expect(results.all == [false])
    #expect(try Client.current.store.main.count(User.all) == 0)
  }

  @Test func `progress is reported before the response`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([["id": 1]]).chunked(3))
    let reports = Recorder<Double>()
    _ = try await result { User.get(progress: { reports.add($0.fraction) }, completion: $0) }.get()
    #expect(reports.all.last == 1)
    #expect(reports.all.count > 3)
  }

  @Test func `a value is handed to the completion handler too`() async throws {
    let stub = StubAdapter().on(.get, "/people/1", .json(["name": "Ada"]))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com/")
    let result = await withCheckedContinuation { continuation in
      client.events(.get, "people/1", as: Person.self).send { continuation.resume(returning: $0) }
    }
    #expect(try result.get().value == Person(name: "Ada"))
  }
}
