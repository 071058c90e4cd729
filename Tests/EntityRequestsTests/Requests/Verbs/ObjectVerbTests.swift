import EntityClient
import EntityTesting
import Observation
import SampleSchema
import Testing
import HTTPFoundation

@Suite(.sample) @MainActor struct ObjectVerbTests {
  private func user(_ uid: Int = 42, email: String = "a@x") async throws -> User {
    let value: JSONValue = [["id": JSONValue(uid), "email": JSONValue(email), "age": 7]]
    let response = try await User.upsert(from: JSONValue(value.array ?? []))
    return try #require(try response.object)
  }

  @Test func `a GET takes the object anew`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.get, "/users/42", .json(["id": 42, "email": "new"]))
    let response = try await user.get()
    #expect(response.ids == [user.entityID])
    #expect(user.email == "new")
    #expect(user.age == 7)
  }

  @Test func `an edit that is not sent survives a GET`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.get, "/users/42", .json(["id": 42, "email": "server", "age": 8]))
    user.email = "mine"
    try await user.get()
    #expect(user.email == "mine")
    #expect(user.age == 8)
    #expect(user.hasChanges)
    try await user.entityContext?.save()
    try await user.get(options: .localEdits(.overwrite))
    #expect(user.email == "server")
  }

  @Test func `a new object gets its uid from the answer`() async throws {
    let context = try Client.current.store.main
    let user = try context.insert(User.self)
    user.email = "a@x"
    let id = user.entityID
    try StubAdapter.current.on(.post, "/users", .json(["id": 7, "email": "a@x", "age": 3], status: 201))
    let response = try await user.post { try $0.setJSON(user.jsonObject(for: \.email)) }
    #expect(response.ids == [id])
    #expect(user.uid == 7)
    #expect(user.age == 3)
    #expect(user.entityID == id)
    #expect(!user.isInserted)
    #expect(!user.hasChanges)
    #expect(!context.hasChanges)
    #expect(try context.count(User.all) == 1)
    try await context.save()
    #expect(try context.fetch(User.self, uid: 7) === user)
  }

  @Test func `an object of a draft is not sent`() async throws {
    let user = try await user()
    let draft = try #require(user.entityContext).edit(user)
    draft.object.email = "b@x"
    await #expect(throws: StoreError.self) { try await draft.object.put(\.email) }
    #expect(try StubAdapter.current.requests.isEmpty)
    #expect(throws: StoreError.self) { try draft.context.upsert(User.self, from: ["id": 42, "email": "c@x"]) }
    #expect(draft.object.email == "b@x")
    try draft.save()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42, "email": "b@x"]))
    try await user.put(\.email)
    #expect(!user.hasChanges)
    #expect(draft.object.email == "b@x")
  }

  @Test func `a loose object is not sent before it is inserted`() async throws {
    let user = User()
    user.uid = 7
    user.email = "b@x"
    #expect(try user.jsonObject(for: \.email) == ["email": "b@x"])
    await #expect {
      try await user.put(\.email)
    } throws: { error in
      (error as? StoreError)?.kind == .wrongContext && "\(error)".contains("Insert it first")
    }
    #expect(try StubAdapter.current.requests.isEmpty)
    try StubAdapter.current.on(.put, "/users/7", .json(["id": 7, "email": "c@x"]))
    try Client.current.store.main.insert(user)
    try await user.put(\.email)
    #expect(user.email == "c@x")
    #expect(!user.hasChanges)
  }

  @Test func `an edit made while the request is under way stays`() async throws {
    let user = try await user()
    let gate = StubGate()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42, "email": "sent", "age": 1]).waiting(for: gate))
    user.email = "sent"
    let task = Task { try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) } }
    await gate.arrival()
    user.email = "later"
    gate.open()
    _ = try await task.value
    #expect(user.email == "later")
    #expect(user.hasChanges)
    user.entityContext?.rollback()
    #expect(user.email == "sent")
  }

  @Test func `only the edits that were sent are settled`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42", .json(["id": 42]))
    user.email = "sent"
    user.firstName = "kept"
    try await user.patch { try $0.setJSON(user.jsonObject(for: \.email)) }
    #expect(user.email == "sent")
    #expect(user.firstName == "kept")
    #expect(user.hasChanges)
    user.entityContext?.rollback()
    #expect(user.email == "sent")
    #expect(user.firstName == nil)
  }

  @Test func `a key that stands twice in a body acknowledges nothing`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.patch, "/users/42", .json(["id": 42]))
    user.email = "mine"
    try await user.patch {
      try $0.setData(Data(#"{"email": "other", "email": "mine"}"#.utf8), contentType: "application/json")
    }
    #expect(user.email == "mine")
    #expect(user.hasChanges)
  }

  @Test func `a failed request leaves the edits`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .json(["error": "no"], status: 422), .failure(.timeout), .status(204))
    user.email = "edited"
    for _ in 0..<2 {
      _ = try await requestError { try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) } }
      #expect(user.hasChanges)
      #expect(user.email == "edited")
    }
    // Without a body the answer still says that the edits are known.
    try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) }
    #expect(!user.hasChanges)
    #expect(user.email == "edited")
  }

  @Test func `observers hear of the server's changes`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42, "email": "lower@x"]))
    user.email = "LOWER@x"
    let changes = Recorder<String>()
    withObservationTracking {
      _ = user.email
    } onChange: {
      changes.add("email")
    }
    try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) }
    #expect(user.email == "lower@x")
    #expect(changes.all == ["email"])
  }

  @Test func `another resource may answer another object`() async throws {
    let user = try await user()
    let stub = try StubAdapter.current
    stub.on(.get, "/users/manager", .json(["id": 1, "email": "boss"]))
    stub.on(.post, "/users/friends", .json(["id": 2, "email": "friend"]))
    stub.on(.post, "/users/activate", .json(["active": true]))
    user.email = "mine"
    let manager = try #require(try await user.get("manager").object)
    #expect(manager !== user)
    #expect(manager.uid == 1)
    #expect(user.uid == 42)
    let friend = try #require(try await user.post(to: "friends") { try $0.setJSON(["email": "friend"]) }.object)
    #expect(friend !== user)
    #expect(user.uid == 42)
    #expect(user.email == "mine")
    #expect(user.hasChanges)
    // An answer without uid is about the object that asked.
    #expect(try await user.post(to: "activate").object === user)
    #expect(user.active)
    #expect(user.hasChanges)
  }

  @Test func `the store of the object counts, not the client's store`() async throws {
    let other = try EntityStore(.inMemory, entities: sampleEntities)
    let user = try other.main.insert(User.self)
    user.uid = 5
    try StubAdapter.current.on(.get, "/users/5", .json(["id": 5, "email": "x"]))
    try await user.get()
    #expect(user.email == "x")
    #expect(try Client.current.store.main.count(User.all) == 0)
  }

  @Test func `a PUT sends the uid only to the object's own URL`() async throws {
    let stub = try StubAdapter.current
    stub.on(.put, "/users/7", .json(["id": 7, "email": "a"], status: 201))
    let new = try Client.current.store.main.insert(User.self)
    new.uid = 7
    new.email = "a"
    try await new.put(to: "7") { try $0.setJSON(new.jsonObject(for: \.email)) }
    #expect(!new.hasChanges)
    // In a form of the project's own, which says nothing at another place.
    let user = try await user()
    stub.on(.put, "/drafts/42", .status(204)).on(.put, "/users/42", .status(204))
    user.email = "edited"
    for path in ["drafts/42", "users/42"] {
      try await user.put {
        $0.url = URL(string: "https://api.example.com/\(path)")
        try $0.setJSON(["email": ["edited"]])
      }
      #expect(user.hasChanges == (path == "drafts/42"))
    }
  }

  @Test func `a PUT without a body sends the uid`() async throws {
    try StubAdapter.current.on(.put, "/users/7", .status(204))
    let user = try Client.current.store.main.insert(User.self)
    user.uid = 7
    try await user.put()
    #expect(!user.hasChanges)
    #expect(!user.isInserted)
    user.email = "edited"
    try await user.put()
    #expect(user.hasChanges)
  }

  /// RFC 9110 §15.4.5 has it for GET and HEAD.
  @Test func `not modified is no answer to a write`() async throws {
    let stub = try StubAdapter.current
    let user = try await user()
    user.email = "edited"
    for method: HTTPMethod in [.put, .patch, .post, .delete] {
      stub.on(method, method == .post ? "/users" : "/users/42", .status(304))
    }
    let edit = try user.jsonObject(for: \.email)
    let errors = [
      try await requestError { try await user.put { try $0.setJSON(edit) } },
      try await requestError { try await user.patch { try $0.setJSON(edit) } },
      try await requestError { try await user.post { try $0.setJSON(edit) } },
      try await requestError { try await user.delete() },
      try await requestError { try await Client.current.send(Client.current.request(.put, "users/42")) },
    ]
    #expect(errors.allSatisfy { $0.kind == .status })
    #expect(errors.allSatisfy { $0.status == 304 })
    #expect(user.hasChanges)
    #expect(!user.isDeleted)
    stub.on(.get, "/users/42", .status(304)).on(.head, "/users/42", .status(304))
    #expect(try await user.get().status == 304)
    #expect(try await user.head().status == 304)
  }

  @Test func `an object that is gone is not brought back`() async throws {
    let user = try await user()
    let stub = try StubAdapter.current
    stub.on(.delete, "/users/42", .status(204)).on(.put, "/users/42", .json(["id": 42, "email": "server"]))
    try await user.delete()
    let response = try await user.put { try $0.setJSON(["email": "server"]) }
    #expect(user.isDeleted)
    #expect(response.ids != [user.entityID])
    let other = try #require(try response.object)
    #expect(other !== user)
    #expect(other.uid == 42)
    #expect(!other.isDeleted)
  }

  @Test func `a row that is deleted meanwhile is not brought back`() async throws {
    let user = try await user()
    let gate = StubGate()
    try StubAdapter.current.on(.put, "/users/42", .json(["id": 42, "email": "sent"]).waiting(for: gate))
    user.email = "sent"
    let task = Task { try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) } }
    await gate.arrival()
    let id = user.entityID
    try await Client.current.store.background { context in
      if let user = try context.object(id) { try context.delete(user) }
    }
    gate.open()
    let response = try await task.value
    #expect(user.isDeleted)
    #expect(response.ids.isEmpty)
    #expect(response.counts == EntityCounts())
    #expect(try Client.current.store.main.count(User.all) == 0)
  }

  @Test func `without a uid nothing is sent`() async throws {
    let user = try Client.current.store.main.insert(User.self)
    #expect(try await requestError { try await user.get() }.kind == .missingUID)
    #expect(try await requestError { try await user.head() }.kind == .missingUID)
    #expect(try await requestError { try await user.put() }.kind == .missingUID)
    #expect(try await requestError { try await user.patch() }.kind == .missingUID)
    #expect(try await requestError { try await user.delete() }.kind == .missingUID)
    #expect(try StubAdapter.current.requests.isEmpty)
  }
}
