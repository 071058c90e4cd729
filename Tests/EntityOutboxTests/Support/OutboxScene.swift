import EntityClient
import EntityTesting
import Observation
import Testing

@testable import EntityOutbox

/// A store, a server, and the outbox between them.
struct OutboxScene {
  let server: ShopServer
  let store: EntityStore
  let client: Client
  let clock = VirtualClock()
  let outbox: Outbox

  init(
    _ server: ShopServer = ShopServer(), store: EntityStore? = nil, identity: (@Sendable () -> String?)? = nil,
    width: Int? = nil
  ) throws {
    self.server = server
    self.store = try store ?? EntityStore(.inMemory, entities: shopEntities)
    client = try Client(adapter: server, store: self.store, baseURL: "https://api.example.com/", identity: identity)
    outbox = try Outbox(client, time: OutboxTime(clock), width: width)
  }

  /// A unit of work of the app.
  func edit<T: Sendable>(_ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    try await store.background(work)
  }

  func pending() async throws -> [PendingChange] { try await store.pending.changes() }

  /// The text of the plan.
  func plan() async throws -> String { try await outbox.plan().description }
}

extension EntityContext {
  /// A new object.
  func make<E: ManagedEntity>(_ type: E.Type, _ set: (E) -> Void) throws -> E {
    let object = try insert(type)
    set(object)
    return object
  }

  func known<E: ManagedEntity>(_ id: EntityID<E>) throws -> E { try #require(try object(id)) }

  /// The order with a uid.
  func order(_ uid: Int) throws -> Order { try #require(try fetch(Order.where { $0.uid == uid }).first) }
}

extension Outbox {
  /// Waits until the state that screens show is as a test expects.
  @MainActor func settled(_ condition: @MainActor (LiveOutbox) -> Bool) async throws {
    let live = LiveOutbox(self)
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
}
