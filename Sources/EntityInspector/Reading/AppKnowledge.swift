import EntityRequests

/// The facts that a file lacks, and that an app has which starts the inspector.
struct AppKnowledge: Sendable {
  /// The requests of the client; `nil` where a file is shown.
  var requests: RequestLog?
  var names = ListNames()
  /// Fills the requests.
  var observation: ExchangeObservation?
}
