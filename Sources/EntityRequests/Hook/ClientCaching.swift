/// The part of a client that its requests share, so that a copy of the client shares it too.
final class ClientCaching: Sendable {
  /// The name of the account that sends the requests.
  let identity: (@Sendable () -> String?)?
  let onRefreshFailure: (@Sendable (any Error) -> Void)?
  let inFlight = InFlightRequests()
  let loads = ObjectLoads()
  let observers = ExchangeObservers()
  /// The loads that live resources of equal requests share.
  let shared = SharedObjects()

  init(identity: (@Sendable () -> String?)?, onRefreshFailure: (@Sendable (any Error) -> Void)?) {
    self.identity = identity
    self.onRefreshFailure = onRefreshFailure
  }
}
