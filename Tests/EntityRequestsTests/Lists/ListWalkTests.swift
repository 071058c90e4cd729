import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

@Entity final class Riposte: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  @Relationship var answers: Riposte?

  static var basePath: String { "ripostes" }
  static var expires: Duration? { .seconds(1_000) }
}

/// Walks during which the server's list changes: the sequences of steps that lost a member, or kept one too many.
@MainActor struct ListWalkTests {
  private func walk<E: RemoteEntity>(_ list: StoredCollection<E>) async throws {
    while try await list.status()?.hasMore != false { try await list.loadMore() }
  }

  // MARK: Counted pages

  @Test(arguments: [ListServer.Paging.offset, .number])
  func `a refresh does not hide from the walk that a deletion has moved the objects behind it`(
    _ paging: ListServer.Paging
  ) async throws {
    let server = ListServer(paging, users: 9)
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(server.client(store)) {
      try await server.list.load()
      try await server.list.loadMore()
      // User 3 moves to the second page, which came already. The first page is as before, and says the new total.
      server.delete(5)
      try await server.list.load()
      try await walk(server.list)
      #expect(try await store.uids(of: server.list) == [9, 8, 7, 6, 4, 3, 2, 1])
      #expect(try await server.list.status()?.isComplete == true)
    }
  }

  @Test(arguments: [ListServer.Paging.offset, .number])
  func `a list with a member too many begins anew, although the walk that found it left the same difference`(
    _ paging: ListServer.Paging
  ) async throws {
    let server = ListServer(paging, users: 9)
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(server.client(store)) {
      try await server.list.load()
      try await server.list.loadMore()
      // The total stays.
      server.delete(5)
      server.add(1)
      try await server.list.load()
      try await walk(server.list)
      #expect(try await store.uids(of: server.list) == Array((1...10).reversed()))
      #expect(try await server.list.status()?.isComplete == false)
      try await server.list.load()
      try await walk(server.list)
      #expect(try await store.uids(of: server.list) == [10, 9, 8, 7, 6, 4, 3, 2, 1])
      #expect(try await server.list.status()?.isComplete == true)
    }
  }

