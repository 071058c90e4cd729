import Adapters
import EntityClient
import EntityTesting
import Foundation
import Observation
import Testing

/// An app on a device: a store in a file, its outbox with a clock that the test moves, and a connection that the test
/// breaks.
final class OutboxDevice: Sendable {
  let file: URL
  let store: EntityStore
  let client: Client
  /// The same client with a connection of its own, which never breaks.
  let direct: Client
  private let entities: [any ManagedEntity.Type]
  private let makeClient: @Sendable (any RequestAdapter, EntityStore) throws -> Client
  let outbox: Outbox
  let clock = VirtualClock()
  let faults: FaultAdapter
  /// The requests that reached the server.
  let log: RequestLog

  /// - Parameters:
  ///   - file: The file of an earlier run of the app; by default a new one.
  ///   - client: Makes the client of the device.
  init(
    _ entities: [any ManagedEntity.Type], file: URL? = nil,
    client: @escaping @Sendable (any RequestAdapter, EntityStore) throws -> Client
  ) throws {
    self.file = file ?? URL.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString).sqlite")
    store = try EntityStore(.file(self.file), entities: entities)
    log = RequestLog(CurlAdapter())
    faults = FaultAdapter(log)
    (self.entities, makeClient) = (entities, client)
    self.client = try client(faults, store)
    direct = try client(CurlAdapter(), store)
    outbox = try Outbox(self.client, clock: clock)
  }

  /// The app on the same device, when it was started again.
  func again() throws -> OutboxDevice { try OutboxDevice(entities, file: file, client: makeClient) }

  /// Runs requests of the app.
  @discardableResult
  nonisolated(nonsending) func callAsFunction<R>(_ body: nonisolated(nonsending) () async throws -> R) async throws -> R
  {
    try await Client.withClient(client, operation: body)
  }

  /// A unit of work of the app. It needs no server.
  @discardableResult
  func edit<R: Sendable>(_ work: @Sendable (EntityContext) throws -> R) async throws -> R {
    try await store.background(work)
  }

  var pending: [PendingChange] { get async throws { try await store.pending.changes() } }

  /// Lets the time after a lost answer pass, and sends.
  @discardableResult
  func sendLater() async throws -> OutboxPass {
    clock.advance(by: .seconds(31))
    return try await outbox.send()
  }

  /// Sends until nothing is left; for a connection that breaks off and a server that is busy.
  ///
  /// - Returns: Whether nothing was left.
  func sendAll() async throws -> Bool {
    for round in 0..<60 {
      // A request that failed again and again is tried once an hour.
      clock.advance(by: .seconds(round < 40 ? 40 : 4_000))
      if try await outbox.send().left == 0 { return true }
    }
    return false
  }

  /// Waits until a started outbox has sent all changes.
  func everythingSent() async throws {
    for try await changes in store.pending.updates() where try changes.get().isEmpty { return }
  }

  /// Waits until the state that screens show is as a test expects.
  @MainActor func wait(until condition: @MainActor (LiveOutbox) -> Bool) async {
    let live = LiveOutbox(outbox)
    while !condition(live) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = live.count
        } onChange: {
          continuation.resume()
        }
      }
      await Task.yield()
    }
  }

  func remove() {
    for ending in ["", "-wal", "-shm", "-outbox"] { try? FileManager.default.removeItem(atPath: file.path + ending) }
  }
}

/// The server as somebody sees it who is beside the devices.
struct Bystander: Sendable {
  let client: Client

  func get(_ path: String, query: QueryParameters = [:]) async throws -> JSONValue {
    try JSONValue(parsing: try await client.send(client.request(.get, path, query: query)).body)
  }

  @discardableResult
  func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws -> HTTPResponse {
    var request = try client.request(method, path)
    if let body { try request.setJSON(body) }
    return try await client.send(request)
  }
}

extension JSONValue {
  /// The elements of an array.
  var list: [JSONValue] { array.map { Array($0) } ?? [] }
}

extension OutboxPass {
  /// The pass in words, without what is none: `2 sent, 1 left, offline`.
  var text: String {
    var parts = [(sent, "sent"), (refused, "refused"), (left, "left")].filter { $0.0 > 0 }.map { "\($0) \($1)" }
    switch pause {
    case .offline: parts.append("offline")
    case .some(let pause): parts.append("\(pause)")
    case nil: break
    }
    return parts.joined(separator: ", ")
  }
}

extension EntityContext {
  func make<E: ManagedEntity>(_ type: E.Type, _ set: (E) throws -> Void) throws -> E {
    let object = try insert(type)
    try set(object)
    return object
  }

  func known<E: ManagedEntity>(_ id: EntityID<E>) throws -> E { try #require(try object(id)) }
}

/// Numbers in an order that a seed decides.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
