import Adapters
import EntityClient
import EntityOutbox
import EntityTesting
import Foundation
import Testing

@Entity private final class Parcel: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "parcels" }
}

@Entity private final class KeyedParcel: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "parcels" }
  static var outbox: OutboxRules<KeyedParcel> { [.rest, .idempotencyKey()] }
}

/// A request that the app's own code kept from being sent is not taken for one that may have been done.
@Suite(.untilItHangs)
struct UnsentTests {
  private struct SessionExpired: Error {}

  private static let server = URL(string: "https://api.example.com/")!

  /// A way in which a request fails before a server does anything.
  enum Way: CaseIterable {
    case modifying, token, renewal, renewalByRefusedRequest, renewalLost, redirect

    var isSignedOut: Bool { self == .renewal || self == .renewalByRefusedRequest }

    func adapter(_ stub: StubAdapter) -> any RequestAdapter {
      if self != .redirect { stub.on(.post, "/parcels", .status(401)) }
      switch self {
      case .modifying: return stub.modifying { _ in throw SessionExpired() }
      case .token:
        return stub.authenticated(
          by: .bearer(at: UnsentTests.server) {
            throw SessionExpired()
          } refresh: { _ in
          })
      case .renewal: return renewing(stub) { _ in throw SessionExpired() }
      case .renewalByRefusedRequest:
        // OAuth answers a token that has ended with 400.
        stub.on(.post, "/token", .json(["error": "invalid_grant"], status: 400))
        return renewing(stub) { adapter in
          let client = try Client(adapter: adapter, baseURL: "https://api.example.com/")
          _ = try await client.send(client.request(.post, "token"))
        }
      case .renewalLost:
        return renewing(stub) { _ in throw TransportError(.timeout, "No new token.", mayHaveBeenProcessed: true) }
      case .redirect:
        stub.on(.post, "/parcels", .status(308, headers: ["Location": "http://api.example.com/other"]))
        return stub.followingRedirects()
      }
    }

    private func renewing(
      _ stub: StubAdapter, _ work: @escaping @Sendable (any RequestAdapter) async throws -> Void
    ) -> any RequestAdapter {
      stub.authenticated(
        by: .bearer(at: UnsentTests.server) {
          "old"
        } refresh: {
          try await work($0)
        })
    }
  }

  private func client(_ way: Way) throws -> Client {
    try Client(
      adapter: way.adapter(StubAdapter()), store: EntityStore(.inMemory, entities: [Parcel.self]),
      baseURL: "https://api.example.com/")
  }

  @Test(arguments: Way.allCases)
  func `the outbox sends a create again that did not reach the server`(_ way: Way) async throws {
    let client = try client(way)
    let outbox = try Outbox(client)
    try await client.store.background { try $0.insert(Parcel.self).name = "books" }
    try await outbox.send()
    let plan = try await outbox.plan()
    #expect(!plan.description.contains("unknown"), "\(plan)")
    await MainActor.run {
      let live = LiveOutbox(outbox)
      #expect(live.unknown.isEmpty)
      #expect(live.count == 1)
      #expect(live.refused.isEmpty)
      if case .unauthorized = live.pause { #expect(way.isSignedOut) } else { #expect(!way.isSignedOut) }
    }
  }

  @Test(arguments: Way.allCases)
  func `a verb says that the server has done nothing, and has the app's error`(_ way: Way) async throws {
    let client = try client(way)
    let error = await #expect(throws: RequestError.self) {
      try await Client.withClient(client) { try await Parcel.post { try $0.setJSON(["name": "books"]) } }
    }
    #expect(error?.kind == .transport)
    #expect(error?.mayHaveBeenProcessed == false)
    switch way {
    case .modifying, .token, .renewal: #expect(error?.underlying is SessionExpired)
    case .renewalByRefusedRequest: #expect((error?.underlying as? RequestError)?.status == 400)
    default: break
    }
  }

