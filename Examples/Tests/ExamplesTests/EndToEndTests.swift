import Adapters
import EntityClient
import Foundation
import SampleSchema
import SampleServer
import Testing

/// The main job over a real server, real sockets and a real file.
@Suite struct EndToEndTests {
  @Test @MainActor func `entities travel from the server into the file and back`() async throws {
    let folder = try TemporaryFolder()
    let server = SampleServer(userCount: 1_000, token: "secret")
    let url = try await server.start()
    let store = try folder.store()
    let adapter = CurlAdapter().modifying { try $0.setHeaders(["Authorization": "Bearer secret"]) }
    let client = try Client(adapter: adapter, store: store, baseURL: url)
    try await Client.withClient(client) {
      let first = try await User.get()
      #expect(first.counts.inserted == 1_000)
      #expect(first.counts.rowsWritten == 2_000)
      let users = try first.objects
      #expect(users.map(\.uid) == Array(1...1_000))

      let user = users[0]
      user.email = "new@example.com"
      try await user.saveEmail()
      #expect(!user.hasChanges)

      let ada = try store.main.insert(User.self)
      ada.firstName = "Ada"
      let id = ada.entityID
      try await ada.create()
      #expect(ada.uid == 1_001)
      #expect(ada.entityID == id)
      #expect(!ada.isInserted)

      try await users[1].delete()
      #expect(users[1].isDeleted)
      #expect(users[1].email != nil)

      let second = try await User.get()
      #expect(second.counts.unchanged == 1_000)
      #expect(second.counts.rowsWritten == 0)
      #expect(try await User.user(uid: 1) == user.entityID)
    }
    await server.stop()

    let other = try folder.store()
    let read = try await other.read { context in
      (
        try context.count(User.all), try context.fetch(User.self, uid: 1)?.email,
        try context.fetch(User.self, uid: 1_001)?.firstName
      )
    }
    #expect(read.0 == 1_000)
    #expect(read.1 == "new@example.com")
    #expect(read.2 == "Ada")
  }

  @Test func `without the token nothing is written`() async throws {
    let server = SampleServer(userCount: 10, token: "secret")
    let url = try await server.start()
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: CurlAdapter(), store: store, baseURL: url)
    let error = await #expect(throws: RequestError.self) {
      try await Client.withClient(client) { _ = try await User.get() }
    }
    #expect(error?.response?.status == 401)
    #expect(error?.body?["error.code"]?.string == "unauthorized")
    #expect(try await store.read { try $0.count(User.all) } == 0)
    await server.stop()
  }

  /// A sync that is cancelled at any moment is whole, or nothing of it is in the store.
  @Test func `a cancelled sync writes nothing or all`() async throws {
    let server = SampleServer(userCount: 600)
    let url = try await server.start()
    var random = SeededRandom(seed: 7)
    var cancelled = 0
    for _ in 0..<200 {
      let store = try EntityStore(.inMemory, entities: sampleEntities)
      let client = try Client(adapter: CurlAdapter(), store: store, baseURL: url)
      let moment = Double.random(in: 0...1.05, using: &random)
      let running = RunningTask()
      let started = AsyncStream<Void>.makeStream()
      let task = Task {
        for await _ in started.stream { break }
        try await Client.withClient(client) {
          _ = try await User.get(progress: { progress in
            guard progress.fraction >= moment else { return }
            running.cancel()
          })
        }
      }
      running.set(task)
      if moment < 0.05 { task.cancel() }
      started.continuation.yield()
      let result = await task.result
      let count = try await store.read { try $0.count(User.all) }
      switch result {
      case .success: #expect(count == 600)
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(count == 0)
        cancelled += 1
      }
    }
    #expect(cancelled > 50)
    await server.stop()
  }

  @Test func `the error says that the server stopped`() async throws {
    let server = SampleServer(userCount: 1)
    let url = try await server.start()
    await server.stop()
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: CurlAdapter(), store: store, baseURL: url)
    let error = await #expect(throws: RequestError.self) {
      try await Client.withClient(client) { _ = try await User.get() }
    }
    let transport = try #require(error?.underlying as? TransportError)
    #expect(transport.kind == .connection)
    #expect(!transport.mayHaveBeenProcessed)
    #expect(error?.description.contains(url.host() ?? "?") == true)
  }
}

/// A task that is cancelled from within itself.
///
/// Not in a `Mutex`, which the thread sanitizer does not see on Linux. `@unchecked Sendable`: `task` is private, and both
/// methods read and write it under the lock. The task that they hand out is `Sendable` itself.
private final class RunningTask: @unchecked Sendable {
  private let lock = NSLock()
  private var task: Task<Void, any Error>?

  func set(_ task: Task<Void, any Error>) { lock.withLock { self.task = task } }

  func cancel() { lock.withLock { task }?.cancel() }
}

struct TemporaryFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "end-to-end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func store() throws -> EntityStore {
    try EntityStore(
      .file(url.appending(path: "store.sqlite")), entities: sampleEntities)
  }
}

/// A generator that gives the same numbers for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