  @Test(arguments: [false, true])
  func `a page from before a deletion here does not make a counted list complete, because the next page lacks a member`(
    _ isFirst: Bool
  ) async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    func page(_ uids: Int...) -> StubAnswer { .json(JSONValue(uids.map { ["id": JSONValue($0)] as JSONValue })) }
    let held = page(5, 4).waiting(for: gate)
    if isFirst {
      stub.on(.get, "/users", page(5, 4), held, page(2, 1), page(), page(4, 3), page(2, 1), page())
    } else {
      stub.on(.get, "/users", page(7, 6), held, page(2, 1), page(), page(7, 6), page(4, 3), page(2, 1), page())
    }
    stub.on(.delete, "/users/5", .status(204))
    let list = StoredCollection<User>(pages: .numbers(size: 2))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      if !isFirst { _ = try await User.upsert(from: [["id": 5]]) }
      try await list.load()
      let load = Task { if isFirst { try await list.load() } else { try await list.loadMore() } }
      await gate.arrival()
      try await #require(try store.main.fetch(User.self, uid: 5)).delete()
      gate.open()
      _ = try await load.value
      try await walk(list)
      #expect(try await list.status()?.isComplete == false, "user 3 is on no page")
      try await list.load()
      try await walk(list)
      #expect(try await store.uids(of: list) == (isFirst ? [4, 3, 2, 1] : [7, 6, 4, 3, 2, 1]))
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `a page from before the deletion of an owner does not bring back what went with it`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    func page(_ uids: Int...) -> StubAnswer {
      .json(JSONValue(uids.map { ["id": JSONValue($0), "author": ["id": JSONValue($0)]] as JSONValue }))
    }
    stub.on(
      .get, "/posts", page(7, 6), page(5, 4).waiting(for: gate), page(2, 1), page(), page(7, 6), page(4, 3), page(2, 1),
      page())
    stub.on(.delete, "/users/5", .status(204))
    let list = StoredCollection<Post>(pages: .numbers(size: 2))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    func uids() throws -> [Int] { try store.main.fetch(Post.members(of: list)).map(\.uid) }
    try await Client.withClient(Client(stub, store)) {
      _ = try await Post.upsert(from: [["id": 5, "author": ["id": 5, "email": "a"]]])
      try await list.load()
      let load = Task { try await list.loadMore() }
      await gate.arrival()
      try await #require(try store.main.fetch(User.self, uid: 5)).delete()
      gate.open()
      _ = try await load.value
      #expect(try store.main.fetch(Post.self, uid: 5) == nil)
      try await walk(list)
      #expect(try await list.status()?.isComplete == false, "post 3 is on no page")
      try await list.load()
      try await walk(list)
      #expect(try uids() == [7, 6, 4, 3, 2, 1])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `a list that is read from its end has the order of its pages`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/memos", Self.page([5, 4], next: "b", token: "1"), Self.page([3, 2], token: "1"),
      Self.page([9, 8], next: "b", token: "2"), Self.page([7, 4, 6], token: "2"))
    let list = StoredCollection<Memo>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")),
      options: [.envelope("data"), .newestFirst])
    let store = try EntityStore(.inMemory, entities: [Memo.self])
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      #expect(try store.main.fetch(Memo.members(of: list)).map(\.uid) == [5, 4, 3, 2])
      try await list.load()
      #expect(try store.main.fetch(Memo.members(of: list)).map(\.uid) == [9, 8, 7, 6, 5, 4, 3, 2])
    }
  }

  // MARK: Changes

  private static let placed = StoredCollection<Memo>(
    pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")), placing: .first { $0.isMine == true },
    options: .envelope("data"))

  private static func page(_ uids: [Int], next: String? = nil, token: String) -> StubAnswer {
    let items = JSONValue(uids.map { ["id": JSONValue($0)] as JSONValue })
    return .json(
      ["data": items, "next": next.map { JSONValue($0) } ?? .null], headers: ["ETag": "\"\(token)\""])
  }

  /// A list of memo 1, with an object that is made here.
  private func withPlaced(
    _ stub: StubAdapter, _ body: @MainActor (EntityStore, Memo) async throws -> Void
  ) async throws {
    let store = try EntityStore(.inMemory, entities: [Memo.self])
    try await Client.withClient(Client(stub, store)) {
      try await Self.placed.load()
      let mine = try store.main.insert(Memo.self)
      mine.isMine = true
      try await store.main.save()
      try await body(store, mine)
    }
  }

  private func uids(_ store: EntityStore) throws -> [Int] {
    try store.main.fetch(Memo.members(of: Self.placed)).map(\.uid)
  }

  @Test func `an older page of changes does not undo a newer one`() async throws {
    let (stub, older, newer) = (StubAdapter(), StubGate(), StubGate())
    let left = StubAnswer.json(["data": [["id": 2, "left": true]], "next": "b"], headers: ["ETag": "\"6\""])
    stub.on(
      .get, "/memos", Self.page([1, 2], token: "5"), left.waiting(for: older),
      Self.page([2], next: "c", token: "7"), Self.page([3], token: "7").waiting(for: newer),
      Self.page([4], token: "7"), Self.page([], token: "7"))
    try await withPlaced(stub) { store, _ in
      let first = Task { try await Self.placed.load() }
      await older.arrival()
      let second = Task { try await Self.placed.load() }
      await newer.arrival()
      older.open()
      _ = try await first.value
      newer.open()
      _ = try await second.value
      // Memo 2 is back since the older page. The walk that it was of does not go on.
      #expect(try Set(uids(store)).intersection([1, 2, 3, 4]) == [1, 2, 3])
      try await Self.placed.load()
      #expect(stub.requests.last?.url.queryFields["_since"] == "7")
    }
  }

  @Test func `an object that the server gets during a walk over changes stays in the list`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), Self.page([3], next: "b", token: "6").waiting(for: gate),
      Self.page([2], token: "7"), Self.page([9], token: "8"))
    stub.on(.post, "/memos", .json(["id": 9], status: 201))
    try await withPlaced(stub) { store, mine in
      let load = Task { try await Self.placed.load() }
      await gate.arrival()
      // The first page of the changes was asked for before, and the second one has older changes.
      try await mine.post()
      gate.open()
      _ = try await load.value
      #expect(Set(try uids(store)) == [9, 3, 2, 1])
      try await Self.placed.load()
      #expect(Set(try uids(store)) == [9, 3, 2, 1])
    }
  }

  @Test func `an object that the list has before the answer to its POST stays in the list`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), Self.page([9], token: "6"), Self.page([3], token: "7"))
    stub.on(.post, "/memos", StubAnswer.json(["id": 9], status: 201).waiting(for: gate))
    try await withPlaced(stub) { store, mine in
      let post = Task { @MainActor in try await mine.post() }
      await gate.arrival()
      try await Self.placed.load()
      gate.open()
      _ = try await post.value
      #expect(try uids(store) == [9, 1])
      #expect(mine.uid == 9 && !mine.isDeleted)
      // The server has named the object: changes without it do not say that it is none of the list.
      try await Self.placed.load()
      #expect(try uids(store) == [3, 9, 1])
    }
  }

  /// A list of memo 1, whose deletion here was discarded, while all pages are walked for it: the second page waits.
  private func whileWalked(
    _ stub: StubAdapter, _ second: StubGate,
    _ body: @MainActor (EntityStore, Memo, Task<Void, any Error>) async throws -> Void
  ) async throws {
    try await withPlaced(stub) { store, mine in
      try store.main.delete(try #require(try store.main.fetch(Memo.self, uid: 1)))
      try await store.main.save()
      try await store.pending.discard(try #require(try await store.pending.changes().first { $0.kind == .deletion }))
      let load = Task { _ = try await Self.placed.load() }
      await second.arrival()
      try await body(store, mine, load)
      #expect(try await Self.placed.status()?.isComplete == true)
    }
  }

  @Test func `a list with changes keeps its members while a discarded deletion is walked for`() async throws {
    let (stub, second) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/memos", Self.page([4, 3], next: "b", token: "5"), Self.page([2, 1], token: "5"),
      Self.page([4, 3], next: "b", token: "5"), Self.page([2, 1], token: "5").waiting(for: second),
      Self.page([], token: "5"))
    try await whileWalked(stub, second) { store, mine, load in
      #expect(try uids(store) == [mine.uid, 4, 3, 2], "the first page is here, and the list is as it was")
      second.open()
      try await load.value
      #expect(try uids(store) == [mine.uid, 4, 3, 2, 1])
      try await Self.placed.load()
      #expect(stub.requests.last?.url.query?.contains("_since=5") == true)
    }
  }

  @Test func `a walk that lost a page to the removal of its list is not taken for the list`() async throws {
    let (stub, second, third) = (StubAdapter(), StubGate(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), Self.page([4], next: "b", token: "6"),
      Self.page([3], next: "c", token: "6").waiting(for: second), Self.page([2], token: "6").waiting(for: third),
      Self.page([4], next: "b", token: "7"), Self.page([3], next: "c", token: "7"), Self.page([2], token: "7"))
    try await whileWalked(stub, second) { store, _, load in
      try await Self.placed.remove()
      second.open()
      await third.arrival()
      let other = try store.main.insert(Memo.self)
      other.isMine = true
      try await store.main.save()
      third.open()
      try await load.value
      #expect(try uids(store).suffix(3) == [4, 3, 2])
    }
  }

  @Test func `a load of all pages ends with all of them, although another one begins the list anew`() async throws {
    let (stub, second) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), Self.page([4], next: "b", token: "6"),
      Self.page([3], token: "6").waiting(for: second), Self.page([4], next: "b", token: "7"),
      Self.page([4], next: "b", token: "7"), Self.page([3], token: "7"))
    try await whileWalked(stub, second) { store, _, load in
      try await Self.placed.loadMore()
      second.open()
      try await load.value
      #expect(try uids(store).suffix(2) == [4, 3])
    }
  }

  @Test func `a list that lacks something since its changes were asked for is walked whole next`() async throws {
    let (stub, changes) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), Self.page([2], token: "6").waiting(for: changes),
      Self.page([3, 2, 1], token: "7"))
    try await withPlaced(stub) { store, _ in
      let load = Task { try await Self.placed.load() }
      await changes.arrival()
      try #require(try store.main.fetch(Memo.self, uid: 1)).text = "mine"
      try await store.main.save()
      try await store.pending.discard(try #require(try await store.pending.changes().first { $0.kind == .edit }))
      changes.open()
      _ = try await load.value
      try await Self.placed.load()
      #expect(stub.requests.last?.url.query?.contains("_since") != true)
      #expect(try uids(store).suffix(3) == [3, 2, 1])
    }
  }

  @Test func `a list that lacks something since all its pages were asked for is walked whole once more`() async throws {
    let (stub, second) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), Self.page([4], next: "b", token: "6"),
      Self.page([3], token: "6").waiting(for: second), Self.page([4, 3, 2], token: "7"), Self.page([], token: "7"))
    try await whileWalked(stub, second) { store, _, load in
      try #require(try store.main.fetch(Memo.self, uid: 4)).text = "mine"
      try await store.main.save()
      try await store.pending.discard(try #require(try await store.pending.changes().first { $0.kind == .edit }))
      second.open()
      try await load.value
      try await Self.placed.load()
      #expect(try uids(store).suffix(3) == [4, 3, 2])
      try await Self.placed.load()
      #expect(stub.requests.last?.url.queryFields["_since"] == "7")
    }
  }

  @Test func `a list of which an eviction during its walk left no values is walked whole once more`() async throws {
    let (stub, second) = (StubAdapter(), StubGate())
    let first = StubAnswer.json(["data": [["id": 4, "text": "a"], ["id": 3, "answers": ["id": 4]]], "next": "b"])
    let last = StubAnswer.json(["data": [["id": 1]], "next": .null], headers: ["ETag": "\"5\""])
    stub.on(.get, "/ripostes", last, .status(410), first, last.waiting(for: second), first, last)
    let list = StoredCollection<Riposte>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")), placing: .first { $0.text == "mine" },
      options: .envelope("data"))
    let store = try EntityStore(.inMemory, entities: [Riposte.self])
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      // No eviction takes a list with an object that no answer has had.
      try store.main.insert(Riposte.self).text = "mine"
      try await store.main.save()
      let load = Task { try await list.load() }
      await second.arrival()
      try await store.evict(Riposte.self, olderThan: .zero) { $0.uid != 4 }
      second.open()
      _ = try await load.value
      #expect(try await list.status()?.isComplete == false)
      try await list.load()
      #expect(try store.main.fetch(Riposte.members(of: list)).map(\.text) == ["mine", "a", nil, nil])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `an object that a page has before the answer to its POST is in a list that is walked anew`() async throws {
    let (stub, posting, walking) = (StubAdapter(), StubGate(), StubGate())
    stub.on(
      .get, "/memos", Self.page([1], token: "5"), .status(410), Self.page([9, 2], next: "b", token: "6"),
      Self.page([1], token: "6").waiting(for: walking), Self.page([3], token: "7"))
    stub.on(.post, "/memos", StubAnswer.json(["id": 9], status: 201).waiting(for: posting))
    try await withPlaced(stub) { store, mine in
      let post = Task { @MainActor in try await mine.post() }
      await posting.arrival()
      let load = Task { try await Self.placed.load() }
      await walking.arrival()
      posting.open()
      _ = try await post.value
      walking.open()
      _ = try await load.value
      #expect(try uids(store) == [9, 2, 1])
      try await Self.placed.load()
      #expect(try uids(store) == [3, 9, 2, 1])
    }
  }
}
