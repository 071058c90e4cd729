import EntityRequests

/// What an app that starts the inspector adds to its file.
struct AppKnowledge: Sendable {
  /// The requests of the client; `nil` where a file is shown.
  var requests: RequestLog?
  var names = ListNames()
  /// Fills the requests.
  var observation: ExchangeObservation?
}
