import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Writes that the server has done, and whose answers are of no use.
@Suite(.sample(envelope: "data")) @MainActor struct AcceptedWriteTests {
  private func user() async throws -> User {
    let user = try #require(try await User.upsert(from: ["data": ["id": 1, "email": "a@x"]]).object)
    user.email = "b@x"
    return user
  }

  @Test(
    arguments: [
      .json(["id": 1], status: 201), .text("<html>", status: 200), .json(["data": ["id": 1, "age": "x"]]),
    ] as [StubAnswer])
  func `the error says that the server accepted the write`(_ answer: StubAnswer) async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/1", answer)
    let error = try await requestError { try await user.put(\.email) }
    #expect([.envelope, .parsing, .upsert].contains(error.kind))
    #expect(error.wasAccepted)
    #expect(error.description.contains("The server accepted the request; its answer was not taken in."))
    // The edit stays: nothing says for certain that it was this edit.
    #expect(user.email == "b@x")
    #expect(user.hasChanges)
  }

  @Test func `a failed read does not count as an accepted write`() async throws {
    try StubAdapter.current.on(.get, "/users", .json(["id": 1]))
    let error = try await requestError { try await User.get() }
    #expect(error.kind == .envelope)
    #expect(!error.wasAccepted)
  }

  @Test func `a refusal does not count as an accepted write`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/1", .text("<html>", status: 500))
    let error = try await requestError { try await user.put(\.email) }
    #expect(error.kind == .status)
    #expect(!error.wasAccepted)
  }
}
