import Adapters
import EntityClient
import Foundation
import Synchronization

/// Ours.
final class EntityRows<User: StandardUser>: IngestedRows {
  let store: EntityStore
  private let scratch: Scratch
  private var outbox: Outbox?

  /// What follows the commits.
  enum Follower {
    case none
    /// The main context, as in an app with a screen.
    case main
    /// The main context, and an outbox that sends nothing.
    case outbox
    /// That outbox, as in a service, which has no screen.
    case outboxAlone
  }

  init(_ place: Place, keepsHistory: Bool = false, followedBy follower: Follower = .none) throws {
    scratch = try Scratch()
    var options = StoreOptions()
    if keepsHistory { options.history = .keeping(.seconds(24 * 3600)) }
    store = try EntityStore(
      place == .file ? .file(scratch.file) : .inMemory, entities: [User.self, User.Home.self], options: options)
    guard follower != .none, let url = URL(string: "http://127.0.0.1:9/") else { return }
    let store = store
    if follower != .outboxAlone { onMain { consume(store.main) } }
    guard follower != .main else { return }
    outbox = try Outbox(try Client(adapter: CurlAdapter(), store: store, baseURL: url))
  }

  func ingest(_ body: Body) throws {
    let (store, data) = (store, body.data)
    _ = try wait { try await User.upsert(from: data, in: store).counts }
  }

  func ingest(each bodies: [Body]) throws -> [Cost] {
    let store = store
    // One task, as a client's is.
    return try wait {
      var costs: [Cost] = []
      for body in bodies {
        let start = Cost.Start()
        _ = try await User.upsert(from: body.data, in: store).counts
        costs.append(start.cost)
      }
      return costs
    }
  }

  func digest() throws -> UInt64 {
    let store = store
    return try wait {
      try await store.read { context in
        Digest.array(try context.fetch(User.all).sorted { $0.uid < $1.uid }.lazy.map(Self.digest(of:)))
      }
    }
  }

  private static func digest(of user: User) -> UInt64 {
    let home = user.address
    return Digest.array([
      Digest.int(Int64(user.uid)), text(user.email), text(user.firstName), text(user.lastName),
      Digest.int(Int64(user.age)), Digest.double(user.score), Digest.int(user.active ? 1 : 0),
      user.createdAt.map { Digest.double($0.timeIntervalSince1970) } ?? Digest.null, text(user.bio),
      home.map { Digest.int(Int64($0.uid)) } ?? Digest.null, text(home?.street), text(home?.city), text(home?.state),
      text(home?.zip),
    ])
  }

  private static func text(_ value: String?) -> UInt64 { value?.digest ?? Digest.null }
}

/// Waits on this thread for work that is done on others.
func wait<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
  let outcome = Outcomes<T>()
  Task.detached {
    do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
  }
  return try outcome.get()
}

private final class Outcomes<T: Sendable>: Sendable {
  private let value = Mutex<Result<T, any Error>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ result: Result<T, any Error>) {
    value.withLock { $0 = result }
    isThere.signal()
  }

  func get() throws -> T {
    isThere.wait()
    guard let result = value.withLock({ $0 }) else { throw ContestError(description: "There is no result.") }
    return try result.get()
  }
}
