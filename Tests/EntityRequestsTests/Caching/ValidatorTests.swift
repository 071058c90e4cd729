import EntityClient
import EntityRequests
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// ETag, Last-Modified and 304: "not modified" is a success that writes nothing.
struct ValidatorTests {
  @Test(arguments: ["\"v1\"", "W/\"v1\"", "\"\""])
  func `an ETag is sent back as it came`(_ tag: String) async throws {
    let server = CachingServer()
    server.tag.value = tag
    let client = try server.client()
    try await Client.withClient(client) {
      let first = try await User.get(options: .asked)
      #expect(first.origin == .network)
      let before = try await client.store.generation()
      let second = try await User.get(options: .asked)
      #expect(server.tags == ["-", tag])
      #expect(second.origin == .notModified)
      #expect(second.status == 304)
      #expect(second.ids == first.ids)
      #expect(second.counts == EntityCounts())
      #expect(try await client.store.generation() == before)
      #expect(try await second.uids() == [1, 2])
      server.tag.value = "\"v2\""
      let third = try await User.get(options: .asked)
      #expect(third.origin == .network)
      #expect(third.counts.updated == 1)
    }
  }

  @Test func `a date is sent back as it came`() async throws {
    let stub = StubAdapter()
    let date = "Mon, 02 Nov 2026 10:00:00 GMT"
    stub.on(.get, "/users", .json([["id": 1]], headers: ["Last-Modified": date]), .status(304))
    let client = try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: sampleEntities), baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      let ids = try await User.get(options: .asked).ids
      let again = try await User.get(options: .asked)
      #expect(again.ids == ids)
      #expect(stub.requests.map { $0.headers["If-Modified-Since"] } == [nil, date])
    }
  }

  @Test func `a request without a policy sends no validator and leaves no note`() async throws {
    try await CachingServer.withClient { server, client in
      try await User.get()
      #expect(try await client.store.noteCount() == 0)
      try await User.get(options: .asked)
      #expect(try await client.store.noteCount() == 1)
      #expect(try await User.get().origin == .network)
      #expect(server.tags == ["-", "-", "-"])
    }
  }

  @Test func `the note is in the file of the next process`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreLocation.file(folder.appending(path: "store.sqlite"))
    let server = CachingServer()
    let ids = try await Client.withClient(server.client(EntityStore(file, entities: sampleEntities))) {
      try await User.get(options: .asked).ids
    }
    try await Client.withClient(server.client(EntityStore(file, entities: sampleEntities))) {
      let known = try await User.get(options: .known).ids
      #expect(known == ids)
      #expect(try await User.get(options: .asked).origin == .notModified)
    }
    #expect(server.tags == ["-", "\"v1\""])
  }

  /// - Parameter isReset: Whether the note goes; else one of its rows.
  @Test(arguments: [true, false])
  func `not modified that the store lacks something of asks again`(_ isReset: Bool) async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(
      .get, "/users", .json([["id": 1], ["id": 2]], headers: ["ETag": "\"v1\""]), .status(304).waiting(for: gate),
      .json([["id": 1], ["id": 2]]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      try await User.get(options: .asked)
      async let second = User.get(options: .asked)
      await gate.arrival()
      if isReset {
        try await store.reset()
      } else {
        try await store.background(as: .server) { try $0.delete(try #require(try $0.fetch(User.self, uid: 2))) }
      }
      gate.open()
      let response = try await second
      #expect(response.origin == .network)
      #expect(response.counts.inserted == (isReset ? 2 : 1))
      #expect(stub.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\"", nil])
    }
  }

  @Test func `an answer that the store lacks something of is asked for whole`() async throws {
    try await CachingServer.withClient { server, client in
      let ids = try await User.get(options: .asked).ids
      try await client.store.background(as: .server) { try $0.delete(try #require(try $0.object(ids[0]))) }
      #expect(try await User.get(options: .asked).counts.inserted == 1)
      // The user takes an edit back that another answer had to leave alone.
      try await client.store.background { try #require(try $0.object(ids[1])).email = "mine" }
      try await client.store.pending.discardAll()
      #expect(try await User.get(options: .asked).origin == .network)
      #expect(try await User.get(options: .asked).origin == .notModified)
      #expect(server.tags == ["-", "-", "-", "\"v1\""])
    }
  }

  @Test func `a list that deletes missing objects is always fetched whole`() async throws {
    try await CachingServer.withClient { server, client in
      let options: ResponseOptions<User> = [.asked, .deleteMissing(in: User.all)]
      try await User.get(options: options)
      try await client.store.background(as: .server) { try $0.insert(User.self).uid = 3 }
      #expect(try await User.get(options: options).counts.deleted == 1)
      #expect(server.tags == ["-", "-"])
    }
  }

  @Test func `conditions of the caller's own stay`() async throws {
    let server = CachingServer()
    try await Client.withClient(server.client()) {
      try await User.get(options: .asked)
      let response = try await User.get(
        options: .asked, modify: { try $0.setHeaders(["If-None-Match": "\"mine\", \"v1\""]) })
      #expect(response.origin == .network)
      #expect(server.tags == ["-", "\"mine\", \"v1\""])
    }
  }

  @Test(arguments: ["no-store", "private, no-store, max-age=60"])
  func `an answer that is not to be stored is not noted`(_ directives: String) async throws {
    let server = CachingServer(headers: ["Cache-Control": directives])
    let client = try server.client()
    try await Client.withClient(client) {
      try await User.get(options: .asked)
      #expect(try await client.store.noteCount() == 0)
      #expect(try await client.store.read { try $0.count(User.all) } == 2)
    }
  }

  @Test func `a field of a 304 counts from then on`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    stub.on(
      .get, "/users", .json([["id": 1]], headers: ["ETag": "\"v1\"", "Cache-Control": "max-age=10"]),
      .status(304, headers: ["ETag": "\"v1\"", "Cache-Control": "max-age=100"]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await clock.run {
      try await Client.withClient(client) {
        let options: ResponseOptions<User> = .cache(.cacheFirst())
        try await User.get(options: options)
        clock.advance(by: 11)
        #expect(try await User.get(options: options).origin == .notModified)
        clock.advance(by: 99)
        #expect(try await User.get(options: options).origin == .cache(age: .seconds(99)))
      }
    }
  }
}
