import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Objects to try things with: temporary ones, edit copies and child contexts, whose changes go to the server and come
/// back with what it made of them.
@Suite(.sample) @MainActor struct ScratchTests {
  private var main: EntityContext { get throws { try Client.current.store.main } }

  @Test func `an upsert that fails over a child is tried again`() async throws {
    let main = try main
    let bad: JSONObject = ["id": 7, "email": "a@x", "address": ["id": 1, "city": ["Oslo"]], "posts": [["id": 5]]]
    #expect(throws: MappingError.self) { try main.upsert(User.self, from: bad) }
    main.rollback()
    #expect(try main.count(User.all) == 0)
    #expect(try main.count(Address.all) == 0)
    let good: JSONObject = ["id": 7, "email": "a@x", "address": ["id": 1, "city": "Oslo"], "posts": [["id": 5]]]
    let user = try main.upsert(User.self, from: good)
    #expect(user.address?.city == "Oslo")
    #expect(user.posts.map(\.uid) == [5])
    // Once more, over what is not saved yet.
    #expect(try main.upsert(User.self, from: good) === user)
    try await main.save()
    #expect(try main.count(User.all) == 1)
    #expect(try main.count(Address.all) == 1)
    #expect(try main.count(Post.all) == 1)
  }

  @Test func `a response with a child reaches the open edit copy`() async throws {
    let main = try main
    let user = try main.upsert(User.self, from: ["id": 7, "email": "a@x", "address": ["id": 1, "city": "Oslo"]])
    try await main.save()
    let copy = try main.edit(user)
    copy.object.email = "edited"
    copy.object.address?.city = "Bergen"
    // An edit copy takes in no response; the context below it does.
    let response: JSONObject = [
      "id": 7, "email": "server", "age": 9, "address": ["id": 1, "city": "Rome", "zip": "1"],
    ]
    #expect(throws: StoreError.self) { try copy.context.upsert(User.self, from: response) }
    try main.upsert(User.self, from: response)
    #expect(user.email == "server")
    #expect(copy.object.email == "edited")
    #expect(copy.object.age == 9)
    #expect(copy.object.address?.city == "Bergen")
    #expect(copy.object.address?.zip == "1")
    copy.rollback()
    #expect(copy.object.email == "server")
    #expect(copy.object.address?.city == "Rome")
  }

  @Test func `the changes of an edit copy are sent until the server takes them`() async throws {
    let main = try main
    let user = try main.upsert(User.self, from: ["id": 7, "email": "a@x"])
    try await main.save()
    let copy = try main.edit(user)
    copy.object.email = "b@x"
    #expect(user.email == "a@x")
    try copy.save()
    try await main.save()
    try StubAdapter.current.on(
      .put, "/users/7", .status(503), .json(["id": 7, "email": "b@x", "address": ["id": 1, "city": "Oslo"]]))
    #expect(try await requestError { try await user.put(\.email) }.status == 503)
    #expect(try await Client.current.store.pending.count() == 1)
    try await user.put(\.email)
    #expect(try await Client.current.store.pending.count() == 0)
    #expect(user.email == "b@x")
    #expect(copy.object.address?.city == "Oslo")
    #expect(!copy.hasChanges)
  }

  @Test func `a new object of a draft is posted again after a failure`() async throws {
    let main = try main
    let draft = try main.draft(User.self)
    draft.object.email = "a@x"
    let address = try draft.context.insert(Address.self)
    address.city = "Oslo"
    draft.object.address = address
    #expect(try main.count(User.all) == 0)
    try draft.save()
    let user = try #require(try main.object(draft.object.entityID))
    try StubAdapter.current.on(
      .post, "/users", .failure(.timeout),
      .json(["id": 7, "email": "a@x", "address": ["id": 1, "city": "Oslo"]], status: 201))
    #expect(try await requestError { try await user.post(\.email) }.kind == .transport)
    #expect(user.uid == 0)
    try await user.post(\.email)
    #expect(user.uid == 7)
    // The same object in the draft that made it.
    #expect(draft.object.uid == 7)
    #expect(draft.object.entityID == user.entityID)
    #expect(try main.count(User.all) == 1)
  }

  @Test func `a temporary object is in no store until it is inserted`() async throws {
    let main = try main
    let user = User()
    user.email = "a@x"
    user.posts = [Post()]
    #expect(try main.count(User.all) == 0)
    #expect(!main.hasChanges)
    try main.insert(user)
    try StubAdapter.current.on(
      .post, "/users", .status(500), .json(["id": 7, "email": "a@x", "posts": [["id": 5, "title": "T"]]], status: 201))
    #expect(try await requestError { try await user.post(\.email) }.status == 500)
    try await user.post(\.email)
    #expect(user.uid == 7)
    #expect(try main.count(User.all) == 1)
    #expect(user.posts.contains { $0.uid == 5 && $0.title == "T" })
  }

  @Test func `a child of a child saves step by step and is dropped by itself`() async throws {
    let main = try main
    let user = try main.upsert(User.self, from: ["id": 7, "email": "a@x"])
    try await main.save()
    let child = try main.child()
    try #require(try child.object(user.entityID)).email = "child"
    do {
      let dropped = try child.child()
      try #require(try dropped.object(user.entityID)).email = "dropped"
    }
    let grandchild = try child.child()
    try #require(try grandchild.object(user.entityID)).firstName = "Ada"
    try await grandchild.save()
    #expect(user.firstName == nil)
    try await child.save()
    #expect(user.email == "child")
    #expect(user.firstName == "Ada")
    try StubAdapter.current.on(.patch, "/users/7", .status(204))
    try await user.patch(\.email, \.firstName)
    #expect(!user.hasChanges)
  }
}
