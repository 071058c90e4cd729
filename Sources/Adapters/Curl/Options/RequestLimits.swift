internal import AdapterDecorators
internal import EntityRequests
internal import HTTPFoundation

/// The time limits of one exchange: those of the adapter, unless the request has its own.
struct RequestLimits: Sendable {
  let connect: Duration?
  let idle: Duration?
  let total: Duration?
  let throughput: CurlAdapter.Throughput?

  init(_ request: URLRequest, _ configuration: CurlAdapter.Configuration) {
    let own = request.ownTimeout
    // The request's time limits every silence. A server that can't be reached is silent, too.
    connect = own.map { min($0, configuration.connectTimeout ?? $0) } ?? configuration.connectTimeout
    idle = own ?? configuration.idleTimeout
    total = configuration.totalTimeout
    throughput = request.asksForEvents ? nil : configuration.minimumThroughput
  }
}

extension URLRequest {
  /// - Throws: `TransportError` of kind `unsupported`: libcurl doesn't know which network a connection takes, and a
  ///   request that must not take one of them may cost its sender money.
  func checkNetworks() throws {
    guard allowsCellularAccess else { throw forbidden("allowsCellularAccess") }
    #if !canImport(FoundationNetworking)
      guard allowsExpensiveNetworkAccess else { throw forbidden("allowsExpensiveNetworkAccess") }
      guard allowsConstrainedNetworkAccess else { throw forbidden("allowsConstrainedNetworkAccess") }
    #endif
  }

  private func forbidden(_ property: String) -> TransportError {
    TransportError(
      .unsupported,
      "The request's \(property) is off, and CurlAdapter can't choose a network; so nothing was sent.",
      mayHaveBeenProcessed: false)
  }
}
