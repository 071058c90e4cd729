import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Requests that are under way together, and their effect on local edits.
@Suite(.sample) @MainActor struct OverlapTests {
  private func user(_ uid: Int = 42, email: String = "a@x") async throws -> User {
    let response = try await User.upsert(from: [["id": JSONValue(uid), "email": JSONValue(email), "age": 7]])
    return try #require(try response.object)
  }

  @Test(arguments: [["action": "archive"], ["user": ["email": "a@x"]], [:], [1]] as [JSONValue])
  func `an unsent edit is not acknowledged`(_ body: JSONValue) async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42", .json(["id": 42, "age": 7]))
    user.age = 99
    try await user.patch { try $0.setJSON(body) }
    #expect(user.age == 99)
    #expect(user.hasChanges)
    try await user.entityContext?.save()
    try await user.patch { try $0.setJSON(body) }
    #expect(user.age == 99)
  }

  @Test func `a PUT to the object's own URL sends the uid too`() async throws {
    let store = try Client.current.store
    try StubAdapter.current.on(.put, "/users/9", .json(["user": ["id": 9, "email": "a@x"]], status: 201))
    let user = try store.main.insert(User.self)
    user.uid = 9
    user.email = "a@x"
    try await user.put(options: .envelope("user")) { try $0.setJSON(["user": user.jsonObject(for: \.email).value]) }
    #expect(!user.hasChanges)
    #expect(!store.main.hasChanges)
    // With nothing left to save, nothing is an edit of this app's.
    try await store.main.save()
    #expect(try await User.upsert(from: ["id": 9, "email": "b@x"]).counts.updated == 1)
    #expect(user.email == "b@x")
  }

  @Test func `a wrapped body acknowledges its fields`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42", .status(204))
    user.age = 99
    user.email = "mine"
    try await user.patch { try $0.setJSON(["user": ["age": 99]] as JSONValue) }
    #expect(user.age == 99)
    #expect(user.email == "mine")
    #expect(user.hasChanges)
    try StubAdapter.current.on(.get, "/users/42", .json(["id": 42, "age": 1, "email": "server"]))
    try await user.get()
    #expect(user.age == 1)
    #expect(user.email == "mine")
  }

  @Test func `another value than the edit acknowledges nothing`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .status(204))
    user.email = "mine"
    try await user.put { try $0.setJSON(["email": "other"] as JSONValue) }
    #expect(user.email == "mine")
    #expect(user.hasChanges)
  }

  @Test func `an edit goes with its deleted object`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.delete, "/users/42", .status(204))
    user.email = "edit"
    try await user.delete()
    #expect(user.isDeleted)
    try await Client.current.store.main.save()
  }

  @Test func `a read from before a write undoes nothing`() async throws {
    let user = try await user(email: "old")
    let put = StubGate()
    let get = StubGate()
    let stub = try StubAdapter.current
    stub.on(.put, "/users/42", .json(["id": 42, "email": "mine"]).waiting(for: put))
    stub.on(.get, "/users", .json([["id": 42, "email": "old", "age": 8]]).waiting(for: get))
    user.email = "mine"
    let putting = Task { try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) } }
    await put.arrival()
    let getting = Task { try await User.get() }
    await get.arrival()
    put.open()
    _ = try await putting.value
    get.open()
    _ = try await getting.value
    #expect(user.email == "mine")
    #expect(user.age == 8)
    stub.on(.get, "/users", .json([["id": 42, "email": "later"]]))
    try await User.get()
    #expect(user.email == "later")
  }

  @Test func `an object that was just posted is not missing`() async throws {
    let store = try Client.current.store
    let post = StubGate()
    let get = StubGate()
    let stub = try StubAdapter.current
    stub.on(.post, "/users", .json(["id": 7, "email": "new"], status: 201).waiting(for: post))
    stub.on(.get, "/users", .json([]).waiting(for: get))
    let user = try store.main.insert(User.self)
    user.email = "new"
    let posting = Task { try await user.post { try $0.setJSON(user.jsonObject(for: \.email)) } }
    await post.arrival()
    let getting = Task { try await User.get(options: .deleteMissing(in: User.all)) }
    await get.arrival()
    post.open()
    _ = try await posting.value
    get.open()
    _ = try await getting.value
    #expect(!user.isDeleted)
    #expect(user.uid == 7)
  }

  @Test func `a POST may refer to an object that is not saved`() async throws {
    let store = try Client.current.store
    try StubAdapter.current.on(.post, "/users", .json(["id": 7], status: 201))
    let address = try store.main.insert(Address.self)
    address.uid = 3
    let user = try store.main.insert(User.self)
    user.email = "new"
    user.address = address
    try await user.post { try $0.setJSON(user.jsonObject(for: \.email, \.address)) }
    #expect(user.uid == 7)
    #expect(user.address === address)
    try await store.main.save()
    #expect(user.address === address)
    #expect(try await store.read { try $0.fetch(User.self, uid: 7)?.address?.uid } == 3)
  }

  @Test func `an object that is not of the entity is an error`() async throws {
    try StubAdapter.current.on(.get, "/users", .json(["data": [["id": 1]]]))
    let error = await #expect(throws: RequestError.self) { try await User.get() }
    #expect(error?.localizedDescription.contains("envelope") == true)
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 0)
    #expect(try await User.get(options: .envelope("data")).counts.inserted == 1)
  }
}