  @Test func `an earlier attempt may have been done`() async throws {
    let stub = StubAdapter()
    let tokens = Log<Int>()
    stub.on(.put, "/parcels/1", .failure(.timeout, mayHaveBeenProcessed: true))
    var policy = RetryPolicy()
    policy.baseDelay = .zero
    let adapter = stub.modifying { _ in
      tokens.add(1)
      if tokens.all.count > 1 { throw SessionExpired() }
    }.retrying(policy)
    let error = try await adapter.failure(request("PUT", Self.server.appending(path: "parcels/1")))
    #expect(error?.cause is SessionExpired)
    #expect(error?.mayHaveBeenProcessed == true)
  }

  @Test func `a key outlives a renewal that fails behind a lost attempt`() async throws {
    let stub = StubAdapter()
    let isBack = Log<Int>()
    stub.on(
      .post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true), .status(401),
      .json(["id": 1, "name": "books"], status: 201))
    var chain = StandardChain()
    chain.retry.baseDelay = .zero
    chain.authentication = .bearer(at: Self.server) {
      isBack.all.isEmpty ? "old" : "new"
    } refresh: { _ in
      throw SessionExpired()
    }
    let client = try Client(
      adapter: stub.standard(chain), store: EntityStore(.inMemory, entities: [KeyedParcel.self]),
      baseURL: "https://api.example.com/")
    let clock = VirtualClock()
    let outbox = try Outbox(client, clock: clock)
    try await client.store.background { try $0.insert(KeyedParcel.self).name = "books" }
    try await outbox.send()
    isBack.add(1)
    clock.advance(by: .seconds(3_600))
    try await outbox.send()
    let keys = stub.requests(.post, "/parcels").map { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 3)
    #expect(Set(keys).count == 1)
  }

  @Test(arguments: [401, 409, 425, 429, 503, 511])
  func `a key outlives a refusal for now behind a lost attempt`(_ status: Int) async throws {
    let stub = StubAdapter()
    stub.on(
      .post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true), .status(status),
      .json(["id": 1, "name": "books"], status: 201))
    var chain = StandardChain()
    (chain.retry.baseDelay, chain.retry.maximumAttempts) = (.zero, 2)
    let client = try Client(
      adapter: stub.standard(chain), store: EntityStore(.inMemory, entities: [KeyedParcel.self]),
      baseURL: "https://api.example.com/")
    let clock = VirtualClock()
    let outbox = try Outbox(client, clock: clock)
    let id = try await client.store.background { context in
      let parcel = try context.insert(KeyedParcel.self)
      parcel.name = "books"
      return parcel.entityID
    }
    try await outbox.send()
    try await client.store.background { try #require(try $0.object(id)).name = "maps" }
    stub.on(.patch, "/parcels/1", .json(["id": 1, "name": "maps"]))
    clock.advance(by: .seconds(3_600))
    try await outbox.send()
    let requests = stub.requests(.post, "/parcels")
    #expect(requests.count == 3 && requests.allSatisfy { $0.json == ["name": "books"] })
    #expect(Set(requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    // A server that knows the key made the parcel once, and hears of the edit by itself.
    #expect(stub.requests(.patch, "/parcels/1").map(\.json) == [["name": "maps"]])
  }

  @Test func `a header field that the app can't set is no fault of the network`() async throws {
    let client = try Client(
      adapter: StubAdapter().modifying { try $0.setHeaders(["X-Name": "a\nb"]) },
      store: EntityStore(.inMemory, entities: [Parcel.self]), baseURL: "https://api.example.com/")
    let outbox = try Outbox(client)
    try await client.store.background { try $0.insert(Parcel.self).name = "books" }
    try await outbox.send()
    await MainActor.run { #expect(LiveOutbox(outbox).refused.count == 1) }
  }

  @Test func `no answer of a cache stands in for a session that has ended`() async throws {
    let isOver = Log<Int>()
    let stub = StubAdapter().on(.get, "/parcels", .json([["id": 1]]))
    let client = try Client(
      adapter: stub.modifying { _ in if !isOver.all.isEmpty { throw SessionExpired() } },
      store: EntityStore(.inMemory, entities: [Parcel.self]), baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      try await Parcel.get(options: .cache(.cacheOnFailure))
      isOver.add(1)
      let error = await #expect(throws: RequestError.self) { try await Parcel.get(options: .cache(.cacheOnFailure)) }
      #expect(error?.underlying is SessionExpired)
    }
  }
}
