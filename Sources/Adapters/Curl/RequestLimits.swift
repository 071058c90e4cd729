internal import EntityRequests
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The limits of time of one exchange: those of the adapter, as far as the request says nothing else.
struct RequestLimits: Sendable {
  let connect: Duration?
  let idle: Duration?
  let total: Duration?
  let throughput: CurlAdapter.Throughput?

  init(_ request: URLRequest, _ configuration: CurlAdapter.Configuration) {
    let own = Self.timeout(of: request)
    // The request's time is one for all silence. A server that can't be reached is silent, too.
    connect = own.map { min($0, configuration.connectTimeout ?? $0) } ?? configuration.connectTimeout
    idle = own ?? configuration.idleTimeout
    total = configuration.totalTimeout
    throughput = configuration.minimumThroughput
  }

  /// The `timeoutInterval` that was set; `nil` for Foundation's default, which can't be told from one that was set.
  private static func timeout(of request: URLRequest) -> Duration? {
    let seconds = request.timeoutInterval
    guard seconds != 60, seconds > 0 else { return nil }
    // Thirty years are without limit, and do not overflow.
    return .seconds(min(seconds, 1e9))
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

  /// The `Cache-Control` that says the policy to the caches on the way, in so far as it concerns them.
  ///
  /// - Throws: `TransportError` of kind `unsupported` for the policy that forbids to send the request.
  func cacheControl() throws -> String? {
    switch cachePolicy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: "no-cache"
    case .reloadRevalidatingCacheData: "max-age=0"
    case .returnCacheDataDontLoad:
      throw TransportError(
        .unsupported,
        "The request's cache policy is returnCacheDataDontLoad, and CurlAdapter has no cache; so nothing was sent.",
        mayHaveBeenProcessed: false)
    default: nil
    }
  }
}
