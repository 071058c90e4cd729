import EntityStore
import HTTPFoundation

/// A request of a live resource, and its known answer: what the shared loading needs of it.
protocol LoadedExchange<Entity>: Sendable {
  associatedtype Entity: RemoteEntity

  var key: AnswerKey { get }
  var core: StoreCore { get }
  var entityNames: Set<String> { get }
  /// The writes of the entities until now. A load from before a write is not joined by one after it.
  var writes: String { get }
  var isShared: Bool { get }
  /// The members of a stored collection; `nil` where the known answer names the objects.
  var members: EntityQuery<Entity>? { get }

  func sharingKey(after writes: String) -> InFlightRequests.Key
  func heard(by progress: @escaping RequestProgressHandler) -> Self
  @concurrent func run() async throws -> EntityResponse<Entity>
  func known(in context: EntityContext) throws -> KnownObjects?
}

/// The facts that are known of a resource without asking the server.
struct KnownObjects {
  var freshness: AnswerFreshness
  /// The objects of the answer; empty for a collection, whose members are queried.
  var pks: [Int64] = []
  /// `nil` for a resource that is no collection.
  var extent: ListExtent?
}

/// How far a list was walked.
struct ListExtent: Equatable {
  var hasMore: Bool
  var hasEarlier: Bool
  var isComplete: Bool
}

extension CachedExchange: LoadedExchange {
  var core: StoreCore { exchange.reading.core }
  var entityNames: Set<String> { exchange.reading.options.entityNames }
  var members: EntityQuery<E>? { nil }

  func known(in context: EntityContext) throws -> KnownObjects? {
    try knownNote(in: context).map { KnownObjects(freshness: $0.freshness, pks: $0.note.pks) }
  }
}
