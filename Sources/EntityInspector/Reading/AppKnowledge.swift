import EntityOutbox
import EntityRequests
import EntityStore

/// The facts that a file lacks, and that an app has which starts the inspector.
struct AppKnowledge: Sendable {
  /// The requests of the client; `nil` where a file is shown.
  private(set) var requests: RequestLog?
  /// Fills the requests.
  private(set) var observation: ExchangeObservation?
  private weak var core: StoreCore?

  /// No facts, for a file.
  init() {}

  /// - Parameter client: A client with a store, which must not live longer for being looked at.
  init(_ client: Client) throws {
    let log = RequestLog()
    core = try client.store.core
    requests = log
    observation = client.observe { log.add($0) }
  }

  var isApp: Bool { requests != nil }

  /// The plan of the outbox, or the part of it about one object.
  ///
  /// - Returns: `nil` where a file is shown, or where the store has no outbox.
  func plan(about object: (entity: String, pk: Int64)? = nil) -> AppAnswer<OutboxPlan>? {
    guard let core, Outbox.exists(for: core) else { return nil }
    let row = object.flatMap { object in
      core.schema.entities.first { $0.name == object.entity }.map { RowKey(entity: $0.number, pk: object.pk) }
    }
    guard object == nil || row != nil else { return nil }
    return AppAnswer(of: "The outbox") { [weak core] in
      guard let core else { return nil }
      return try await Outbox.plan(of: core, about: row)
    }
  }

  /// The live queries; none of a store that is gone.
  ///
  /// - Returns: `nil` where a file is shown.
  func liveQueries() -> AppAnswer<[LiveQueryFacts]>? {
    guard isApp else { return nil }
    return AppAnswer(of: "The main actor") { [weak core] in
      await MainActor.run { core?.store?.liveQueryFacts ?? [] }
    }
  }
}
